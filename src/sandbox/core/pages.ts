/** Order and pagination, with the headers of section 8. */
import { paging } from '../../spec/compose.ts';
import { jsonIn } from '../../support/json.ts';
import { isRecord } from '../../support/record.ts';
import { invalidAt } from './http-error.ts';
import type { Params } from './request/params.ts';
import type { Row } from './rows.ts';

/** Rows are sorted by an attribute, then by id. */
export interface Order {
  readonly by: string;
  readonly sort: 'asc' | 'desc';
  /** Name of the cursor of keyset pagination, if rows are sorted by id. */
  readonly cursor?: 'id_after';
}

type Scalar = string | number;
type Key = readonly [value: Scalar, id: number];

/** Text is compared in lower case, and times as such. */
function keyOf(row: object, by: string): Key {
  const value: unknown = row[by as keyof typeof row];
  const id = Number(row['id' as keyof typeof row]);
  if (typeof value === 'number') return [value, id];
  const text = String(value ?? '');
  return [by.endsWith('_at') ? Date.parse(text) : text.toLowerCase(), id];
}

function compare([a, aId]: Key, [b, bId]: Key, sort: Order['sort']): number {
  const order = a < b ? -1 : a > b ? 1 : aId - bId;
  return sort === 'asc' ? order : -order;
}

export function ordered<T extends object>(rows: readonly T[], { by, sort }: Order): T[] {
  const keyed = rows.map((row) => [row, keyOf(row, by)] as const);
  return keyed.sort(([, a], [, b]) => compare(a, b, sort)).map(([row]) => row);
}

export const byId = (a: Row, b: Row): number => a.id - b.id;

/** Return the requested page, from 1, and its size. */
export function requestedPage(params: Params): { readonly page: number; readonly size: number } {
  const number = (name: string) => params.number(name) ?? Number(paging[name]?.default);
  return { page: number('page'), size: number('per_page') };
}

/** Return the requested page of filtered rows. Rows without an order are sorted, and have no keyset pagination. */
export function pageOf<T extends object>(
  rows: readonly T[],
  order: Order | undefined,
  params: Params,
  url: URL,
) {
  const sorted = order ? ordered(rows, order) : rows;
  return order && params.text('pagination') === 'keyset'
    ? keysetPage(sorted, order, params, url)
    : offsetPage(sorted, params, url);
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

function offsetPage<T>(all: readonly T[], params: Params, url: URL) {
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

function readCursor(text: string): Key {
  const cursor = jsonIn(Buffer.from(text, 'base64url').toString('utf8'));
  const { value, id } = isRecord(cursor) ? cursor : {};
  if (Number.isInteger(id) && ['string', 'number'].includes(typeof value)) return [value, id] as Key;
  throw invalidAt(['cursor']);
}

function startOf(url: URL, { by }: Order): Key | undefined {
  const text = url.searchParams.get('cursor');
  if (text) return readCursor(text);
  const after = url.searchParams.get('id_after');
  if (!after) return undefined;
  if (by !== 'id' || !/^\d{1,15}$/.test(after)) throw invalidAt(['id_after']);
  return [Number(after), Number(after)];
}

/** Return a page after a cursor. Only the `Link` header refers to the next page. */
function keysetPage<T extends object>(sorted: readonly T[], order: Order, params: Params, url: URL) {
  const { by, sort, cursor } = order;
  const { size } = requestedPage(params);
  const start = startOf(url, order);
  const remaining = start ? sorted.filter((row) => compare(keyOf(row, by), start, sort) > 0) : sorted;
  const rows = remaining.slice(0, size);
  const end = rows.at(-1);
  const headers: Record<string, string> = { 'x-per-page': String(size) };
  if (end && remaining.length > size) {
    const [value, id] = keyOf(end, by);
    const next: Record<string, Scalar> =
      cursor === 'id_after' && by === 'id'
        ? { id_after: id }
        : { cursor: Buffer.from(JSON.stringify({ value, id })).toString('base64url') };
    headers['link'] = link(url, next, 'next');
  }
  return { rows, headers };
}
