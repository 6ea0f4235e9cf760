/** Resolve the path of `svc api` to a URL. */

import { usage } from '../../../errors.ts';
import { encode } from '../../../spec/request.ts';
import { partsOf } from '../../../support/literal.ts';
import { parseUrl } from '../../../support/url.ts';

/** Returns the value of `{project}` or `{group}`. */
export type Placeholders = (name: 'project' | 'group') => string | undefined;

/**
 * Return the URL of a path of the API. The path is neither normalized nor decoded.
 * @param text with or without a leading slash and `/api/v4`, or a full URL on the origin of `root`
 * @param root the root of the API
 * @throws Failure `usage` for another origin, a segment `.` or `..`, a placeholder without a value, or an empty path
 */
export function targetOf(text: string, root: string, placeholders: Placeholders): string {
  const { origin, pathname } = new URL(root);
  const whole = /^https?:\/\//i.test(text);
  const path = fill(whole ? ownPath(text, origin) : text, placeholders).replace(/^\/+/, '');
  // An unset variable in a script must not send the request to the root of the API.
  if (!whole && /^\s*(\?|$)/.test(path)) throw usage('the path is empty', 'for example: svc api version');
  if (path.includes('#')) throw usage('the path contains #', 'write # in a name as %23');
  const [before = '', ...query] = path.split('?');
  const below = withoutPrefix(before, pathname.slice(1), whole);
  for (const segment of below.split('/')) {
    if (/^(\.|%2e){1,2}$/i.test(segment))
      throw usage(
        `the path contains the segment ${JSON.stringify(segment)}`,
        'write the path without . and ..',
      );
  }
  const base = whole && !`${before}/`.startsWith(`${pathname.slice(1)}/`) ? origin : root;
  const url = `${base}${below === '' ? '' : `/${escaped(below)}`}`;
  return query.length > 0 ? `${url}?${escaped(query.join('?'))}` : url;
}

/**
 * Encode the literal texts of a path as one segment each. A path that is one literal text stays a path.
 * @throws Failure `usage` for an empty segment
 */
export function withFilled(word: string): string {
  const parts = partsOf(word);
  const [only] = parts;
  if (only?.isLiteral && parts.length === 1) return only.text.replace(/[{}]/g, encode);
  let before = '';
  for (const { text, isLiteral } of parts) {
    if (isLiteral && text === '' && !before.includes('?'))
      throw usage('the path contains a placeholder with an empty value');
    before += isLiteral ? encode(text) : text;
  }
  return before;
}

/** Return the part of a URL after the origin. */
function ownPath(text: string, origin: string): string {
  const parsed = parseUrl(text);
  if (!parsed) throw usage('invalid URL');
  if (parsed.username || parsed.password)
    throw usage('the URL contains a user name or password; request not sent', [
      'svc sends the token of its own settings: use --token-file or a profile',
    ]);
  if (parsed.origin !== origin) {
    throw usage(
      `${parsed.origin} is not the origin of the API, ${origin}; request not sent`,
      'the token is not sent to other origins; use --base-url or --profile',
    );
  }
  return text.replace(/^https?:\/\/[^/?#]*/i, '');
}

/** Remove the prefix of the API: `api/v4`, or the path of its root. */
function withoutPrefix(path: string, prefix: string, whole: boolean): string {
  for (const known of whole ? [prefix] : [prefix, 'api/v4']) {
    if (path === known) return '';
    if (path.startsWith(`${known}/`)) return path.slice(known.length + 1);
  }
  return path;
}

function fill(path: string, placeholders: Placeholders): string {
  return path.replace(/\{([^{}/]*)\}/g, (_, name: string) => {
    if (name !== 'project' && name !== 'group')
      throw usage(`unknown placeholder {${name}}`, 'use {project} or {group}');
    const value = placeholders(name);
    if (value === undefined)
      throw usage(`no value for {${name}}`, `use --${name} or set SVC_${name.toUpperCase()}`);
    if (value === '' || value === '.' || value === '..')
      throw usage(`--${name} must not be ${JSON.stringify(value)}`);
    return encode(value);
  });
}

/** Encode characters that URLs do not allow, except percent signs. */
function escaped(text: string): string {
  if (!text.isWellFormed()) throw usage('the path is not valid Unicode (a lone surrogate)');
  return text.replace(/[^\x21-\x7e]|["<>\\^`{|}]/gu, (char) => encodeURIComponent(char));
}
