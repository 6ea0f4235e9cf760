/** Turn a command line into a validated call. Nothing is sent. */
import { Failure, forPerson, usage } from '../../errors.ts';
import { check, type Problem } from '../../spec/check.ts';
import type { Command } from '../../spec/command.ts';
import type { Endpoint } from '../../spec/endpoint.ts';
import { choicesOf, type Field, fieldAt, isSecret } from '../../spec/field.ts';
import { secretTexts } from '../../spec/mask.ts';
import { kebab } from '../../spec/names.ts';
import { type Call, placeOf, type Value, type Values } from '../../spec/request.ts';
import { jsonText } from '../../support/json.ts';
import { plain } from '../../support/literal.ts';
import { suggest } from '../../support/suggest.ts';
import type { CommandLine } from '../argv/parse.ts';
import { createReader, type Reader } from '../argv/values.ts';
import type { Session } from '../session/model.ts';
import { checkReadOnly } from '../session/read-only.ts';
import { ask, canPrompt } from '../terminal/prompt.ts';
import { isDryRun } from './dry-run.ts';
import { readValues, titleOf } from './given.ts';
import { chooseEndpoint } from './scope.ts';

/**
 * Choose the endpoint, read the values and validate them.
 * @throws Failure `usage`, with the name of the flag, for values that the service would reject
 */
export async function prepareCall(
  session: Session,
  command: Command,
  line: CommandLine,
  reader: Reader = createReader(session.context),
): Promise<Call> {
  const { endpoint, id } = chooseEndpoint(command, line, () => session.settings);
  if (!isDryRun(session)) checkReadOnly(session, endpoint.method);
  const given = await readValues(endpoint, line, session.context, reader);
  const typedSlots = Object.fromEntries(
    Object.keys(endpoint.slots).map((name) => [name, plainOf(line.args[name])]),
  );
  await completeRequired(endpoint, given, session, line);
  const { slots, values } = validate(endpoint, typedSlots, given);
  session.conceal(secretTexts(values, endpoint.takes));
  warnIfDeprecated(endpoint, values, session);
  return { endpoint, slots: { ...slots, ...(id === undefined ? {} : { id }) }, values };
}

const plainOf = (word: string | undefined) => (word === undefined ? undefined : plain(word));

/** Fill in required parameters with an implied value or a single choice, and prompt for missing secrets. */
async function completeRequired(
  endpoint: Endpoint,
  given: Record<string, unknown>,
  session: Session,
  line: CommandLine,
): Promise<void> {
  for (const [name, field] of Object.entries(endpoint.takes)) {
    if (!field.required || given[name] !== undefined || field.in === 'credential') continue;
    const choices = choicesOf(field) ?? [];
    if (field.implied !== undefined) given[name] = field.implied;
    else if (choices.length === 1) given[name] = choices[0];
    else if (isSecret(field)) given[name] = await askSecret(endpoint, name, session, line);
  }
}

async function askSecret(
  endpoint: Endpoint,
  name: string,
  session: Session,
  line: CommandLine,
): Promise<string> {
  const title = titleOf(endpoint, name);
  if (!canPrompt(session.context, line.options)) {
    throw usage(
      `${title} is missing`,
      forPerson('use @file or - for standard input, or run the command on a terminal to be prompted'),
    );
  }
  const called = kebab(name).replaceAll('-', ' ');
  const question = `${called[0]?.toUpperCase()}${called.slice(1)} (hidden): `;
  const typed = await ask(session.context, question, { hidden: true });
  if (typed === '') throw usage('no value entered; request not sent', `for an empty value, use ${title} ""`);
  return typed;
}

function validate(endpoint: Endpoint, slots: Record<string, unknown>, given: Record<string, unknown>) {
  const takes = Object.fromEntries(
    Object.entries(endpoint.takes).filter(([, { in: place }]) => place !== 'credential'),
  );
  const checkedSlots = check(allRequired(endpoint.slots), slots);
  const cleared = Object.entries(given).filter(([name, value]) => clears(endpoint, takes[name], value));
  const checked = check(takes, {
    ...given,
    ...Object.fromEntries(cleared.map(([name]) => [name, undefined])),
  });
  const problems = [...checkedSlots.problems, ...checked.problems];
  if (problems.length > 0) throw fromProblems(endpoint, problems, { ...slots, ...given });
  return {
    slots: Object.fromEntries(
      Object.entries(checkedSlots.values).map(([name, value]) => [name, String(value)]),
    ),
    values: { ...checked.values, ...Object.fromEntries(cleared) } as Values,
  };
}

/** Whether a value clears a parameter: null, or `""` for a date or a number. The service decides whether this is allowed. */
function clears(endpoint: Endpoint, field: Field | undefined, value: unknown): boolean {
  if (!field || field.required || placeOf(endpoint, field) !== 'body') return false;
  // A boolean is never null (section 4.0).
  if (value === null) return field.kind !== 'bool';
  return value === '' && ['int', 'number', 'date', 'datetime'].includes(field.kind);
}

const allRequired = (fields: Readonly<Record<string, Field>>): Record<string, Field> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, { ...field, required: true as const }]),
  );

function fromProblems(
  endpoint: Endpoint,
  problems: readonly Problem[],
  given: Readonly<Record<string, unknown>>,
): Failure {
  const lines = problems.map(({ path: [name = '', ...inner], code, message }) => {
    const field = endpoint.takes[name] ?? endpoint.slots[name];
    const title = titleOf(endpoint, name);
    if (code === 'missing' && inner.length === 0) {
      const ways = [name, ...(field?.orElse ?? [])].sort().map((one) => titleOf(endpoint, one));
      return `${ways.join(' or ')} is missing`;
    }
    if (code === 'choice' && choicesAt(endpoint, [name, ...inner]).length > 1) {
      const keys = inner.filter((key) => !/^\d+$/.test(key));
      return `${[title, ...keys].join(' ')}: unknown value ${jsonText(valueAt(given[name], inner) as Value)}`;
    }
    // An item of a list is named by its value: `--scope a,b` shows no positions.
    if (field?.kind === 'list' && inner.length > 0)
      return `${title} ${message}, not ${jsonText(valueAt(given[name], inner.slice(0, 1)) as Value)}`;
    const value = given[name];
    const shown =
      inner.length === 0 && typeof value === 'string' && !isSecret(field) && value.length < 80
        ? `, not ${JSON.stringify(value)}`
        : '';
    const place = field?.kind === 'rows' ? rowPlace(inner, value) : inner;
    return `${[title, ...place].join(' ')} ${message}${shown}`;
  });
  const [first = '', ...more] = [...new Set(lines)];
  const hint = new Set(
    problems.flatMap(({ path, code }) => [
      ...(code === 'choice' ? suggestChoice(endpoint, path, given) : []),
      ...(code === 'missing' && path.length === 1 ? describeMissing(endpoint, path.join()) : []),
    ]),
  );
  return new Failure('usage', first, { details: more, hint: [...hint] });
}

/** The place of a problem in rows: the position of the row only if there are several, counted from 1. */
function rowPlace([index, ...keys]: readonly string[], rows: unknown): string[] {
  const isSeveral = Array.isArray(rows) && rows.length > 1;
  return isSeveral && index !== undefined ? [String(Number(index) + 1), ...keys] : keys;
}

/** Describe a missing value, because its name may not be enough. */
function describeMissing(endpoint: Endpoint, name: string): string[] {
  const field = endpoint.takes[name] ?? endpoint.slots[name];
  const names = [name, ...(field?.orElse ?? [])].sort();
  return names.flatMap((one) => {
    const doc = (endpoint.takes[one] ?? endpoint.slots[one])?.doc;
    return doc === undefined ? [] : [`${titleOf(endpoint, one)}: ${doc}`];
  });
}

/** The values that a parameter, or a part of it, is limited to. */
function choicesAt({ takes, slots }: Endpoint, [name = '', ...inner]: readonly string[]): readonly string[] {
  const field = fieldAt(takes[name] ?? slots[name], inner);
  return ((field && choicesOf(field)) ?? []).map(String);
}

/** List the choices for an invalid value, the nearest first. The message itself names a single choice. */
function suggestChoice(
  endpoint: Endpoint,
  path: readonly string[],
  given: Readonly<Record<string, unknown>>,
): string[] {
  const words = choicesAt(endpoint, path);
  if (words.length < 2) return [];
  const [name = '', ...inner] = path;
  const value = valueAt(given[name], inner);
  return [...(typeof value === 'string' ? suggest(value, words) : []), `values: ${words.join(', ')}`];
}

/** The value at a path of keys and indexes. */
function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (at, key) => (typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined),
    value,
  );
}

function warnIfDeprecated(endpoint: Endpoint, values: Values, session: Session): void {
  if (endpoint.deprecated) session.notes.warn(`this endpoint is deprecated: ${endpoint.deprecated}`);
  for (const name of Object.keys(values)) {
    const advice = endpoint.takes[name]?.deprecated;
    if (advice) session.notes.warn(`${titleOf(endpoint, name)} is deprecated: ${advice}`);
  }
}
