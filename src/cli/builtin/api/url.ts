/** The path that `svc api` was given, to a URL. */
import { usage } from '../../../errors.ts';
import { encode } from '../../../spec/request.ts';

export interface Filled {
  readonly project: string | undefined;
  readonly group: string | undefined;
}

/**
 * The URL of a path of the API, as it is sent. Nothing is folded or decoded: what is encoded already stays as it is.
 * @param text with or without a leading slash and `/api/v4`, or a whole URL on the origin of `root`
 * @param root the API's root
 * @param filled what `{project}` and `{group}` stand for
 * @throws Failure `usage` for another origin, a segment `.` or `..`, a placeholder that can't be filled, or no path at all
 */
export function targetOf(text: string, root: string, filled: Filled): string {
  const { origin, pathname } = new URL(root);
  const whole = /^https?:\/\//i.test(text);
  const path = fill(whole ? ownPath(text, origin) : text, filled).replace(/^\/+/, '');
  // A variable of a script that was not set: the request would go to the API's root.
  if (!whole && /^\s*(\?|$)/.test(path)) throw usage('the path is empty', 'for example: svc api GET version');
  if (path.includes('#')) throw usage('a path holds no #', 'inside a name it is written %23');
  const [before = '', ...query] = path.split('?');
  const below = withoutPrefix(before, pathname.slice(1), whole);
  for (const segment of below.split('/')) {
    if (/^(\.|%2e){1,2}$/i.test(segment))
      throw usage(`a path holds no segment ${JSON.stringify(segment)}`, 'the request would go elsewhere');
  }
  const base = whole && !`${before}/`.startsWith(`${pathname.slice(1)}/`) ? origin : root;
  const url = `${base}${below === '' ? '' : `/${escaped(below)}`}`;
  return query.length > 0 ? `${url}?${escaped(query.join('?'))}` : url;
}

/** What follows the origin of a URL. */
function ownPath(text: string, origin: string): string {
  const parsed = URL.canParse(text) ? new URL(text) : undefined;
  if (!parsed) throw usage('this is not a URL');
  if (parsed.origin !== origin || parsed.username || parsed.password) {
    throw usage(
      `${parsed.origin} is not ${origin}, where the API is: nothing was sent`,
      'the token goes to no other origin; --base-url or --profile chooses another',
    );
  }
  return text.replace(/^https?:\/\/[^/?#]*/i, '');
}

/** Without the API's own prefix: `api/v4`, or the whole of its path. */
function withoutPrefix(path: string, prefix: string, whole: boolean): string {
  for (const known of whole ? [prefix] : [prefix, 'api/v4']) {
    if (path === known) return '';
    if (path.startsWith(`${known}/`)) return path.slice(known.length + 1);
  }
  return path;
}

function fill(path: string, filled: Filled): string {
  return path.replace(/\{([^{}/]*)\}/g, (_, name: string) => {
    if (name !== 'project' && name !== 'group')
      throw usage(`{${name}} stands for nothing`, 'known are {project} and {group}');
    const value = filled[name];
    if (value === undefined)
      throw usage(
        `{${name}} stands for nothing: no ${name} is set`,
        `give --${name}, or set SVC_${name.toUpperCase()}`,
      );
    if (value === '' || value === '.' || value === '..')
      throw usage(`--${name} can't be ${JSON.stringify(value)}`);
    return encode(value);
  });
}

/** Encode what may not stand in a URL; a percent sign stays. */
function escaped(text: string): string {
  if (!text.isWellFormed()) throw usage('the path is not valid Unicode (half of a surrogate pair)');
  return text.replace(/[^\x21-\x7e]|["<>\\^`{|}]/gu, (char) => encodeURIComponent(char));
}
