import { mask } from '../support/mask.ts';
import { parseUrl, withoutUser } from '../support/url.ts';
import type { Endpoint } from './endpoint.ts';
import { type Field, type Fields, fieldOf, isSecret, itemOf, keysOf } from './field.ts';

/** Names of secrets in headers, queries and bodies of requests and responses. */
const secretName =
  /^(private[-_]?token|job[-_]?token|ci_job_token|authorization|proxy-authorization|cookie|set-cookie|access_token|token|.*_token|x-.*-token|password|secret|license|tracker_dsn)$/i;

/** The parameters and attributes of several calls, by name. A name that is secret in one call is secret. */
export function knownFields(endpoints: readonly Endpoint[]): Fields {
  const known: Record<string, Field> = {};
  for (const { takes, returns } of endpoints)
    for (const fields of ['fields' in returns ? returns.fields : {}, takes])
      for (const [name, field] of Object.entries(fields)) if (!isSecret(known[name])) known[name] = field;
  return known;
}

/** A URL with a password, as of a webhook behind HTTP authentication. */
const withPassword = /^\s*[a-z][a-z0-9+.-]*:\/\/[^/?#@\s]*:[^/?#@\s]+@/i;

/** The fields inside a value, or inside each item of a list. */
function keysIn(field: Field | undefined): Fields {
  return keysOf(field && itemOf(field)) ?? {};
}

/** Whether values with this name are masked in every call. */
export function isSecretName(name: string): boolean {
  return secretName.test(name);
}

/**
 * Copy a JSON value with secrets masked: secret names at any depth, secret fields of the call, and URLs with a password.
 * @param value any JSON value
 * @param fields the fields of the top-level object, if known
 * @param replace returns the text in place of a secret with this name
 * @param texts more secrets
 */
export function masked(
  value: unknown,
  fields: Fields = {},
  replace: (name: string) => string = () => mask,
  texts: ReadonlySet<unknown> = new Set(),
): unknown {
  if (Array.isArray(value)) return value.map((item) => masked(item, fields, replace, texts));
  if (typeof value !== 'object' || value === null)
    return hasPassword(value) || texts.has(value) ? mask : value;
  const entries = Object.entries(value).map(([name, item]) => {
    const field = fieldOf(fields, name);
    const isHidden = isSecret(field) || isSecretName(name) || hasPassword(item) || texts.has(item);
    const hide = (isHidden || guarded(field, item) !== item) && item !== null && typeof item !== 'object';
    return [name, hide ? replace(name) : masked(item, keysIn(field), replace, texts)];
  });
  return Object.fromEntries(entries);
}

/** Mask the user information and the query of a URL of another server. Any other value is unchanged. */
export function guarded(field: Field | undefined, value: unknown): unknown {
  if (field?.kind !== 'text' || !field.guarded || typeof value !== 'string') return value;
  const { username, password } = parseUrl(value) ?? { username: value };
  return maskedQuery(username || password ? withoutUser(value) : value);
}

function hasPassword(value: unknown): boolean {
  return typeof value === 'string' && withPassword.test(value);
}

/**
 * Return the secret texts of a JSON value, which are masked if the service repeats them.
 * @param fields the fields of the top-level object
 */
export function secretTexts(value: unknown, fields: Fields, secret = false): string[] {
  if (typeof value === 'string') return secret || hasPassword(value) ? [value] : [];
  if (Array.isArray(value)) return value.flatMap((item) => secretTexts(item, fields, secret));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, item]) => {
    const field = fieldOf(fields, name);
    return secretTexts(item, keysIn(field), secret || isSecret(field) || isSecretName(name));
  });
}

/** Mask the secret query values of a URL or path. The rest is unchanged. */
export function maskedUrl(url: string, fields: Fields = {}): string {
  const at = url.indexOf('?');
  if (at < 0) return url;
  const pairs = url
    .slice(at + 1)
    .split('&')
    .map((pair) => {
      const eq = pair.indexOf('=');
      if (eq < 0) return pair;
      const name = pair.slice(0, eq);
      const isHidden = isSecretPair(safeDecode(name), fields) || hasPassword(safeDecode(pair.slice(eq + 1)));
      return isHidden ? `${name}=${mask}` : pair;
    });
  return `${url.slice(0, at + 1)}${pairs.join('&')}`;
}

/** Mask every value in the query of a URL, for a server whose parameters are unknown. */
export function maskedQuery(url: string): string {
  const at = url.indexOf('?');
  if (at < 0) return url;
  const pairs = url
    .slice(at + 1)
    .split('&')
    .map((pair) => (pair === '' ? pair : pair.replace(/^([^=]*=)?.*$/s, `$1${mask}`)));
  return `${url.slice(0, at + 1)}${pairs.join('&')}`;
}

/** Whether a query parameter or one of its keys is secret: `configuration[access_token]`. */
function isSecretPair(name: string, fields: Fields): boolean {
  return isSecret(fieldOf(fields, name)) || name.split(/[[\]]+/).some(isSecretName);
}

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
