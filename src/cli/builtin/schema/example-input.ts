/** Examples as objects that the input schema of their command accepts. */

import type { SchemaExample } from '../../../docs/schema/command.ts';
import { check } from '../../../spec/check.ts';
import { type Argument, type Command, inputFlags } from '../../../spec/command.ts';
import type { Example } from '../../../spec/endpoint.ts';
import type { Field } from '../../../spec/field.ts';
import { propertyOf } from '../../../spec/names.ts';
import { isRecord } from '../../../support/record.ts';
import { shellWords } from '../../../support/shell.ts';
import { optionName } from '../../argv/flags.ts';
import { type CommandLine, parseCommand, type RawValue } from '../../argv/parse.ts';
import { type Reader, readValue } from '../../argv/values.ts';

/** Keeps `@path`: the files of an example do not exist. */
const unread: Reader = { bytes: async (source) => Buffer.from(source === '-' ? '-' : `@${source}`) };

async function inputValue(typed: RawValue, field: Field, name: string): Promise<unknown> {
  const isPath = (word: unknown) => typeof word === 'string' && /^@|^-$/.test(word);
  if (field.kind === 'file') return String(typed);
  if (field.kind === 'rows' && Array.isArray(typed) && isPath(typed[0])) return typed[0];
  const value = await readValue(typed, field, name, unread, { cwd: '/' });
  return check({ value: field }, { value }).values['value'] ?? value;
}

/** The arguments with their words. An optional argument may be omitted before a required one, as in `api [METHOD] <path>`. */
function filled(args: readonly Argument[], words: readonly string[]): [Argument, string][] {
  let omitted = Math.max(args.length - words.length, 0);
  const given = args.filter(({ required }, at) => {
    const isOmitted = omitted > 0 && !required && args.slice(at).some((one) => one.required);
    if (isOmitted) omitted--;
    return !isOmitted;
  });
  return given.flatMap((argument, at): [Argument, string][] => {
    const word = words[at];
    return word === undefined ? [] : [[argument, word]];
  });
}

async function inputOf(command: Command, line: CommandLine): Promise<Record<string, unknown>> {
  const { fields, options, repeated, words, tail, project, group } = line;
  const input: Record<string, unknown> = {};
  const { data } = options;
  const body: unknown = data === undefined ? undefined : JSON.parse(data);
  if (isRecord(body)) Object.assign(input, body);
  for (const [{ field, of, variadic }, word] of filled(command.arguments, words))
    input[field] = variadic ? words.slice(words.indexOf(word)) : await inputValue(word, of, field);
  for (const [name, value] of Object.entries(fields)) {
    const field = command.fields[name];
    if (field) input[name] = await inputValue(value, field, name);
  }
  const known = options as Readonly<Record<string, unknown>>;
  for (const flag of inputFlags(command)) {
    const value = known[optionName(flag.name)];
    const all = repeated.filter(([name]) => name === flag.name).map(([, word]) => word);
    if (flag.repeats) {
      if (all.length > 0) input[propertyOf(flag.name)] = all;
    } else if (value !== undefined) input[propertyOf(flag.name)] = value;
  }
  if (tail.length > 0) input['tail'] = tail;
  return {
    ...input,
    ...(project === undefined ? {} : { project }),
    ...(group === undefined ? {} : { group }),
  };
}

/** Add the input to each example of a command. */
export function withInput(command: Command): Promise<SchemaExample[]> {
  const names = command.area === command.name ? 1 : 2;
  return Promise.all(
    command.examples.map(async (example: Example) => {
      const line = parseCommand(command, argumentsOf(example.run).slice(names));
      return { ...example, input: await inputOf(command, line) };
    }),
  );
}

/** The words of a command line without a pipe, and without flags before the command. */
function argumentsOf(run: string): string[] {
  const words = shellWords(run);
  const pipe = words.findIndex((word) => word === '|' || word === '>');
  const first = words.findIndex((word) => !word.startsWith('-'));
  return words.slice(first, pipe < 0 ? undefined : pipe);
}
