import { collect, once } from '../../support/bytes.ts';
import { type Header, header, type Reply, type Transport } from '../transport.ts';

interface Known {
  readonly tag: string;
  readonly reply: Reply;
  readonly bytes: Uint8Array;
}

/**
 * A transport for a command that reads the same pages again. It requests a page on condition that it has changed (`If-None-Match`,
 * RFC 9110 section 13.1.2), and returns the earlier page for a 304. Only JSON is kept.
 */
export function revalidatingTransport(transport: Transport): Transport {
  const pages = new Map<string, Known>();
  const withBody = ({ reply, bytes }: Known): Reply => ({ ...reply, body: once(bytes) });
  return {
    async send(request) {
      if (request.method !== 'GET') return transport.send(request);
      const known = pages.get(request.url);
      const condition = known ? ([['if-none-match', known.tag]] as const) : [];
      const reply = await transport.send({ ...request, headers: [...request.headers, ...condition] });
      if (known && reply.status === 304) {
        await reply.discard();
        return withBody({ ...known, reply: { ...known.reply, headers: updated(known.reply, reply) } });
      }
      const tag = header(reply.headers, 'etag');
      const isJson = header(reply.headers, 'content-type')?.includes('json');
      if (reply.status !== 200 || tag === undefined || !isJson) return reply;
      const read = { tag, reply, bytes: await collect(reply.body) };
      pages.set(request.url, read);
      return withBody(read);
    },
    close: () => transport.close(),
  };
}

/** The headers of a page, with the new values of a 304 (RFC 9111 section 3.2): the next page can be another one. */
function updated({ headers }: Reply, { headers: changes }: Reply): Header[] {
  const fresh = changes.filter(([name]) => !/^content-/i.test(name));
  const names = new Set(fresh.map(([name]) => name.toLowerCase()));
  return [...headers.filter(([name]) => !names.has(name.toLowerCase())), ...fresh];
}
