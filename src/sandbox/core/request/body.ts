/**
 * Request bodies and queries as nested values: JSON, forms and multipart, with the names `name[]`, `name[key]` and `name[0][key]`
 * (section 4.0).
 */
import { attempt } from '../../../support/errno.ts';
import { isNestedTooDeeply, jsonIn } from '../../../support/json.ts';
import { invalidAt, malformed } from '../http-error.ts';
import { type Hash, Upload } from './params.ts';

type Tree = { [name: string]: Node };
type Node = string | Upload | Node[] | Tree;

const maxDepth = 8;

export const isTree = (node: unknown): node is Tree =>
  typeof node === 'object' && node !== null && !Array.isArray(node) && !(node instanceof Upload);

/** `files[0][path]` -> files, 0, path. Other names are a single key. */
function keysOf(name: string): string[] {
  const [, first, rest] = /^([^[\]]+)((?:\[[^[\]]*\])+)$/.exec(name) ?? [];
  if (first === undefined || rest === undefined) return [name];
  const keys = [first, ...rest.slice(1, -1).split('][')];
  if (keys.length > maxDepth) throw invalidAt([first], 'is nested too deeply');
  return keys;
}

/** Has no prototype, because keys can be any word. */
const newTree = (): Tree => Object.create(null);

function put(into: Tree, [key = '', ...rest]: readonly string[], value: Node): void {
  const [next] = rest;
  if (next === undefined) {
    into[key] = value;
    return;
  }
  const child = into[key] ?? (next === '' ? [] : newTree());
  into[key] = child;
  if (next === '' && rest.length === 1 && Array.isArray(child)) child.push(value);
  else if (next !== '' && isTree(child)) put(child, rest, value);
  else throw invalidAt([key]);
}

/** Convert the pairs of a form to nested values. */
function nest(pairs: Iterable<readonly [string, string | Upload]>): Tree {
  const root = newTree();
  for (const [name, value] of pairs) {
    if (name !== '') put(root, keysOf(name), value);
  }
  return root;
}

/** Convert a query or form to nested values. @throws HttpError 400 for percent-encoded bytes that are not UTF-8 */
export function urlencodedValues(text: string): Tree {
  if (attempt(() => text.replace(/(?:%[0-9a-f]{2})+/gi, decodeURIComponent)) === undefined)
    throw malformed('The request is not valid UTF-8.');
  return nest(new URLSearchParams(text));
}

/** Parse a body by its media type. A body without one is a form. @throws HttpError 400 if the body is malformed */
export async function bodyValues(request: Request, body: Uint8Array): Promise<Hash> {
  if (body.byteLength === 0) return {};
  const type = (request.headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (type === '' || type === 'application/x-www-form-urlencoded') {
    return urlencodedValues(decoded(body));
  }
  if (type === 'application/json' || type.endsWith('+json')) return jsonValues(body);
  if (type === 'multipart/form-data') return formValues(request, body);
  throw malformed(`The provided content-type '${type}' is not supported.`);
}

export function decoded(body: Uint8Array): string {
  const text = attempt(() => new TextDecoder('utf-8', { fatal: true }).decode(body));
  if (text === undefined) throw malformed('The request body is not valid UTF-8.');
  return text;
}

function jsonValues(body: Uint8Array): Hash {
  const text = decoded(body).trim();
  if (text === '') return {};
  if (isNestedTooDeeply(text)) throw malformed('The request body is nested too deeply.');
  const value = jsonIn(text);
  if (value === undefined) throw malformed('The request body is not valid JSON.');
  if (!isTree(value)) throw malformed('The request body must be a JSON object.');
  if (/\\ud/i.test(text) && !isWellFormed(value)) throw malformed('The request body is not valid Unicode.');
  return value;
}

/** JSON can contain lone surrogates, which paths, names and URLs cannot. */
function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, item]) => key.isWellFormed() && isWellFormed(item));
}

async function formValues(request: Request, body: Uint8Array): Promise<Hash> {
  const headers = { 'content-type': request.headers.get('content-type') ?? '' };
  let form: FormData;
  try {
    form = await new Response(body as Uint8Array<ArrayBuffer>, { headers }).formData();
  } catch {
    throw malformed('The multipart body is malformed.');
  }
  const pairs: [string, string | Upload][] = [];
  for (const [name, value] of form) {
    if (typeof value === 'string' && value.includes('\ufffd') && !Buffer.from(body).includes('\ufffd'))
      throw malformed('The request body is not valid UTF-8.');
    pairs.push([
      name,
      typeof value === 'string'
        ? value
        : new Upload(value.name, value.type, new Uint8Array(await value.arrayBuffer())),
    ]);
  }
  return nest(pairs);
}
