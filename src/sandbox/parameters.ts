/**
 * What a request says, from its query and its body, as the catalogue's fields ask for it (section 4.0). It reads what
 * any client sends: JSON, form fields, multipart; `name[]=v`, `name[key]=v`, `name[0][key]=v` and `name[][key]=v`.
 */
import type { Endpoint } from '../spec/endpoint.ts';
import { type Field, type Fields, fieldOf } from '../spec/field.ts';
import { check, type Problem } from '../spec/schema.ts';
import { type Hash, Params, Upload } from './params.ts';
import { invalid, notGiven, type Refusal, refuse } from './refusal.ts';

type Tree = { [name: string]: Node };
type Node = string | Upload | Node[] | Tree;

/** Deeper nesting than any field has is no mistake of an honest client. */
const maxDepth = 8;
const maxJsonDepth = 64;

const isTree = (node: unknown): node is Tree =>
  typeof node === 'object' && node !== null && !Array.isArray(node) && !(node instanceof Upload);

/** `files[0][path]` -> files, 0, path. A name that is not spelled so is taken whole. */
function keysOf(name: string): string[] {
  const spelled = /^([^[\]]+)((?:\[[^[\]]*\])+)$/.exec(name);
  if (!spelled) return [name];
  const keys = [
    spelled[1] as string,
    ...[...(spelled[2] as string).matchAll(/\[([^[\]]*)\]/g)].map((m) => m[1] as string),
  ];
  if (keys.length > maxDepth) throw invalid(`${keys[0]} is invalid`);
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
  else throw invalid(`${key} is invalid`);
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

async function bodyValues(request: Request, body: Uint8Array): Promise<Hash> {
  if (body.byteLength === 0) return {};
  const type = (request.headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (type === '' || type === 'application/x-www-form-urlencoded') {
    return nest(new URLSearchParams(decode(body)));
  }
  if (type === 'application/json' || type.endsWith('+json')) return jsonValues(body);
  if (type === 'multipart/form-data') return formValues(request, body);
  throw invalid(`The provided content-type '${type}' is not supported.`);
}

function decode(body: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    throw invalid('The request body is not valid UTF-8.');
  }
}

function jsonValues(body: Uint8Array): Hash {
  const text = decode(body).trim();
  if (text === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalid('The request body is not valid JSON.');
  }
  if (!isTree(value)) throw invalid('The request body must be a JSON object.');
  if (isDeeper(value, maxJsonDepth)) throw invalid('The request body is nested too deeply.');
  if (/\\ud/i.test(text) && !isWellFormed(value)) throw invalid('The request body is not valid Unicode.');
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
    throw invalid('The multipart body is malformed.');
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

/** Text forms know no types, and JSON knows null: bring a value nearer to what its field asks for. */
function adapt(field: Field, value: unknown): unknown {
  if (value === null || (value === '' && field.kind !== 'text')) {
    if (field.kind === 'list' || field.kind === 'rows') return [];
    // A null boolean is false (section 4.0).
    return value === null && field.kind === 'bool' ? false : null;
  }
  switch (field.kind) {
    case 'text':
      if (value instanceof Upload) return new TextDecoder().decode(value.bytes);
      return field.placeholder === joined ? join(value) : value;
    case 'list':
      return many(value).map((item) => adapt(field.of as Field, item));
    case 'rows':
      return many(value).map((item) => (isTree(item) ? adaptAll(field.keys as Fields, item) : item));
    case 'hash':
    case 'object':
      return isTree(value) && field.keys ? adaptAll(field.keys, value) : value;
    default:
      return value;
  }
}

/** What the catalogue shows for a text that is a list with commas between. */
const joined = 'a,b';

/** Some clients send such a text as a list. */
function join(value: unknown): unknown {
  const items = many(value);
  return items.every(isWord) ? items.join(',') : value;
}

const isWord = (value: unknown): value is string => typeof value === 'string';

/** A list, however it was spelled: `name[0]=a`, or one value alone. */
function many(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  if (!isTree(value)) return [value];
  const keys = Object.keys(value);
  if (keys.length === 0 || !keys.every((key) => /^\d+$/.test(key))) return [value];
  return keys.sort((a, b) => Number(a) - Number(b)).map((key) => value[key]);
}

function adaptAll(fields: Fields, values: Hash): Hash {
  const adapted: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(values)) {
    const field = fieldOf(fields, name);
    const near = field ? adapt(field, value) : value;
    if (near !== null && name !== '__proto__') adapted[name] = near;
  }
  return adapted;
}

/** `files`, `0`, `action` -> `files[0][action]` */
const spell = ([first, ...rest]: readonly string[]): string =>
  `${first}${rest.map((key) => `[${key}]`).join('')}`;

/** The field that a problem is about: down through hashes and rows. */
function fieldAt(fields: Fields, [name, ...rest]: readonly string[]): Field | undefined {
  const field = fieldOf(fields, name as string);
  const below = field?.kind === 'rows' ? rest.slice(1) : rest;
  return below.length > 0 && field?.keys ? fieldAt(field.keys, below) : rest.length > 0 ? undefined : field;
}

/** A refusal in the shapes of section 7: what is missing first, then what is malformed, then what breaks a rule. */
function refusalOf(fields: Fields, values: Hash, problems: readonly Problem[]): Refusal {
  const missing = problems.find((problem) => problem.code === 'missing');
  if (missing) return notGiven(spell(missing.path));
  const messages: Record<string, unknown> = {};
  const errors = new Set<string>();
  for (const { path, code, message } of problems) {
    const [name = '', ...rest] = path;
    const value = path.reduce<unknown>((at, key) => (at as Hash | undefined)?.[key], values);
    const isRule = code === 'invalid' && fieldAt(fields, path)?.kind === 'text' && typeof value === 'string';
    const property = rest.at(-1);
    if (!isRule)
      errors.add(code === 'choice' ? `${name} does not have a valid value` : `${spell(path)} is invalid`);
    else if (property === undefined) messages[name] = [...((messages[name] as string[]) ?? []), message];
    else messages[name] = { ...(messages[name] as object), [property]: [message] };
  }
  return errors.size > 0 ? invalid([...errors].join(', ')) : refuse(400, messages);
}

/**
 * The parameters of a call, checked and typed.
 * @throws Refusal 400 in the shapes of section 7
 */
export async function readParams(endpoint: Endpoint, request: Request, body: Uint8Array): Promise<Params> {
  const query = nest(new URL(request.url).searchParams);
  const given: Hash = { ...query, ...(await bodyValues(request, body)) };
  return checkParams(endpoint.takes, given);
}

function checkParams(takes: Fields, given: Hash): Params {
  const fields: Record<string, Field> = {};
  for (const [name, field] of Object.entries(takes)) if (field.in !== 'credential') fields[name] = field;
  const known: Record<string, unknown> = {};
  const nulls: Record<string, null> = {};
  for (const [name, value] of Object.entries(given)) {
    const field = fieldOf(fields, name);
    if (!field) continue;
    if (field.kind === 'file' && value && !(value instanceof Upload)) throw invalid(`${name} is invalid`);
    const adapted = name === 'per_page' ? cut(value, field.max) : adapt(field, value);
    if (adapted === null) nulls[name] = null;
    else known[name] = adapted;
  }
  const { values, problems } = check(fields, known);
  if (problems.length > 0) throw refusalOf(fields, known, problems);
  const huge = Object.keys(values).find((name) => hasBigint(values[name]));
  if (huge !== undefined) throw invalid(`${huge} is invalid`);
  return new Params({ ...nulls, ...values });
}

/** More rows a page than there may be are no error: the number is cut. */
function cut(value: unknown, most = Number.POSITIVE_INFINITY): unknown {
  if (value === '') return null;
  const isOne = typeof value === 'string' || typeof value === 'number';
  return isOne && Number.isInteger(Number(value)) && Number(value) > most ? most : value;
}

function hasBigint(value: unknown): boolean {
  if (typeof value === 'bigint') return true;
  return typeof value === 'object' && value !== null && Object.values(value).some(hasBigint);
}

/**
 * The slots of a path, typed.
 * @throws Refusal 400 where a number was asked for
 */
export function readSlots(fields: Fields, slots: Readonly<Record<string, string>>): Params {
  const values: Record<string, unknown> = {};
  for (const [name, text] of Object.entries(slots)) {
    const isNumber = fields[name]?.kind === 'int';
    if (isNumber && !/^\d{1,15}$/.test(text)) throw invalid(`${name} is invalid`);
    values[name] = isNumber ? Number(text) : text;
  }
  return new Params(values);
}
