/** What the catalogue knows of a request that was typed by hand: its fields, for their secrets, and its columns. */
import { areas } from '../../api/index.ts';
import type { Endpoint, Method } from '../../spec/endpoint.ts';

/** The call that a request is, or one of which nothing is known. */
export async function knownCall(method: Method, text: string): Promise<Endpoint> {
  const path = text
    .replace(/^https?:\/\/[^/?#]*/i, '')
    .replace(/[?#].*$/s, '')
    .replace(/^(.*\/)?api\/v4(?=\/|$)/, '');
  const segments = path.split('/').filter((segment) => segment !== '');
  const loaded = await Promise.all(areas.map(({ load }) => load()));
  const fitting = loaded
    .flatMap(({ default: area }) => area.endpoints)
    .filter((endpoint) => endpoint.method === method)
    .map((endpoint) => ({ endpoint, fit: fitOf(endpoint.path, segments) }))
    .filter(({ fit }) => fit >= 0)
    .sort((a, b) => b.fit - a.fit);
  const { takes = {}, returns = nothing, columns = [], access = {} } = fitting[0]?.endpoint ?? {};
  return {
    method,
    path: `/${segments.join('/')}`,
    section: '',
    command: 'api',
    as: {},
    summary: 'Make a request',
    slots: {},
    takes,
    returns,
    columns,
    // What takes which token is the caller's to know.
    access: { ...access, jobToken: access.jobToken ?? 'also' },
    examples: [],
  };
}

const nothing = { kind: 'nothing' } as const;

/** How many segments are the same; -1 where the path is another. A segment that is written out beats a slot. */
function fitOf(path: string, segments: readonly string[]): number {
  const pattern = path.split('/').slice(1);
  if (pattern.length !== segments.length) return -1;
  const same = pattern.map((word, at) => (word.startsWith(':') ? 0 : word === segments[at] ? 1 : -1));
  return same.includes(-1) ? -1 : same.reduce<number>((sum, one) => sum + one, 0);
}
