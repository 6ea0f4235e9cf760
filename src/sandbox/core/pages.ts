/** Pagination, with the headers of section 8. */
import { paging } from '../../spec/compose.ts';
import type { ListOptions } from './behavior.ts';
import { invalidAt } from './http-error.ts';
import type { Params } from './request/params.ts';

export interface Page<T> {
  readonly rows: readonly T[];
  readonly headers: Readonly<Record<string, string>>;
}

/** Return the requested page, from 1, and its size. */
export function requestedPage(params: Params): { readonly page: number; readonly size: number } {
  const number = (name: string) => params.number(name) ?? Number(paging[name]?.default);
  return { page: number('page'), size: number('per_page') };
}

/** The service does not count larger collections. */
const countLimit = 10_000;

const credentials = ['private_token', 'job_token', 'CI_JOB_TOKEN', 'access_token'];

/** Return a `Link` value: the URL of the request without credentials, and with these query parameters. */
function link(url: URL, changes: Readonly<Record<string, string | number>>, rel: string): string {
  const target = new URL(url);
  for (const name of credentials) target.searchParams.delete(name);
  for (const [name, value] of Object.entries(changes)) target.searchParams.set(name, String(value));
  return `<${target.href}>; rel="${rel}"`;
}

/**
 * Return a page by its number; empty after the last page.
 * @param all filtered and sorted rows
 * @param url the URL of the request
 */
export function offsetPage<T>(all: readonly T[], params: Params, url: URL): Page<T> {
  const { page, size } = requestedPage(params);
  const pages = Math.max(1, Math.ceil(all.length / size));
  const isCounted = all.length <= countLimit;
  const next = page < pages ? page + 1 : undefined;
  const previous = page > 1 ? page - 1 : undefined;
  const to = (number: number, rel: string) => link(url, { page: number, per_page: size }, rel);
  const links = [
    ...(previous === undefined ? [] : [to(previous, 'prev')]),
    ...(next === undefined ? [] : [to(next, 'next')]),
    to(1, 'first'),
    ...(isCounted ? [to(pages, 'last')] : []),
  ];
  return {
    rows: all.slice((page - 1) * size, page * size),
    headers: {
      link: links.join(', '),
      'x-page': String(page),
      'x-per-page': String(size),
      'x-next-page': String(next ?? ''),
      'x-prev-page': String(previous ?? ''),
      ...(isCounted ? { 'x-total': String(all.length), 'x-total-pages': String(pages) } : {}),
    },
  };
}

type Keyset = NonNullable<ListOptions<object>['keyset']>;
type Scalar = string | number;
interface Cursor {
  readonly value: Scalar;
  readonly id: number;
}

/** Text is compared in lower case. */
const toScalar = (value: unknown): Scalar =>
  typeof value === 'number' ? value : String(value ?? '').toLowerCase();

function readCursor(text: string): Cursor {
  try {
    const cursor = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    if (Number.isInteger(cursor.id) && ['string', 'number'].includes(typeof cursor.value)) return cursor;
  } catch {
    // Rejected below, like other invalid cursors.
  }
  throw invalidAt(['cursor']);
}

function startOf(url: URL, keyset: Keyset): Cursor | undefined {
  const text = url.searchParams.get('cursor');
  if (text) return readCursor(text);
  const after = url.searchParams.get('id_after');
  if (!after) return undefined;
  if (keyset.by !== 'id' || !/^\d{1,15}$/.test(after)) throw invalidAt(['id_after']);
  return { value: Number(after), id: Number(after) };
}

/** Return a page after a cursor. Only the `Link` header refers to the next page. */
export function keysetPage<T extends object>(
  all: readonly T[],
  params: Params,
  url: URL,
  keyset: Keyset,
): Page<T> {
  const { size } = requestedPage(params);
  const direction = keyset.sort === 'asc' ? 1 : -1;
  const keyOf = (row: T): Scalar => toScalar(row[keyset.by as keyof T]);
  const idOf = (row: T): number => Number(row['id' as keyof T]);
  const compare = (a: Scalar, aId: number, b: Scalar, bId: number): number =>
    direction * (a < b ? -1 : a > b ? 1 : aId - bId);
  const start = startOf(url, keyset);
  const remaining = start
    ? all.filter((row) => compare(keyOf(row), idOf(row), start.value, start.id) > 0)
    : [...all];
  // No objects are created for the rows before their page, so that a long list stays fast.
  remaining.sort((a, b) => compare(keyOf(a), idOf(a), keyOf(b), idOf(b)));
  const rows = remaining.slice(0, size);
  const end = rows.at(-1);
  const last: Cursor | undefined = end && { value: keyOf(end), id: idOf(end) };
  const headers: Record<string, string> = { 'x-per-page': String(size) };
  if (last && remaining.length > size) {
    const next: Record<string, Scalar> =
      keyset.style === 'id_after' && keyset.by === 'id'
        ? { id_after: last.id }
        : { cursor: Buffer.from(JSON.stringify(last)).toString('base64url') };
    headers['link'] = link(url, next, 'next');
  }
  return { rows, headers };
}
