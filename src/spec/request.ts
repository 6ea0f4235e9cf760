import { forPerson, usage } from '../errors.ts';
import { isReadMethod } from '../support/http-method.ts';
import { mask } from '../support/mask.ts';
import { isRecord } from '../support/record.ts';
import { parseUrl, withoutUser, withScheme } from '../support/url.ts';
import type { Endpoint, Method } from './endpoint.ts';
import { type Field, fieldOf, hash, type Place } from './field.ts';
import { masked } from './mask.ts';
import { kebab } from './names.ts';

/** A file to send. Its content is streamed. */
export interface FilePart {
  readonly file: string;
  readonly filename: string;
  /** Number of bytes, if known in advance. */
  readonly size?: number;
}

export type Value =
  | string
  | number
  | bigint
  | boolean
  | null
  | FilePart
  | readonly Value[]
  | { readonly [key: string]: Value };
export type Values = Readonly<Record<string, Value>>;

export interface Part {
  readonly name: string;
  readonly value: string | FilePart;
}

export interface Call {
  readonly endpoint: Endpoint;
  /** Every slot of the path by name, unencoded. */
  readonly slots: Readonly<Record<string, string>>;
  readonly values: Values;
  /** Texts that are secrets in any slot or parameter. */
  readonly secrets?: ReadonlySet<string>;
}

/** A request without a server. */
export interface Plan {
  readonly method: Method;
  /** Encoded path below the root of the API, with the query: `/projects/acme%2Frocket/jobs?scope%5B%5D=failed`. */
  readonly target: string;
  readonly json?: Values;
  readonly multipart?: readonly Part[];
  readonly secrets?: ReadonlySet<string> | undefined;
}

/** Encode text for one path segment or query value. Only the unreserved characters of RFC 3986 are kept. */
export function encode(value: string): string {
  if (!value.isWellFormed()) throw usage('the value is not valid Unicode (a lone surrogate)');
  return encodeURIComponent(value).replace(
    /[!'()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/**
 * Encode one slot. URL parsers remove `.`, `..` and empty segments, so a DELETE could reach the parent collection.
 * @throws Failure `usage` for these
 */
export function encodeSlot(name: string, value: string): string {
  if (value === '' || value === '.' || value === '..') {
    throw usage(`${name} cannot be ${value === '' ? 'empty' : `"${value}"`}`);
  }
  return encode(value);
}

/** The place of a parameter in the request (section 4.0). */
export function placeOf(endpoint: Endpoint, field: Field): Place {
  if (field.in) return field.in;
  return isReadMethod(endpoint.method) || endpoint.method === 'DELETE' ? 'query' : 'body';
}

export function isFilePart(value: unknown): value is FilePart {
  return isRecord(value) && 'file' in value && 'filename' in value;
}

/**
 * Flatten a value to the pairs of a query or form (section 4.0): `name[]=v` for arrays, `name[key]=v` for hashes,
 * `name[0][key]=v` for arrays of hashes.
 */
export function flatten(name: string, value: Value): Part[] {
  if (Array.isArray(value)) {
    return (value as readonly Value[]).flatMap((item, index) =>
      flatten(isRecord(item) ? `${name}[${index}]` : `${name}[]`, item),
    );
  }
  if (isFilePart(value)) return [{ name, value }];
  if (isRecord(value))
    return Object.entries(value).flatMap(([key, item]) => flatten(`${name}[${key}]`, item));
  return [{ name, value: value === null ? '' : String(value) }];
}

/**
 * Build a request: its path, query and body.
 * @throws Failure `usage` for a slot that is missing, empty, `.` or `..`
 */
export function plan({ endpoint, slots, values }: Call): Plan {
  const path = endpoint.path.replace(/:([a-z_]+)/g, (_, name: string) => {
    const field = fieldOf(endpoint.slots, name);
    const value = slots[name] ?? '';
    const segments = field?.kind === 'text' && field.segments ? value.split('/') : [value];
    return segments.map((segment) => encodeSlot(slotTitle(endpoint, name), segment)).join('/');
  });
  const query: string[] = [];
  // Without a prototype, `__proto__` is an ordinary key.
  const body: Record<string, Value> = Object.create(null);
  let multipart = false;
  for (const [name, value] of Object.entries(values)) {
    const field = fieldOf(endpoint.takes, name);
    const place = field ? placeOf(endpoint, field) : 'body';
    if (place === 'query') {
      for (const pair of flatten(name, value))
        query.push(`${encode(pair.name)}=${encode(pair.value as string)}`);
    } else if (place === 'body') {
      body[name] = value;
      multipart ||= field?.kind === 'file';
    }
  }
  const target = query.length > 0 ? `${path}?${query.join('&')}` : path;
  const base = { method: endpoint.method, target };
  if (Object.keys(body).length === 0) return base;
  if (!multipart) return { ...base, json: body };
  return { ...base, multipart: Object.entries(body).flatMap(([name, value]) => flatten(name, value)) };
}

/** The name of a slot in messages: the flag of its scope, or its argument. */
export function slotTitle(endpoint: Endpoint, slot: string): string {
  if (endpoint.scope && slot === 'id') return `--${endpoint.scope.name}`;
  const renamed = Object.entries(endpoint.argumentFields).find(([, field]) => field === slot);
  return `<${renamed ? renamed[0] : kebab(slot)}>`;
}

export function maskedTarget({ endpoint, slots, values, secrets }: Call): string {
  // Masking replaces text with text, so the types do not change.
  const shown = masked({ slots, values }, { values: hash('', endpoint.takes) }, undefined, secrets) as Call;
  return plan({ ...shown, endpoint }).target.replaceAll(encode(mask), mask);
}

/**
 * Return the root of the API for a base URL with or without `https://`, `/api/v4`, a path prefix or a trailing slash.
 * @returns the root without a trailing slash: `https://host/prefix/api/v4`
 * @throws Failure `usage` if the base is not an http(s) URL, or contains a user name, query or fragment
 */
export function apiRoot(base: string, origin = 'the base URL'): string {
  const { href = '' } = parseUrl(withScheme(base)) ?? {};
  // An empty query or fragment is harmless.
  const [, server, path = ''] = /^(https?:\/\/[^/?#@]+)(\/[^?#]*)\??#?$/.exec(href) ?? [];
  if (server === undefined) {
    const shown = JSON.stringify(withoutUser(base).replace(/[?#].*/s, ''));
    throw usage(`${origin} must be an http or https URL without user, query or fragment, not ${shown}`, [
      'for example https://host.example',
      ...forPerson('a token belongs in SVC_TOKEN, or use svc login'),
    ]);
  }
  let prefix = path;
  while (prefix.endsWith('/')) prefix = prefix.slice(0, -1);
  return prefix.endsWith('/api/v4') ? `${server}${prefix}` : `${server}${prefix}/api/v4`;
}
