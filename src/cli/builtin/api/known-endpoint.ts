/** Find the endpoint of a request in the catalogue, for its secret fields and its columns. */
import { areas } from '../../../api/index.ts';
import type { Endpoint, Method } from '../../../spec/endpoint.ts';
import { knownFields } from '../../../spec/mask.ts';

/**
 * Return the endpoint of a request, or a generic endpoint. Its fields are those of all endpoints with this path, so that secrets are
 * masked for every method.
 */
export async function findEndpoint(method: Method, text: string): Promise<Endpoint> {
  const path = text
    .replace(/^https?:\/\/[^/?#]*/i, '')
    .replace(/[?#].*$/s, '')
    .replace(/^(.*\/)?api\/v4(?=\/|$)/, '');
  const segments = path.split('/').flatMap((segment) => (segment === '' ? [] : [decoded(segment)]));
  const loaded = await Promise.all(areas.map(({ load }) => load()));
  const matching = loaded
    .flatMap(({ default: area }) => area.endpoints)
    .map((endpoint) => ({ endpoint, score: matchScore(endpoint.path, segments) }))
    .filter(({ score }) => score >= 0)
    .sort((a, b) => b.score - a.score);
  const best = matching.filter(({ score }) => score === matching[0]?.score).map(({ endpoint }) => endpoint);
  const same = best.find((endpoint) => endpoint.method === method);
  const { returns = nothing, columns = [], access = {}, confirm } = same ?? {};
  return {
    method,
    path: `/${path.split('/').filter(Boolean).join('/')}`,
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

/** Decode a segment, as a server does before it selects the endpoint. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

const nothing = { kind: 'nothing' } as const;

/** Count the equal segments, so that a literal segment takes precedence over a slot. @returns -1 for another path */
function matchScore(path: string, segments: readonly string[]): number {
  const pattern = path.split('/').slice(1);
  if (pattern.length !== segments.length) return -1;
  const same = pattern.map((word, at) => (word.startsWith(':') ? 0 : word === segments[at] ? 1 : -1));
  return same.includes(-1) ? -1 : same.reduce<number>((sum, one) => sum + one, 0);
}
