/** What the catalogue knows of a request that was typed by hand: its fields, for their secrets, and its columns. */
import { areas } from '../../../api/index.ts';
import type { Endpoint, Method } from '../../../spec/endpoint.ts';
import { knownFields } from '../../../spec/mask.ts';

/**
 * The call that a request is, or one of which nothing is known. What it takes is all that any call of this path takes or
 * returns: it tells what is secret, whatever the method.
 */
export async function knownCall(method: Method, text: string): Promise<Endpoint> {
  const path = text
    .replace(/^https?:\/\/[^/?#]*/i, '')
    .replace(/[?#].*$/s, '')
    .replace(/^(.*\/)?api\/v4(?=\/|$)/, '');
  const segments = path.split('/').flatMap((segment) => (segment === '' ? [] : [decoded(segment)]));
  const loaded = await Promise.all(areas.map(({ load }) => load()));
  const fitting = loaded
    .flatMap(({ default: area }) => area.endpoints)
    .map((endpoint) => ({ endpoint, fit: fitOf(endpoint.path, segments) }))
    .filter(({ fit }) => fit >= 0)
    .sort((a, b) => b.fit - a.fit);
  const best = fitting.filter(({ fit }) => fit === fitting[0]?.fit).map(({ endpoint }) => endpoint);
  const same = best.find((endpoint) => endpoint.method === method);
  const { returns = nothing, columns = [], access = {} } = same ?? {};
  return {
    method,
    path: `/${path.split('/').filter(Boolean).join('/')}`,
    section: '',
    command: 'api',
    as: {},
    summary: 'Make a request',
    slots: {},
    takes: knownFields(best),
    returns,
    columns,
    // What takes which token is the caller's to know.
    access: { ...access, jobToken: access.jobToken ?? 'also' },
    examples: [],
  };
}

/** A server decodes a path before it chooses the call. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

const nothing = { kind: 'nothing' } as const;

/** How many segments are the same; -1 where the path is another. A segment that is written out beats a slot. */
function fitOf(path: string, segments: readonly string[]): number {
  const pattern = path.split('/').slice(1);
  if (pattern.length !== segments.length) return -1;
  const same = pattern.map((word, at) => (word.startsWith(':') ? 0 : word === segments[at] ? 1 : -1));
  return same.includes(-1) ? -1 : same.reduce<number>((sum, one) => sum + one, 0);
}
