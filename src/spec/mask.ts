import { mask } from '../support/mask.ts';
import { ExactNumber, isRecord } from '../support/record.ts';
import { parseUrl, percentDecoded, withoutUser } from '../support/url.ts';
import { type Endpoint, returnedFields } from './endpoint.ts';
import { type Field, type Fields, fieldOf, isSecret, itemOf, keysOf } from './field.ts';

const secretName =
  /^((?:private|job|deploy)[-_]?token|ci_job_token|authorization|proxy-authorization|cookie|set-cookie|access_token|token|.*_token|x-.*-token|password|secret|license|tracker_dsn)$/i;

/** The parameters and attributes of several calls, by name. A name that is secret in one call is secret. */
export function knownFields(endpoints: readonly Endpoint[]): Fields {
  const known: Record<string, Field> = {};
  for (const endpoint of endpoints)
    for (const fields of [returnedFields(endpoint), endpoint.takes])
      for (const [name, field] of Object.entries(fields)) if (!isSecret(known[name])) known[name] = field;
  return known;
}

/** A URL with a password, as of a webhook behind HTTP authentication. The first colon ends the user name, so that it is found in linear time. */
const withPassword = /^\s*[a-z][a-z0-9+.-]*:\/\/[^/?#@:\s]*:[^/?#@\s]+@/i;

function keysIn(field: Field | undefined): Fields {
  return keysOf(field && itemOf(field)) ?? {};
}

/** Whether values with this name are masked in every call. */
export function isSecretName(name: string): boolean {
  return secretName.test(name);
}

/** Headers of HTTP, of pages, files and deliveries, which contain no secret. All others may, such as `X-Api-Key`. */
const harmlessHeader =
  /^(?:accept(?:-.+)?|age|allow|alt-svc|cache-control|cf-ray|connection|content-(?:disposition|encoding|language|length|range|type)|date|deprecation|etag|expires|host|idempotency-key|if-(?:match|modified-since|none-match)|keep-alive|last-modified|link|location|origin|range|ratelimit-.+|referrer-policy|retry-after|sec-fetch-.+|server(?:-timing)?|strict-transport-security|sunset|transfer-encoding|user-agent|vary|via|www-authenticate|x-(?:cache|content-type-options|frame-options|served-by|total(?:-pages)?|page|per-page|next-page|prev-page|request-id|runtime)|x-[a-z0-9]+-(?:event|event-uuid|webhook-uuid|instance|(?:last-)?commit-id|blob-id|content-sha256|encoding|file-name|file-path|ref|size|execute-filemode))$/i;

/** Whether the value of a header is masked. */
export function isSecretHeader(name: string): boolean {
  return !harmlessHeader.test(name);
}

type IsHidden = (name: string) => boolean;

/** The names that are secret inside a value: `request_headers` contains headers. */
export function secretNamesIn(name: string): IsHidden {
  return /(?:^|_)headers$/i.test(name) ? isSecretHeader : isSecretName;
}

/** The names that are secret inside an item of a list. A header can be an item: `{ "name": "X-Api-Key", "value": "…" }`. */
export function secretNamesInItem(item: unknown, isHidden: IsHidden): IsHidden {
  if (isHidden !== isSecretHeader || !isRecord(item) || !Object.hasOwn(item, 'value')) return isHidden;
  const header = item['name'] ?? item['key'];
  if (typeof header !== 'string') return isHidden;
  return (name) => (name === 'value' ? isSecretHeader(header) : isSecretName(name));
}

/** Whether a text is secret because of its place: headers can be lines of text. */
export function isSecretText(text: unknown, isHidden: IsHidden): boolean {
  return typeof text === 'string' && (isHidden === isSecretHeader || hasPassword(text));
}

/** Whether a member of an object is secret, as a whole. An object that the catalogue describes is not, whatever its name is. */
export function isSecretMember(name: string, field: Field | undefined, isHidden = isSecretName): boolean {
  const isHiddenName = field ? isSecretName : isHidden;
  return isSecret(field) || (isHiddenName(name) && Object.keys(keysIn(field)).length === 0);
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
  isHidden = isSecretName,
): unknown {
  if (Array.isArray(value))
    return value.map((item) => masked(item, fields, replace, texts, secretNamesInItem(item, isHidden)));
  if (typeof value !== 'object' || value === null)
    return isSecretText(value, isHidden) || texts.has(value) ? mask : value;
  const entries = Object.entries(value).map(([name, item]) => {
    const field = fieldOf(fields, name);
    const isGuarded = guarded(field, item) !== item;
    const isSecretItem = isSecretMember(name, field, isHidden) || texts.has(item);
    const hide = item !== null && (isSecretItem || isGuarded || hasPassword(item));
    return [name, hide ? replace(name) : masked(item, keysIn(field), replace, texts, secretNamesIn(name))];
  });
  return Object.fromEntries(entries);
}

/** Mask the user information and the query of a URL of another server. Any other value is unchanged. */
export function guarded(field: Field | undefined, value: unknown): unknown {
  if (field?.kind !== 'text' || !field.guarded || typeof value !== 'string') return value;
  const { username, password } = parseUrl(value) ?? { username: value };
  return maskedQuery(username || password ? withoutUser(value) : value);
}

/** The user information and the query values of the guarded URLs of an object. */
export function guardedTexts(row: Readonly<Record<string, unknown>>, fields: Fields): string[] {
  return Object.entries(row).flatMap(([name, value]) => {
    if (guarded(fieldOf(fields, name), value) === value) return [];
    const url = parseUrl(String(value));
    if (!url) return [String(value)];
    return [url.username, url.password, ...[...url.searchParams].map(([key, text]) => text || key)];
  });
}

function hasPassword(value: unknown): boolean {
  return typeof value === 'string' && withPassword.test(value);
}

/**
 * Return the secret texts of a JSON value, which are masked if the service repeats them.
 * @param fields the fields of the top-level object
 */
export function secretTexts(
  value: unknown,
  fields: Fields,
  secret = false,
  isHidden = isSecretName,
): string[] {
  if (typeof value === 'string') return secret || isSecretText(value, isHidden) ? [value] : [];
  if (Array.isArray(value))
    return value.flatMap((item) => secretTexts(item, fields, secret, secretNamesInItem(item, isHidden)));
  const isNumber = typeof value === 'number' || typeof value === 'bigint' || value instanceof ExactNumber;
  // JSON.parse changes long numbers.
  if (isNumber) return secret ? [...new Set([String(value), String(Number(value))])] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, item]) => {
    const field = fieldOf(fields, name);
    const isOwn = secret || isSecretMember(name, field, isHidden);
    return secretTexts(item, keysIn(field), isOwn, secretNamesIn(name));
  });
}

/** Mask the secret query values of a URL or path. The rest is unchanged. */
export function maskedUrl(url: string, fields: Fields = {}): string {
  return withQuery(url, (pair) => {
    const [, name = '', value = ''] = /^([^=]*)=(.*)$/s.exec(pair) ?? [];
    const isHidden = isSecretPair(percentDecoded(name), fields) || hasPassword(percentDecoded(value));
    return isHidden ? `${name}=${mask}` : pair;
  });
}

/** Mask every value in the query of a URL, for a server whose parameters are unknown. */
export function maskedQuery(url: string): string {
  return withQuery(url, (pair) => (pair === '' ? '' : pair.replace(/^([^=]*=)?.*$/s, `$1${mask}`)));
}

function withQuery(url: string, show: (pair: string) => string): string {
  const start = url.indexOf('?') + 1;
  return start === 0 ? url : `${url.slice(0, start)}${url.slice(start).split('&').map(show).join('&')}`;
}

/** Whether a query parameter or one of its keys is secret: `configuration[access_token]`. */
function isSecretPair(name: string, fields: Fields): boolean {
  return isSecret(fieldOf(fields, name)) || name.split(/[[\]]+/).some(isSecretName);
}
