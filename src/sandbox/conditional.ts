/** Conditional requests: RFC 9110 section 13, and the statuses 304 and 412 of section 7. */
import { createHash } from 'node:crypto';
import { isReadMethod } from '../support/http-method.ts';
import { preconditionFailed } from './core/http-error.ts';

/** Return when a row last changed (ISO 8601), if it is recorded. */
export function changedAt(row: object): string | undefined {
  const { changed_at, updated_at, created_at } = row as Readonly<Record<string, unknown>>;
  const time = changed_at ?? updated_at ?? created_at;
  return typeof time === 'string' ? time : undefined;
}

/** @throws HttpError 412 if the resource changed after `If-Unmodified-Since` */
export function checkUnmodified({ headers }: Request, changed: string | undefined): void {
  const since = Date.parse(headers.get('if-unmodified-since') ?? '');
  // HTTP dates have no fractions of a second.
  const second = Math.floor(Date.parse(changed ?? '') / 1000) * 1000;
  if (second > since) throw preconditionFailed();
}

const opaque = (tag: string): string => tag.trim().replace(/^W\//, '');

function matches(header: string | null, tag: string): boolean {
  if (header === null) return false;
  return header.trim() === '*' || header.split(',').some((candidate) => opaque(candidate) === opaque(tag));
}

/** Return the bytes to hash. Metadata headers take precedence because HEAD responses have no body. */
function contentOf(headers: Headers, body: Uint8Array): string | Uint8Array {
  const facts = [...headers].filter(([name]) => name.startsWith('x-service-'));
  return facts.length > 0 ? JSON.stringify(facts) : body;
}

/** Add an `ETag` to a successful response to GET or HEAD, or return 304 if `If-None-Match` has it. */
export async function conditional(request: Request, response: Response): Promise<Response> {
  if (!isReadMethod(request.method) || response.status !== 200) return response;
  const body = new Uint8Array(await response.arrayBuffer());
  const headers = new Headers(response.headers);
  const tag = `W/"${createHash('sha256').update(contentOf(headers, body)).digest('hex').slice(0, 32)}"`;
  headers.set('etag', tag);
  if (!matches(request.headers.get('if-none-match'), tag)) return new Response(body, { headers });
  for (const name of ['content-type', 'content-disposition']) headers.delete(name);
  return new Response(null, { status: 304, headers });
}
