import { once } from 'node:events';
import { createServer as createHttp, type RequestListener, type Server } from 'node:http';
import { createServer as createHttps, type ServerOptions } from 'node:https';
import { type AddressInfo, connect, createServer as createTcp, type Server as TcpServer } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { Failure } from '../../src/errors.ts';
import { createClient } from '../../src/http/client.ts';
import type { Reply, Transport, TransportOptions } from '../../src/http/transport.ts';
import { createTransport } from '../../src/http/undici.ts';
import {
  authority,
  client,
  expired,
  otherName,
  selfSigned,
  server as serverPair,
} from '../support/certificates.ts';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function listen(server: Server | TcpServer): Promise<number> {
  const sockets = new Set<{ destroy(): void }>();
  server.on('connection', (socket) => sockets.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}

const http = async (serve: RequestListener) => `http://127.0.0.1:${await listen(createHttp(serve))}`;
const https = async (options: ServerOptions, serve: RequestListener = (_, res) => res.end('secure')) =>
  `https://127.0.0.1:${await listen(createHttps(options, serve))}`;

function open(origin: string, options: Partial<TransportOptions> = {}): Transport {
  const transport = createTransport(origin, { timeout: 1000, ...options });
  cleanups.push(() => transport.close());
  return transport;
}

const get = (origin: string, path = '/x') => ({ method: 'GET', url: `${origin}${path}`, headers: [] });

async function text(reply: Reply): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of reply.body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

async function failureOf(promise: Promise<unknown>): Promise<Failure> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(Failure);
  return error as Failure;
}

describe('what is sent', () => {
  it('is the path to the letter, and the headers as given', async () => {
    const seen: unknown[] = [];
    const origin = await http((req, res) => {
      seen.push(req.url, req.headers['x-one']);
      res.end('{}');
    });
    const path = '/api/v4/projects/a%2Fb/files/%2e%2e%2Fx%20y?q[]=1&r=%5B%5D&s=a+b';
    await text(await open(origin).send({ ...get(origin, path), headers: [['x-one', '1']] }));
    expect(seen).toEqual([path, '1']);
  });

  it('is a stream with its length, or in chunks where that is not known', async () => {
    const seen: unknown[] = [];
    const origin = await http(async (req, res) => {
      let body = '';
      for await (const chunk of req) body += chunk;
      seen.push([req.headers['content-length'], req.headers['transfer-encoding'], body]);
      res.end();
    });
    const transport = open(origin);
    const stream = async function* () {
      yield Buffer.from('ab');
      yield Buffer.from('cd');
    };
    await text(await transport.send({ ...get(origin), method: 'POST', body: { open: stream, length: 4 } }));
    await text(await transport.send({ ...get(origin), method: 'POST', body: { open: stream } }));
    expect(seen).toEqual([
      ['4', undefined, 'abcd'],
      [undefined, 'chunked', 'abcd'],
    ]);
  });

  it('ends with the Failure of a body that breaks', async () => {
    const origin = await http((req) => req.resume());
    const broken = new Failure('local', 'the file is gone');
    const stream = async function* () {
      yield Buffer.from('ab');
      throw broken;
    };
    const sent = open(origin).send({ ...get(origin), method: 'POST', body: { open: stream, length: 4 } });
    expect(await failureOf(sent)).toBe(broken);
  });

  it('refuses a header that would become two', async () => {
    const origin = await http((_, res) => res.end());
    const sent = open(origin).send({ ...get(origin), headers: [['private-token', 'a\r\nx-evil: 1']] });
    expect((await failureOf(sent)).kind).toBe('usage');
  });

  it('goes nowhere but to its origin', async () => {
    const origin = await http((_, res) => res.end());
    await expect(open(origin).send(get('http://127.0.0.1:1'))).rejects.toThrow(/was asked for/);
    await expect(open(origin).send(get(`${origin}.evil.example`, '/'))).rejects.toThrow(/was asked for/);
  });
});

describe('a connection that fails', () => {
  it('names the host that DNS does not know', async () => {
    const origin = 'http://nowhere.invalid';
    const failure = await failureOf(open(origin, { timeout: 5000 }).send(get(origin)));
    expect(failure.kind).toBe('network');
    expect(failure.message).toMatch(/nowhere\.invalid.*DNS/);
    expect(failure.exchange).toMatchObject({ method: 'GET', url: `${origin}/x` });
  });

  it('names the port where nobody listens', async () => {
    const server = createTcp();
    const port = await listen(server);
    await new Promise((resolve) => server.close(resolve));
    const origin = `http://127.0.0.1:${port}`;
    const failure = await failureOf(open(origin).send(get(origin)));
    expect(failure.message).toBe(`127.0.0.1:${port} refused the connection`);
  });

  it('tells a handshake that never ends from an answer that never comes', async () => {
    const port = await listen(createTcp());
    const origin = `https://127.0.0.1:${port}`;
    const failure = await failureOf(open(origin, { timeout: 200 }).send(get(origin)));
    expect(failure.message).toBe(`no connection to 127.0.0.1:${port} within 0.2 s`);
  });

  it.each<
    [why: string, server: ServerOptions, options: Partial<TransportOptions>, says: RegExp, kind?: string]
  >([
    ['an unknown authority', serverPair, {}, /authority.*--ca-file/s],
    ['a self-signed certificate', selfSigned, {}, /self-signed.*--ca-file/s],
    ['an expired certificate', expired, { tls: { ca: authority } }, /expired.*clock/s],
    ['another name', otherName, { tls: { ca: authority } }, /another name/],
    [
      'a certificate file that is no PEM',
      serverPair,
      { tls: { cert: 'nonsense', key: 'nonsense' } },
      /not PEM/,
      'usage',
    ],
    [
      "a key that is another certificate's",
      serverPair,
      { tls: { cert: client.cert, key: otherName.key } },
      /do not belong together/,
      'usage',
    ],
  ])('TLS: %s', async (_, server, options, says, kind = 'network') => {
    const origin = await https(server);
    const failure = await failureOf(open(origin, options).send(get(origin)).then(text));
    expect([failure.message, ...failure.hints].join('\n')).toMatch(says);
    expect(failure.kind).toBe(kind);
  });

  it('says so where the port speaks plain HTTP', async () => {
    const origin = (await http((_, res) => res.end())).replace('http:', 'https:');
    const failure = await failureOf(open(origin).send(get(origin)));
    expect(failure.message).toContain('does not speak TLS');
  });

  it('says so where the port speaks TLS', async () => {
    const origin = (await https(serverPair)).replace('https:', 'http:');
    const failure = await failureOf(open(origin).send(get(origin)));
    expect(failure.kind).toBe('network');
  });
});

describe('TLS', () => {
  it('trusts a given authority', async () => {
    const origin = await https(serverPair);
    expect(await text(await open(origin, { tls: { ca: authority } }).send(get(origin)))).toBe('secure');
  });

  it('trusts anyone where it is told to', async () => {
    const origin = await https(selfSigned);
    expect(await text(await open(origin, { tls: { insecure: true } }).send(get(origin)))).toBe('secure');
  });

  it('shows a client certificate', async () => {
    const origin = await https({ ...serverPair, ca: authority, requestCert: true });
    const tls = { ca: authority, cert: client.cert, key: client.key };
    expect(await text(await open(origin, { tls }).send(get(origin)))).toBe('secure');
  });
});

describe('a body', () => {
  it('waits for its reader: a large one does not pile up', async () => {
    const size = 64 * 1024 * 1024;
    let written = 0;
    const origin = await http(async (_, res) => {
      res.writeHead(200, { 'content-length': size });
      const chunk = Buffer.alloc(64 * 1024);
      while (written < size && !res.destroyed) {
        written += chunk.length;
        if (!res.write(chunk)) await new Promise((resolve) => res.once('drain', resolve));
      }
      res.end();
    });
    const reply = await open(origin, { timeout: 5000 }).send(get(origin));
    const reader = reply.body[Symbol.asyncIterator]();
    await reader.next();
    let before = -1;
    // The server stops once its own buffers, the kernel's and ours are full.
    while (before !== written) {
      before = written;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(written).toBeLessThan(size / 2);
    let rest = 0;
    for (;;) {
      const { done, value } = await reader.next();
      if (done) break;
      rest += value.length;
    }
    expect(written).toBe(size);
    expect(rest).toBeGreaterThan(size / 2);
  });

  it('that is discarded leaves its connection to the next request, if it is short', async () => {
    let connections = 0;
    const server = createHttp((_, res) => res.end('short'));
    server.on('connection', () => connections++);
    const origin = `http://127.0.0.1:${await listen(server)}`;
    const transport = open(origin);
    for (let i = 0; i < 3; i++) {
      const reply = await transport.send(get(origin));
      await reply.discard();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(connections).toBe(1);
  });

  it('that is not wanted any more ends its connection', async () => {
    const closed = new Promise<void>((resolve) => {
      cleanups.push(async () => {});
      void http((_, res) => {
        res.on('close', resolve);
        const timer = setInterval(() => res.write('x'.repeat(100_000)), 5);
        res.on('close', () => clearInterval(timer));
      }).then(async (origin) => {
        const reply = await open(origin).send(get(origin));
        for await (const _ of reply.body) break;
      });
    });
    await closed;
  });

  it('and all else ends when the signal says so', async () => {
    const reason = new Failure('interrupted', 'interrupted');
    const origin = await http((req, res) => {
      if (req.url === '/body') res.write('begun');
    });
    for (const path of ['/headers', '/body']) {
      const stop = new AbortController();
      const transport = open(origin, { signal: stop.signal });
      const sent = transport.send(get(origin, path)).then(text);
      setTimeout(() => stop.abort(reason), 50);
      expect(await failureOf(sent)).toBe(reason);
      expect(await failureOf(transport.send(get(origin)))).toBe(reason);
    }
  });
});

it('a connection that is being made ends when the signal says so, and with the transport', async () => {
  const reason = new Failure('terminated', 'terminated');
  const silent = createTcp();
  const ended = new Promise<void>((resolve) =>
    silent.on('connection', (socket) => {
      socket.resume();
      socket.on('error', () => {});
      socket.on('close', () => resolve());
    }),
  );
  const origin = `https://127.0.0.1:${await listen(silent)}`;
  const stop = new AbortController();
  const transport = createTransport(origin, { timeout: 60_000, signal: stop.signal });
  const sent = transport.send(get(origin));
  setTimeout(() => stop.abort(reason), 50);
  expect(await failureOf(sent)).toBe(reason);
  await transport.close();
  await ended;
});

it('a signal that comes while the connection is prepared is not waited past', async () => {
  const reason = new Failure('interrupted', 'interrupted');
  const silent = createTcp((socket) => socket.on('error', () => {}).resume());
  const stop = new AbortController();
  const origin = `https://127.0.0.1:${await listen(silent)}`;
  const transport = createTransport(origin, { timeout: 60_000, signal: stop.signal });
  const sent = transport.send(get(origin));
  stop.abort(reason);
  expect(await failureOf(sent)).toBe(reason);
  await transport.close();
});

describe('a proxy', () => {
  /** A proxy that tunnels to one port, whatever the name. */
  async function tunnel(port: number, login?: string) {
    const seen: string[] = [];
    const server = createHttp((req, res) => {
      seen.push(`${req.method} ${req.url} ${req.headers['proxy-authorization'] ?? '-'}`);
      res.setHeader('content-type', 'application/json').end('"by the proxy"');
    });
    server.on('connect', (req, socket) => {
      const given = req.headers['proxy-authorization'];
      seen.push(`CONNECT ${req.url} ${given ?? '-'}`);
      socket.on('error', () => {});
      if (login !== undefined && given !== `Basic ${Buffer.from(login).toString('base64')}`) {
        socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
        return;
      }
      const onward = connect(port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        onward.pipe(socket).pipe(onward);
      });
      onward.on('error', () => socket.destroy());
    });
    return { url: `http://127.0.0.1:${await listen(server)}`, seen };
  }

  const tls = { ca: authority };

  it('tunnels https, and sees no header of it', async () => {
    const target = await https(serverPair);
    const proxy = await tunnel(Number(new URL(target).port));
    const origin = 'https://api.example';
    const reply = await open(origin, { proxy: proxy.url, tls }).send({
      ...get(origin),
      headers: [['private-token', 'secret']],
    });
    expect(await text(reply)).toBe('secure');
    expect(proxy.seen).toEqual(['CONNECT api.example:443 -']);
  });

  it('gets plain http by absolute URL', async () => {
    const proxy = await tunnel(1);
    const origin = 'http://api.example';
    const reply = await open(origin, { proxy: proxy.url }).send(get(origin, '/api/v4/x?a=%2F'));
    expect(await text(reply)).toBe('"by the proxy"');
    expect(proxy.seen).toEqual(['GET http://api.example/api/v4/x?a=%2F -']);
  });

  it('is given its user name and password, and nobody else is', async () => {
    const headers: unknown[] = [];
    const target = await https(serverPair, (req, res) => {
      headers.push(req.headers['proxy-authorization']);
      res.end('secure');
    });
    const proxy = await tunnel(Number(new URL(target).port), 'me:p@ss');
    const origin = 'https://api.example';
    const url = proxy.url.replace('//', '//me:p%40ss@');
    expect(await text(await open(origin, { proxy: url, tls }).send(get(origin)))).toBe('secure');
    expect(headers).toEqual([undefined]);
  });

  it('may have a password with a percent sign that encodes nothing', async () => {
    const proxy = await tunnel(1);
    const origin = 'http://api.example';
    const url = proxy.url.replace('//', '//me:50%@');
    expect(await text(await open(origin, { proxy: url }).send(get(origin)))).toBe('"by the proxy"');
    expect(proxy.seen).toEqual([
      `GET http://api.example/x Basic ${Buffer.from('me:50%').toString('base64')}`,
    ]);
  });

  it('that wants a login says so, without repeating the one given', async () => {
    const proxy = await tunnel(1, 'me:right');
    const origin = 'https://api.example';
    const url = proxy.url.replace('//', '//me:wrong@');
    const failure = await failureOf(open(origin, { proxy: url, tls }).send(get(origin)));
    expect(failure.kind).toBe('network');
    expect(failure.message).toMatch(/^the proxy 127\.0\.0\.1:\d+ refused to connect \(407\)$/);
    expect([failure.message, ...failure.hints, JSON.stringify(failure.exchange)].join()).not.toContain(
      'wrong',
    );
  });

  it('that is not there is named', async () => {
    const origin = 'https://api.example';
    const failure = await failureOf(open(origin, { proxy: 'http://127.0.0.1:1', tls }).send(get(origin)));
    expect(failure.message).toBe('the proxy 127.0.0.1:1 refused the connection');
  });
});

describe('pages', () => {
  const total = 5;
  async function lister() {
    const asked: number[] = [];
    const origin: string = await http((req, res) => {
      const page = Number(new URL(req.url ?? '', 'http://x').searchParams.get('page') ?? 1);
      asked.push(page);
      if (page < total) res.setHeader('link', `<${origin}/api/v4/x?page=${page + 1}>; rel="next"`);
      res.setHeader('content-type', 'application/json').end(`[${page}]`);
    });
    const lists = createClient(open(origin), {
      root: `${origin}/api/v4`,
      userAgent: 'svc/test',
      retries: 0,
      maxWait: 0,
      retryUnsafe: false,
      notify: () => {},
      now: Date.now,
      sleep: async () => {},
      random: () => 0,
    });
    return { asked, lists, request: get(origin, '/api/v4/x') };
  }

  const settled = () => new Promise((resolve) => setTimeout(resolve, 50));

  it('asks for the next page while one is read, and for one only', async () => {
    const { asked, lists, request } = await lister();
    for await (const page of lists.pages(request)) {
      await settled();
      expect(asked).toEqual([1, 2]);
      await page.discard();
      break;
    }
    await settled();
    expect(asked).toEqual([1, 2]);
  });

  it('asks for no page that is not surely wanted', async () => {
    const { asked, lists, request } = await lister();
    let pages = 0;
    for await (const page of lists.pages(request, { ahead: 2 })) {
      await settled();
      await page.discard();
      if (++pages === 2) break;
    }
    await settled();
    expect(asked).toEqual([1, 2]);
  });

  it('asks for all that the reader takes beyond', async () => {
    const { asked, lists, request } = await lister();
    for await (const page of lists.pages(request, { ahead: 1 })) await page.discard();
    expect(asked).toEqual([1, 2, 3, 4, 5]);
  });

  it('stops at the page that it was told', async () => {
    const { asked, lists, request } = await lister();
    for await (const page of lists.pages(request, { maxPages: 3 })) await page.discard();
    await settled();
    expect(asked).toEqual([1, 2, 3]);
  });
});

it('the certificates serve their purpose', async () => {
  const origin = await https(serverPair);
  const socket = connectTls({ port: Number(new URL(origin).port), host: '127.0.0.1', ca: authority });
  await once(socket, 'secureConnect');
  expect(socket.authorized).toBe(true);
  socket.destroy();
});
