/** The forms in which a user gives a project or a group. */
import { forPerson, usage } from '../errors.ts';
import { parseUrl, percentDecoded, withScheme } from '../support/url.ts';
import type { Setting } from './setting-table.ts';

export type ScopeName = 'project' | 'group';

/**
 * Return the id or the path of a project or a group: `acme/rocket` for `/acme/rocket/`, `acme%2Frocket` and the URL of one of its web
 * pages.
 * @param baseUrl the base URL in effect, if there is one
 * @throws Failure `usage` for a URL of another host, or a URL that names no project or group
 */
export function scopePath(
  scope: ScopeName,
  { value, from }: Pick<Setting<string>, 'value' | 'from'>,
  baseUrl: string | undefined,
): string {
  const isUrl = value.includes('://') && /^[Hh][Tt]{2}[Pp][Ss]?:\/\//.test(value);
  const path = isUrl ? pagePath(scope, value, from, baseUrl) : value;
  const plain = trimSlashes(isUrl || path.toLowerCase().includes('%2f') ? percentDecoded(path) : path);
  if (isUrl && plain === '')
    throw usage(`${from}: the URL names no ${scope}`, `use the id or the path of the ${scope}`);
  return plain;
}

/** Return the path of the project or group in the URL of one of its web pages or of its Git repository. */
function pagePath(scope: ScopeName, value: string, from: string, baseUrl: string | undefined): string {
  // The URL may contain a password, so messages show its host only.
  const page = parseUrl(value);
  if (!page) throw usage(`${from}: invalid URL`, `use the id or the path of the ${scope}`);
  const text = baseUrl === undefined ? '' : withScheme(baseUrl);
  const base = parseUrl(text);
  if (base && base.host !== page.host)
    throw usage(
      `${from}: ${page.host} is not the host of the base URL, ${base.host}`,
      forPerson('use --base-url or --profile for another host'),
    );
  const prefix = trimSlashes(base?.pathname ?? '').replace(/(^|\/)api\/v4$/, '');
  const [path = ''] = page.pathname.split('/-/');
  const below = trimSlashes(path.replace(/\/-$/, ''));
  if (prefix !== '' && !`${below}/`.startsWith(`${prefix}/`))
    throw usage(`${from}: the URL is not below the base URL`, `use the id or the path of the ${scope}`);
  const own = trimSlashes(below.slice(prefix.length));
  return scope === 'group' ? own.replace(/^groups\//, '') : own.replace(/\.git$/, '');
}

function trimSlashes(path: string): string {
  if (!path.startsWith('/') && !path.endsWith('/')) return path;
  return path.replace(/^\/+|(?<!\/)\/+$/g, '');
}
