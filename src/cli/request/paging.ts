/** Pagination of lists. */
import { usage } from '../../errors.ts';
import type { Endpoint } from '../../spec/endpoint.ts';
import type { Values } from '../../spec/request.ts';
import type { Options } from '../argv/flags.ts';
import type { Session } from '../session/model.ts';

/** The part of a list to fetch. */
export interface Paging {
  /** Follow `Link` past the first page. */
  readonly follow: boolean;
  /** Results to fetch; without it, all. */
  readonly limit?: number;
  readonly perPage: number;
  /** Pages to request at once. */
  readonly parallel: number;
}

/** The largest page size of the service, and the default if svc follows pages. */
export const maxPerPage = 100;

/** Read `--all`, `--limit` and `--parallel`. @throws Failure `usage` */
export function readPagingFlags({ all, limit, parallel = 1 }: Options): Omit<Paging, 'perPage'> {
  if (all === true && limit) throw usage('--all and --limit cannot be used together');
  return { follow: all === true || limit !== undefined, ...(limit ? { limit } : {}), parallel };
}

/** The paging of a call, from `--all`, `--limit` and the parameter `per_page`. */
export function pagingOf(session: Session, endpoint: Endpoint, values: Values): Paging {
  if (endpoint.returns.kind !== 'list') return { follow: false, perPage: maxPerPage, parallel: 1 };
  const flags = readPagingFlags(session.options);
  const perPage = Number(values['per_page'] ?? Math.min(flags.limit ?? maxPerPage, maxPerPage));
  return { ...flags, perPage };
}

/** Whether more than one page may be read. */
export function mayHaveSeveralPages({ follow, limit, perPage = maxPerPage }: Partial<Paging>): boolean {
  return follow === true && (limit ?? Number.POSITIVE_INFINITY) > perPage;
}

/**
 * Add the page size and keyset pagination to the query of a list. Keyset pagination is used if it is requested, or if several pages are
 * read one at a time in an order that supports it. Offset pagination includes the total, and allows several pages at once.
 */
export async function withPaging(
  session: Session,
  { keyset, access, takes }: Endpoint,
  given: Values,
  paging: Paging,
): Promise<Values> {
  const isSized = paging.follow && takes['per_page'] !== undefined;
  const values = isSized ? { ...given, per_page: paging.perPage } : given;
  if (!keyset) return values;
  const { page, pagination, order_by = keyset.order_by[0] ?? null, sort = keyset.sort[0] ?? null } = values;
  // The three parameters are required together.
  const withAll = { ...values, pagination: 'keyset', order_by, sort };
  if (pagination !== undefined) return withAll;
  const isSupported = keyset.order_by.includes(String(order_by)) && keyset.sort.includes(String(sort));
  if (page !== undefined || !isSupported) return values;
  // Without a token, keyset pagination is either the only kind or not available at all.
  const isSignedIn = (await session.credential(access)) !== undefined;
  const isUseful = mayHaveSeveralPages(paging) && paging.parallel === 1;
  return (isSignedIn ? isUseful : access.anonymous === true) ? withAll : values;
}
