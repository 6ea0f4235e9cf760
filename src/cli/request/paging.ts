/** Pagination of lists (interface section 4). */
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
  return {
    follow: all === true || limit !== undefined,
    ...(limit ? { limit } : {}),
    parallel,
  };
}

/** The paging of a call, from `--all`, `--limit` and the parameter `per_page`. */
export function pagingOf(session: Session, endpoint: Endpoint, values: Values): Paging {
  if (endpoint.returns.kind !== 'list') return { follow: false, perPage: maxPerPage, parallel: 1 };
  const flags = readPagingFlags(session.options);
  const perPage = Number(values['per_page'] ?? Math.min(flags.limit ?? maxPerPage, maxPerPage));
  return { ...flags, perPage };
}

/** Whether more than one page may be read. */
export function mayHaveSeveralPages({
  follow = false,
  limit = Number.POSITIVE_INFINITY,
  perPage = maxPerPage,
}: Partial<Paging>): boolean {
  return follow && limit > perPage;
}

/** Add the page size and keyset pagination to the query of a list. */
export async function withPaging(
  session: Session,
  endpoint: Endpoint,
  values: Values,
  paging: Paging,
): Promise<Values> {
  const sized =
    paging.follow && endpoint.takes['per_page'] !== undefined
      ? { ...values, per_page: paging.perPage }
      : values;
  return withKeyset(session, endpoint, sized, paging);
}

/**
 * Use keyset pagination if it is requested, or if several pages are read one at a time in an order that supports it. Offset
 * pagination includes the total, and allows several pages at once. The three parameters are required together (section 8).
 */
async function withKeyset(
  session: Session,
  { keyset, access }: Endpoint,
  values: Values,
  paging: Paging,
): Promise<Values> {
  if (!keyset) return values;
  const { page, pagination, order_by = keyset.order_by[0] ?? null, sort = keyset.sort[0] ?? null } = values;
  const withAll = { ...values, pagination: 'keyset', order_by, sort };
  if (pagination !== undefined) return withAll;
  const supported = keyset.order_by.includes(String(order_by)) && keyset.sort.includes(String(sort));
  if (page !== undefined || !supported) return values;
  // Without a token, keyset pagination is either the only kind or not available at all (sections 5 and 8).
  const signedIn = (await session.credential(access)) !== undefined;
  return (signedIn ? mayHaveSeveralPages(paging) && paging.parallel === 1 : access.anonymous === true)
    ? withAll
    : values;
}
