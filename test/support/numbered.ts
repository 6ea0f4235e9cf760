/** A list with numbered pages whose responses arrive after different delays. */
import type { Context } from '../../src/cli/context.ts';
import type { Header } from '../../src/http/transport.ts';
import { type Canned, canned } from './svc.ts';

export interface Numbered {
  /** Number of results. */
  readonly total: number;
  /** Milliseconds before the response of a page. */
  readonly delay?: (page: number) => number;
  /** A response instead of a page. */
  readonly instead?: (page: number, attempt: number) => Canned | undefined;
  /** Number of results when a page is read, if it changes. */
  readonly totalAt?: (page: number) => number;
  /** Whether the service counts the results, and how it announces the last page. Default: `link`. */
  readonly last?: 'link' | 'header' | 'none';
}

export interface NumberedService {
  readonly transport: NonNullable<Context['transport']>;
  /** The pages in the order of their requests. */
  readonly requested: number[];
  /** The greatest number of requests without a response at one time. */
  most(): number;
}

export function numbered({
  total,
  delay = () => 0,
  instead = () => undefined,
  totalAt = () => total,
  last = 'link',
}: Numbered): NumberedService {
  const requested: number[] = [];
  let open = 0;
  let most = 0;
  const transport = canned(async ({ url }) => {
    const { searchParams, origin, pathname } = new URL(url);
    const page = Number(searchParams.get('page') ?? 1);
    const size = Number(searchParams.get('per_page') ?? 20);
    requested.push(page);
    most = Math.max(most, ++open);
    await new Promise((done) => (delay(page) > 0 ? setTimeout(done, delay(page)) : setImmediate(done)));
    open--;
    const replaced = instead(page, requested.filter((one) => one === page).length);
    if (replaced) return replaced;
    const count = totalAt(page);
    const pages = Math.max(1, Math.ceil(count / size));
    const link = (number: number, rel: string) => {
      searchParams.set('page', String(number));
      return `<${origin}${pathname}?${searchParams}>; rel="${rel}"`;
    };
    const links = [
      ...(page < pages ? [link(page + 1, 'next')] : []),
      ...(last === 'link' ? [link(pages, 'last')] : []),
    ];
    const headers: Header[] = [
      ...(links.length > 0 ? [['link', links.join(', ')] as const] : []),
      ...(last === 'none' ? [] : [['x-total', String(count)] as const]),
      ...(last === 'header' ? [['x-total-pages', String(pages)] as const] : []),
    ];
    const ids = Array.from({ length: size }, (_, index) => (page - 1) * size + index + 1);
    const rows = ids.filter((id) => id <= count).map((id) => ({ id, name: `badge ${id}` }));
    return { headers, body: JSON.stringify(rows) };
  });
  return { transport, requested, most: () => most };
}
