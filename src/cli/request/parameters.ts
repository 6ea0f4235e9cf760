/** Read and validate the parameters of a command line. */
import { Failure, forPerson, usage } from '../../errors.ts';
import { fieldAt } from '../../spec/column.ts';
import { argumentsOf, flagOf, parameterAt } from '../../spec/command.ts';
import type { Endpoint, FlagTarget } from '../../spec/endpoint.ts';
import { choicesOf, type Field, type Fields, isSecret, takesNull } from '../../spec/field.ts';
import { kebab } from '../../spec/names.ts';
import { placeOf, slotTitle, type Value, type Values } from '../../spec/request.ts';
import type { Problem } from '../../spec/schema.ts';
import { jsonText } from '../../support/json.ts';
import { quotedWord } from '../../support/mask.ts';
import { isRecord, valueAt } from '../../support/record.ts';
import { didYouMean, suggest } from '../../support/suggest.ts';
import type { CommandLine, RawValue } from '../argv/parse.ts';
import { type Reader, readJson, readText, readValue } from '../argv/values.ts';

type Given = Readonly<Record<string, unknown>>;

/** The name of a value for the user: `--ref` or `<key>`. */
export function titleOf(endpoint: Endpoint, field: string): string {
  if (endpoint.slots[field]) return slotTitle(endpoint, field);
  const argument = argumentsOf(endpoint).find((one) => one.field === field);
  return argument ? `<${argument.name}>` : `--${flagOf(endpoint, field)}`;
}

export async function readParameters(endpoint: Endpoint, line: CommandLine, reader: Reader) {
  const { data, filename } = line.options;
  const { typed = {} } = line;
  // Without a prototype, `__proto__` is an ordinary key.
  const given: Record<string, unknown> = Object.create(null);
  if (typeof data === 'string') Object.assign(given, await readData(endpoint, data, reader));
  const set = async (name: string, read: (field: Field, title: string) => unknown) => {
    const { flags = {}, takes, slots } = endpoint;
    const target = flags[name];
    const field = takes[name];
    const flag = `--${kebab(name)}`;
    if (target) setAt(given, target.sets, await read(parameterAt(endpoint, target.sets), flag), flag);
    else if (field) given[name] = await read(field, titleOf(endpoint, name));
    else if (!slots[name])
      throw usage(
        `${flag} is not available with these arguments and flags`,
        forPerson('see --help for the flags that require --project or --group'),
      );
  };
  const words: Record<string, RawValue> = { ...line.args, ...line.fields };
  for (const [name, word] of Object.entries(words).filter(([name]) => !Object.hasOwn(typed, name)))
    await set(name, (field, title) => {
      if (endpoint.flags?.[name] && field.kind === 'text')
        return readText(String(word), field, title, reader);
      if (takesNull(field) && word === 'null') return null;
      return readValue(word, field, title, reader, filename);
    });
  for (const [name, value] of Object.entries(typed)) await set(name, () => value);
  return given;
}

/** Set a parameter or a key of a parameter. @throws Failure `usage` if it has another value already */
function setAt(
  given: Record<string, unknown>,
  [name, key]: FlagTarget['sets'],
  value: unknown,
  title: string,
): void {
  const old = isRecord(given[name]) ? given[name] : {};
  if (key !== undefined && old[key] !== undefined && old[key] !== value)
    throw usage(`${title} and --${kebab(name)} ${key} have different values`, 'use one of them');
  given[name] = key === undefined ? value : { ...old, [key]: value };
}

async function readData(endpoint: Endpoint, data: string, reader: Reader): Promise<Given> {
  const value = await readJson(data, '--data', reader);
  if (!isRecord(value)) throw usage('--data must be a JSON object');
  for (const name of Object.keys(value)) {
    const field = endpoint.takes[name];
    if (field && placeOf(endpoint, field) !== 'body')
      throw usage(`--data is the request body, but ${name} is a query parameter`, `use --${kebab(name)}`);
  }
  return value;
}

/** Check the arguments that fill slots and the values of parameters. @throws Failure `usage` that names each invalid and missing value */
export async function validate(endpoint: Endpoint, slots: Given, given: Given) {
  const sent = Object.entries(endpoint.takes).filter(([, field]) => field.in !== 'credential');
  const takes: Fields = Object.fromEntries(sent);
  const isEmpty = Object.keys(given).length === 0 && Object.keys(slots).length === 0;
  // Without values, the validator is not loaded.
  if (isEmpty && !Object.values(takes).some((field) => field.required || field.orElse))
    return { slots: {}, values: {} };
  const { check } = await import('../../spec/schema.ts');
  const filled = Object.entries(endpoint.slots).map(([name, field]) => [name, { ...field, required: true }]);
  const cleared = Object.entries(given).filter(([name, value]) => clears(endpoint, takes[name], value));
  const left = { ...given, ...Object.fromEntries(cleared.map(([name]) => [name, undefined])) };
  const checked = [check(Object.fromEntries(filled), slots), check(takes, left)] as const;
  const problems = checked.flatMap((one) => one.problems);
  if (problems.length > 0) throw fromProblems(endpoint, problems, { ...slots, ...given });
  const [checkedSlots, { values }] = checked;
  return {
    slots: Object.fromEntries(
      Object.entries(checkedSlots.values).map(([name, value]) => [name, String(value)]),
    ),
    values: { ...values, ...Object.fromEntries(cleared) } as Values,
  };
}

/** Whether a value clears a parameter: null, or `""` for a date or a number. The service decides whether this is allowed. */
function clears(endpoint: Endpoint, field: Field | undefined, value: unknown): boolean {
  if (!field || field.required || placeOf(endpoint, field) !== 'body') return false;
  // A boolean is never null.
  if (value === null) return field.kind !== 'bool';
  return value === '' && ['int', 'number', 'date', 'datetime'].includes(field.kind);
}

function fromProblems(endpoint: Endpoint, problems: readonly Problem[], given: Given): Failure {
  const found = problems.map((problem) => describeProblem(endpoint, problem, given));
  const [first = '', ...details] = new Set(found.map(({ text }) => text));
  return new Failure('usage', first, { details, hint: [...new Set(found.flatMap(({ hints }) => hints))] });
}

/** Describe a missing value, because its name may not be enough. List the choices for an invalid one, the nearest first. */
function describeProblem(endpoint: Endpoint, { path, code, message }: Problem, given: Given) {
  const [name = '', ...inner] = path;
  const fields = { ...endpoint.slots, ...endpoint.takes };
  const field = fields[name];
  const title = titleOf(endpoint, name);
  if (code === 'missing' && inner.length === 0) {
    // The parameters of which one is missing.
    const names = [name, ...(field?.orElse ?? [])].sort();
    const hints = names.flatMap((one) =>
      fields[one] ? `${titleOf(endpoint, one)}: ${fields[one].doc}` : [],
    );
    return { text: `${names.map((one) => titleOf(endpoint, one)).join(' or ')} is missing`, hints };
  }
  const value = given[name];
  const invalid = inner.length === 0 ? value : valueAt(value, inner.join('.'));
  const at = fieldAt(fields, path.join('.'));
  const choices = ((code === 'choice' && at && choicesOf(at)) || []).map(String);
  // Another parameter may have this choice, such as the status of a pipeline.
  const other = Object.entries(endpoint.takes).find(
    ([key, one]) => key !== name && choicesOf(one)?.some((choice) => choice === invalid),
  );
  // The message itself names a single choice.
  if (choices.length > 1) {
    const keys = inner.filter((key) => !/^\d+$/.test(key));
    const near = other
      ? didYouMean([`${titleOf(endpoint, other[0])} ${invalid}`])
      : typeof invalid === 'string'
        ? suggest(invalid, choices)
        : [];
    return {
      text: `${[title, ...keys].join(' ')}: unknown value ${quoted(invalid as Value)}`,
      hints: [...near, `values: ${choices.join(', ')}`],
    };
  }
  // An item of a list is named by its value: `--scope a,b` shows no positions.
  const isItem = field?.kind === 'list' && inner.length > 0;
  const place = isItem ? [] : field?.kind === 'rows' ? rowPlace(inner, value) : inner;
  // After = in KEY=value may be a secret.
  const isShown = isItem || (inner.length === 0 && typeof value === 'string' && /^[^=]{0,79}$/.test(value));
  const shown = isShown && !isSecret(at) ? `, not ${quoted((isItem ? invalid : value) as Value)}` : '';
  const hints = endpoint.slots[name] ? [`${title}: ${endpoint.slots[name].doc}`] : [];
  if (field?.suggest === 'pipelines/list/id')
    hints.push('latest is the newest pipeline of the default branch, latest:<ref> that of another');
  return { text: `${[title, ...place].join(' ')} ${message}${shown}`, hints };
}

const quoted = (value: Value): string => (typeof value === 'string' ? quotedWord(value) : jsonText(value));

/** The place of a problem in rows: the position of the row only if there are several, counted from 1. */
function rowPlace([index, ...keys]: readonly string[], rows: unknown): string[] {
  const isSeveral = Array.isArray(rows) && rows.length > 1;
  return isSeveral && index !== undefined ? [String(Number(index) + 1), ...keys] : keys;
}
