// What every transport is held to.
import { createServer as createHttp, type RequestListener } from 'node:http';
import { createServer as createTcp } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Failure } from '../../src/errors.ts';
import { isBrokenOff } from '../../src/http/errors/network.ts';
import type { TransportOptions } from '../../src/http/transport.ts';
import { authority, client, selfSigned, server as serverPair } from '../support/certificates.ts';
import { failureOf, get, origins, text } from '../support/origins.ts';
import { type Carriers, kinds, startCarriers } from '../support/transports.ts';

const { cleanups, listen, http, https, opened } = origins();
const settled = () => new Promise((resolve) => setTimeout(resolve, 30));

let transports: Carriers;
beforeAll(async () => {
  transports = await startCarriers();
});
afterAll(() => transports.close());

describe.each(kinds)('the %s transport', (kind) => {
  const open = (origin: string, options: Partial<TransportOptions> = {}) =>
    opened(transports.open(kind, origin, { timeout: 1000, ...options }));

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

    it('is told to be nothing where a method means a body, and there is none', async () => {
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
    ])('is refused where it is %s than was announced, and nothing behind that is sent', async (_, length) => {
      let body = '';
      const origin = await http(
        (req) => void req.on('data', (chunk) => (body += chunk)).on('error', () => {}),
      );
      const stream = async function* () {
        yield Buffer.from('ab');
        await settled();
        yield Buffer.from('cd');
      };
      const sent = open(origin).send({ ...get(origin), method: 'POST', body: { open: stream, length } });
      expect(await failureOf(sent)).toMatchObject({
        kind: 'internal',
        message: 'what was to be sent changed its size meanwhile',
      });
      expect('abcd'.slice(0, length).startsWith(body)).toBe(true);
    });

    it('ends with the Failure of a body that breaks', async () => {
      const origin = await http((req) => req.resume());
      const broken = new Failure('internal', 'the file is gone');
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

  describe('a connection', () => {
    /** An origin that counts its connections. */
    async function counting(serve: RequestListener) {
      const server = createHttp(serve);
      let connections = 0;
      server.on('connection', () => connections++);
      return { origin: `http://127.0.0.1:${await listen(server)}`, server, count: () => connections };
    }

    it('serves one request after another, whatever it answered', async () => {
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

    it('that the service closed meanwhile is replaced', async () => {
      const { origin, server, count } = await counting((_, res) => res.end('ok'));
      server.keepAliveTimeout = 1;
      const transport = open(origin);
      expect(await text(await transport.send(get(origin)))).toBe('ok');
      server.closeIdleConnections();
      await settled();
      expect(await text(await transport.send(get(origin)))).toBe('ok');
      expect(count()).toBe(2);
    });

    it('is one more where all are busy', async () => {
      const { origin, count } = await counting((_, res) => setTimeout(() => res.end('ok'), 50));
      const transport = open(origin);
      const sent = [1, 2, 3].map(() => transport.send(get(origin)).then(text));
      expect(await Promise.all(sent)).toEqual(['ok', 'ok', 'ok']);
      expect(count()).toBe(3);
    });

    it('whose answer did not wait for the request is given up, and the next request gets another', async () => {
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
            await new Promise((resolve) => setTimeout(resolve, 5));
          }
        } finally {
          stopped = true;
        }
      };
      const reply = await transport.send({ ...get(origin), method: 'POST', body: { open: endless } });
      expect([reply.status, await text(reply)]).toEqual([413, 'too large']);
      expect(await text(await transport.send(get(origin)))).toBe('ok');
      await expect.poll(() => stopped).toBe(true);
    });

    it('that is closed behind a whole answer leaves it whole, however slow the reader', async () => {
      for (const size of [600_000, 700_000, 1_000_000]) {
        const { origin } = await counting((_, res) =>
          res.writeHead(200, { connection: 'close', 'content-length': size }).end(Buffer.alloc(size)),
        );
        const reply = await open(origin).send(get(origin));
        let read = 0;
        for await (const chunk of reply.body) {
          if (read === 0) await new Promise((resolve) => setTimeout(resolve, 150));
          read += chunk.length;
        }
        expect(read).toBe(size);
      }
    });

    it.each(['with its length', 'to its end'])(
      'that is closed behind a body %s, which fills what is kept for the reader',
      async (how) => {
        for (let size = 520 * 1024; size <= 720 * 1024; size += 20 * 1024) {
          const length = how === 'to its end' ? '' : `content-length: ${size}\r\n`;
          const port = await listen(
            createTcp((socket) => {
              socket.on('error', () => {});
              socket.once('data', () => {
                socket.write(`HTTP/1.1 200 OK\r\nconnection: close\r\n${length}\r\n`);
                socket.end(Buffer.alloc(size));
              });
            }),
          );
          const origin = `http://127.0.0.1:${port}`;
          const reply = await open(origin).send(get(origin));
          await new Promise((resolve) => setTimeout(resolve, 60));
          expect((await text(reply)).length).toBe(size);
        }
      },
    );

    it('that is reset under a slow reader is told as such, after what came in good order', async () => {
      const size = 700 * 1024;
      const port = await listen(
        createTcp((socket) => {
          socket.on('error', () => {});
          socket.once('data', () => {
            socket.write(`HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: ${size * 2}\r\n\r\n`);
            socket.write(Buffer.alloc(size));
            setTimeout(() => socket.resetAndDestroy(), 100);
          });
        }),
      );
      const origin = `http://127.0.0.1:${port}`;
      const reply = await open(origin).send(get(origin));
      await new Promise((resolve) => setTimeout(resolve, 250));
      let read = 0;
      const all = async () => {
        for await (const chunk of reply.body) read += chunk.length;
      };
      expect((await failureOf(all())).message).toMatch(
        /reset the connection in the middle|before the answer was complete|fewer or more bytes/,
      );
      expect(read).toBeGreaterThan(400 * 1024);
    });

    it('that is closed behind each answer, without a word, costs nothing: neither reads nor changes', async () => {
      const { origin, count } = await counting((req, res) => {
        res.on('finish', () => req.socket.end());
        res.end('ok');
      });
      const transport = open(origin);
      for (const method of ['GET', 'GET', 'POST', 'DELETE', 'GET'])
        expect(await text(await transport.send({ ...get(origin), method }))).toBe('ok');
      expect(count()).toBe(5);
    });

    it('ends with the transport, and what was under way fails at once, with nothing to be tried again', async () => {
      const { origin } = await counting(() => {});
      const transport = open(origin, { timeout: 60_000 });
      const sent = failureOf(transport.send(get(origin)));
      await settled();
      await transport.close();
      expect(isBrokenOff(await sent)).toBe(false);
    });
  });

  describe('time', () => {
    it('is not counted while the reader takes his', async () => {
      const size = 8 * 1024 * 1024;
      const origin = await http((_, res) => res.end(Buffer.alloc(size)));
      const reply = await open(origin, { timeout: 100 }).send(get(origin));
      let read = 0;
      for await (const chunk of reply.body) {
        if (read === 0) await new Promise((resolve) => setTimeout(resolve, 400));
        read += chunk.length;
      }
      expect(read).toBe(size);
    });

    it('is not counted while what is sent has yet to be made', async () => {
      const origin = await http(async (req, res) => {
        let body = '';
        for await (const chunk of req) body += chunk;
        res.end(body);
      });
      const slow = async function* () {
        for (const part of ['a', 'b', 'c']) {
          yield Buffer.from(part);
          await new Promise((resolve) => setTimeout(resolve, 250));
        }
      };
      const sent = open(origin, { timeout: 100 }).send({
        ...get(origin),
        method: 'PUT',
        body: { open: slow },
      });
      expect(await text(await sent)).toBe('abc');
    });

    it('bounds the making of a connection, also where what is sent has yet to be made', async () => {
      const port = await listen(createTcp((socket) => socket.resume().on('error', () => {})));
      const never = async function* () {
        await new Promise(() => {});
        yield Buffer.from('');
      };
      const origin = `https://127.0.0.1:${port}`;
      const sent = open(origin, { timeout: 200 }).send({
        ...get(origin),
        method: 'POST',
        body: { open: never },
      });
      expect((await failureOf(sent)).message).toMatch(/within 0\.2 s$/);
    });

    it('ends a request that the service does not read', async () => {
      const origin = await http(() => {});
      const endless = async function* () {
        for (;;) yield Buffer.alloc(1024 * 1024);
      };
      const sent = open(origin, { timeout: 200 }).send({
        ...get(origin),
        method: 'PUT',
        body: { open: endless },
      });
      expect((await failureOf(sent)).message).toContain('gave no answer within 0.2 s');
    });

    it('ends a wait for an answer, and a silence within one', async () => {
      const origin = await http((req, res) => {
        if (req.url === '/half') res.write('half');
      });
      const transport = open(origin, { timeout: 200 });
      const none = await failureOf(transport.send(get(origin)));
      expect(none.message).toContain('gave no answer within 0.2 s');
      const half = await failureOf(transport.send(get(origin, '/half')).then(text));
      expect(half.message).toContain('went silent for 0.2 s');
      expect([none, half].map(isBrokenOff)).toEqual([true, true]);
    });
  });
});

describe('the direct transport', () => {
  const direct = (origin: string, options: Partial<TransportOptions> = {}) =>
    opened(transports.open('direct', origin, { timeout: 1000, ...options }));

  /** An origin that answers each request with these bytes. */
  const raw = async (answer: string) =>
    `http://127.0.0.1:${await listen(
      createTcp((socket) => {
        socket.on('error', () => {});
        socket.on('data', () => socket.write(answer));
      }),
    )}`;

  it('passes over an interim answer that nobody asked for', async () => {
    const origin = await http((_, res) => {
      res.writeContinue();
      res.writeEarlyHints({ link: '</x>; rel=preload' });
      res.end('final');
    });
    const reply = await direct(origin).send(get(origin));
    expect([reply.status, await text(reply)]).toEqual([200, 'final']);
  });

  it('takes an answer for whole, whatever stands behind it', async () => {
    const origin = await raw('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nokgarbage');
    expect(await text(await direct(origin).send(get(origin)))).toBe('ok');
  });

  it('hands on what came in good order before something that is not HTTP', async () => {
    const origin = await raw('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\nXYZ\r\n');
    const { body } = await direct(origin).send(get(origin));
    const chunks: string[] = [];
    const read = async () => {
      for await (const chunk of body) chunks.push(Buffer.from(chunk).toString());
    };
    expect((await failureOf(read())).message).toContain('is not HTTP');
    expect(chunks).toEqual(['ok']);
  });

  it.each([
    '101 Switching Protocols\r\ncontent-length: 0',
    '101 Switching Protocols\r\nupgrade: foo\r\nconnection: upgrade',
    '000 X\r\ncontent-length: 0',
  ])('takes %j for no answer', async (line) => {
    const origin = await raw(`HTTP/1.1 ${line}\r\n\r\n`);
    const failure = await failureOf(direct(origin).send({ ...get(origin), method: 'DELETE' }));
    expect(failure.message).toContain('is not HTTP');
  });

  it('leaves out no header, however many there are', async () => {
    const many = Array.from({ length: 2500 }, (_, at) => `x-${at}: y\r\n`).join('');
    const origin = await raw(`HTTP/1.1 200 OK\r\n${many}link: last\r\ncontent-length: 0\r\n\r\n`);
    const { headers } = await direct(origin).send(get(origin));
    expect(headers.find(([name]) => name === 'link')).toEqual(['link', 'last']);
  });

  it('asks once more where a kept connection breaks under a request that changes nothing, and only there', async () => {
    let asked = 0;
    const origin = await http((req, res) => {
      asked++;
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
      asked = 0;
      await failureOf(transport.send({ ...get(origin, path), method }));
      expect(asked).toBe(times);
    }
  });
});
