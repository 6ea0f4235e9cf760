/** The arguments of a tool as a command line. */
import { usage } from '../../../errors.ts';
import { pathOf, scopesOf } from '../../../spec/command.ts';
import { readFlagValue } from '../../../spec/flag.ts';
import { propertyOf } from '../../../spec/names.ts';
import { isRecord } from '../../../support/record.ts';
import { suggest } from '../../../support/suggest.ts';
import { type Options, optionName } from '../../argv/flags.ts';
import { rejectUnsendable } from '../../argv/json.ts';
import type { CommandLine } from '../../argv/parse.ts';
import type { Tool } from './tools.ts';

type Input = Readonly<Record<string, unknown>>;

export interface ToolInput {
  readonly line: CommandLine;
  /** The arguments without the cursor, to which a cursor is bound. */
  readonly bound: Input;
  readonly cursor: string | undefined;
  readonly confirm: unknown;
}

/**
 * Read the arguments of a tool. No text in them names a file.
 * @param options the flags of the server
 * @throws Failure `usage` for names that the input schema does not have, and for missing ones
 */
export function readInput(tool: Tool, given: Input, options: Options): ToolInput {
  rejectUnsendable(given, 'the input');
  checkText(given);
  checkNames(given, tool.definition.inputSchema, '');
  const { cursor, confirm, ...others } = given;
  const { properties, required = [] } = tool.definition.inputSchema;
  for (const name of required)
    if (given[name] === undefined)
      throw usage(`${name} is missing`, String(properties[name]?.['description']));
  const isPage = tool.continues && cursor !== undefined;
  if (isPage && typeof cursor !== 'string') throw usage('cursor must be text');
  return {
    line: lineOf(tool, others, options),
    bound: others,
    cursor: isPage ? (cursor as string) : undefined,
    confirm,
  };
}

function checkText(value: unknown): void {
  if (typeof value === 'string') {
    if (!value.isWellFormed()) throw usage('the input is not valid Unicode (a lone surrogate)');
  } else if (typeof value === 'object' && value !== null)
    for (const [name, item] of Object.entries(value)) {
      checkText(name);
      checkText(item);
    }
}

/** Reject properties that the schema of an object does not have. */
function checkNames(value: unknown, schema: unknown, path: string): void {
  if (!isRecord(schema)) return;
  if (Array.isArray(value)) {
    for (const item of value) checkNames(item, schema['items'], path);
    return;
  }
  const { properties } = schema;
  if (!isRecord(value) || !isRecord(properties)) return;
  const known = Object.keys(properties);
  for (const [name, item] of Object.entries(value)) {
    if (Object.hasOwn(properties, name)) checkNames(item, properties[name], `${path}${name}.`);
    else if (schema['additionalProperties'] === false)
      throw usage(`unknown parameter ${JSON.stringify(path + name)}`, [
        ...suggest(name, known),
        `parameters: ${known.join(', ')}`,
      ]);
  }
}

/** A text, a number or a boolean as a word of a command line. */
function wordOf(name: string, value: unknown): string {
  if (typeof value === 'object') throw usage(`${name} must be text or a number`);
  return String(value);
}

function lineOf({ command }: Tool, input: Input, options: Options): CommandLine {
  const { own } = command;
  const typed: Record<string, unknown> = { ...input };
  const args: Record<string, string> = {};
  for (const { field } of command.arguments) {
    const value = input[field];
    if (value !== undefined) args[field] = wordOf(field, value);
  }
  const scope: Record<string, string> = {};
  for (const { name } of scopesOf(command)) {
    if (input[name] !== undefined) scope[name] = wordOf(name, input[name]);
    delete typed[name];
  }
  if (scope['project'] !== undefined && scope['group'] !== undefined)
    throw usage(`${pathOf(command)} accepts a project or a group, not both`);
  const flags: Record<string, string | number | true> = {};
  const seconds = own?.tool?.wait;
  for (const flag of own ? command.flags : []) {
    const { name, kind } = flag;
    const property = propertyOf(name);
    const value = input[property] ?? (name === 'wait-timeout' ? seconds : undefined);
    delete typed[property];
    if (value === undefined || value === false) continue;
    if ((kind === undefined) !== (value === true) || typeof value === 'object')
      throw usage(`${property} must be ${kind === undefined ? 'true or false' : 'text or a number'}`);
    flags[optionName(name)] = value === true ? true : readFlagValue(flag, String(value), property);
  }
  return {
    args,
    words: Object.values(args),
    tail: [],
    fields: {},
    typed,
    // The names of the flags of a task are those of its options.
    options: { ...options, ...flags } as Options,
    repeated: [],
    ...scope,
  };
}
