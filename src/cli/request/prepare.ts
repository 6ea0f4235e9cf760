/** Turn a command line into a validated call: choose the endpoint, read the parameters, prompt for secrets. Nothing is sent. */
import { chooseProfile } from '../../config/profiles.ts';
import { type ScopeName, scopePath } from '../../config/scope.ts';
import { sources } from '../../config/setting-table.ts';
import { forPerson, usage } from '../../errors.ts';
import { argumentsOf, type Command, pathOf, scopesOf } from '../../spec/command.ts';
import type { Endpoint } from '../../spec/endpoint.ts';
import { choicesOf, isSecret } from '../../spec/field.ts';
import { rowSecrets } from '../../spec/mask.ts';
import { kebab, upperFirst } from '../../spec/names.ts';
import type { Call, Values } from '../../spec/request.ts';
import { filled } from '../../support/placeholders.ts';
import { isRecord } from '../../support/record.ts';
import type { CommandLine } from '../argv/parse.ts';
import { createReader, type Reader } from '../argv/values.ts';
import { checkReadOnly } from '../session/connection.ts';
import type { Session } from '../session/model.ts';
import { isDryRun } from './build.ts';
import { readParameters, titleOf, validate } from './parameters.ts';

/** Choose the endpoint, read the values and validate them. @throws Failure `usage` for values that the service would reject */
export async function prepareCall(
  session: Session,
  command: Command,
  line: CommandLine,
  reader: Reader = createReader(session.context),
): Promise<Call> {
  if (usesCheckout(session, command, line)) {
    const { atCheckout } = await import('../session/checkout.ts');
    [session, line] = await atCheckout(session, line);
  }
  const { endpoint, id, note } = chooseEndpoint(command, line, session.settings);
  if (note !== undefined) session.notes.sayOnce(note);
  if (!isDryRun(session)) checkReadOnly(session, endpoint.method);
  const { fill } = reader;
  const given = filled(await readParameters(endpoint, line, reader), fill);
  const words = Object.entries(line.args).filter(([name]) => endpoint.slots[name]);
  const typedSlots = filled(Object.fromEntries(words), fill);
  await completeRequired(endpoint, typedSlots, given, session, line);
  const typed = [endpoint, typedSlots, given] as const;
  const { slots, values } = mayContainName([...filled([line.args, line.fields], fill), line.typed ?? {}])
    ? await (await import('./names.ts')).validateNamed(session, id, ...typed)
    : await validate(...typed);
  session.conceal(rowSecrets(values, endpoint.takes));
  warnIfDeprecated(endpoint, values, session);
  return { endpoint, slots: { ...slots, ...(id === undefined ? {} : { id }) }, values };
}

/** Whether the project of a command is `.`, that of the Git checkout. */
export function usesCheckout(
  { settings }: Session,
  command: Pick<Command, 'endpoints' | 'scopes'>,
  { project, group }: Pick<CommandLine, 'project' | 'group'>,
): boolean {
  if (project !== undefined || group !== undefined) return project === '.';
  if (settings.project?.value !== '.' || command.endpoints.some(({ scope }) => !scope)) return false;
  const scopes = scopesOf(command).map(({ name }) => name);
  return chosenScope(scopes, {}, settings)?.scope === 'project';
}

/** Whether a word may be `latest`, `latest:<ref>` or `@me`. */
function mayContainName(given: readonly Readonly<Record<string, unknown>>[]): boolean {
  const words = given.flatMap((one) => Object.values(one).flat());
  return words.some((word) =>
    typeof word === 'string'
      ? /^latest(:|$)|@me\b/.test(word)
      : isRecord(word) && Object.values(word).includes('@me'),
  );
}

/** Fill in required parameters with an implied value or a single choice, and prompt for missing secrets. */
async function completeRequired(
  endpoint: Endpoint,
  slots: Readonly<Record<string, string>>,
  given: Record<string, unknown>,
  { context, root }: Session,
  { options }: CommandLine,
): Promise<void> {
  for (const [name, field] of Object.entries(endpoint.takes)) {
    if (!field.required || given[name] !== undefined || field.in === 'credential') continue;
    const [choice, ...others] = choicesOf(field) ?? [];
    const single = others.length === 0 ? choice : undefined;
    if (field.implied !== undefined || single !== undefined) given[name] = field.implied ?? single;
    else if (isSecret(field)) {
      const title = titleOf(endpoint, name);
      // An invalid key is reported before the prompt for its value.
      await validate(endpoint, slots, { ...given, [name]: '' });
      const { ask, canPrompt } = await import('../terminal/prompt.ts');
      if (!canPrompt(context, options))
        throw usage(
          `${title} is missing`,
          forPerson('use @file or - for standard input, or run the command on a terminal to be prompted'),
        );
      // Without a service, the value would be typed in vain.
      root();
      const question = `${upperFirst(kebab(name).replaceAll('-', ' '))} (hidden): `;
      given[name] = await ask(context, question, { hidden: true });
      if (given[name] === '')
        throw usage('no value entered; request not sent', `for an empty value, use ${title} ""`);
    }
  }
}

function warnIfDeprecated(endpoint: Endpoint, values: Values, { notes }: Session): void {
  if (endpoint.deprecated) notes.sayOnce(`warning: this endpoint is deprecated: ${endpoint.deprecated}`);
  for (const name of Object.keys(values)) {
    const advice = endpoint.takes[name]?.deprecated;
    if (advice) notes.sayOnce(`warning: ${titleOf(endpoint, name)} is deprecated: ${advice}`);
  }
}

/** Choose the endpoint and the id of its scope by arguments, flags, and settings if each endpoint has a scope. @throws Failure `usage` */
function chooseEndpoint(command: Command, line: CommandLine, settings: Session['settings']) {
  const count = Object.keys(line.args).length;
  const fitting = command.endpoints.filter((endpoint) => {
    const all = argumentsOf(endpoint);
    return count <= all.length && count >= all.filter(({ required }) => required).length;
  });
  const candidates = fitting.length > 0 ? fitting : command.endpoints;
  const scopes = [...new Set(candidates.map(({ scope }) => scope?.name))];
  const known = scopes.filter((name) => name !== undefined);
  const chosen = chosenScope(known, line, settings, known.length < scopes.length);
  const endpoint = candidates.find(({ scope }) => scope?.name === chosen?.scope);
  if (endpoint) return { endpoint, id: chosen?.id, note: chosen?.note };
  if (!chosen) throw missingScope(pathOf(command), known, settings);
  throw usage(`${pathOf(command)} does not accept --${chosen.scope} here`);
}

/**
 * The project or group of a command line, or else of the settings by precedence: the project if both have the same source, with a note.
 * @param flagsOnly leaves out the settings
 * @throws Failure `usage` for both flags
 */
export function chosenScope(
  scopes: readonly ScopeName[],
  { project, group }: Pick<CommandLine, 'project' | 'group'>,
  settings: Session['settings'],
  flagsOnly = false,
) {
  if (project !== undefined && group !== undefined)
    throw usage('--project and --group cannot be used together', 'use one of them');
  const baseUrl = settings.baseUrl?.value;
  const flag = project === undefined ? 'group' : 'project';
  const value = project ?? group;
  if (value !== undefined)
    return { scope: flag, id: scopePath(flag, { value, from: `--${flag}` }, baseUrl), isFlag: true } as const;
  const known = scopes.flatMap((scope) => {
    const setting = flagsOnly ? undefined : settings[scope];
    return setting ? [{ scope, setting, rank: sources.indexOf(setting.source) }] : [];
  });
  const nearest = Math.min(...known.map(({ rank }) => rank));
  const [chosen, other] = known
    .filter(({ rank }) => rank === nearest)
    .sort((a, b) => (a.scope === b.scope ? 0 : a.scope === 'project' ? -1 : 1));
  if (!chosen) return undefined;
  const id = scopePath(chosen.scope, chosen.setting, baseUrl);
  const note = other && `using the project ${id}; for the group, use --group ${other.setting.value}`;
  return { scope: chosen.scope, id, isFlag: false, note };
}

function missingScope(
  command: string,
  scopes: readonly ScopeName[],
  { baseUrl, profile, unused = [] }: Session['settings'],
) {
  const flags = scopes.map((scope) => `--${scope} <id|path>`).join(' or ');
  const where = profile && profile.source !== 'profile' ? ` --profile ${profile.value}` : '';
  const hints = scopes.map(
    (scope) =>
      `set SVC_${scope.toUpperCase()} in place of the flag, or save a default with svc profiles set ${scope} <id|path>${where}`,
  );
  // Report both missing settings at once.
  const login = baseUrl ? [] : [...chooseProfile(unused), 'no base URL is set either; use svc login'];
  return usage(`${command} requires ${flags}`, forPerson(...hints, ...login));
}
