/** Read the values of a command line: `@file`, `-`, `key=value`, lists. `spec/schema.ts` validates them. */
import { basename, resolve } from 'node:path';
import { Failure, NotText, tooLarge, usage } from '../../errors.ts';
import { choicesOf, type Field, type Fields, fileText, isSecret, type TextField } from '../../spec/field.ts';
import type { FilePart } from '../../spec/request.ts';
import { collect, decode, openInput, valueLimit } from '../../support/bytes.ts';
import { errnoText } from '../../support/errno.ts';
import { type Fill, filled } from '../../support/placeholders.ts';
import { suggest } from '../../support/suggest.ts';
import type { Context } from '../context.ts';
import { jsonOf, parseJson } from './json.ts';
import type { RawValue } from './parse.ts';

/** Reads each file of a command line, and standard input, once. */
export interface Reader {
  readonly cwd: string;
  /** Fills in the placeholders of a row of `svc each`, also in the names of files. */
  readonly fill?: Fill | undefined;
  /** @param what the flag or argument, for errors @param limit bytes @throws Failure `usage` */
  bytes(source: string, what: string, limit?: number): Promise<Uint8Array>;
  /** Reserve standard input for a file that is sent while it is read. @throws Failure `usage` if something else reads it */
  reserve(what: string): void;
}

const mib = 1024 * 1024;
const secretLimit = 10 * mib;

/** The largest value of a field in bytes. A character takes up to four. */
function limitOf({ maxLength, secret }: TextField): number {
  const limit = secret ? secretLimit : valueLimit;
  return maxLength === undefined ? limit : Math.min(limit, 4 * maxLength + '\r\n'.length);
}

/** Create the reader of one command. @param total bytes of all values together, which are kept in memory */
export function createReader(context: Pick<Context, 'stdin' | 'cwd'>, total = 256 * mib): Reader {
  let stdinFor: string | undefined;
  let left = total;
  const reads = new Map<string, Promise<Uint8Array>>();
  const counted = new Set<string>();
  const read = (source: string, what: string, limit: number) =>
    source === '-'
      ? collect(context.stdin, limit, () => tooLarge(what, limit))
      : readFile(resolve(context.cwd, source), what, limit);
  const reserve = (what: string) => {
    if ((stdinFor ?? what) !== what) throw usage(`${stdinFor} and ${what} cannot both read standard input`);
    stdinFor = what;
  };
  return {
    cwd: context.cwd,
    reserve,
    async bytes(source, what, limit = valueLimit) {
      if (source === '-') reserve(what);
      const reading = reads.get(source) ?? read(source, what, limit);
      reads.set(source, reading);
      const bytes = await reading;
      // A file of two parameters is sent twice.
      if (counted.size < counted.add(`${what}\n${source}`).size) left -= bytes.byteLength;
      if (left < 0) throw tooLarge('the content of the command', total);
      return bytes;
    },
  };
}

/** Read a file. @param what names it in errors @param limit bytes @throws Failure `usage` if it cannot be read or is too large */
export async function readFile(path: string, what: string, limit: number): Promise<Buffer> {
  try {
    return await collect(await openInput(path), limit, () => tooLarge(`${what}: ${path}`, limit));
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw usage(`${what}: cannot read ${path}: ${errnoText(error)}`);
  }
}

/** Read a file, or standard input for `-`. @param limit bytes @throws Failure `usage`, and NotText for bytes that are not UTF-8 */
export async function textFrom(source: string, what: string, reader: Reader, limit?: number) {
  const bytes = await reader.bytes(source, what, limit);
  const text = decode(bytes);
  if (text === undefined) throw new NotText(what, bytes);
  return text;
}

/** The path after `@`, or `-` for standard input. */
function sourceIn(word: string): string | undefined {
  return word === '-' ? word : word.startsWith('@') ? word.slice(1) : undefined;
}

/** Read long text: `@path`, `-`, `@@literal`, or the text itself. */
export async function readText(typed: string, field: Field, what: string, reader: Reader): Promise<string> {
  if (field.kind !== 'text' || !field.long) return typed;
  if (typed.startsWith('@@')) return typed.slice(1);
  const source = sourceIn(typed);
  if (source === undefined) return typed;
  if (source === '') throw usage(`${what}: @ must be followed by a path`, 'use @@ for the text @');
  const text = await textFrom(source, what, reader, limitOf(field));
  // A failed command before the pipe would otherwise empty the value that it should change.
  if (source === '-' && text === '')
    throw usage(`${what}: standard input is empty`, `for an empty value, use ${what} ""`);
  return fileText(text, field);
}

export async function readValue(
  typed: RawValue,
  field: Field,
  what: string,
  reader: Reader,
  filename?: string,
): Promise<unknown> {
  if (field.kind === 'bool') return typed;
  const words = typeof typed === 'object' ? typed : [String(typed)];
  if (field.kind === 'list') {
    const items = splitsAtCommas(field.of)
      ? words.flatMap((word) => filled(word, reader.fill).split(','))
      : words;
    return Promise.all(items.map((word) => readText(word, field.of, what, reader)));
  }
  if (field.kind === 'hash') return readHash(words, field.keys, what, reader);
  if (field.kind === 'rows') return readRows(words, field.keys, what, reader);
  const [word = ''] = words;
  if (field.kind === 'file') return readFilePart(word, what, reader, filename);
  return readText(word, field, what, reader);
}

/** Whether commas separate items: values of these kinds cannot contain one. */
function splitsAtCommas(item: Field): boolean {
  return (
    choicesOf(item) !== undefined ||
    (item.kind === 'text' && item.pattern?.test.test(',') === false) ||
    ['int', 'number', 'bool', 'date', 'datetime'].includes(item.kind)
  );
}

function parsePair(word: string, what: string, { fill }: Reader, keys?: Fields): [string, string] {
  const at = word.indexOf('=');
  const known = Object.keys(keys ?? {});
  const hint = keys ? [`keys: ${known.join(', ')}`] : [];
  if (at < 1) {
    // The word may be a secret without its key.
    const hide = Object.values(keys ?? {}).some(isSecret);
    throw usage(`${what} requires key=value${hide ? '' : `, not ${JSON.stringify(word)}`}`, hint);
  }
  const key = filled(word.slice(0, at), fill);
  if (keys && !known.includes(key))
    throw usage(`${what} has no key ${JSON.stringify(key)}`, [...suggest(key, known), ...hint]);
  return [key, word.slice(at + 1)];
}

async function readHash(typed: readonly string[], keys: Fields | undefined, what: string, reader: Reader) {
  const hash: Record<string, unknown> = Object.create(null);
  for (const word of typed) {
    const [key, value] = parsePair(word, what, reader, keys);
    const field = keys?.[key];
    if (key in hash) throw usage(`${what} has the key ${JSON.stringify(key)} twice`);
    hash[key] = field ? await readText(value, field, `${what} ${key}`, reader) : value;
  }
  return { ...hash };
}

/** Read rows: each is `a=1,b=2`, where a comma separates if a known key follows, or several are JSON. */
async function readRows(typed: readonly string[], keys: Fields, what: string, reader: Reader) {
  const separator = new RegExp(`,(?=(?:${Object.keys(keys).join('|')})=)`);
  const all: unknown[] = [];
  for (const word of typed) {
    const isJson = sourceIn(word) !== undefined || /^\s*[[{]/.test(word);
    if (isJson) all.push(...[await readJson(word, what, reader)].flat());
    else {
      rejectMistyped(word, keys, what);
      all.push(await readHash(word.split(separator), keys, what, reader));
    }
  }
  return all;
}

/** @throws Failure `usage` if the text after a comma is nearly a key: it would become a part of the value before it */
function rejectMistyped(word: string, keys: Fields, what: string): void {
  for (const [, name = ''] of word.matchAll(/,(\w+)=/g)) {
    const near = name in keys ? [] : suggest(name, Object.keys(keys));
    if (near.length > 0)
      throw usage(`${what} has no key ${JSON.stringify(name)}`, [
        ...near,
        'a value that contains this text must be given as JSON',
      ]);
  }
}

/** Read JSON: `@path`, `-`, or the text itself. @throws Failure `usage` */
export async function readJson(word: string, what: string, reader: Reader): Promise<unknown> {
  const source = sourceIn(word);
  if (source === undefined) return parseJson(jsonOf(word, what, reader.fill), what);
  return parseJson(await textFrom(source, what, reader), what);
}

async function readFilePart(
  path: string,
  what: string,
  { cwd, fill, reserve }: Reader,
  filename: string | undefined,
): Promise<FilePart> {
  if (path === '') throw usage(`${what} requires a path`);
  if (filename === '') throw usage('--filename cannot be empty');
  if (path === '-') {
    if (filename === undefined) throw usage(`${what} from standard input requires --filename <name>`);
    reserve(what);
    return { file: '-', filename };
  }
  const file = resolve(cwd, filled(path.replace(/^@(?!@)/, ''), fill));
  const { stat } = await import('node:fs/promises');
  const found = await stat(file).catch((error: unknown) => {
    throw usage(`${what}: cannot read ${file}: ${errnoText(error)}`);
  });
  if (found.isDirectory()) throw usage(`${what}: cannot read ${file}: it is a folder`);
  return { file, filename: filename ?? basename(file), ...(found.isFile() ? { size: found.size } : {}) };
}
