/** What was typed to what it stands for: `@file`, `-`, `key=value`, lists. Judging it is `spec/schema.ts`'s part. */

import { basename, resolve } from 'node:path';
import { Failure, NotText, tooLarge, usage } from '../../errors.ts';
import { choicesOf, type Field, type Fields, isSecret, type TextField } from '../../spec/field.ts';
import type { FilePart } from '../../spec/request.ts';
import { collect, decode, valueLimit } from '../../support/bytes.ts';
import { errnoText } from '../../support/errno.ts';
import { openInput } from '../../support/input.ts';
import { suggest } from '../../support/suggest.ts';
import type { Context } from '../context.ts';
import type { RawValue } from './parse.ts';

/** Reads what `@file` and `-` name, once. */
export interface Reader {
  /**
   * @param limit bytes that the value may have
   * @throws Failure `usage` for a file that can't be read or is too large, or standard input asked for twice
   */
  bytes(source: string, what: string, limit?: number): Promise<Uint8Array>;
}

const mib = 1024 * 1024;
/** Bytes of all values of a command: they are held in memory. */
const totalLimit = 256 * mib;
/** Bytes of a secret: svc looks for it, and for its encoded forms, in all that it prints. */
const secretLimit = 10 * mib;

/** Bytes that a value of a field may have. A character takes up to four. */
function limitOf({ maxLength, secret }: TextField): number {
  const limit = secret ? secretLimit : valueLimit;
  return maxLength === undefined ? limit : Math.min(limit, 4 * maxLength + '\r\n'.length);
}

/**
 * A reader for one command: standard input is there for a single value.
 * @param total bytes that all values together may have
 */
export function createReader(context: Pick<Context, 'stdin' | 'cwd'>, total = totalLimit): Reader {
  let stdinFor: string | undefined;
  let left = total;
  const read = async (source: string, what: string, limit: number): Promise<Uint8Array> => {
    if (source !== '-') return readPath(resolve(context.cwd, source), what, limit);
    if (stdinFor !== undefined) throw usage(`${stdinFor} and ${what} both want standard input`);
    stdinFor = what;
    return collect(context.stdin, limit, () => tooLarge(what, limit));
  };
  return {
    async bytes(source, what, limit = valueLimit) {
      const bytes = await read(source, what, limit);
      left -= bytes.byteLength;
      if (left < 0) throw tooLarge('the content of the command', total);
      return bytes;
    },
  };
}

async function readPath(path: string, what: string, limit: number): Promise<Uint8Array> {
  try {
    const { stat } = await import('node:fs/promises');
    const found = await stat(path);
    const isTooLarge = () => tooLarge(`${what}: ${path}`, limit);
    if (found.isFile() && found.size > limit) throw isTooLarge();
    return await collect(await openInput(path), limit, isTooLarge);
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw usage(`${what}: can't read ${path}: ${errnoText(error)}`);
  }
}

/**
 * Long text: `@path`, `-`, `@@literal`, or the text itself.
 * A single line that was read loses its line terminator: `echo token |` means the token. Several lines, and the content of a
 * file, are kept byte for byte.
 */
export async function readText(typed: string, field: Field, what: string, reader: Reader): Promise<string> {
  if (field.kind !== 'text' || !field.long) return typed;
  if (typed.startsWith('@@')) return typed.slice(1);
  const source = typed === '-' ? '-' : typed.startsWith('@') ? typed.slice(1) : undefined;
  if (source === undefined) return typed;
  if (source === '')
    throw usage(`${what}: @ wants a file's path after it`, 'the text @ itself is written @@');
  const bytes = await reader.bytes(source, what, limitOf(field));
  const text = decode(bytes);
  if (text === undefined) throw new NotText(what, bytes);
  const isLine = text.indexOf('\n') === text.length - 1;
  return isLine && !field.exact ? text.replace(/\r?\n$/, '') : text;
}

/** A value of a parameter from what was typed for it. */
export async function readValue(
  typed: RawValue,
  field: Field,
  what: string,
  reader: Reader,
  more: { cwd: string; filename?: string | undefined },
): Promise<unknown> {
  if (field.kind === 'bool') return typed;
  if (field.kind === 'list') return readList(typed as readonly string[], field.of, what, reader);
  if (field.kind === 'hash') return readHash(typed as readonly string[], field.keys, what, reader);
  if (field.kind === 'rows') return readRows(typed as readonly string[], field.keys, what, reader);
  if (field.kind === 'file') return readFilePart(typed as string, what, more);
  return readText(typed as string, field, what, reader);
}

/** No value of these kinds can hold a comma, so one may separate them. */
function splits(item: Field): boolean {
  return (
    choicesOf(item) !== undefined ||
    (item.kind === 'text' && item.pattern?.test.test(',') === false) ||
    ['int', 'number', 'bool', 'date', 'datetime'].includes(item.kind)
  );
}

async function readList(
  typed: readonly string[],
  item: Field,
  what: string,
  reader: Reader,
): Promise<unknown[]> {
  const words = splits(item) ? typed.flatMap((word) => word.split(',')) : typed;
  return Promise.all(words.map((word) => readText(word, item, what, reader)));
}

function pair(word: string, what: string, keys?: Fields): [string, string] {
  const at = word.indexOf('=');
  if (at < 1) {
    const hint = keys ? [`keys: ${Object.keys(keys).join(', ')}`] : undefined;
    // It may be a secret whose key was forgotten.
    const quiet = Object.values(keys ?? {}).some(isSecret);
    throw usage(`${what} wants key=value${quiet ? '' : `, not ${JSON.stringify(word)}`}`, hint);
  }
  const key = word.slice(0, at);
  if (keys && !Object.hasOwn(keys, key)) {
    const known = Object.keys(keys);
    throw usage(`${what} has no key ${JSON.stringify(key)}`, [
      ...suggest(key, known),
      `keys: ${known.join(', ')}`,
    ]);
  }
  return [key, word.slice(at + 1)];
}

async function readHash(
  typed: readonly string[],
  keys: Fields | undefined,
  what: string,
  reader: Reader,
): Promise<Record<string, unknown>> {
  const hash: Record<string, unknown> = Object.create(null);
  for (const word of typed) {
    const [key, value] = pair(word, what, keys);
    const field = keys?.[key];
    hash[key] = field ? await readText(value, field, `${what} ${key}`, reader) : value;
  }
  return { ...hash };
}

async function readRows(
  typed: readonly string[],
  keys: Fields,
  what: string,
  reader: Reader,
): Promise<unknown[]> {
  const all: unknown[] = [];
  for (const word of typed) {
    const json = await wholeList(word, what, reader);
    if (json) all.push(...json);
    else all.push(await readRow(word, keys, what, reader));
  }
  return all;
}

/** The whole list as JSON: `@files.json`, `-`, `[...]`, or one `{...}`. */
async function wholeList(
  word: string,
  what: string,
  reader: Reader,
): Promise<readonly unknown[] | undefined> {
  const source = word === '-' || word.startsWith('@') ? word.replace(/^@/, '') : undefined;
  if (source === undefined && !/^\s*[[{]/.test(word)) return undefined;
  const text = source === undefined ? word : Buffer.from(await reader.bytes(source, what)).toString('utf8');
  const value = await parseJson(text, what);
  return Array.isArray(value) ? value : [value];
}

/** `a=1,b=2,c=3`: a comma separates where a known key follows it, and belongs to the value elsewhere. */
async function readRow(
  word: string,
  keys: Fields,
  what: string,
  reader: Reader,
): Promise<Record<string, unknown>> {
  const next = new RegExp(`,(?=(?:${Object.keys(keys).join('|')})=)`);
  return readHash(word.split(next), keys, what, reader);
}

/**
 * JSON that was typed. A whole number beyond 2^53 is a bigint.
 * @throws Failure `usage` where it is no JSON, is nested too deeply, or holds a number that can't be sent
 */
export async function parseJson(text: string, what: string): Promise<unknown> {
  const json = text.replace(/^\uFEFF/, '');
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    // V8 quotes what stands there, which may be a secret.
    const [reason] = (error as Error).message.replace(/,? ?(\.{3})?".*$/s, '').split('\n');
    throw usage(`${what} is not valid JSON: ${reason}`);
  }
  refuseUnfit(value, what);
  return /\d{16}/.test(json) ? (await import('../../output/json/values.ts')).parseWhole(json) : value;
}

/** Far beyond what any service reads, and well within what recursion bears. */
const maxDepth = 500;

function refuseUnfit(value: unknown, what: string): void {
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) throw usage(`${what} is nested too deeply`);
    if (level.some((one) => one === Infinity || one === -Infinity))
      throw usage(`${what} holds a number that is too large`);
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []));
  }
}

async function readFilePart(
  path: string,
  what: string,
  more: { cwd: string; filename?: string | undefined },
): Promise<FilePart> {
  if (path === '-') {
    if (more.filename === undefined) throw usage(`${what} from standard input needs --filename <name>`);
    return { file: '-', filename: more.filename };
  }
  const file = resolve(more.cwd, path.replace(/^@(?!@)/, ''));
  const { stat } = await import('node:fs/promises');
  const found = await stat(file).catch((error: unknown) => {
    throw usage(`${what}: can't read ${file}: ${errnoText(error)}`);
  });
  if (found.isDirectory()) throw usage(`${what}: can't read ${file}: it is a folder`);
  return { file, filename: more.filename ?? basename(file), ...(found.isFile() ? { size: found.size } : {}) };
}
