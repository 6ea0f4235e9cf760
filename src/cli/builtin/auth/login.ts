/** `svc login`: verify a token and save it in a profile. */
import { resolve } from 'node:path';
import { originOf } from '../../../config/credentials.ts';
import { pathsOf, variable } from '../../../config/paths.ts';
import { checkProfileName, type Profiles, readProfiles } from '../../../config/profiles.ts';
import { scopePath } from '../../../config/scope.ts';
import { Failure, tooLarge, usage } from '../../../errors.ts';
import { upperFirst } from '../../../spec/names.ts';
import { apiRoot, encodeSlot } from '../../../spec/request.ts';
import { collect } from '../../../support/bytes.ts';
import { printable } from '../../../support/text/printable.ts';
import type { Options } from '../../argv/flags.ts';
import type { Context } from '../../context.ts';
import type { Session } from '../../session/model.ts';
import { withSession } from '../../session/session.ts';
import { loadSettings, namedProfile } from '../../session/settings.ts';
import { noteFor } from '../../terminal/log.ts';
import { ask, canPrompt } from '../../terminal/prompt.ts';
import { findScopes, findTokenOwner, getObject } from './token-owner.ts';

interface LoginOptions extends Options {
  readonly tokenStdin?: true | undefined;
  readonly project?: string | undefined;
}

type LoginTarget = Awaited<ReturnType<typeof findTarget>>;

/** @param typed the host or URL on the command line */
export async function login(typed: string | undefined, options: LoginOptions, context: Context) {
  const target = await findTarget(typed, options, context);
  const { root, from } = target;
  const isGiven = options.tokenStdin === true || options.tokenFile !== undefined;
  if (isGiven || !canPrompt(context, options)) {
    await logIn(await readToken(context, options), target, options, context);
    return 0;
  }
  const { host } = new URL(root);
  printLines(context, `Logging in to ${host}${from === undefined ? '' : `, from ${from}`}`);
  if (from !== undefined) printLines(context, 'For another service: svc login <host>');
  // Services of this family share the page.
  const page = '/-/user_settings/personal_access_tokens?name=svc&scopes=api';
  if (options.auth !== 'job')
    printLines(
      context,
      'Create an access token with the scope api on this page:',
      `  ${root.replace(/\/api\/v4$/, '')}${page}`,
      'If there is no such page, look for access tokens in your account settings.',
    );
  const prompt = { question: `Token for ${host} (hidden): `, hidden: true };
  await askUntil(context, { ...prompt, advice: 'Try again, or press Ctrl-C to stop.' }, (answer) =>
    logIn(answer, target, options, context).catch((error: unknown) => {
      const isRejected = error instanceof Failure && error.kind === 'auth';
      throw isRejected ? error.with({ message: `token rejected: ${error.message}` }) : error;
    }),
  );
  return 0;
}

function printLines({ stderr }: Context, ...lines: readonly string[]): void {
  for (const line of lines) stderr.write(`${printable(line)}\n`);
}

/** Prompt up to three times, until `accept` does not throw a failure that another answer can prevent. @throws the last failure */
async function askUntil<T>(
  context: Context,
  { question, advice, hidden }: { question: string; advice: string; hidden?: boolean },
  accept: (answer: string) => T | Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = (await ask(context, question, hidden ? { hidden } : {})).trim();
    try {
      return await accept(answer);
    } catch (error) {
      const isOfAnswer = error instanceof Failure && ['usage', 'auth', 'not_found'].includes(error.kind);
      if (!isOfAnswer || attempt >= 3 || context.signal.aborted) throw error;
      const { message } = error;
      printLines(context, `${upperFirst(message)}. ${advice}`);
    }
  }
}

/**
 * Choose the service and the profile.
 * @param typed the host or URL on the command line
 * @returns the root of the API, and the source of the base URL if the user did not type it
 */
async function findTarget(typed: string | undefined, options: LoginOptions, context: Context) {
  const named = namedProfile(options, context.env);
  if (named !== undefined) checkProfileName(named);
  if (typed !== undefined && options.baseUrl !== undefined)
    throw usage('<host> and --base-url cannot be used together', 'use one of them');
  const profiles = readProfiles(pathsOf(context.env));
  const own = { ...options, profile: named };
  const set = typed === undefined ? loadSettings(own, context, { newProfile: true }).baseUrl : undefined;
  const root = set ? apiRoot(set.value, set.from) : await readRoot(typed, options, context);
  const profile = named ?? profileFor(profiles, originOf(root) ?? '');
  const from = set?.source === 'flag' ? undefined : set?.from;
  return { root, profile, isNamed: named !== undefined, from };
}

async function readRoot(typed: string | undefined, options: LoginOptions, context: Context): Promise<string> {
  if (typed !== undefined) return rootOf(typed, '<host>');
  if (!canPrompt(context, options))
    throw usage('no base URL is set', 'use svc login <host> or --base-url https://host.example');
  const prompt = { question: 'Host or URL of the service: ', advice: 'Try again.' };
  return askUntil(context, prompt, (answer) => rootOf(answer, 'the answer'));
}

/** @throws Failure `usage` for a text that is neither a URL nor a host name; it may be a token, so the message does not repeat it */
function rootOf(text: string, title: string): string {
  if (/[.:]|^localhost$/i.test(text)) return apiRoot(text, title);
  throw usage(`${title} is not a host name such as host.example`, [
    'for a host name without a dot, give the URL: https://<name>',
    'svc prompts for the token, or reads it with --token-file <path>',
  ]);
}

/** The profile if none is named: the current one if it is for this service or for none yet, another one for it, or a new one. */
function profileFor({ current, profiles }: Profiles, origin: string): string {
  const serverOf = (name: string) => originOf(profiles[name]?.base_url);
  if (current !== undefined && [undefined, origin].includes(serverOf(current))) return current;
  const names = Object.keys(profiles);
  const known = names.find((name) => serverOf(name) === origin);
  if (known !== undefined) return known;
  if (names.length === 0) return 'default';
  const { host, protocol } = new URL(origin);
  const name = host.replace(/[^A-Za-z0-9._-]+/g, '-').slice(0, 56);
  return protocol === 'https:' ? name : `http-${name}`;
}

const tokenLimit = 64 * 1024;

/** Read the token without a prompt. @throws Failure `usage` if no source is given */
async function readToken(context: Context, { tokenStdin, tokenFile }: LoginOptions): Promise<string> {
  if (tokenStdin === true || tokenFile === '-') {
    const flag = tokenStdin === true ? '--token-stdin' : '--token-file';
    const bytes = await collect(context.stdin, tokenLimit, () => tooLarge(flag, tokenLimit));
    return bytes.toString('utf8').trim();
  }
  if (tokenFile === undefined)
    throw usage('no token given and prompts are disabled', 'use --token-stdin or --token-file <path>');
  const { readSource, tokenOfFile } = await import('../../../config/credentials.ts');
  const source = tokenOfFile(resolve(context.cwd, tokenFile), '--token-file');
  const { token, warnings } = await readSource(source);
  printLines(context, ...warnings.map((warning) => `warning: ${warning}`));
  return token;
}

/** Verify a token and save it. @throws Failure `auth` if the service rejects it, `usage` for a text that no service accepts */
async function logIn(token: string, target: LoginTarget, options: LoginOptions, context: Context) {
  if (token === '') throw usage('the token is empty', 'profile not changed');
  if (/\s/.test(token)) throw usage('the token contains a space or a line break', 'profile not changed');
  const { root, profile } = target;
  const isJob = options.auth === 'job';
  // The session uses the token as any command would: from the environment, for this server only.
  const env = {
    ...context.env,
    SVC_BASE_URL: root,
    SVC_PROFILE: profile,
    SVC_AUTH: undefined,
    ...(isJob ? { SVC_JOB_TOKEN: token, SVC_TOKEN: undefined } : { SVC_TOKEN: token }),
  };
  const { profile: _, tokenFile: __, baseUrl: ___, project: typed, ...rest } = options;
  const verify = async (session: Session) => {
    const { name, note } = await findTokenOwner(session, isJob);
    const project = typed === undefined ? {} : { project: await findProject(session, typed) };
    const scopes = isJob ? undefined : await findScopes(session);
    // For the hints of later errors.
    const user = note === undefined ? name : undefined;
    return { name, note, change: { token, user, scopes: scopes?.join(','), auth: options.auth, ...project } };
  };
  const use = async (session: Session) => {
    const verified = await verify(session).catch((error: unknown) => {
      const isKnown = profile in readProfiles(pathsOf(context.env)).profiles;
      const outcome = isKnown ? `profile ${profile} was not changed` : 'nothing was saved';
      throw error instanceof Failure ? error.withHints(outcome) : error;
    });
    await save(session, target, verified, options, context);
  };
  await withSession(rest, Object.create(context, { env: { value: env } }), use, {}, { newProfile: true });
}

/** @param context with the variables of the user */
async function save(
  { notes }: Session,
  { root, profile, isNamed, from }: LoginTarget,
  { name, note, change }: { name: string; note: string | undefined; change: { readonly project?: string } },
  options: LoginOptions,
  context: Context,
): Promise<void> {
  const paths = pathsOf(context.env);
  const { saveProfile } = await import('../../../config/store.ts');
  const before = readProfiles(paths).current;
  const saved = { base_url: root.replace(/\/api\/v4$/, ''), ...change };
  const { current, profiles } = await saveProfile(paths, profile, saved, { use: !isNamed });
  if (note) notes.say(note);
  notes.done(`Logged in to ${new URL(root).host} as ${name}, with profile ${profile}`);
  noteFor(context, options, `  Saved the token in ${paths.profiles}`);
  if (current !== profile)
    notes.say(`  The current profile is still ${current}. To use the new one: svc profiles use ${profile}`);
  else if (before !== undefined && before !== profile)
    notes.say(`  The current profile is now ${profile}. To go back: svc profiles use ${before}`);
  const keys = [from !== 'SVC_BASE_URL' && 'SVC_BASE_URL', 'SVC_TOKEN', change.project && 'SVC_PROJECT'];
  for (const key of keys)
    if (key && variable(context.env, key) !== undefined)
      notes.say(`  ${key} is set and takes precedence over the profile`);
  if (profiles[profile]?.project === undefined && options.auth !== 'job')
    noteFor(
      context,
      options,
      `  To save a default project: svc profiles set project <path>${current === profile ? '' : ` --profile ${profile}`}`,
    );
}

/** Check that a project exists. @returns its id or path @throws Failure `not_found` */
async function findProject(session: Session, typed: string): Promise<string> {
  const project = scopePath('project', { value: typed, from: '--project' }, session.root());
  try {
    await getObject(session, `/projects/${encodeSlot('--project', project)}`);
    return project;
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'not_found') throw error;
    const hint = 'a project that the token cannot access is also reported as not found';
    throw error.with({ message: `project ${JSON.stringify(project)} not found`, details: [], hint });
  }
}
