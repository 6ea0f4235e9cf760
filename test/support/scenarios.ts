// Faults of the service and the network, as a table. Expectations follow the documentation (output, exit codes, network) and sections 7 and 8 of the specification.
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import type { Kind } from '../../src/errors.ts';
import type { Call } from './faults.ts';

export interface Scenario {
  /** The route below the root of the API. */
  readonly name: string;
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';
  /** JSON of the request body. */
  readonly sends?: unknown;
  /** Requested as a list of all pages instead of one object. */
  readonly list?: true;
  /** `--retry-unsafe` */
  readonly retryUnsafe?: true;
  readonly serve: (call: Call) => void | Promise<void>;
  readonly expect: Expectation;
}

export interface Expectation {
  /** The kind of the failure; absent for a success. */
  readonly kind?: Kind;
  /** The object or the ids of the rows that are printed, also before a failure. */
  readonly prints?: unknown;
  /** Text in the message, its details or hints. */
  readonly includes?: readonly (string | RegExp)[];
  /** Text that must not appear. */
  readonly excludes?: readonly (string | RegExp)[];
  /** Number of requests at the route, with retries and redirects. */
  readonly requests: number;
  /** Bounds for each reported wait, in milliseconds. One retry is allowed. */
  readonly waits?: readonly (readonly [least: number, most: number])[];
}

/** The timeout in milliseconds. */
export const timeout = 400;
export const retries = 1;
/** `--max-wait`, in milliseconds. */
export const maxWait = 5000;
/** The token that is sent; it must not appear anywhere else. */
export const token = 'svcpat-7Hq2Lk9ZxVbN';

const html = '<!DOCTYPE html><html><head><title>Sign in</title></head><body><h1>Sign in</h1></body></html>';
const jsonType = { 'content-type': 'application/json' };
const backoff = [[750, 1250]] as const;

type Headers = Record<string, string | readonly string[]>;

/** Headers of a HEAD request for a file. */
const fileFacts: Headers = { 'x-service-blob-id': '0'.repeat(40) };

function json({ res }: Call, status: number, body: unknown, headers: Headers = {}): void {
  text({ res } as Call, status, JSON.stringify(body), { ...jsonType, ...headers });
}

function text({ res }: Call, status: number, body: string | Buffer, headers: Headers = {}): void {
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value as string);
  res.writeHead(status).end(body);
}

/** The last segment of a URL, as a relative reference. */
const lastOf = (url: string): string => url.slice(url.lastIndexOf('/') + 1);

/** Fails on the first request and succeeds on the second. */
function onceThen(fail: (call: Call) => void): (call: Call) => void {
  return (call) => (call.nth === 1 ? fail(call) : json(call, 200, { id: 7 }));
}

const rows = (...ids: number[]) => ids.map((id) => ({ id }));
const next = (url: string, more = '') => ({ link: `<${url}>; rel="next"${more}` });

/** A list of two pages. @param link the `Link` header of the first */
function twoPages(
  link: (call: Call) => string | readonly string[],
): Pick<Scenario, 'list' | 'serve' | 'expect'> {
  return {
    list: true,
    serve: (call) =>
      call.rest.includes('page=2')
        ? json(call, 200, rows(3))
        : json(call, 200, rows(1, 2), { link: link(call) }),
    expect: { prints: [1, 2, 3], requests: 2 },
  };
}

/** A scenario, or the error response to a write. The number of requests is 1 unless it is given. */
type Definition = Omit<Scenario, 'name' | 'serve' | 'expect'> & {
  readonly expect: Partial<Expectation>;
} & (Pick<Scenario, 'serve'> | { readonly error: readonly [status: number, body: unknown] });
type Definitions = Readonly<Record<string, Definition>>;

function scenarioOf([name, definition]: [string, Definition]): Scenario {
  const expect = { requests: 1, ...definition.expect };
  if (!('error' in definition)) return { name, ...definition, expect };
  const [status, body] = definition.error;
  const serve = (call: Call) =>
    typeof body === 'string' ? text(call, status, body) : json(call, status, body);
  return { name, method: 'PUT', sends: { value: 'x' }, serve, expect };
}

const retryScenarios: Definitions = {
  'throttled-seconds': {
    serve: onceThen((call) => json(call, 429, { message: 'Too many' }, { 'retry-after': '2' })),
    expect: { prints: { id: 7 }, requests: 2, waits: [[2000, 2000]] },
  },
  'throttled-zero': {
    serve: onceThen((call) => json(call, 429, {}, { 'retry-after': '0' })),
    expect: { prints: { id: 7 }, requests: 2, waits: [[0, 0]] },
  },
  'throttled-date': {
    serve: onceThen((call) =>
      json(call, 429, {}, { 'retry-after': new Date(Date.now() + 3000).toUTCString() }),
    ),
    expect: { prints: { id: 7 }, requests: 2, waits: [[1000, 3000]] },
  },
  'throttled-past-date': {
    serve: onceThen((call) => json(call, 429, {}, { 'retry-after': 'Sun, 06 Nov 1994 08:49:37 GMT' })),
    expect: { prints: { id: 7 }, requests: 2, waits: backoff },
  },
  'throttled-garbage': {
    serve: onceThen((call) => json(call, 429, {}, { 'retry-after': 'soon, -5' })),
    expect: { prints: { id: 7 }, requests: 2, waits: backoff },
  },
  'throttled-reset': {
    serve: onceThen((call) =>
      json(call, 429, {}, { 'ratelimit-reset': String(Math.floor(Date.now() / 1000) + 3) }),
    ),
    expect: { prints: { id: 7 }, requests: 2, waits: [[1900, 3000]] },
  },
  'throttled-plain-text': {
    serve: onceThen((call) => text(call, 429, 'Retry later\n', { 'content-type': 'text/plain' })),
    expect: { prints: { id: 7 }, requests: 2, waits: backoff },
  },
  'throttled-for-ever': {
    serve: (call) => text(call, 429, 'Retry later\n', { 'content-type': 'text/plain' }),
    expect: { kind: 'rate_limited', includes: ['Retry later'], requests: 2, waits: backoff },
  },
  'throttled-too-long': {
    serve: (call) => json(call, 429, {}, { 'retry-after': '120' }),
    expect: { kind: 'rate_limited', includes: ['of 2m ', '--max-wait 120'], waits: [] },
  },
  'throttled-write': {
    method: 'POST',
    sends: { name: 'a' },
    serve: onceThen((call) => json(call, 429, {}, { 'retry-after': '1' })),
    expect: { prints: { id: 7 }, requests: 2, waits: [[1000, 1000]] },
  },
  'overloaded-write': {
    method: 'DELETE',
    serve: onceThen((call) => json(call, 503, {})),
    expect: { prints: { id: 7 }, requests: 2, waits: backoff },
  },
  'overloaded-too-long': {
    serve: (call) => json(call, 503, {}, { 'retry-after': '3600' }),
    expect: { kind: 'server_error', includes: ['of 1h '], waits: [] },
  },
  'failed-read': {
    serve: onceThen((call) => json(call, 500, { message: '500 Internal Server Error' })),
    expect: { prints: { id: 7 }, requests: 2, waits: backoff },
  },
  'gateway-read': {
    serve: onceThen((call) => text(call, 502, html, { 'content-type': 'text/html' })),
    expect: { prints: { id: 7 }, requests: 2, waits: backoff },
  },
  'gateway-timeout-read': {
    serve: onceThen((call) => text(call, 504, '')),
    expect: { prints: { id: 7 }, requests: 2, waits: backoff },
  },
  'failed-write': {
    method: 'POST',
    sends: {},
    serve: (call) => json(call, 500, { message: '500 Internal Server Error' }),
    expect: { kind: 'server_error', includes: ['500 Internal Server Error'], waits: [] },
  },
  'failed-write-unsafe': {
    method: 'POST',
    sends: { a: 1 },
    retryUnsafe: true,
    serve: onceThen((call) => json(call, 500, {})),
    expect: { prints: { id: 7 }, requests: 2, waits: backoff },
  },
  'not-implemented': {
    serve: (call) => json(call, 501, { message: 'no' }),
    expect: { kind: 'server_error', includes: ['no'], waits: [] },
  },
};

const brokenOff: Definitions = {
  'reset-before-response': {
    serve: onceThen(({ req }) => void req.socket.resetAndDestroy()),
    expect: { prints: { id: 7 }, requests: 2, waits: backoff },
  },
  'reset-always': {
    serve: ({ req }) => void req.socket.resetAndDestroy(),
    expect: { kind: 'network', includes: ['reset'], excludes: ['fetch failed'], requests: 2, waits: backoff },
  },
  'reset-write': {
    method: 'POST',
    sends: { a: 1 },
    serve: ({ req }) => void req.socket.resetAndDestroy(),
    expect: { kind: 'network', includes: ['reset'], waits: [] },
  },
  'closed-before-response': {
    method: 'PUT',
    sends: { a: 1 },
    serve: ({ req }) => void req.socket.end(),
    expect: {
      kind: 'network',
      includes: ['closed the connection without sending a response'],
      waits: [],
    },
  },
  'silent-headers': {
    method: 'DELETE',
    serve: () => {},
    expect: {
      kind: 'network',
      includes: ['timed out after 0.4 s waiting for response headers', '--timeout'],
      waits: [],
    },
  },
  'silent-headers-read': {
    serve: onceThen(() => {}),
    expect: { prints: { id: 7 }, requests: 2, waits: backoff },
  },
  'silent-body': {
    list: true,
    serve: ({ res }) => void res.writeHead(200, jsonType).write('[{"id":1},'),
    expect: { kind: 'network', includes: ['timed out after 0.4 s waiting for more data'] },
  },
  'slow-but-alive': {
    list: true,
    async serve({ res }) {
      res.writeHead(200, jsonType);
      for (const piece of ['[{"id"', ':1}', ',{"id":', '2}', ']']) {
        res.write(piece);
        await new Promise((resolve) => setTimeout(resolve, timeout / 3));
      }
      res.end();
    },
    expect: { prints: [1, 2] },
  },
  'cut-chunked': {
    list: true,
    serve: ({ req, res }) => {
      res.writeHead(200, jsonType).write('[{"id":1},');
      setTimeout(() => req.socket.end(), 20);
    },
    expect: { kind: 'network', includes: ['before the response was complete'] },
  },
  'cut-length': {
    list: true,
    serve: ({ req, res }) => {
      res.writeHead(200, { ...jsonType, 'content-length': '5000' }).write('[{"id":1},');
      setTimeout(() => req.socket.end(), 20);
    },
    expect: { kind: 'network', includes: [/complete|Content-Length/] },
  },
  'reset-in-body': {
    list: true,
    serve: ({ req, res }) => {
      res.writeHead(200, { ...jsonType, 'content-length': '5000' }).write('[{"id":1},');
      setTimeout(() => req.socket.resetAndDestroy(), 20);
    },
    expect: { kind: 'network', includes: ['while it was sending the response'] },
  },
  'not-http': {
    method: 'PUT',
    sends: { a: 1 },
    serve: ({ req }) => void req.socket.end('220 mail.example ESMTP ready\r\n'),
    expect: { kind: 'network', includes: ['not valid HTTP'] },
  },
  'header-not-http': {
    list: true,
    serve: ({ req }) =>
      void req.socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\nx-name: a\x1bb\r\n\r\n[]'),
    expect: { kind: 'network', includes: ['not valid HTTP'] },
  },
  'headers-without-end': {
    method: 'PUT',
    sends: { a: 1 },
    serve: ({ req }) =>
      void req.socket.write(`HTTP/1.1 200 OK\r\n${`x-filler: ${'y'.repeat(1000)}\r\n`.repeat(90)}\r\n`),
    expect: { kind: 'network', includes: ['headers'] },
  },
};

const redirectScenarios: Definitions = {
  'moved-permanently': {
    serve: (call) =>
      call.rest === ''
        ? json(call, 301, { message: 'moved' }, { location: `${call.url}/new` })
        : json(call, 200, { id: 7 }),
    expect: { prints: { id: 7 }, requests: 2 },
  },
  'moved-relative': {
    serve: (call) =>
      call.rest === ''
        ? json(call, 302, {}, { location: `${lastOf(call.url)}/new?a=%2F` })
        : json(call, 200, { rest: call.rest }),
    expect: { prints: { rest: '/new?a=%2F' }, requests: 2 },
  },
  'moved-head': {
    method: 'HEAD',
    serve: (call) =>
      call.rest === ''
        ? text(call, 301, '', { location: `${call.url}/new` })
        : text(call, 200, '', fileFacts),
    expect: { requests: 2 },
  },
  'moved-write': {
    method: 'POST',
    sends: { a: 1 },
    serve: (call) => json(call, 301, {}, { location: `${call.url}/new` }),
    expect: { kind: 'rejected', includes: ['/moved-write/new', 'POST', 'moved'] },
  },
  'found-write': {
    method: 'DELETE',
    serve: (call) => json(call, 302, {}, { location: `${call.url}/new` }),
    expect: { kind: 'server_error', includes: ['/found-write/new'] },
  },
  'see-other-write': {
    method: 'PUT',
    sends: {},
    serve: (call) => json(call, 303, {}, { location: `${call.url}/new` }),
    expect: { kind: 'server_error', includes: ['/see-other-write/new'] },
  },
  'temporary-write': {
    method: 'POST',
    sends: { a: 1 },
    serve: (call) =>
      call.rest === ''
        ? json(call, 307, {}, { location: `${call.url}/new` })
        : json(call, 201, { method: call.req.method, body: call.body.toString() }),
    expect: { prints: { method: 'POST', body: '{"a":1}' }, requests: 2 },
  },
  'permanent-write': {
    method: 'PUT',
    sends: { a: 2 },
    serve: (call) =>
      call.rest === ''
        ? json(call, 308, {}, { location: `${call.url}/new` })
        : json(call, 200, { method: call.req.method, body: call.body.toString() }),
    expect: { prints: { method: 'PUT', body: '{"a":2}' }, requests: 2 },
  },
  'redirect-elsewhere': {
    serve: (call) => json(call, 302, {}, { location: `${call.elsewhere}/steal?sig=abc` }),
    expect: {
      kind: 'server_error',
      includes: ['another origin', 'http://127.0.0.1:'],
      excludes: ['sig=abc'],
    },
  },
  'redirect-elsewhere-write': {
    method: 'POST',
    sends: { a: 1 },
    serve: (call) => json(call, 307, {}, { location: `${call.elsewhere}/steal` }),
    expect: { kind: 'server_error', includes: ['another origin'] },
  },
  'redirect-no-scheme': {
    serve: (call) => json(call, 302, {}, { location: call.elsewhere.replace('http:', '') }),
    expect: { kind: 'server_error', includes: ['another origin'] },
  },
  'redirect-other-scheme': {
    serve: (call) => json(call, 302, {}, { location: call.url.replace('http:', 'https:') }),
    expect: { kind: 'server_error', includes: ['https://127.0.0.1'] },
  },
  'redirect-file': {
    serve: (call) => json(call, 302, {}, { location: 'file:///etc/passwd' }),
    expect: { kind: 'server_error', includes: ['another origin'], excludes: ['root:'] },
  },
  'redirect-login': {
    serve: (call) =>
      call.rest === ''
        ? text(call, 302, html, { location: `${call.url}/sign_in`, 'content-type': 'text/html' })
        : text(call, 200, html, { 'content-type': 'text/html; charset=utf-8' }),
    expect: { kind: 'server_error', includes: ['HTML'], excludes: ['<h1>', 'DOCTYPE'], requests: 2 },
  },
  'redirect-loop': {
    serve: (call) => json(call, 302, {}, { location: call.rest === '' ? `${call.url}/a` : call.url }),
    expect: { kind: 'server_error', includes: ['redirect loop'], requests: 2 },
  },
  'redirect-without-end': {
    serve: (call) => json(call, 302, {}, { location: `${call.url}/${call.nth}` }),
    expect: { kind: 'server_error', includes: ['too many redirects'], requests: 11 },
  },
  'redirect-nowhere': {
    serve: (call) => json(call, 301, {}),
    expect: { kind: 'server_error', includes: ['Location'] },
  },
};

const linkScenarios: Definitions = {
  pages: twoPages(({ url }) => `<${url}?page=2>; rel="next"`),
  'pages-relative': twoPages(({ url }) => `<${lastOf(url)}?page=2>; rel=next`),
  'pages-many-rel': twoPages(
    ({ url }) => `<${url}?page=1>; rel="first prev", <${url}?page=2>; title="a,b;c"; rel="last NEXT"`,
  ),
  'pages-many-lines': twoPages(({ url }) => [`<${url}?page=1>; rel="first"`, `<${url}?page=2>; rel="next"`]),
  'pages-commas': twoPages(({ url }) => `<${url}?a=1,2;3&page=2>; foo="<x>; rel=\\"next\\""; rel="next"`),
  'pages-garbage': twoPages(
    ({ url }) => `rubbish, <>;;; , <${url}?page=9; rel=next, <${url}?page=2>; rel=next`,
  ),
  'pages-empty-with-next': {
    list: true,
    serve: (call) =>
      call.rest.includes('page=2')
        ? json(call, 200, rows(3))
        : json(call, 200, [], next(`${call.url}?page=2`)),
    expect: { prints: [3], requests: 2 },
  },
  'pages-elsewhere': {
    list: true,
    serve: (call) => json(call, 200, rows(1, 2), next(`${call.elsewhere}/api/v4/x?page=2`)),
    expect: {
      kind: 'server_error',
      prints: [1, 2],
      includes: ['http://127.0.0.1:', 'not followed'],
    },
  },
  'pages-no-url': {
    list: true,
    serve: (call) => json(call, 200, rows(1, 2), { link: '<http://[bad>; rel=next' }),
    expect: { kind: 'server_error', prints: [1, 2], includes: ['not a URL', 'pages-no-url'] },
  },
  'pages-same': {
    list: true,
    serve: (call) => json(call, 200, rows(1), next(call.url)),
    expect: { kind: 'server_error', prints: [1], includes: ['repeats an earlier page'] },
  },
  'pages-loop': {
    list: true,
    serve: (call) =>
      json(call, 200, rows(call.nth), next(`${call.url}?page=${call.rest.includes('page=2') ? 1 : 2}`)),
    expect: { kind: 'server_error', prints: [1, 2, 3], includes: ['repeats an earlier page'], requests: 3 },
  },
  'pages-second-fails': {
    list: true,
    serve: (call) =>
      call.rest.includes('page=2')
        ? json(call, 403, { message: '403 Forbidden' })
        : json(call, 200, rows(1, 2), next(`${call.url}?page=2`)),
    expect: {
      kind: 'auth',
      prints: [1, 2],
      includes: ['403 Forbidden', 'pages-second-fails?page=2'],
      requests: 2,
    },
  },
  'pages-second-html': {
    list: true,
    serve: (call) =>
      call.rest.includes('page=2')
        ? text(call, 200, html, { 'content-type': 'text/html' })
        : json(call, 200, rows(1, 2), next(`${call.url}?page=2`)),
    expect: {
      kind: 'server_error',
      prints: [1, 2],
      includes: ['HTML', 'page=2'],
      excludes: ['DOCTYPE'],
      requests: 2,
    },
  },
  'pages-second-reset': {
    list: true,
    serve: (call) =>
      call.rest.includes('page=2')
        ? void call.req.socket.resetAndDestroy()
        : json(call, 200, rows(1, 2), { ...next(`${call.url}?page=2`), connection: 'close' }),
    expect: { kind: 'network', prints: [1, 2], includes: ['reset', 'page=2'], requests: 3, waits: backoff },
  },
  'pages-second-throttled': {
    list: true,
    serve: (call) =>
      !call.rest.includes('page=2')
        ? json(call, 200, rows(1, 2), next(`${call.url}?page=2`))
        : call.nth === 2
          ? json(call, 429, {}, { 'retry-after': '1' })
          : json(call, 200, rows(3)),
    expect: { prints: [1, 2, 3], requests: 3, waits: [[1000, 1000]] },
  },
};

const bodyScenarios: Definitions = {
  'html-login': {
    serve: (call) => text(call, 200, html, { 'content-type': 'text/html; charset=utf-8' }),
    expect: { kind: 'server_error', includes: ['HTML', 'login'], excludes: ['<h1>', 'DOCTYPE'] },
  },
  'html-mislabelled': {
    serve: (call) => text(call, 200, `\n  ${html}`, jsonType),
    expect: { kind: 'server_error', includes: ['HTML'], excludes: ['<h1>'] },
  },
  'html-502-write': {
    method: 'POST',
    sends: {},
    serve: (call) => text(call, 502, html, { 'content-type': 'text/html' }),
    expect: {
      kind: 'server_error',
      includes: ['502 Bad Gateway', 'HTML'],
      excludes: ['<h1>', 'DOCTYPE'],
    },
  },
  'html-404': {
    serve: (call) => text(call, 404, html, { 'content-type': 'text/html' }),
    expect: {
      kind: 'not_found',
      includes: ['404 Not Found', 'HTML'],
      excludes: ['<h1>', 'DOCTYPE'],
    },
  },
  'plain-text': {
    serve: (call) => text(call, 200, 'OK', { 'content-type': 'text/plain' }),
    expect: { kind: 'server_error', includes: ['not JSON'] },
  },
  'json-truncated': {
    serve: (call) => text(call, 200, '{"id":7,"name":"ro', jsonType),
    expect: { kind: 'server_error' },
  },
  empty: {
    serve: (call) => text(call, 200, '', jsonType),
    expect: { kind: 'server_error', includes: ['empty'] },
  },
  'white-space': {
    serve: (call) => text(call, 200, ' \r\n\t', jsonType),
    expect: { kind: 'server_error', includes: ['empty'] },
  },
  'no-content': {
    method: 'DELETE',
    serve: (call) => text(call, 204, ''),
    expect: {},
  },
  'accepted-empty': {
    method: 'POST',
    sends: {},
    serve: (call) => text(call, 202, ''),
    expect: {},
  },
  'byte-order-mark': {
    serve: (call) => text(call, 200, '\uFEFF{"id":7}', jsonType),
    expect: { prints: { id: 7 } },
  },
  'byte-order-mark-split': {
    async serve({ res }) {
      res.writeHead(200, jsonType);
      for (const byte of Buffer.from('\uFEFF {"id":7}')) {
        res.write(Buffer.of(byte));
        await new Promise((resolve) => setImmediate(resolve));
      }
      res.end();
    },
    expect: { prints: { id: 7 } },
  },
  'no-content-type': {
    serve: (call) => text(call, 200, '{"id":7}'),
    expect: { prints: { id: 7 } },
  },
  gzip: {
    serve: (call) => text(call, 200, gzipSync('{"id":7}'), { ...jsonType, 'content-encoding': 'gzip' }),
    expect: { prints: { id: 7 } },
  },
  brotli: {
    serve: (call) =>
      text(call, 200, brotliCompressSync('{"id":7}'), { ...jsonType, 'content-encoding': 'br' }),
    expect: { prints: { id: 7 } },
  },
  deflate: {
    serve: (call) => text(call, 200, deflateSync('{"id":7}'), { ...jsonType, 'content-encoding': 'deflate' }),
    expect: { prints: { id: 7 } },
  },
  'deflate-raw': {
    serve: (call) =>
      text(call, 200, deflateRawSync('{"id":7}'), { ...jsonType, 'content-encoding': 'deflate' }),
    expect: { prints: { id: 7 } },
  },
  'gzip-twice': {
    serve: (call) =>
      text(call, 200, brotliCompressSync(gzipSync('{"id":7}')), {
        ...jsonType,
        'content-encoding': 'gzip, br',
      }),
    expect: { prints: { id: 7 } },
  },
  'gzip-empty': {
    method: 'POST',
    sends: {},
    serve: (call) => text(call, 202, '', { 'content-encoding': 'gzip' }),
    expect: {},
  },
  'gzip-head': {
    method: 'HEAD',
    serve: (call) =>
      text(call, 200, '', { ...fileFacts, 'content-encoding': 'gzip', 'content-length': '123' }),
    expect: {},
  },
  'gzip-damaged': {
    serve: (call) => {
      const bytes = gzipSync(JSON.stringify({ id: 7, text: 'abcdefghij'.repeat(50) }));
      bytes[20]! ^= 0xff;
      text(call, 200, bytes, { ...jsonType, 'content-encoding': 'gzip' });
    },
    expect: { kind: 'server_error', includes: ['gzip'] },
  },
  'gzip-cut': {
    serve: (call) =>
      text(call, 200, gzipSync(JSON.stringify({ id: 7 })).subarray(0, 15), {
        ...jsonType,
        'content-encoding': 'gzip',
      }),
    expect: { kind: 'server_error', includes: ['gzip'] },
  },
  'gzip-claimed': {
    serve: (call) => text(call, 200, '{"id":7}', { ...jsonType, 'content-encoding': 'gzip' }),
    expect: { kind: 'server_error', includes: ['gzip'] },
  },
  'brotli-damaged': {
    serve: (call) =>
      text(call, 200, Buffer.from('not brotli at all'), { ...jsonType, 'content-encoding': 'br' }),
    expect: { kind: 'server_error', includes: ['br'] },
  },
  'unknown-encoding': {
    serve: (call) => text(call, 200, 'x', { ...jsonType, 'content-encoding': 'zopfli' }),
    expect: { kind: 'server_error', includes: ['zopfli'] },
  },
};

const errorScenarios: Definitions = {
  unauthorized: {
    error: [401, { message: '401 Unauthorized' }],
    expect: { kind: 'auth', includes: ['401 Unauthorized'] },
  },
  revoked: {
    error: [401, { error: 'invalid_token', error_description: 'Token was revoked.' }],
    expect: { kind: 'auth', includes: ['Token was revoked.', 'invalid_token'] },
  },
  'wrong-scope': {
    error: [
      403,
      { error: 'insufficient_scope', error_description: 'Too few privileges.', scope: 'api read_api' },
    ],
    expect: { kind: 'auth', includes: ['Too few privileges', 'api read_api'] },
  },
  forbidden: {
    error: [403, { message: '403 Forbidden' }],
    expect: { kind: 'auth', includes: ['403 Forbidden'] },
  },
  'not-found': {
    error: [404, { message: '404 Project Not Found' }],
    expect: { kind: 'not_found', includes: ['404 Project Not Found'] },
  },
  gone: { error: [410, {}], expect: { kind: 'not_found', includes: ['410 Gone'] } },
  'missing-attribute': {
    error: [400, { message: '400 (Bad request) "key" not given' }],
    expect: { kind: 'rejected', includes: ['"key" not given'] },
  },
  'error-text': {
    error: [400, { error: 'name is missing, name is empty' }],
    expect: { kind: 'rejected', includes: ['name is missing, name is empty'] },
  },
  'message-list': {
    error: [400, { message: ['first is wrong', 'second is wrong'] }],
    expect: { kind: 'rejected', includes: ['first is wrong', 'second is wrong'] },
  },
  'field-map': {
    error: [400, { message: { key: ['is too long (maximum is 255 characters)', 'is odd'], base: ['no'] } }],
    expect: {
      kind: 'rejected',
      includes: [/^key: is too long \(maximum is 255 characters\), is odd$/m],
      excludes: ['[object Object]'],
    },
  },
  'nested-map': {
    error: [422, { message: { name: ['is taken'], config: { url: ['is blocked', 'is bad'] } } }],
    expect: {
      kind: 'rejected',
      includes: [/^name: is taken$/m, /^config\.url: is blocked, is bad$/m],
      excludes: ['[object Object]'],
    },
  },
  'list-of-maps': {
    error: [422, { errors: [{ title: 'wrong' }, { title: 'worse' }] }],
    expect: { kind: 'rejected', includes: ['title: wrong', 'title: worse'], excludes: ['[object Object]'] },
  },
  'odd-values': {
    error: [400, { message: { depth: [1, null, true, { a: { b: [2] } }] } }],
    expect: { kind: 'rejected', includes: ['depth'], excludes: ['[object Object]'] },
  },
  'top-list': {
    error: [400, ['one', { two: 'three' }]],
    expect: { kind: 'rejected', includes: ['one', 'two: three'], excludes: ['[object Object]'] },
  },
  'wrong-method': {
    error: [405, { error: '405 Method Not Allowed' }],
    expect: { kind: 'rejected', includes: ['405'] },
  },
  conflict: {
    error: [409, { message: 'Branch already exists' }],
    expect: { kind: 'rejected', includes: ['Branch already exists'] },
  },
  precondition: {
    error: [412, { message: '412 Precondition Failed' }],
    expect: { kind: 'rejected', includes: ['412'] },
  },
  'url-too-long': { error: [414, ''], expect: { kind: 'rejected', includes: ['414', 'body'] } },
  spam: {
    error: [400, { message: { error: 'Your snippet has been recognized as spam.' } }],
    expect: { kind: 'rejected', includes: [/^Your snippet has been recognized as spam\.$/m] },
  },
  captcha: {
    error: [
      409,
      {
        needs_captcha_response: true,
        spam_log_id: 42,
        captcha_site_key: 'site-key-1',
        message: { error: 'Please solve the CAPTCHA.' },
      },
    ],
    expect: {
      kind: 'rejected',
      includes: ['Please solve the CAPTCHA.', 'site-key-1', '--captcha-response', '--spam-log-id 42'],
    },
  },
  teapot: {
    error: [418, { message: 'short and stout' }],
    expect: { kind: 'server_error', includes: ['short and stout'] },
  },
  'unknown-status': { error: [499, ''], expect: { kind: 'server_error', includes: ['499'] } },
  'json-scalar': { error: [400, '"just text"'], expect: { kind: 'rejected', includes: ['just text'] } },
  'broken-json-error': { error: [400, '{"message": "cut'], expect: { kind: 'rejected', includes: ['cut'] } },
  'control-characters': {
    error: [400, { message: '\u001b]0;owned\u0007\u009b31mred\nline' }],
    expect: {
      kind: 'rejected',
      includes: ['red line'],
      excludes: [/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/],
    },
  },
  'huge-error': {
    error: [400, { message: 'x'.repeat(200_000) }],
    expect: { kind: 'rejected', excludes: [/x{5000}/] },
  },
  'token-echoed': {
    serve: (call) => {
      const sent = call.req.headers['private-token'] as string;
      json(call, 401, { message: `token ${sent} is unknown`, [sent]: [encodeURIComponent(sent)] });
    },
    expect: { kind: 'auth', includes: ['token *** is unknown'], excludes: [token] },
  },
  'token-in-redirect': {
    serve: (call) =>
      json(
        call,
        302,
        {},
        { location: `${call.url}?private_token=${call.req.headers['private-token']}&n=${call.nth}` },
      ),
    expect: { kind: 'server_error', includes: ['too many redirects'], excludes: [token], requests: 11 },
  },
  'error-cut': {
    method: 'PUT',
    sends: {},
    serve: ({ req, res }) => {
      res.writeHead(409, { ...jsonType, 'content-length': '500' }).write('{"message":"Conf');
      setTimeout(() => req.socket.end(), 20);
    },
    expect: { kind: 'rejected', includes: ['Conf'] },
  },
};

export const scenarios: readonly Scenario[] = Object.entries({
  ...retryScenarios,
  ...brokenOff,
  ...redirectScenarios,
  ...linkScenarios,
  ...bodyScenarios,
  ...errorScenarios,
}).map(scenarioOf);
