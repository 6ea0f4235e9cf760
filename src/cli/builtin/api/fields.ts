/** `-f` and `-F` of `svc api`: `a[b][]=c` to values. */
import { usage } from '../../../errors.ts';
import type { Value } from '../../../spec/request.ts';
import { decode } from '../../../support/bytes.ts';
import type { Reader } from '../../argv/values.ts';

/** A hash while it is put together. It has no prototype: `__proto__` is a key as any other. */
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
      `${JSON.stringify(key)} is not the name of a field`,
      'for example: name, list[], hash[key], rows[][key]',
    );
  return [
    match[1] as string,
    ...[...(match[2] as string).matchAll(/\[([^[\]]*)\]/g)].map(([, inner]) => inner as string),
  ];
}

function put(into: Hash, key: string, segments: readonly string[], value: Value): void {
  const [first = '', ...rest] = segments;
  into[first] = placed(into[first], rest, value, key);
}

/** What stands at a place once a value was put below it. */
function placed(node: Node | undefined, segments: readonly string[], value: Value, key: string): Node {
  const [first, ...rest] = segments;
  if (first === undefined) {
    if (node !== undefined) throw usage(`${key} is given twice, or as two kinds of thing`);
    return value;
  }
  if (first !== '') {
    if (node !== undefined && !isHash(node)) throw usage(`${key} is given as two kinds of thing`);
    const hash = node ?? (Object.create(null) as Hash);
    put(hash, key, segments, value);
    return hash;
  }
  if (node !== undefined && !Array.isArray(node)) throw usage(`${key} is given as two kinds of thing`);
  const list = (node ?? []) as Node[];
  const last = list.at(-1);
  // As forms do: a row goes on until one of its keys comes again.
  const same = rest.length > 0 && rest[0] !== '' && isHash(last) && !has(last, rest);
  if (same) list[list.length - 1] = placed(last, rest, value, key);
  else list.push(placed(undefined, rest, value, key));
  return list;
}

/** Whether a path below a hash is taken already. */
function has(hash: Hash, [first = '', ...rest]: readonly string[]): boolean {
  const inner = hash[first];
  if (inner === undefined || rest[0] === '') return false;
  return rest.length === 0 || !isHash(inner) || has(inner, rest);
}

/** A typed value: `true`, `false`, `null` and whole numbers are what they look like; `@file` and `@-` are read. */
async function typed(text: string, key: string, reader: Reader): Promise<Value> {
  if (text === 'true' || text === 'false') return text === 'true';
  if (text === 'null') return null;
  if (/^-?(0|[1-9]\d*)$/.test(text)) {
    const number = Number(text);
    return Number.isSafeInteger(number) ? number : BigInt(text);
  }
  if (text.startsWith('@@')) return text.slice(1);
  const source = text === '-' || text === '@-' ? '-' : text.startsWith('@') ? text.slice(1) : undefined;
  if (source === undefined) return text;
  if (source === '') throw usage(`${key}: @ wants a file's path after it`);
  const bytes = await reader.bytes(source, key);
  const read = decode(bytes);
  if (read === undefined) throw usage(`${key} is not UTF-8 text`, 'send bytes as they are with --input');
  return read;
}

/**
 * The values of fields, in the order in which they were typed.
 * @param given `['field', 'a[b]=1']` or `['raw-field', 'a[b]=1']`; a raw one is text as it stands
 * @throws Failure `usage`
 */
export async function readFields(
  given: readonly (readonly [flag: string, text: string])[],
  reader: Reader,
): Promise<Readonly<Record<string, Value>>> {
  const values = Object.create(null) as Hash;
  for (const [flag, text] of given) {
    const at = text.indexOf('=');
    if (at < 1) throw usage(`--${flag} wants key=value, not ${JSON.stringify(text)}`);
    const key = text.slice(0, at);
    const value = text.slice(at + 1);
    put(values, key, segmentsOf(key), flag === 'field' ? await typed(value, key, reader) : value);
  }
  return values as Record<string, Value>;
}
