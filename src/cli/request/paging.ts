/** How far a list goes, and the query of its pages (interface section 4). */
import { usage } from '../../errors.ts';
import type { Endpoint } from '../../spec/endpoint.ts';
import type { Value, Values } from '../../spec/request.ts';
import type { Options } from '../argv/flags.ts';
import type { Session } from '../session/model.ts';

/** How far a list goes. */
export interface Paging {
  /** Whether to follow `Link` past the first page. */
  readonly follow: boolean;
  readonly limit?: number;
  readonly perPage: number;
}

/** Rows a page where svc itself decides: the most that the service gives. */
export const maxPerPage = 100;

/** What `--all` and `--limit` ask for: to follow the pages, and for how many rows; to the end where it says none. @throws Failure `usage` */
export function readPagingFlags({ all, limit }: Options): {
  readonly follow: boolean;
  readonly limit?: number;
} {
  if (limit !== undefined && !/^\d{1,15}$/.test(limit))
    throw usage('--limit must be a whole number, 0 or more');
  const rows = Number(limit ?? 0);
  if (all === true && rows > 0) throw usage('--all and --limit exclude each other');
  return { follow: all === true || limit !== undefined, ...(rows > 0 ? { limit: rows } : {}) };
}

/** How far a list goes, from `--all`, `--limit` and the API's own `per_page` (interface section 4). */
export function pagingOf(session: Session, endpoint: Endpoint, values: Values): Paging {
  if (endpoint.returns.kind !== 'list') return { follow: false, perPage: maxPerPage };
  const asked = readPagingFlags(session.options);
  const { per_page: perPage = Math.min(asked.limit ?? maxPerPage, maxPerPage) } = values;
  return { ...asked, perPage: perPage as number };
}

/** The query of a list, with the page size and keyset pagination that its paging asks for. */
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
 * The query with keyset pagination where it was asked for, and where several pages are read in an order that it supports. A single
 * page by offset comes with the total. The three parameters are required together (section 8).
 */
async function withKeyset(
  session: Session,
  { keyset, access }: Endpoint,
  values: Values,
  paging: Paging,
): Promise<Values> {
  if (!keyset) return values;
  const { page, pagination, order_by: by = keyset.order_by[0], sort = keyset.sort[0] } = values;
  const all = { ...values, pagination: 'keyset', order_by: by as Value, sort: sort as Value };
  if (pagination !== undefined) return all;
  const offered = keyset.order_by.includes(String(by)) && keyset.sort.includes(String(sort));
  if (page !== undefined || !offered) return values;
  // Without a token, keyset pagination is either the only kind that is offered or not offered at all (sections 5 and 8).
  const signedIn = (await session.credential(access)) !== undefined;
  const several = paging.follow && (paging.limit ?? Number.POSITIVE_INFINITY) > paging.perPage;
  return (signedIn ? several : access.anonymous === true) ? all : values;
}
