/**
 * What any client sends, as nested values: JSON, form fields, multipart; `name[]=v`, `name[key]=v`, `name[0][key]=v` and
 * `name[][key]=v` (section 4.0).
 */

import { invalidAt, malformed } from './http-error.ts';
import { type Hash, Upload } from './params.ts';

export type Tree = { [name: string]: Node };
type Node = string | Upload | Node[] | Tree;

/** Deeper nesting than any field has is no mistake of an honest client. */
const maxDepth = 8;
const maxJsonDepth = 64;

/** Whether a value has values under names. */
export const isTree = (node: unknown): node is Tree =>
  typeof node === 'object' && node !== null && !Array.isArray(node) && !(node instanceof Upload);

/** `files[0][path]` -> files, 0, path. A name that is not spelled so is taken whole. */
function keysOf(name: string): string[] {
  const spelled = /^([^[\]]+)((?:\[[^[\]]*\])+)$/.exec(name);
  if (!spelled) return [name];
  const keys = [
    spelled[1] as string,
    ...[...(spelled[2] as string).matchAll(/\[([^[\]]*)\]/g)].map((m) => m[1] as string),
  ];
  if (keys.length > maxDepth) throw invalidAt([keys[0] as string], 'is nested too deeply');
  return keys;
}

const tree = (): Tree => Object.create(null) as Tree;

function put(into: Tree, keys: readonly string[], value: Node): void {
  const [key, next, ...rest] = keys as [string, string?, ...string[]];
  if (next === undefined) {
    into[key] = value;
    return;
  }
  into[key] ??= next === '' ? [] : tree();
  const below = into[key];
  if (next === '' && Array.isArray(below)) append(below, rest, value);
  else if (next !== '' && isTree(below)) put(below, [next, ...rest], value);
  else throw invalidAt([key]);
}

/** `name[]=v` adds a value; `name[][key]=v` fills the last hash until a key comes again. */
function append(list: Node[], keys: readonly string[], value: Node): void {
  if (keys.length === 0) {
    list.push(value);
    return;
  }
  let last = list.at(-1);
  if (!isTree(last) || reaches(last, keys)) {
    last = tree();
    list.push(last);
  }
  put(last, keys, value);
}

function reaches(at: Node | undefined, keys: readonly string[]): boolean {
  for (const key of keys) {
    if (key === '') return false;
    if (!isTree(at) || at[key] === undefined) return false;
    at = at[key];
  }
  return true;
}

/** Pairs of a query or a form as nested values. */
export function nest(pairs: Iterable<readonly [string, string | Upload]>): Tree {
  const root = tree();
  for (const [name, value] of pairs) if (name !== '') put(root, keysOf(name), value);
  return root;
}

/**
 * The values of a body, by its media type; a body without one is a form.
 * @throws HttpError 400 where it can't be read
 */
export async function bodyValues(request: Request, body: Uint8Array): Promise<Hash> {
  if (body.byteLength === 0) return {};
  const type = (request.headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (type === '' || type === 'application/x-www-form-urlencoded') {
    return nest(new URLSearchParams(decode(body)));
  }
  if (type === 'application/json' || type.endsWith('+json')) return jsonValues(body);
  if (type === 'multipart/form-data') return formValues(request, body);
  throw malformed(`The provided content-type '${type}' is not supported.`);
}

function decode(body: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    throw malformed('The request body is not valid UTF-8.');
  }
}

function jsonValues(body: Uint8Array): Hash {
  const text = decode(body).trim();
  if (text === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw malformed('The request body is not valid JSON.');
  }
  if (!isTree(value)) throw malformed('The request body must be a JSON object.');
  if (isDeeper(value, maxJsonDepth)) throw malformed('The request body is nested too deeply.');
  if (/\\ud/i.test(text) && !isWellFormed(value)) throw malformed('The request body is not valid Unicode.');
  return value;
}

function isDeeper(value: unknown, than: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return than === 0 || Object.values(value).some((item) => isDeeper(item, than - 1));
}

/** An escape in JSON can spell half a character, which no path, name or URL can hold. */
function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, item]) => key.isWellFormed() && isWellFormed(item));
}

async function formValues(request: Request, body: Uint8Array): Promise<Hash> {
  const headers = { 'content-type': request.headers.get('content-type') as string };
  let form: FormData;
  try {
    form = await new Response(body as Uint8Array<ArrayBuffer>, { headers }).formData();
  } catch {
    throw malformed('The multipart body is malformed.');
  }
  const pairs: [string, string | Upload][] = [];
  for (const [name, value] of form) {
    pairs.push([
      name,
      typeof value === 'string'
        ? value
        : new Upload(value.name, value.type, new Uint8Array(await value.arrayBuffer())),
    ]);
  }
  return nest(pairs);
}
