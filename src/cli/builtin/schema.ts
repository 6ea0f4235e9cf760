/** `svc schema`: commands and the API in a form for programs. */

import type { SchemaExample } from '../../docs/schema/command.ts';
import { usage } from '../../errors.ts';
import { type Command, inputFlags, ownCommand } from '../../spec/command.ts';
import type { Field } from '../../spec/field.ts';
import { propertyOf } from '../../spec/names.ts';
import { check } from '../../spec/schema.ts';
import { version } from '../../support/installation.ts';
import { isRecord } from '../../support/record.ts';
import { shellWords } from '../../support/shell.ts';
import { optionName } from '../argv/flags.ts';
import type { CommandLine, RawValue } from '../argv/parse.ts';
import type { Reader } from '../argv/values.ts';
import { exitMeanings } from '../exit-codes.ts';
import { command, type Services } from './define.ts';

/** Keeps `@path`: the files of an example do not exist. */
const unread: Reader = {
  cwd: '/',
  reserve() {},
  bytes: async (source) => Buffer.from(source === '-' ? '-' : `@${source}`),
};

async function inputValue(typed: RawValue, field: Field, name: string): Promise<unknown> {
  if (field.kind === 'file') return String(typed);
  const [first] = Array.isArray(typed) ? typed : [];
  if (field.kind === 'rows' && /^@|^-$/.test(first ?? '')) return first;
  const { readValue } = await import('../argv/values.ts');
  const value = await readValue(typed, field, name, unread);
  return check({ value: field }, { value }).values['value'] ?? value;
}

async function inputOf(command: Command, line: CommandLine): Promise<Record<string, unknown>> {
  const { fields, options, repeated, words, tail, project, group } = line;
  const { data } = options;
  const body: unknown = data === undefined ? {} : JSON.parse(data);
  const input: Record<string, unknown> = isRecord(body) ? { ...body } : {};
  // An optional argument may precede a required one, as in `api [METHOD] <path>`.
  const required = command.arguments.filter((one) => one.required);
  const args = words.length > required.length ? command.arguments : required;
  for (const [at, word] of words.entries()) {
    const argument = args[at];
    if (argument?.variadic) input[argument.field] = words.slice(at);
    else if (argument) input[argument.field] = await inputValue(word, argument.of, argument.field);
  }
  for (const [name, value] of Object.entries(fields)) {
    const field = command.fields[name];
    if (field) input[name] = await inputValue(value, field, name);
  }
  const given: Readonly<Record<string, unknown>> = { ...options };
  for (const { name, repeats } of inputFlags(command)) {
    const all = repeated.flatMap(([flag, word]) => (flag === name ? [word] : []));
    const value = repeats ? all : given[optionName(name)];
    if (repeats ? all.length > 0 : value !== undefined) input[propertyOf(name)] = value;
  }
  return {
    ...input,
    ...(tail.length > 0 ? { tail } : {}),
    ...(project === undefined ? {} : { project }),
    ...(group === undefined ? {} : { group }),
  };
}

/** Add the input to each example of a command: an object that its input schema accepts. */
export async function withInput(command: Command): Promise<SchemaExample[]> {
  const { parseCommand } = await import('../argv/parse.ts');
  const names = command.area === command.name ? 1 : 2;
  const examples = command.examples.map(async (example) => {
    const words = shellWords(example.run);
    const pipe = words.findIndex((word) => word === '|' || word === '>');
    // Flags may precede the command.
    const first = words.findIndex((word) => !word.startsWith('-')) + names;
    const line = parseCommand(command, words.slice(first, pipe < 0 ? undefined : pipe));
    return { ...example, input: await inputOf(command, line) };
  });
  return Promise.all(examples);
}

/** Describe the API itself, not the commands. */
async function openApiDocument(words: readonly string[]): Promise<unknown> {
  if (words.length > 0) throw usage('--openapi describes the whole API', 'use it without an area');
  const [{ areas }, { openApi }] = await Promise.all([
    import('../../api/index.ts'),
    import('../../docs/schema/openapi.ts'),
  ]);
  const loaded = areas.map(async ({ name, summary, load }) => {
    const { endpoints } = (await load()).default;
    return { name, summary, endpoints };
  });
  return openApi(await Promise.all(loaded));
}

async function commandDocument([area, word]: readonly string[], services: Services) {
  const { entries, group: load, find } = await services.lookUp();
  const { commandSchema, indexOf } = await import('../../docs/schema/command.ts');
  if (area === undefined) {
    const groups = await Promise.all(entries.map(({ name }) => load(name)));
    return { commands: indexOf(groups.filter((one) => one !== undefined)) };
  }
  const { group, command: found } = await find({ area, command: word });
  if (!found) return { commands: indexOf([group]) };
  if (word !== undefined && found === ownCommand(group)) throw usage(`svc ${area} has no subcommands`);
  return { ...commandSchema(found, await withInput(found), { exitMeanings }) };
}

export const schema = command({
  args: '[area] [command]',
  doc: 'Without arguments: every command with its summary and effect (read, write or destructive). With a command: JSON Schema of its input and of a row of its output, its requests, examples and exit codes. The properties of the input have the names of the API.',
  flags: { openapi: { doc: 'Print OpenAPI 3.1 of the whole API' } },
  examples: {
    'List all commands': 'schema',
    'Describe one command': 'schema variables create',
    'Print the OpenAPI document of the API': 'schema --openapi',
  },
  async run({ words, options }, { stdout }, services) {
    const value = options.openapi
      ? await openApiDocument(words)
      : { svc: version, ...(await commandDocument(words, services)) };
    stdout.write(`${JSON.stringify(value, undefined, 2)}\n`);
    return 0;
  },
});
