/** Read the pages of a list in order, one at a time or several at once. */
import { type ExchangeSummary, Failure, type Hint } from '../../errors.ts';
import { parseUrl } from '../../support/url.ts';
import {
  type Header,
  header,
  headerParameters,
  headerValues,
  type Reply,
  type Request,
} from '../transport.ts';
import { originHint, shownOrigin } from './redirect.ts';

export interface PagesOptions {
  readonly maxPages?: number;
  /** Number of pages that may be requested before the reader needs them. Default: all. */
  readonly ahead?: number;
  /** Number of pages that are requested or held at once, if the service announces the last page. Default: 1. */
  readonly parallel?: number;
  /** Called for each page after which `parallel` has no effect, because it has a next page but does not announce the last one. */
  readonly onSerial?: () => void;
}

interface PageRequests {
  readonly send: (request: Request) => Promise<Reply>;
  readonly failure: (request: Request, reply: Reply) => Promise<Failure>;
  readonly masked: (failure: Failure) => Failure;
  /** The origin of the API. Links to other origins are not followed. */
  readonly origin: string;
}

/**
 * Return the pages of a list: the given request, then each `Link` with rel=next. The next page is requested as soon as its link is
 * known. With `parallel`, later pages are requested by their number, and used only if the link of the page before leads to them. So
 * the result is always the same as with one page at a time.
 * @throws Failure for a status that is not a success
 */
export async function* readPages(
  request: Request,
  { maxPages = Infinity, ahead = Infinity, parallel = 1, onSerial }: PagesOptions,
  { send, failure, masked, origin }: PageRequests,
): AsyncGenerator<Reply> {
  const visited = new Set([request.url]);
  /** Pages that were requested and not yet returned, by their keys. */
  const requested = new Map<string, Promise<Reply>>();
  const start = ({ url, key }: Page): Promise<Reply> => {
    const reply = requested.get(key) ?? send({ ...request, url });
    requested.set(key, reply);
    // Its failure is reported when its turn comes.
    reply.catch(() => {});
    return reply;
  };
  try {
    let pending = send(request);
    for (let page = 1; ; page++) {
      const reply = await pending;
      if (reply.status >= 300) throw await failure(request, reply);
      // An invalid link is reported after this page was printed.
      const next = page < maxPages ? checkedNext(reply, origin, visited) : undefined;
      if (typeof next !== 'string') {
        yield reply;
        if (next instanceof Failure) throw masked(next);
        return;
      }
      const numbered =
        parallel > 1 ? laterPages(next, reply, Math.min(parallel, maxPages - page)) : undefined;
      if (parallel > 1 && !numbered) onSerial?.();
      const later = numbered ?? [{ url: next, key: next }];
      const allowed = later.slice(0, Math.max(0, ahead - page));
      dropOthers(requested, later);
      // While a page is printed, it counts as one that is held.
      for (const one of allowed.slice(0, Math.max(1, parallel - 1))) start(one);
      yield reply;
      for (const one of allowed) start(one);
      pending = start(later[0]);
      requested.delete(later[0].key);
    }
  } finally {
    dropOthers(requested, []);
  }
}

interface Page {
  readonly url: string;
  readonly key: string;
}

type Pages = readonly [Page, ...Page[]];

function dropOthers(requested: Map<string, Promise<Reply>>, kept: readonly Page[]): void {
  const keys = new Set(kept.map(({ key }) => key));
  for (const [key, reply] of requested) {
    if (keys.has(key)) continue;
    requested.delete(key);
    reply.then(({ discard }) => discard()).catch(() => {});
  }
}

/** The page at a URL. Its key has the query parameters in a fixed order, because each page may link to the next one with another order. */
function pageAt(url: string): Page {
  const parsed = new URL(url);
  parsed.searchParams.sort();
  return { url, key: parsed.href };
}

const pageParameter = /(?<=[?&]page=)\d{1,9}(?=&|$)/g;

/** The number of the page that a URL requests; undefined without exactly one. */
function pageNumber(url: string): number | undefined {
  const found = url.match(pageParameter) ?? [];
  return found.length === 1 ? Number(found[0]) : undefined;
}

/** The number of the last page: from the link with rel=last, or from `X-Total-Pages`. */
function lastPage(reply: Reply): number | undefined {
  const last = linkTo(reply, 'last');
  const total = header(reply.headers, 'x-total-pages') ?? '';
  return (
    (last === undefined ? undefined : pageNumber(last)) ?? (/^\d+$/.test(total) ? Number(total) : undefined)
  );
}

/** The results before a page; NaN if the size of a page is not known. */
function rowsBefore(page: number, headers: readonly Header[], url: string): number {
  if (page === 1) return 0;
  const size = header(headers, 'x-per-page') ?? new URL(url).searchParams.get('per_page');
  return (page - 1) * Number(size ?? Number.NaN);
}

/** Compares the results that arrived with the total that the service announces (`X-Total`). */
export class Announced {
  /** The results before the first page that was requested, which the total includes. */
  #before: number | undefined;
  #total: bigint | undefined;
  /** The total before it changed. */
  #earlier: bigint | undefined;

  onPage({ headers, url }: Reply): void {
    const text = header(headers, 'x-total') ?? '';
    const total = /^\d+$/.test(text) ? BigInt(text) : this.#total;
    if (this.#total !== total) this.#earlier ??= this.#total;
    this.#total = total;
    this.#before ??= rowsBefore(pageNumber(url) ?? 1, headers, url);
  }

  /** @returns a message if the total changed between two pages: rows may have moved to a page that was read already */
  change(noun = 'results'): string | undefined {
    if (this.#earlier === undefined) return undefined;
    return `the list changed from ${this.#earlier} to ${this.#total} ${noun} while it was read`;
  }

  /** @returns a message if a list ended before all announced results, or the limit, arrived */
  shortage(rows: number, noun = 'results', limit = Number.POSITIVE_INFINITY): string | undefined {
    const before = this.#before ?? Number.NaN;
    if (this.#total === undefined || !Number.isInteger(before)) return undefined;
    const expected = this.#total - BigInt(before);
    return rows < expected && rows < limit
      ? `incomplete list: ${rows} of ${expected} ${noun} arrived`
      : undefined;
  }
}

/** The next page and those after it up to the last one: its link with other page numbers. @returns undefined without numbers */
function laterPages(next: string, reply: Reply, count: number): Pages | undefined {
  const [number, last] = [pageNumber(next), lastPage(reply)];
  if (number === undefined || last === undefined) return undefined;
  const length = Math.max(0, Math.min(count - 1, last - number));
  const after = (page: number): Page => pageAt(next.replace(pageParameter, String(page)));
  return [pageAt(next), ...Array.from({ length }, (_, index) => after(number + 1 + index))];
}

/** The URL of the next page, or a Failure if the link is not followed. @param visited the pages before; extended */
export function checkedNext(
  reply: Reply,
  origin: string,
  visited: Set<string>,
): string | Failure | undefined {
  const next = nextLink(reply);
  const exchange = { method: 'GET', url: reply.url, status: reply.status };
  if (next === undefined) return missingLink(reply, exchange);
  const failure = (reason: string, hint: readonly Hint[] = []) =>
    new Failure('server_error', `link to the next page not followed: ${reason}`, { hint, exchange });
  const other = parseUrl(next);
  if (!other) return failure('it is not a URL');
  if (other.origin !== origin)
    return failure(`it leads to another origin, ${shownOrigin(other)}`, originHint(other, 'linked'));
  // The user name and the fragment are not sent.
  const url = `${origin}${other.pathname}${other.search}`;
  if (visited.has(url)) return failure(`it repeats an earlier page, ${url}`);
  visited.add(url);
  return url;
}

/** The failure of a list whose next page is announced by number, without a link; undefined for the last page. */
function missingLink(reply: Reply, exchange: ExchangeSummary): Failure | undefined {
  if (!hasNextPage(reply)) return undefined;
  return new Failure('server_error', 'the response announces another page, but has no link to it', {
    hint: 'a proxy may remove the Link header; each page can be read with --page N',
    exchange,
  });
}

/** Whether a list has another page, by its link or by `X-Next-Page`, which is empty on the last page. */
export function hasNextPage(reply: Reply): boolean {
  return nextLink(reply) !== undefined || Number(header(reply.headers, 'x-next-page') ?? '') > 0;
}

/** `<target>` and its parameters of the `Link` header (RFC 8288). Lenient: servers put almost any character into a name and a value. */
const links = /<([^<>]*)>((?:[ \t]*;[^=;,]*(?:=[ \t]*(?:"(?:[^"\\]|\\.)*"?|[^";,][^;,]*)?)?)*)/gs;

/** Return the target of the first link with this relation type: absolute, and unchanged if it is not a valid URL. */
export function linkTo({ headers, url }: Pick<Reply, 'headers' | 'url'>, type: string): string | undefined {
  const all = headerValues(headers, 'link').flatMap((value) => [...value.matchAll(links)]);
  const found = all.find(([, , parameters = '']) =>
    headerParameters(parameters)
      .get('rel')
      ?.toLowerCase()
      .split(/[ \t]+/)
      .includes(type),
  );
  const target = found?.[1]?.trim();
  return target === undefined ? undefined : (parseUrl(target, url)?.href ?? target);
}

/** Return the URL of the next page; undefined on the last page. */
export const nextLink = (reply: Pick<Reply, 'headers' | 'url'>): string | undefined => linkTo(reply, 'next');
