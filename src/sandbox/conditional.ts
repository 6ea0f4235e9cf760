/** Conditional requests: RFC 9110 section 13, and the codes 304 and 412 of section 7. */
import { createHash } from 'node:crypto';
import type { Clock } from './core/behavior.ts';
import { refuse } from './core/http-error.ts';
import type { AnyRow, Row } from './core/rows.ts';
import type { Rows, Table } from './store/store.ts';

/** A table whose rows record when a request last changed them. */
export function stamping<T extends Row>(table: Table<T>, { time }: Clock): Rows<T> {
  return {
    get size() {
      return table.size;
    },
    get last() {
      return table.last;
    },
    all: () => table.all(),
    values: () => table.values(),
    having: (name, value) => table.having(name, value),
    get: (id) => table.get(id),
    find: (test) => table.find(test),
    filter: (test) => table.filter(test),
    insert: (row) => table.insert({ ...row, changed_at: time() }),
    update: (row, changes) => table.update(row, { ...changes, changed_at: time() }),
    remove: (row) => table.remove(row),
    startAfter: (id) => table.startAfter(id),
  };
}

/** ISO 8601: when a row last changed, as far as it is known. */
export function changedAt(row: Row): string | undefined {
  const { updated_at, changed_at, created_at } = row as AnyRow;
  return (updated_at ?? changed_at ?? created_at) as string | undefined;
}

/** @throws HttpError 412 where `If-Unmodified-Since` names a time before this one */
export function needUnmodified({ headers }: Request, changed: string | undefined): void {
  const since = Date.parse(headers.get('if-unmodified-since') ?? '');
  // HTTP dates have no fractions of a second.
  const second = Math.floor(Date.parse(changed ?? '') / 1000) * 1000;
  if (second > since) throw refuse(412, '412 Precondition Failed');
}

const opaque = (tag: string): string => tag.trim().replace(/^W\//, '');

function matches(header: string | null, tag: string): boolean {
  if (header === null) return false;
  return header.trim() === '*' || header.split(',').some((one) => opaque(one) === opaque(tag));
}

/** What HEAD gets in place of the response to GET. */
export const withoutBody = ({ status, headers }: Response): Response =>
  new Response(null, { status, headers });

/** What a response is about: the facts in its headers, which HEAD has too, or else its body. */
function contentOf(headers: Headers, body: Uint8Array): string | Uint8Array {
  const facts = [...headers].filter(([name]) => name.startsWith('x-service-'));
  return facts.length > 0 ? JSON.stringify(facts) : body;
}

/** Give the response to a successful GET or HEAD its `ETag`, or turn it into 304 if the caller has this version already. */
export async function conditional(request: Request, response: Response): Promise<Response> {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (!isRead || response.status !== 200) return response;
  const body = new Uint8Array(await response.arrayBuffer());
  const headers = new Headers(response.headers);
  const tag = `W/"${createHash('sha256').update(contentOf(headers, body)).digest('hex').slice(0, 32)}"`;
  headers.set('etag', tag);
  if (!matches(request.headers.get('if-none-match'), tag)) return new Response(body, { headers });
  for (const name of ['content-type', 'content-disposition']) headers.delete(name);
  return new Response(null, { status: 304, headers });
}
