/** The path of `svc api`: its URL, and its endpoint in the catalogue. */
import { areas } from '../../../api/index.ts';
import type { ScopeName } from '../../../config/scope.ts';
import { usage } from '../../../errors.ts';
import type { Endpoint, Method } from '../../../spec/endpoint.ts';
import { knownFields } from '../../../spec/mask.ts';
import { encode, encodeSlot } from '../../../spec/request.ts';
import { partsOf } from '../../../support/literal.ts';
import { parseUrl, percentDecoded } from '../../../support/url.ts';

type Placeholder = (name: ScopeName) => string | undefined;

/** The scheme and host of a full URL. */
const host = /^https?:\/\/[^/?#]*/i;

/**
 * Return the URL of a path of the API. The path is neither normalized nor decoded.
 * @param text with or without a leading slash and `/api/v4`, or a full URL on the origin of `root`
 * @param root the root of the API
 * @param placeholder returns the value of `{project}` or `{group}`
 * @throws Failure `usage` for another origin, a segment `.` or `..`, a placeholder without a value, or an empty path
 */
export function targetOf(text: string, root: string, placeholder: Placeholder): string {
  const { origin, pathname } = new URL(root);
  const isWhole = /^https?:\/\//i.test(text);
  if (isWhole) checkOrigin(text, origin);
  const path = fill(text.replace(host, ''), placeholder).replace(/^\/+/, '');
  // An unset variable in a script must not send the request to the root of the API.
  if (!isWhole && /^\s*(\?|$)/.test(path)) throw usage('the path is empty', 'for example: svc api version');
  if (path.includes('#')) throw usage('the path contains #', 'write # in a name as %23');
  const [before = '', ...query] = path.split('?');
  const prefixes = [pathname.slice(1), ...(isWhole ? [] : ['api/v4'])];
  const prefix = prefixes.find((known) => `${before}/`.startsWith(`${known}/`));
  const below = prefix === undefined ? before : before.slice(prefix.length + 1);
  const dots = below.split('/').find((segment) => /^(\.|%2e){1,2}$/i.test(segment));
  if (dots !== undefined)
    throw usage(`the path contains the segment ${JSON.stringify(dots)}`, 'write the path without . and ..');
  const base = isWhole && prefix === undefined ? origin : root;
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

/** @throws Failure `usage` for a URL of another origin, or one with credentials */
function checkOrigin(text: string, origin: string): void {
  const parsed = parseUrl(text);
  if (!parsed) throw usage('invalid URL');
  if (parsed.username || parsed.password)
    throw usage(
      'the URL contains a user name or password; request not sent',
      'svc sends the token of its own settings: use --token-file or a profile',
    );
  if (parsed.origin !== origin)
    throw usage(
      `${parsed.origin} is not the origin of the API, ${origin}; request not sent`,
      'the token is not sent to other origins; use --base-url or --profile',
    );
}

function fill(path: string, placeholder: Placeholder): string {
  return path.replace(/\{([^{}/]*)\}/g, (_, name: string) => {
    if (name !== 'project' && name !== 'group')
      throw usage(`unknown placeholder {${name}}`, 'use {project} or {group}');
    const value = placeholder(name);
    if (value === undefined)
      throw usage(`no value for {${name}}`, `use --${name} or set SVC_${name.toUpperCase()}`);
    return encodeSlot(`--${name}`, value);
  });
}

/** Encode characters that URLs do not allow, except percent signs. */
function escaped(text: string): string {
  if (!text.isWellFormed()) throw usage('the path is not valid Unicode (a lone surrogate)');
  return text.replace(/[^\x21-\x7e]|["<>\\^`{|}]/gu, (char) => encodeURIComponent(char));
}

/**
 * Return the endpoint of a request, for its secret fields and its columns, or a generic endpoint. Its fields are those of all
 * endpoints with this path, so that secrets are masked for every method.
 */
export async function findEndpoint(method: Method, text: string): Promise<Endpoint> {
  const path = text
    .replace(host, '')
    .replace(/[?#].*$/s, '')
    .replace(/^(.*\/)?api\/v4(?=\/|$)/, '');
  const words = path.split('/').filter((word) => word !== '');
  // As a server does before it selects the endpoint.
  const segments = words.map(percentDecoded);
  const loaded = await Promise.all(areas.map(({ load }) => load()));
  const matching = loaded.flatMap(({ default: { endpoints } }) =>
    endpoints.filter((one) => matches(one, segments)),
  );
  // A literal segment takes precedence over a slot.
  const slots = ({ path }: Endpoint) => path.split('/:').length;
  const fewest = Math.min(...matching.map(slots));
  const best = matching.filter((one) => slots(one) === fewest);
  const same = best.find((one) => one.method === method);
  const { returns = { kind: 'nothing' }, columns = [], access = {}, confirm } = same ?? {};
  return {
    method,
    path: `/${words.join('/')}`,
    command: 'api',
    argumentFields: {},
    summary: 'Send a request',
    slots: {},
    takes: knownFields(best),
    returns,
    columns,
    ...(confirm ? { confirm } : {}),
    // Every kind of token may be sent.
    access: { ...access, jobToken: access.jobToken ?? 'also' },
    examples: [],
  };
}

function matches({ path }: Endpoint, segments: readonly string[]): boolean {
  const pattern = path.split('/').slice(1);
  const isSame = (word: string, at: number) => word.startsWith(':') || word === segments[at];
  return pattern.length === segments.length && pattern.every(isSame);
}
