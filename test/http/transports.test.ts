// The contract of every transport.
import { createServer as createHttp, type RequestListener } from 'node:http';
import { createServer as createTcp, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { Failure } from '../../src/errors.ts';
import { isRetryable } from '../../src/http/errors/network.ts';
import type { Request, TransportOptions } from '../../src/http/transport.ts';
import { collect } from '../../src/support/bytes.ts';
import { authority, client, selfSigned, server as serverPair } from '../support/certificates.ts';
import { failureOf } from '../support/failures.ts';
import { get, origins, text } from '../support/origins.ts';
import { kinds, sharedTransports } from '../support/transports.ts';

const { listen, http, https, opened } = origins();
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const settled = () => sleep(30);

/** A body of these parts, with a pause after each. */
const parts = (pause: number, ...texts: readonly string[]) =>
  async function* () {
    for (const one of texts) {
      yield Buffer.from(one);
      await sleep(pause);
    }
  };
const post = (origin: string, open: () => AsyncIterable<Uint8Array>, length?: number): Request => ({
  ...get(origin),
  method: 'POST',
  body: length === undefined ? { open } : { open, length },
});

const openTransport = await sharedTransports();

/** Start an origin that counts its connections. */
async function counting(serve: RequestListener) {
  const server = createHttp(serve);
  let connections = 0;
  server.on('connection', () => connections++);
  return { origin: `http://127.0.0.1:${await listen(server)}`, server, count: () => connections };
}

/** Start an origin that responds to the first bytes of each connection. */
const raw = async (respond: (socket: Socket) => void) =>
  `http://127.0.0.1:${await listen(
    createTcp((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => respond(socket));
    }),
  )}`;

describe.each(kinds)('the %s transport', (kind) => {
  const open = (origin: string, options: Partial<TransportOptions> = {}) =>
    opened(openTransport(kind, origin, { timeout: 20_000, ...options }));

  describe('a request', () => {
    it('has the exact path and headers', async () => {
      const seen: unknown[] = [];
      const origin = await http((req, res) => {
        seen.push(req.url, req.headers['x-one']);
        res.end('{}');
      });
      const path = '/api/v4/projects/a%2Fb/files/%2e%2e%2Fx%20y?q[]=1&r=%5B%5D&s=a+b';
      await text(await open(origin).send({ ...get(origin, path), headers: [['x-one', '1']] }));
      expect(seen).toEqual([path, '1']);
    });

    it('streams a body with its length, or chunked without one', async () => {
      const seen: unknown[] = [];
      const origin = await http(async (req, res) => {
        const body = String(await collect(req));
        seen.push([req.headers['content-length'], req.headers['transfer-encoding'], body]);
        res.end();
      });
      const transport = open(origin);
      for (const length of [4, undefined])
        await text(await transport.send(post(origin, parts(0, 'ab', 'cd'), length)));
      expect(seen).toEqual([
        ['4', undefined, 'abcd'],
        [undefined, 'chunked', 'abcd'],
      ]);
    });

    it('sends Content-Length 0 for POST and PUT without a body', async () => {
      const seen: unknown[] = [];
      const origin = await http((req, res) => {
        seen.push([req.method, req.headers['content-length'], req.headers['transfer-encoding']]);
        res.end();
      });
      for (const method of ['GET', 'POST', 'PUT', 'DELETE'])
        await text(await open(origin).send({ ...get(origin), method }));
      expect(seen).toEqual([
        ['GET', undefined, undefined],
        ['POST', '0', undefined],
        ['PUT', '0', undefined],
        ['DELETE', undefined, undefined],
      ]);
    });

    it.each([
      ['longer', 3],
      ['shorter', 5],
    ])('fails for a body %s than its length, without excess bytes', async (_, length) => {
      let body = '';
      const origin = await http(
        (req) => void req.on('data', (chunk) => (body += chunk)).on('error', () => {}),
      );
      const sent = open(origin).send(post(origin, parts(30, 'ab', 'cd'), length));
      expect(await failureOf(sent)).toMatchObject({
        kind: 'internal',
        message: 'the request body changed size while it was being sent',
      });
      expect('abcd'.slice(0, length).startsWith(body)).toBe(true);
    });

    it('fails with the error of its body', async () => {
      const origin = await http((req) => req.resume());
      const broken = new Failure('internal', 'the file is gone');
      const stream = async function* () {
        yield Buffer.from('ab');
        throw broken;
      };
      expect(await failureOf(open(origin).send(post(origin, stream, 4)))).toBe(broken);
    });

    it('rejects a header with a line break', async () => {
      const origin = await http((_, res) => res.end());
      const sent = open(origin).send({ ...get(origin), headers: [['private-token', 'a\r\nx-evil: 1']] });
      expect((await failureOf(sent)).kind).toBe('usage');
    });

    it('is rejected for another origin', async () => {
      const origin = await http((_, res) => res.end());
      for (const other of ['http://127.0.0.1:1', `${origin}.evil.example`])
        await expect(open(origin).send(get(other, '/'))).rejects.toThrow(/cannot send a request to/);
    });
  });

  describe('TLS', () => {
    const demanding = { ...serverPair, ca: authority, requestCert: true };
    it.each([
      ['trusts a given authority', serverPair, { ca: authority }],
      ['trusts any certificate with insecure', selfSigned, { insecure: true }],
      ['sends a client certificate', demanding, { ca: authority, cert: client.cert, key: client.key }],
    ])('%s', async (_, server, tls) => {
      const origin = await https(server);
      expect(await text(await open(origin, { tls }).send(get(origin)))).toBe('secure');
    });
  });

  describe('a body', () => {
    it('waits for a slow reader', async () => {
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
      // The server stops when all buffers are full.
      while (before !== written) {
        before = written;
        await sleep(100);
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

    it('keeps the connection if it is short and discarded', async () => {
      const { origin, count } = await counting((_, res) => res.end('short'));
      const transport = open(origin);
      for (let i = 0; i < 3; i++) {
        const reply = await transport.send(get(origin));
        await reply.discard();
        await sleep(20);
      }
      expect(count()).toBe(1);
    });

    it('closes the connection if reading stops early', async () => {
      let isClosed = false;
      const origin = await http((_, res) => {
        const timer = setInterval(() => res.write('x'.repeat(100_000)), 5);
        res.on('close', () => {
          clearInterval(timer);
          isClosed = true;
        });
      });
      const reply = await open(origin).send(get(origin));
      for await (const _ of reply.body) break;
      await expect.poll(() => isClosed).toBe(true);
    });

    it('fails with the reason of the signal', async () => {
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

    it('names a write that the service may have executed when a signal came', async () => {
      const origin = await http(() => {});
      const failed = async (request: Request, ms: number) => {
        const stop = new AbortController();
        setTimeout(() => stop.abort(new Failure('interrupted', 'interrupted')), ms);
        const { kind, exchange, hints } = await failureOf(
          open(origin, { signal: stop.signal }).send(request),
        );
        return [kind, exchange?.method, ...hints];
      };
      const advice = 'the service may have executed the request: check before you try again';
      const named = ['interrupted', 'DELETE', advice];
      expect(await failed({ ...get(origin), method: 'DELETE' }, 100)).toEqual(named);
      expect(await failed(post(origin, parts(500, 'a', 'b'), 2), 100)).toEqual(['interrupted', undefined]);
    });
  });

  describe('a connection', () => {
    it('is reused after any response', async () => {
      const { origin, count } = await counting((req, res) => {
        res.statusCode = Number(req.url?.slice(1));
        if (req.method === 'HEAD') res.setHeader('content-length', 1000);
        if (res.statusCode === 200) res.write('in ');
        res.end(res.statusCode === 200 ? 'chunks' : undefined);
      });
      const transport = open(origin);
      for (const [method, status, body] of [
        ['GET', 200, 'in chunks'],
        ['GET', 204, ''],
        ['GET', 304, ''],
        ['POST', 500, ''],
        ['DELETE', 200, 'in chunks'],
        ['HEAD', 200, ''],
      ] as const) {
        const reply = await transport.send({ ...get(origin, `/${status}`), method });
        expect([reply.status, await text(reply)]).toEqual([status, body]);
        await settled();
      }
      expect(count()).toBe(1);
    });

    it('is replaced if the service closed it', async () => {
      const { origin, server, count } = await counting((_, res) => res.end('ok'));
      server.keepAliveTimeout = 1;
      const transport = open(origin);
      expect(await text(await transport.send(get(origin)))).toBe('ok');
      server.closeIdleConnections();
      await settled();
      expect(await text(await transport.send(get(origin)))).toBe('ok');
      expect(count()).toBe(2);
    });

    it('is added if all are busy', async () => {
      const { origin, count } = await counting((_, res) => setTimeout(() => res.end('ok'), 50));
      const transport = open(origin);
      const sent = [1, 2, 3].map(() => transport.send(get(origin)).then(text));
      expect(await Promise.all(sent)).toEqual(['ok', 'ok', 'ok']);
      expect(count()).toBe(3);
    });

    it('is not reused if the response came before the end of the request', async () => {
      const { origin } = await counting((req, res) => {
        if (req.method === 'POST') res.writeHead(413).end('too large');
        else res.end('ok');
      });
      const transport = open(origin, { timeout: 5000 });
      let stopped = false;
      const endless = async function* () {
        try {
          for (;;) {
            yield Buffer.alloc(1000);
            await sleep(5);
          }
        } finally {
          stopped = true;
        }
      };
      const reply = await transport.send(post(origin, endless));
      expect([reply.status, await text(reply)]).toEqual([413, 'too large']);
      expect(await text(await transport.send(get(origin)))).toBe('ok');
      await expect.poll(() => stopped).toBe(true);
    });

    it.each(['with a length', 'without a length'])(
      'may close after a body %s that fills the queue',
      async (how) => {
        for (let size = 520 * 1024; size <= 720 * 1024; size += 20 * 1024) {
          const length = how === 'without a length' ? '' : `content-length: ${size}\r\n`;
          const origin = await raw((socket) => {
            socket.write(`HTTP/1.1 200 OK\r\nconnection: close\r\n${length}\r\n`);
            socket.end(Buffer.alloc(size));
          });
          const reply = await open(origin).send(get(origin));
          await sleep(60);
          expect((await text(reply)).length).toBe(size);
        }
      },
    );

    it.each([
      [700 * 1024, 'content-length: 2000000\r\n'],
      // Only the reset tells that the response is not complete.
      [5, ''],
    ])('reports a reset to a slow reader after %i bytes', async (size, length) => {
      const origin = await raw((socket) => {
        socket.write(`HTTP/1.1 200 OK\r\nconnection: close\r\n${length}\r\n`);
        socket.write(Buffer.alloc(size));
        setTimeout(() => socket.resetAndDestroy(), 100);
      });
      const reply = await open(origin).send(get(origin));
      await sleep(250);
      let read = 0;
      const all = async () => {
        for await (const chunk of reply.body) read += chunk.length;
      };
      expect((await failureOf(all())).message).toMatch(
        /connection reset by .* while it was sending|before the response was complete|Content-Length/,
      );
      expect(read).toBeGreaterThan(size / 2);
    });

    it('may close after each response without failed requests', async () => {
      const { origin, count } = await counting((req, res) => {
        res.on('finish', () => req.socket.end());
        res.end('ok');
      });
      const transport = open(origin);
      for (const method of ['GET', 'GET', 'POST', 'DELETE', 'GET'])
        expect(await text(await transport.send({ ...get(origin), method }))).toBe('ok');
      expect(count()).toBe(5);
    });

    it('closes with the transport, and active requests fail without a retry', async () => {
      const { origin } = await counting(() => {});
      const transport = open(origin, { timeout: 60_000 });
      const sent = failureOf(transport.send(get(origin)));
      await settled();
      await transport.close();
      expect(isRetryable(await sent)).toBe(false);
    });
  });

  describe('the timeout', () => {
    it('does not count while the reader is slow', async () => {
      const size = 8 * 1024 * 1024;
      const origin = await http((_, res) => res.end(Buffer.alloc(size)));
      const reply = await open(origin, { timeout: 500 }).send(get(origin));
      let read = 0;
      for await (const chunk of reply.body) {
        if (read === 0) await sleep(1_200);
        read += chunk.length;
      }
      expect(read).toBe(size);
    });

    it('does not count while the request body is slow', async () => {
      const origin = await http(async (req, res) => void res.end(await collect(req)));
      const sent = open(origin, { timeout: 500 }).send(post(origin, parts(800, 'a', 'b', 'c')));
      expect(await text(await sent)).toBe('abc');
    });

    it('applies to connecting, also with a slow request body', async () => {
      const port = await listen(createTcp((socket) => socket.resume().on('error', () => {})));
      const never = async function* () {
        await new Promise(() => {});
        yield Buffer.from('');
      };
      const origin = `https://127.0.0.1:${port}`;
      const sent = open(origin, { timeout: 200 }).send(post(origin, never));
      expect((await failureOf(sent)).message).toMatch(/^timed out after 0\.2 s connecting to /);
    });

    it('applies if the service does not read the request', async () => {
      const origin = await http(() => {});
      const endless = async function* () {
        for (;;) yield Buffer.alloc(1024 * 1024);
      };
      const sent = open(origin, { timeout: 200 }).send(post(origin, endless));
      expect((await failureOf(sent)).message).toContain('timed out after 0.2 s waiting for response headers');
    });
  });
});

describe('the direct transport', () => {
  const direct = (origin: string, options: Partial<TransportOptions> = {}) =>
    opened(openTransport('direct', origin, { timeout: 20_000, ...options }));

  /** Start an origin that sends these bytes. */
  const sends = (response: string) => raw((socket) => void socket.write(response));

  it('ignores informational responses', async () => {
    const origin = await http((_, res) => {
      res.writeContinue();
      res.writeEarlyHints({ link: '</x>; rel=preload' });
      res.end('final');
    });
    const reply = await direct(origin).send(get(origin));
    expect([reply.status, await text(reply)]).toEqual([200, 'final']);
  });

  it('ignores bytes after a response', async () => {
    const origin = await sends('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nokgarbage');
    expect(await text(await direct(origin).send(get(origin)))).toBe('ok');
  });

  it('delivers the data before malformed bytes', async () => {
    const origin = await sends('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\nXYZ\r\n');
    const { body } = await direct(origin).send(get(origin));
    const chunks: string[] = [];
    const read = async () => {
      for await (const chunk of body) chunks.push(Buffer.from(chunk).toString());
    };
    expect((await failureOf(read())).message).toContain('not valid HTTP');
    expect(chunks).toEqual(['ok']);
  });

  it.each([
    '101 Switching Protocols\r\ncontent-length: 0',
    '101 Switching Protocols\r\nupgrade: foo\r\nconnection: upgrade',
    '000 X\r\ncontent-length: 0',
  ])('rejects the status line %j', async (line) => {
    const origin = await sends(`HTTP/1.1 ${line}\r\n\r\n`);
    const failure = await failureOf(direct(origin).send({ ...get(origin), method: 'DELETE' }));
    expect(failure.message).toContain('not valid HTTP');
  });

  it('returns any number of headers', async () => {
    const many = Array.from({ length: 2500 }, (_, at) => `x-${at}: y\r\n`).join('');
    const origin = await sends(`HTTP/1.1 200 OK\r\n${many}link: last\r\ncontent-length: 0\r\n\r\n`);
    const { headers } = await direct(origin).send(get(origin));
    expect(headers.find(([name]) => name === 'link')).toEqual(['link', 'last']);
  });

  it('repeats only a read, and only if a reused connection breaks', async () => {
    let requests = 0;
    const origin = await http((req, res) => {
      requests++;
      if (req.url === '/break') req.socket.resetAndDestroy();
      else if (req.url === '/begin') req.socket.end('HTTP/1.1 200 OK\r\ncontent-ty');
      else res.end('ok');
    });
    const transport = direct(origin);
    const primed = async () => expect(await text(await transport.send(get(origin)))).toBe('ok');
    for (const [method, path, times] of [
      ['GET', '/break', 2],
      ['POST', '/break', 1],
      ['GET', '/begin', 1],
    ] as const) {
      await primed();
      await settled();
      requests = 0;
      await failureOf(transport.send({ ...get(origin, path), method }));
      expect(requests).toBe(times);
    }
  });
});
