import { mask } from '../support/mask.ts';
import { ExactNumber, isRecord } from '../support/record.ts';
import { parseUrl, percentDecoded, withoutUser } from '../support/url.ts';
import { type Endpoint, returnedFields } from './endpoint.ts';
import { choicesOf, type Field, type Fields, fieldOf, hasSecret, isSecret, itemOf, keysOf } from './field.ts';

const secretName =
  /^((?:private|job|deploy)[-_]?token|ci_job_token|authorization|proxy-authorization|cookie|set-cookie|access_token|token|.*_token|x-.*-token|password|secret|sentry_key|license|tracker_dsn)$/i;

/** Add fields by name to those that are known. A name that is secret in one place is secret. */
export function addFields(known: Record<string, Field>, fields: Fields): void {
  for (const [name, field] of Object.entries(fields)) if (!hasSecret(known[name])) known[name] = field;
}

/** The parameters and attributes of several calls. */
export function knownFields(endpoints: readonly Endpoint[]): Fields {
  const known: Record<string, Field> = {};
  for (const one of endpoints)
    for (const fields of [returnedFields(one), one.takes]) addFields(known, fields);
  return known;
}

/** A URL with a password, as of a webhook behind HTTP authentication. The first colon ends the user name, so that it is found in linear time. */
const withPassword = /^\s*[a-z][a-z0-9+.-]*:\/\/[^/?#@:\s]*:[^/?#@\s]+@/i;

export function isSecretName(name: string): boolean {
  return secretName.test(name);
}

/** Headers of HTTP, of pages, files and deliveries, which contain no secret. All others may, such as `X-Api-Key`. */
const harmlessHeader =
  /^(?:accept(?:-.+)?|age|allow|alt-svc|cache-control|cf-ray|connection|content-(?:disposition|encoding|language|length|range|type)|date|deprecation|etag|expires|host|idempotency-key|if-(?:match|modified-since|none-match)|keep-alive|last-modified|link|location|origin|range|ratelimit-.+|referrer-policy|retry-after|sec-fetch-.+|server(?:-timing)?|strict-transport-security|sunset|transfer-encoding|user-agent|vary|via|www-authenticate|x-(?:cache|content-type-options|frame-options|served-by|total(?:-pages)?|page|per-page|next-page|prev-page|request-id|runtime)|x-[a-z0-9]+-(?:event|event-uuid|webhook-uuid|instance|(?:last-)?commit-id|blob-id|content-sha256|encoding|file-name|file-path|ref|size|execute-filemode))$/i;

export function isSecretHeader(name: string): boolean {
  return !harmlessHeader.test(name);
}

type IsHidden = (name: string) => boolean;

const isValue: IsHidden = (name) => name === 'value' || isSecretName(name);
/** For a list of variables: `{ "key": "DEPLOY_KEY", "value": "…" }`. Other values have this name too, as in GraphQL. */
const inVariables: IsHidden = (name) => isSecretName(name);

/** The names that are secret inside a value: `request_headers` contains headers. */
function secretNamesIn(name: string): IsHidden {
  if (/^variables$/i.test(name)) return inVariables;
  return /(?:^|_)headers$|^url_variables$/i.test(name) ? isSecretHeader : isSecretName;
}

/** The names that are secret inside an item of a list. A header can be an item: `{ "name": "X-Api-Key", "value": "…" }`. */
function secretNamesInItem(item: unknown, isHidden: IsHidden): IsHidden {
  if (!isRecord(item) || !Object.hasOwn(item, 'value')) return isHidden;
  if (isHidden === inVariables && Object.hasOwn(item, 'key')) return isValue;
  if (isHidden !== isSecretHeader) return isHidden;
  const header = item['name'] ?? item['key'];
  if (typeof header !== 'string') return isHidden;
  return (name) => (name === 'value' ? isSecretHeader(header) : isSecretName(name));
}

interface Replacement {
  /** Return what takes the place of a secret. @param name absent for an item of a list */
  hide(secret: unknown, name?: string): unknown;
  /** Whether another value is hidden too. */
  hidesAlso?(value: unknown, field?: Field): boolean;
  /** Return another value with its secret part masked. */
  guard?(value: unknown, field?: Field): unknown;
  /** Return what takes the place of any other text: a value without documented choices, or a name that is data. */
  show?(text: string): string;
}

/**
 * Copy a JSON value with its secrets replaced: secret names at any depth, secret fields, and URLs with a password.
 * @param fields of the top-level object; absent if its names are data
 */
export function withoutSecrets(
  value: unknown,
  fields: Fields | undefined,
  how: Replacement,
  isHidden: IsHidden = isSecretName,
): unknown {
  const { hide, hidesAlso = () => false, guard = (item) => item, show = (text) => text } = how;
  if (Array.isArray(value))
    return value.map((item) => withoutSecrets(item, fields, how, secretNamesInItem(item, isHidden)));
  if (!isRecord(value)) {
    // Headers can be lines of text.
    const isText = typeof value === 'string';
    if ((isText && isHidden === isSecretHeader) || hasPassword(value) || hidesAlso(value)) return hide(value);
    return isText ? show(value) : value;
  }
  const entries = Object.entries(value).map(([name, item]) => {
    const field = fields && fieldOf(fields, name);
    const keys = keysOf(field && itemOf(field));
    // An object that the catalogue describes is not secret as a whole, whatever its name is.
    const isNamed = (field ? isSecretName(name) : isHidden(name)) && Object.keys(keys ?? {}).length === 0;
    const isHiddenItem = isSecret(field) || isNamed || hasPassword(item) || hidesAlso(item, field);
    const isChoice = typeof item === 'string' && field !== undefined && choicesOf(field) !== undefined;
    const copy = () => (isChoice ? item : withoutSecrets(item, keys, how, secretNamesIn(name)));
    const open = isHiddenItem && item !== null ? hide(item, name) : guard(item, field);
    return [field ? name : show(name), open === item ? copy() : open];
  });
  return Object.fromEntries(entries);
}

/**
 * Copy a JSON value with its secrets and the guarded parts of its URLs masked.
 * @param fields the fields of the top-level object, if known
 * @param replace returns the text in place of a secret with this name
 * @param texts more secrets
 */
export function masked(
  value: unknown,
  fields: Fields = {},
  replace: (name: string, secret: unknown) => string = () => mask,
  texts: ReadonlySet<unknown> = new Set(),
): unknown {
  return withoutSecrets(value, fields, {
    hide: (secret, name) => (name === undefined ? mask : replace(name, secret)),
    hidesAlso: (item, field) => texts.has(item) || isGuarded(item, field),
  });
}

/**
 * Return the secret texts of a JSON value, which are masked if the service repeats them.
 * @param fields the fields of the top-level object
 */
export function secretTexts(value: unknown, fields: Fields): string[] {
  const found: string[] = [];
  withoutSecrets(value, fields, { hide: (secret) => found.push(...textsIn(secret)) });
  return found;
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string')
    return [value, ...(hasPassword(value) ? [parseUrl(value)?.password ?? ''] : [])];
  // JSON.parse changes long numbers.
  if (typeof value === 'number' || typeof value === 'bigint' || value instanceof ExactNumber)
    return [...new Set([String(value), String(Number(value))])];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** Mask the user information and the query of a URL of another server. Any other value is unchanged. */
export function guarded(field: Field | undefined, value: unknown): unknown {
  if (field?.kind !== 'text' || !field.guarded || typeof value !== 'string') return value;
  const { username, password } = parseUrl(value) ?? { username: value };
  return maskedQuery(username || password ? withoutUser(value) : value);
}

export const isGuarded = (value: unknown, field?: Field): boolean => guarded(field, value) !== value;

/** Return the secret texts of a row or of parameters, and those in its guarded URLs. */
export function rowSecrets(row: Readonly<Record<string, unknown>>, fields: Fields): string[] {
  return [...secretTexts(row, fields), ...guardedTexts(row, fields)];
}

/** The user information and the query values of the guarded URLs of an object. */
export function guardedTexts(row: Readonly<Record<string, unknown>>, fields: Fields): string[] {
  return Object.entries(row).flatMap(([name, value]) => {
    if (!isGuarded(value, fieldOf(fields, name))) return [];
    const url = parseUrl(String(value));
    if (!url) return [String(value)];
    return [url.username, url.password, ...[...url.searchParams].map(([key, text]) => text || key)];
  });
}

function hasPassword(value: unknown): boolean {
  return typeof value === 'string' && withPassword.test(value);
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
  const isListed = /(?:headers|url_variables)\[/i.test(name);
  return isListed || isSecret(fieldOf(fields, name)) || name.split(/[[\]]+/).some(isSecretName);
}
