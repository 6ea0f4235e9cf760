/** Parse the fields of `svc api`: `-f` and `-F` with `a[b][]=c`. */
import { usage } from '../../../errors.ts';
import { type Field, type Fields, fieldAt, fileText, hash } from '../../../spec/field.ts';
import type { Value } from '../../../spec/request.ts';
import { decode } from '../../../support/bytes.ts';
import { plain } from '../../../support/literal.ts';
import { pathIn, type Reader } from '../../argv/values.ts';

/** A hash under construction. It has no prototype, so that `__proto__` is an ordinary key. */
interface Hash {
  [key: string]: Node;
}
type Node = Value | Hash | Node[];

const isHash = (node: Node | undefined): node is Hash =>
  typeof node === 'object' && node !== null && !Array.isArray(node);

/** `a[b][]` -> `a`, `b`, `` . @throws Failure `usage` */
function segmentsOf(key: string): string[] {
  const match = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(key);
  if (!match)
    throw usage(
      `invalid field name ${JSON.stringify(key)}`,
      'for example: name, list[], hash[key], rows[][key]',
    );
  const [, name = '', brackets = ''] = match;
  return [name, ...[...brackets.matchAll(/\[([^[\]]*)\]/g)].map(([, inner = '']) => inner)];
}

function put(into: Hash, key: string, segments: readonly string[], value: Value): void {
  const [first = '', ...rest] = segments;
  into[first] = withValue(into[first], rest, value, key);
}

/** Return a node with a value added below it. */
function withValue(node: Node | undefined, segments: readonly string[], value: Value, key: string): Node {
  const [first, ...rest] = segments;
  if (first === undefined) {
    if (node !== undefined) throw usage(`${key} is given twice or with different types`);
    return value;
  }
  if (first !== '') {
    if (node !== undefined && !isHash(node)) throw usage(`${key} is given with different types`);
    const hash = node ?? (Object.create(null) as Hash);
    put(hash, key, segments, value);
    return hash;
  }
  if (node !== undefined && !Array.isArray(node)) throw usage(`${key} is given with different types`);
  const list = (node ?? []) as Node[];
  const last = list.at(-1);
  // As in forms, a repeated key starts a new row.
  const isSameRow = rest.length > 0 && rest[0] !== '' && isHash(last) && !has(last, rest);
  if (isSameRow) list[list.length - 1] = withValue(last, rest, value, key);
  else list.push(withValue(undefined, rest, value, key));
  return list;
}

/** Whether a hash already contains a path. */
function has(hash: Hash, [first = '', ...rest]: readonly string[]): boolean {
  const inner = hash[first];
  if (inner === undefined || rest[0] === '') return false;
  return rest.length === 0 || !isHash(inner) || has(inner, rest);
}

/** Convert a typed value: `true`, `false`, `null`, integers, and the content of `@file` and `@-`. */
async function typedValue(typed: string, key: string, reader: Reader, field?: Field): Promise<Value> {
  const text = plain(typed);
  if (text === 'true' || text === 'false') return text === 'true';
  if (text === 'null') return null;
  if (/^-?(0|[1-9]\d*)$/.test(text)) {
    const number = Number(text);
    return Number.isSafeInteger(number) ? number : BigInt(text);
  }
  if (typed.startsWith('@@')) return text.slice(1);
  const source =
    typed === '-' || typed === '@-' ? '-' : typed.startsWith('@') ? pathIn(typed.slice(1)) : undefined;
  if (source === undefined) return text;
  if (source === '') throw usage(`${key}: no file after @`);
  const bytes = await reader.bytes(source, key);
  const read = decode(bytes);
  if (read === undefined) throw usage(`${key} is not UTF-8 text`, 'use --input to send bytes');
  return fileText(read, field);
}

/**
 * Parse fields in the order of the command line.
 * @param given `['field', 'a[b]=1']`, or `['raw-field', 'a[b]=1']` for text
 * @param keys the fields that are known
 * @throws Failure `usage`
 */
export async function readFields(
  given: readonly (readonly [flag: string, text: string])[],
  keys: Fields,
  reader: Reader,
): Promise<Readonly<Record<string, Value>>> {
  const values = Object.create(null) as Hash;
  for (const [flag, text] of given) {
    const at = text.indexOf('=');
    if (at < 1) throw usage(`--${flag} must be key=value, not ${JSON.stringify(plain(text))}`);
    const key = plain(text.slice(0, at));
    const value = text.slice(at + 1);
    const segments = segmentsOf(key);
    const field = fieldAt(hash('', keys), segments);
    put(values, key, segments, flag === 'field' ? await typedValue(value, key, reader, field) : plain(value));
  }
  return values as Record<string, Value>;
}
