import { createServer as createHttp } from 'node:http';
import type { ServerOptions } from 'node:https';
import { connect, createServer as createTcp } from 'node:net';
import { describe, expect, it } from 'vitest';
import { Failure } from '../../src/errors.ts';
import { createClient } from '../../src/http/client.ts';
import { createDirectTransport } from '../../src/http/node/transport.ts';
import { createProxiedTransport } from '../../src/http/proxy/transport.ts';
import type { TransportOptions } from '../../src/http/transport.ts';
import { authority, client, expired, otherName, selfSigned, server } from '../support/certificates.ts';
import { failureOf } from '../support/failures.ts';
import { get, origins, text } from '../support/origins.ts';

const { listen, http, https, opened } = origins();

const open = (origin: string, options: Partial<TransportOptions> = {}) =>
  opened(createDirectTransport(origin, { timeout: 20_000, ...options }));

describe('a failed connection', () => {
  it('reports a host name that DNS does not know', async () => {
    const origin = 'http://nowhere.invalid';
    const failure = await failureOf(open(origin, { timeout: 5000 }).send(get(origin)));
    expect(failure.kind).toBe('network');
    expect(failure.message).toMatch(/^cannot resolve nowhere\.invalid: host name not found \(DNS\)$/);
    expect(failure.exchange).toMatchObject({ method: 'GET', url: `${origin}/x` });
  });

  it.each<
    [why: string, server: ServerOptions, options: Partial<TransportOptions>, message: RegExp, kind?: string]
  >([
    ['an unknown authority', server, {}, /unknown certificate authority.*--ca-file/s],
    ['a self-signed certificate', selfSigned, {}, /self-signed.*--ca-file/s],
    ['an expired certificate', expired, { tls: { ca: authority } }, /expired.*clock/s],
    ['a certificate for another name', otherName, { tls: { ca: authority } }, /another host name/],
    [
      'a certificate file that is not PEM',
      server,
      { tls: { cert: 'nonsense', key: 'nonsense' } },
      /not in PEM format/,
      'usage',
    ],
    [
      'a key of another certificate',
      server,
      { tls: { cert: client.cert, key: otherName.key } },
      /does not match the client key/,
      'usage',
    ],
  ])('reports %s', async (_, pair, options, message, kind = 'network') => {
    const origin = await https(pair);
    const failure = await failureOf(open(origin, options).send(get(origin)).then(text));
    expect([failure.message, ...failure.hints].join('\n')).toMatch(message);
    expect(failure.kind).toBe(kind);
  });

  it('does not report the query of a URL to which the service redirected', async () => {
    const broken = await http((_, res) => res.writeHead(200, { 'content-encoding': 'gzip' }).end('x'));
    for (const origin of ['http://127.0.0.1:1', broken]) {
      const request = { ...get(origin, '/file?signature=hush'), isRedirectedOutside: true } as const;
      const { exchange } = await failureOf(open(origin).send(request).then(text));
      expect(exchange).toMatchObject({ method: 'GET', url: `${origin}/file` });
    }
  });

  it('reports a port that does not use TLS', async () => {
    const origin = (await http((_, res) => res.end())).replace('http:', 'https:');
    const failure = await failureOf(open(origin).send(get(origin)));
    expect(failure.message).toContain('the server does not use TLS on this port');
  });
});

it('an abort ends a connection attempt', async () => {
  const reason = new Failure('terminated', 'terminated');
  let isClosed = false;
  const silent = createTcp((socket) => {
    socket.on('error', () => {}).resume();
    socket.on('close', () => (isClosed = true));
  });
  const origin = `https://127.0.0.1:${await listen(silent)}`;
  const stop = new AbortController();
  const transport = createDirectTransport(origin, { timeout: 60_000, signal: stop.signal });
  const sent = transport.send(get(origin));
  setTimeout(() => stop.abort(reason), 50);
  expect(await failureOf(sent)).toBe(reason);
  await transport.close();
  await expect.poll(() => isClosed).toBe(true);
});

it('an abort during the preparation of a connection takes effect immediately', async () => {
  const reason = new Failure('interrupted', 'interrupted');
  const silent = createTcp((socket) => socket.on('error', () => {}).resume());
  const stop = new AbortController();
  const origin = `https://127.0.0.1:${await listen(silent)}`;
  const transport = createDirectTransport(origin, { timeout: 60_000, signal: stop.signal });
  const sent = transport.send(get(origin));
  stop.abort(reason);
  expect(await failureOf(sent)).toBe(reason);
  await transport.close();
});

describe('a proxy', () => {
  const through = (origin: string, options: Partial<TransportOptions> & { readonly proxy: string }) =>
    opened(createProxiedTransport(origin, { timeout: 20_000, ...options }));

  /** Start a proxy that opens every tunnel to one port. */
  async function tunnel(port: number, login?: string) {
    const seen: string[] = [];
    const server = createHttp((req, res) => {
      seen.push(`${req.method} ${req.url} ${req.headers['proxy-authorization'] ?? '-'}`);
      res.setHeader('content-type', 'application/json').end('"by the proxy"');
    });
    server.on('connect', (req, socket) => {
      const sent = req.headers['proxy-authorization'];
      seen.push(`CONNECT ${req.url} ${sent ?? '-'}`);
      socket.on('error', () => {});
      if (login !== undefined && sent !== `Basic ${Buffer.from(login).toString('base64')}`) {
        socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
        return;
      }
      const upstream = connect(port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        upstream.pipe(socket).pipe(upstream);
      });
      upstream.on('error', () => socket.destroy());
    });
    return { url: `http://127.0.0.1:${await listen(server)}`, seen };
  }

  const tls = { ca: authority };

  it('tunnels https without seeing its headers', async () => {
    const target = await https(server);
    const proxy = await tunnel(Number(new URL(target).port));
    const origin = 'https://api.example';
    const reply = await through(origin, { proxy: proxy.url, tls }).send({
      ...get(origin),
      headers: [['private-token', 'secret']],
    });
    expect(await text(reply)).toBe('secure');
    expect(proxy.seen).toEqual(['CONNECT api.example:443 -']);
  });

  it('alone receives the proxy user name and password', async () => {
    const headers: unknown[] = [];
    const target = await https(server, (req, res) => {
      headers.push(req.headers['proxy-authorization']);
      res.end('secure');
    });
    const proxy = await tunnel(Number(new URL(target).port), 'me:p@ss');
    const origin = 'https://api.example';
    const url = proxy.url.replace('//', '//me:p%40ss@');
    expect(await text(await through(origin, { proxy: url, tls }).send(get(origin)))).toBe('secure');
    expect(headers).toEqual([undefined]);
  });

  it('accepts a password with a bare percent sign', async () => {
    const proxy = await tunnel(1);
    const origin = 'http://api.example';
    const url = proxy.url.replace('//', '//me:50%@');
    expect(await text(await through(origin, { proxy: url }).send(get(origin)))).toBe('"by the proxy"');
    expect(proxy.seen).toEqual([
      `GET http://api.example/x Basic ${Buffer.from('me:50%').toString('base64')}`,
    ]);
  });

  it('that closes the connection instead of opening a tunnel is named', async () => {
    const closing = createTcp((socket) => void socket.on('error', () => {}).once('data', () => socket.end()));
    const proxy = `http://127.0.0.1:${await listen(closing)}`;
    const failure = await failureOf(
      through('https://api.example', { proxy }).send(get('https://api.example')),
    );
    expect(failure.message).toMatch(
      /^proxy 127\.0\.0\.1:\d+ closed the connection instead of connecting to api\.example/,
    );
  });

  it('that requires a login is reported without the password', async () => {
    const proxy = await tunnel(1, 'me:right');
    const origin = 'https://api.example';
    const url = proxy.url.replace('//', '//me:wrong@');
    const failure = await failureOf(through(origin, { proxy: url, tls }).send(get(origin)));
    expect(failure.kind).toBe('network');
    expect(failure.message).toMatch(/^proxy 127\.0\.0\.1:\d+ requires authentication \(407\)$/);
    expect([failure.message, ...failure.hints, JSON.stringify(failure.exchange)].join()).not.toContain(
      'wrong',
    );
  });
});

describe('pages', () => {
  const total = 5;
  async function lister(headers: Readonly<Record<string, string>> = {}) {
    const requested: number[] = [];
    const origin: string = await http((req, res) => {
      const page = Number(new URL(req.url ?? '', 'http://x').searchParams.get('page') ?? 1);
      requested.push(page);
      if (page < total) res.setHeader('link', `<${origin}/api/v4/x?page=${page + 1}>; rel="next"`);
      for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
      res.setHeader('content-type', 'application/json').end(`[${page}]`);
    });
    const lists = createClient(open(origin), {
      root: `${origin}/api/v4`,
      secrets: [],
      userAgent: 'svc/test',
      retries: 0,
      maxWait: 0,
      retryUnsafe: false,
      notify: () => {},
      now: Date.now,
      sleep: async () => {},
      random: () => 0,
    });
    return { requested, lists, request: get(origin, '/api/v4/x') };
  }

  const settled = () => new Promise((resolve) => setTimeout(resolve, 50));

  it('requests one page ahead', async () => {
    const { requested, lists, request } = await lister();
    for await (const page of lists.pages(request)) {
      await settled();
      expect(requested).toEqual([1, 2]);
      await page.discard();
      break;
    }
    await settled();
    expect(requested).toEqual([1, 2]);
  });

  it('requests or holds at most the number of parallel pages, the one that is read included', async () => {
    const { requested, lists, request } = await lister({ 'x-total-pages': '5' });
    const sorted = () => [...requested].sort();
    const seen: number[][] = [];
    for await (const page of lists.pages(request, { parallel: 3 })) {
      await settled();
      seen.push(sorted());
      await page.discard();
      if (seen.length === 3) break;
    }
    expect(seen).toEqual([
      [1, 2, 3],
      [1, 2, 3, 4],
      [1, 2, 3, 4, 5],
    ]);
  });
});

// RFC 9110 sections 9.3.2, 15.3.5 and 15.4.5: such a response has no body, whatever its headers describe.
it.each([
  ['HEAD', 200],
  ['GET', 204],
  ['GET', 304],
])('%s with status %i has an empty body, although a header names a compression', async (method, status) => {
  const origin = await http((_, response) =>
    response.writeHead(status, { 'content-encoding': 'gzip' }).end(),
  );
  const reply = await open(origin).send({ ...get(origin), method });
  expect([reply.status, await text(reply)]).toEqual([status, '']);
});
