/** The arguments of a tool: a command line, and the part of a result that continues. */
import { randomUUID } from 'node:crypto';
import { Failure, forPerson, usage } from '../../../errors.ts';
import { pathOf, scopesOf } from '../../../spec/command.ts';
import { readFlagValue } from '../../../spec/flag.ts';
import { propertyOf } from '../../../spec/names.ts';
import type { Body } from '../../../spec/result.ts';
import { decode, startOf } from '../../../support/bytes.ts';
import { jsonText } from '../../../support/json.ts';
import { mask } from '../../../support/mask.ts';
import { isRecord } from '../../../support/record.ts';
import { suggest } from '../../../support/suggest.ts';
import { parseUrl } from '../../../support/url.ts';
import { type Options, optionName } from '../../argv/flags.ts';
import { rejectUnsendable } from '../../argv/json.ts';
import type { CommandLine } from '../../argv/parse.ts';
import type { Tool } from './tools.ts';

type Input = Readonly<Record<string, unknown>>;

/**
 * Check the names and texts of the arguments of a tool.
 * @throws Failure `usage` for names that the input schema does not have, and for missing ones
 */
export function checkInput({ definition: { inputSchema } }: Tool, given: Input): Input {
  rejectUnsendable(given, 'the input');
  checkNames(given, inputSchema, '');
  for (const name of inputSchema.required ?? [])
    if (given[name] === undefined)
      throw usage(`${name} is missing`, String(inputSchema.properties[name]?.['description']));
  return given;
}

/** Reject invalid Unicode, and properties that the schema of an object does not have. */
function checkNames(value: unknown, schema: unknown, path: string): void {
  const { properties, items, additionalProperties } = isRecord(schema) ? schema : {};
  // The URLs of webhooks are masked in part.
  if (value === mask || (typeof value === 'string' && value.includes(mask) && parseUrl(value)))
    throw usage(
      `${path.slice(0, -1) || 'the input'} is a masked text, not a value`,
      'leave it out, or use the real value',
    );
  if (typeof value === 'string' && !value.isWellFormed())
    throw usage('the input is not valid Unicode (a lone surrogate)');
  if (Array.isArray(value)) for (const item of value) checkNames(item, items, path);
  if (!isRecord(value)) return;
  const known = isRecord(properties) ? properties : {};
  for (const [name, item] of Object.entries(value)) {
    checkNames(name, undefined, path);
    const isKnown = Object.hasOwn(known, name);
    if (!isKnown && additionalProperties === false)
      throw usage(`unknown parameter ${JSON.stringify(path + name)}`, [
        ...suggest(name, Object.keys(known)),
        `parameters: ${Object.keys(known).join(', ')}`,
      ]);
    checkNames(item, isKnown ? known[name] : undefined, `${path}${name}.`);
  }
}

/**
 * The arguments of a tool as a command line. No text in them names a file.
 * @param options the flags of the server
 */
export function lineOf({ command }: Tool, input: Input, options: Options): CommandLine {
  const typed: Record<string, unknown> = { ...input };
  /** The arguments with these names as words of a command line: texts, numbers and booleans. */
  const words = (names: readonly string[]): Record<string, string> => {
    const given = names.filter((name) => input[name] !== undefined);
    const wrong = given.find((name) => typeof input[name] === 'object');
    if (wrong !== undefined) throw usage(`${wrong} must be text or a number`);
    return Object.fromEntries(given.map((name) => [name, String(input[name])]));
  };
  const args = words(command.arguments.map(({ field }) => field));
  const scope = words(scopesOf(command).map(({ name }) => name));
  for (const name of Object.keys(scope)) delete typed[name];
  if (scope['project'] !== undefined && scope['group'] !== undefined)
    throw usage(`${pathOf(command)} accepts a project or a group, not both`);
  const flags: Record<string, string | number | true> = {};
  for (const flag of command.declaration ? command.flags : []) {
    const { name, kind } = flag;
    const property = propertyOf(name);
    const value = input[property] ?? ('default' in flag ? flag.default : undefined);
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

export interface Position {
  /** The page of the list; without it, the first. */
  readonly url?: string | undefined;
  /** Rows, or bytes of a file, before the result. */
  readonly skip: number;
}

export interface Part {
  readonly position: Position;
  /** Return the cursor of the next part; null at the end. */
  next(position: Position | undefined): string | null;
}

/** Bytes of a piece of a file. */
const pieceLimit = 64 * 1024;

export async function pieceOf(body: Body, { position: { skip }, next }: Part) {
  const bytes = await startOf(body, skip + pieceLimit + 1);
  let end = Math.min(bytes.length, skip + pieceLimit);
  // A character has up to four bytes, whose others begin with the bits 10.
  for (let step = 0; step < 3 && end < bytes.length && bytes.readUInt8(end) >> 6 === 0b10; step++) end--;
  // Each piece is masked by itself, so a secret must not be in two of them.
  const line = bytes.lastIndexOf('\n', end - 1) + 1;
  if (end < bytes.length && line > skip) end = line;
  const text = decode(bytes.subarray(skip, end));
  if (text === undefined || text.includes('\0'))
    throw new Failure('unsuccessful', 'the file is not UTF-8 text', {
      hint: forPerson('svc can download it with --output-file'),
    });
  return { text, next_cursor: next(end < bytes.length ? { skip: end } : undefined) };
}

/** Cursors of lists and files: random ids of positions, bound to the tool and its arguments. */
export class Cursors {
  readonly #positions = new Map<string, { readonly subject: string; readonly position: Position }>();

  /**
   * Find the part that a call requests.
   * @param input the arguments, without the cursor
   * @throws Failure `usage` for any text but a cursor of this server for these arguments
   */
  open(tool: string, input: Input, cursor: unknown): Part {
    const subject = jsonText([tool, Object.entries(input).sort(([a], [b]) => (a < b ? -1 : 1))]);
    const found =
      cursor === undefined ? { subject, position: { skip: 0 } } : this.#positions.get(cursor as string);
    if (found?.subject !== subject)
      throw usage('the cursor is not valid', [
        'use next_cursor of the previous result, with the same arguments',
        'without cursor, the list starts again',
      ]);
    const next: Part['next'] = (position) => {
      if (!position) return null;
      const id = randomUUID();
      this.#positions.set(id, { subject, position });
      return id;
    };
    return { position: found.position, next };
  }
}
