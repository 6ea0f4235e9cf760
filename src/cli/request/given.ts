/** Read the parameters that a command line gives. */
import { forPerson, usage } from '../../errors.ts';
import { argumentsOf, flagOf, parameterAt } from '../../spec/command.ts';
import type { Endpoint, FlagTarget } from '../../spec/endpoint.ts';
import { takesNull } from '../../spec/field.ts';
import { kebab } from '../../spec/names.ts';
import { placeOf, slotTitle } from '../../spec/request.ts';
import { plain } from '../../support/literal.ts';
import { isRecord } from '../../support/record.ts';
import { jsonOf, parseJson } from '../argv/json.ts';
import type { CommandLine, RawValue } from '../argv/parse.ts';
import { pathIn, type Reader, readText, readValue } from '../argv/values.ts';
import type { Context } from '../context.ts';

/** The name of a value for the user: `--ref` or `<key>`. */
export function titleOf(endpoint: Endpoint, field: string): string {
  if (endpoint.slots[field]) return slotTitle(endpoint, field);
  const argument = argumentsOf(endpoint).find((one) => one.field === field);
  return argument ? `<${argument.name}>` : `--${flagOf(endpoint, field)}`;
}

/** Read the values of a command line, unvalidated. */
export async function readValues(
  endpoint: Endpoint,
  line: CommandLine,
  context: Context,
  reader: Reader,
): Promise<Record<string, unknown>> {
  // Without a prototype, `__proto__` is an ordinary key.
  const given: Record<string, unknown> = Object.create(null);
  const data = line.options.data;
  if (typeof data === 'string') Object.assign(given, await readData(endpoint, data, reader));
  const values = line.typed ?? {};
  const typed: Record<string, RawValue> = { ...line.args, ...line.fields };
  const filename = line.options.filename === undefined ? undefined : plain(line.options.filename);
  for (const [name, value] of Object.entries(typed)) {
    if (Object.hasOwn(values, name)) continue;
    const target = endpoint.flags?.[name];
    if (target) {
      const read = await readText(
        String(value),
        parameterAt(endpoint, target.sets),
        `--${kebab(name)}`,
        reader,
      );
      setAt(given, target.sets, read, `--${kebab(name)}`);
      continue;
    }
    const field = endpoint.takes[name];
    if (field && takesNull(field) && value === 'null') {
      given[name] = null;
      continue;
    }
    if (!field) {
      if (endpoint.slots[name]) continue;
      throw unavailable(name);
    }
    given[name] = await readValue(value, field, titleOf(endpoint, name), reader, {
      cwd: context.cwd,
      filename,
    });
  }
  for (const [name, value] of Object.entries(values)) {
    const target = endpoint.flags?.[name];
    if (target) setAt(given, target.sets, value, `--${kebab(name)}`);
    else if (endpoint.takes[name]) given[name] = value;
    else if (!endpoint.slots[name]) throw unavailable(name);
  }
  return given;
}

const unavailable = (name: string) =>
  usage(
    `--${kebab(name)} is not available with these arguments and flags`,
    forPerson('see --help for the flags that require --project or --group'),
  );

/** Set a parameter or a key of a parameter. @throws Failure `usage` if it has another value already */
function setAt(
  given: Record<string, unknown>,
  [name, key]: FlagTarget['sets'],
  value: unknown,
  title: string,
): void {
  if (key === undefined) {
    given[name] = value;
    return;
  }
  const old = isRecord(given[name]) ? given[name] : {};
  if (old[key] !== undefined && old[key] !== value)
    throw usage(`${title} and --${kebab(name)} ${key} have different values`, 'use one of them');
  given[name] = { ...old, [key]: value };
}

/** Read `--data`: the request body as JSON, without query parameters. */
async function readData(
  endpoint: Endpoint,
  data: string,
  reader: Reader,
): Promise<Readonly<Record<string, unknown>>> {
  const source = data === '-' ? '-' : data.startsWith('@') ? pathIn(data.slice(1)) : undefined;
  const text =
    source === undefined
      ? jsonOf(data, '--data')
      : Buffer.from(await reader.bytes(source, '--data')).toString('utf8');
  const value = await parseJson(text, '--data');
  if (!isRecord(value)) throw usage('--data must be a JSON object');
  for (const name of Object.keys(value)) {
    const field = endpoint.takes[name];
    if (field && placeOf(endpoint, field) !== 'body')
      throw usage(`--data is the request body, but ${name} is a query parameter`, `use --${kebab(name)}`);
  }
  return value;
}
