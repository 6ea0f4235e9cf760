// Faults of the service and the network, as a table. Expectations follow the documentation (output, exit codes, network) and sections 7 and 8 of the specification.
import type { OutgoingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { Kind } from '../../src/errors.ts';
import type { Call } from './faults.ts';

export interface Scenario extends Expectation {
  /** The route below the root of the API. */
  readonly name: string;
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';
  /** Requested as a list of all pages instead of one object. */
  readonly list?: true;
  /** `--retry-unsafe` */
  readonly retryUnsafe?: true;
  readonly serve: (call: Call) => void | Promise<void>;
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
  readonly waits: readonly (readonly [least: number, most: number])[];
}

/**
 * The timeout in milliseconds: short for scenarios that time out or need longer than it, and long for the others, in case the machine
 * is busy.
 */
export function timeoutOf({ name, includes = [] }: Scenario): number {
  if (includes.some((part) => String(part).includes('2.5 s'))) return 2_500;
  return /^(silent|slow)-/.test(name) ? 1_500 : 20_000;
}
export const retries = 1;
/** `--max-wait`, in milliseconds. */
export const maxWait = 5000;
/** The token that is sent; it must not appear anywhere else. */
export const token = 'svcpat-7Hq2Lk9ZxVbN';

/** The body of each POST and PUT. */
export const sentBody = '{"a":1}';

type Serve = Scenario['serve'];
type Headers = OutgoingHttpHeaders;
type Texts = readonly (string | RegExp)[];

/** A scenario. Unless they are given, there is 1 request and no wait. */
type Definition = Pick<Scenario, 'serve'> & Partial<Omit<Scenario, 'name'>>;
type Definitions = Readonly<Record<string, Definition>>;

const html = '<!DOCTYPE html><html><head><title>Sign in</title></head><body><h1>Sign in</h1></body></html>';
const jsonType = { 'content-type': 'application/json' };
const htmlType = { 'content-type': 'text/html' };
const plainType = { 'content-type': 'text/plain' };
/** Headers of a HEAD request for a file. */
const fileFacts = { 'x-service-blob-id': '0'.repeat(40) };

/** Send a text, or JSON. */
function respond(status: number, body: unknown, headers: Headers | ((call: Call) => Headers) = {}): Serve {
  return (call) => {
    const own = typeof headers === 'function' ? headers(call) : headers;
    if (typeof body === 'string' || Buffer.isBuffer(body)) call.res.writeHead(status, own).end(body);
    else call.res.writeHead(status, { ...jsonType, ...own }).end(JSON.stringify(body));
  };
}

const succeed = respond(200, { id: 7 });
const reset: Serve = ({ req }) => void req.socket.resetAndDestroy();
const sendAndClose =
  (bytes: string): Serve =>
  ({ req }) =>
    void req.socket.end(bytes);

/** Send the first row of a list, and then act on the connection. */
const breakOff =
  (act: (socket: Socket) => void, headers: Headers = {}): Serve =>
  ({ req, res }) => {
    res.writeHead(200, { ...jsonType, ...headers }).write('[{"id":1},');
    setTimeout(() => act(req.socket), 20);
  };

const prints = (serve: Serve, printed: unknown = { id: 7 }, requests = 1): Definition => ({
  serve,
  prints: printed,
  requests,
});
const fails = (kind: Kind, includes: Texts, serve: Serve, more: Partial<Definition> = {}): Definition => ({
  serve,
  kind,
  includes,
  ...more,
});

const backoff = [[750, 1250]] as const;

/** Fails on the first request and succeeds on the second. */
const recovers = (fail: Serve, waits: Expectation['waits'] = backoff): Definition => ({
  serve: (call) => (call.nth === 1 ? fail(call) : succeed(call)),
  prints: { id: 7 },
  requests: 2,
  waits,
});

const retryScenarios: Definitions = {
  'throttled-seconds': recovers(respond(429, { message: 'Too many' }, { 'retry-after': '2' }), [
    [2000, 2000],
  ]),
  'throttled-zero': recovers(respond(429, {}, { 'retry-after': '0' }), [[0, 0]]),
  'throttled-date': recovers(
    respond(429, {}, () => ({ 'retry-after': new Date(Date.now() + 3000).toUTCString() })),
    [[1000, 3000]],
  ),
  'throttled-past-date': recovers(respond(429, {}, { 'retry-after': 'Sun, 06 Nov 1994 08:49:37 GMT' })),
  'throttled-garbage': recovers(respond(429, {}, { 'retry-after': 'soon, -5' })),
  'throttled-reset': recovers(
    respond(429, {}, () => ({ 'ratelimit-reset': String(Math.floor(Date.now() / 1000) + 3) })),
    [[1900, 3000]],
  ),
  'throttled-plain-text': recovers(respond(429, 'Retry later\n', plainType)),
  'throttled-for-ever': fails('rate_limited', ['Retry later'], respond(429, 'Retry later\n', plainType), {
    requests: 2,
    waits: backoff,
  }),
  'throttled-too-long': fails(
    'rate_limited',
    ['of 2m ', '--max-wait 120'],
    respond(429, {}, { 'retry-after': '120' }),
  ),
  'throttled-write': {
    method: 'POST',
    ...recovers(respond(429, {}, { 'retry-after': '1' }), [[1000, 1000]]),
  },
  'overloaded-write': { method: 'DELETE', ...recovers(respond(503, {})) },
  'overloaded-too-long': fails('server_error', ['of 1h '], respond(503, {}, { 'retry-after': '3600' })),
  'failed-read': recovers(respond(500, { message: '500 Internal Server Error' })),
  'gateway-read': recovers(respond(502, html, htmlType)),
  'gateway-timeout-read': recovers(respond(504, '')),
  'failed-write': fails(
    'server_error',
    ['500 Internal Server Error'],
    respond(500, { message: '500 Internal Server Error' }),
    { method: 'POST' },
  ),
  'failed-write-unsafe': { method: 'POST', retryUnsafe: true, ...recovers(respond(500, {})) },
  'not-implemented': fails('server_error', ['no'], respond(501, { message: 'no' })),
};

const brokenOff: Definitions = {
  'reset-before-response': recovers(reset),
  'reset-always': fails('network', ['reset'], reset, {
    excludes: ['fetch failed'],
    requests: 2,
    waits: backoff,
  }),
  'reset-write': fails('network', ['reset'], reset, { method: 'POST' }),
  'closed-before-response': fails(
    'network',
    ['closed the connection without sending a response'],
    sendAndClose(''),
    { method: 'PUT' },
  ),
  'silent-headers': fails(
    'network',
    ['timed out after 2.5 s waiting for response headers', '--timeout'],
    () => {},
    { method: 'DELETE' },
  ),
  'silent-headers-read': recovers(() => {}),
  'silent-body': fails(
    'network',
    ['timed out after 2.5 s waiting for more data'],
    breakOff(() => {}),
    { list: true },
  ),
  'slow-but-alive': {
    list: true,
    async serve({ res }) {
      res.writeHead(200, jsonType);
      for (const piece of ['[{"id"', ':1}', ',{"id":', '2}', ']']) {
        res.write(piece);
        await new Promise((resolve) => setTimeout(resolve, 400));
      }
      res.end();
    },
    prints: [1, 2],
  },
  'cut-chunked': fails(
    'network',
    ['before the response was complete'],
    breakOff((socket) => socket.end()),
    { list: true },
  ),
  'cut-length': fails(
    'network',
    [/complete|Content-Length/],
    breakOff((socket) => socket.end(), { 'content-length': '5000' }),
    { list: true },
  ),
  'reset-in-body': fails(
    'network',
    ['while it was sending the response'],
    breakOff((socket) => socket.resetAndDestroy(), { 'content-length': '5000' }),
    { list: true },
  ),
  'not-http': fails('network', ['not valid HTTP'], sendAndClose('220 mail.example ESMTP ready\r\n'), {
    method: 'PUT',
  }),
  'header-not-http': fails(
    'network',
    ['not valid HTTP'],
    sendAndClose('HTTP/1.1 200 OK\r\ncontent-length: 2\r\nx-name: a\x1bb\r\n\r\n[]'),
    { list: true },
  ),
  'headers-without-end': fails(
    'network',
    ['headers'],
    ({ req }) =>
      void req.socket.write(`HTTP/1.1 200 OK\r\n${`x-filler: ${'y'.repeat(1000)}\r\n`.repeat(90)}\r\n`),
    { method: 'PUT' },
  ),
};

/** The last segment of a URL, as a relative reference. */
const lastOf = (url: string): string => url.slice(url.lastIndexOf('/') + 1);

const below = ({ url }: Call) => `${url}/new`;
const redirect = (status: number, location: (call: Call) => string): Serve =>
  respond(status, {}, (call) => ({ location: location(call) }));

/** Redirect a request to a path below its own, where there is another response. */
const redirectOnce =
  (status: number, then: Serve, location = below): Serve =>
  (call) =>
    call.rest === '' ? redirect(status, location)(call) : then(call);

/** Return the method and the body of a request. */
const echo: Serve = (call) => respond(200, { method: call.req.method, body: call.body.toString() })(call);

const redirectScenarios: Definitions = {
  'moved-permanently': prints(redirectOnce(301, succeed), { id: 7 }, 2),
  'moved-relative': prints(
    redirectOnce(
      302,
      (call) => respond(200, { rest: call.rest })(call),
      ({ url }) => `${lastOf(url)}/new?a=%2F`,
    ),
    { rest: '/new?a=%2F' },
    2,
  ),
  'moved-head': {
    method: 'HEAD',
    serve: redirectOnce(301, respond(200, '', fileFacts)),
    requests: 2,
  },
  'moved-write': fails('rejected', ['/moved-write/new', 'POST', 'moved'], redirect(301, below), {
    method: 'POST',
  }),
  'found-write': fails('server_error', ['/found-write/new'], redirect(302, below), { method: 'DELETE' }),
  'see-other-write': fails('server_error', ['/see-other-write/new'], redirect(303, below), { method: 'PUT' }),
  'temporary-write': {
    method: 'POST',
    ...prints(redirectOnce(307, echo), { method: 'POST', body: sentBody }, 2),
  },
  'permanent-write': {
    method: 'PUT',
    ...prints(redirectOnce(308, echo), { method: 'PUT', body: sentBody }, 2),
  },
  'redirect-elsewhere': fails(
    'server_error',
    ['another origin', 'http://127.0.0.1:'],
    redirect(302, ({ elsewhere }) => `${elsewhere}/steal?sig=abc`),
    { excludes: ['sig=abc'] },
  ),
  'redirect-elsewhere-write': fails(
    'server_error',
    ['another origin'],
    redirect(307, ({ elsewhere }) => `${elsewhere}/steal`),
    { method: 'POST' },
  ),
  'redirect-no-scheme': fails(
    'server_error',
    ['another origin'],
    redirect(302, ({ elsewhere }) => elsewhere.replace('http:', '')),
  ),
  'redirect-other-scheme': fails(
    'server_error',
    ['https://127.0.0.1'],
    redirect(302, ({ url }) => url.replace('http:', 'https:')),
  ),
  'redirect-file': fails(
    'server_error',
    ['another origin'],
    redirect(302, () => 'file:///etc/passwd'),
    {
      excludes: ['root:'],
    },
  ),
  'redirect-login': fails('server_error', ['HTML'], redirectOnce(302, respond(200, html, htmlType)), {
    excludes: ['<h1>', 'DOCTYPE'],
    requests: 2,
  }),
  'redirect-loop': fails(
    'server_error',
    ['redirect loop'],
    redirect(302, ({ rest, url }) => (rest === '' ? `${url}/a` : url)),
    { requests: 2 },
  ),
  'redirect-without-end': fails(
    'server_error',
    ['too many redirects'],
    redirect(302, ({ url, nth }) => `${url}/${nth}`),
    { requests: 11 },
  ),
  'redirect-nowhere': fails('server_error', ['Location'], respond(301, {})),
};

const rows = (...ids: number[]) => ids.map((id) => ({ id }));
const next = (url: string) => ({ link: `<${url}>; rel="next"` });

/** A list of two pages. @param link the `Link` header of the first */
const twoPages = (link: (call: Call) => string | string[]): Definition => ({
  list: true,
  ...prints(
    (call) =>
      call.rest.includes('page=2')
        ? respond(200, rows(3))(call)
        : respond(200, rows(1, 2), { link: link(call) })(call),
    [1, 2, 3],
    2,
  ),
});

/** A list whose second page has another response. */
const secondPage =
  (second: Serve, first: unknown = rows(1, 2), headers: Headers = {}): Serve =>
  (call) =>
    call.rest.includes('page=2')
      ? second(call)
      : respond(200, first, { ...next(`${call.url}?page=2`), ...headers })(call);

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
  'pages-empty-with-next': { list: true, ...prints(secondPage(respond(200, rows(3)), []), [3], 2) },
  'pages-elsewhere': fails(
    'server_error',
    ['http://127.0.0.1:', 'not followed'],
    respond(200, rows(1, 2), ({ elsewhere }) => next(`${elsewhere}/api/v4/x?page=2`)),
    { list: true, prints: [1, 2] },
  ),
  'pages-no-url': fails(
    'server_error',
    ['not a URL', 'pages-no-url'],
    respond(200, rows(1, 2), { link: '<http://[bad>; rel=next' }),
    { list: true, prints: [1, 2] },
  ),
  'pages-same': fails(
    'server_error',
    ['repeats an earlier page'],
    respond(200, rows(1), ({ url }) => next(url)),
    { list: true, prints: [1] },
  ),
  'pages-loop': fails(
    'server_error',
    ['repeats an earlier page'],
    (call) =>
      respond(200, rows(call.nth), next(`${call.url}?page=${call.rest.includes('page=2') ? 1 : 2}`))(call),
    { list: true, prints: [1, 2, 3], requests: 3 },
  ),
  'pages-second-fails': fails(
    'auth',
    ['403 Forbidden', 'pages-second-fails?page=2'],
    secondPage(respond(403, { message: '403 Forbidden' })),
    { list: true, prints: [1, 2], requests: 2 },
  ),
  'pages-second-html': fails('server_error', ['HTML', 'page=2'], secondPage(respond(200, html, htmlType)), {
    list: true,
    prints: [1, 2],
    excludes: ['DOCTYPE'],
    requests: 2,
  }),
  'pages-second-reset': fails(
    'network',
    ['reset', 'page=2'],
    secondPage(reset, rows(1, 2), { connection: 'close' }),
    { list: true, prints: [1, 2], requests: 3, waits: backoff },
  ),
  'pages-second-throttled': {
    list: true,
    serve: secondPage((call) =>
      call.nth === 2 ? respond(429, {}, { 'retry-after': '1' })(call) : respond(200, rows(3))(call),
    ),
    prints: [1, 2, 3],
    requests: 3,
    waits: [[1000, 1000]],
  },
};

const noPage = { excludes: ['<h1>', 'DOCTYPE'] };

const bodyScenarios: Definitions = {
  'html-login': fails('server_error', ['HTML', 'login'], respond(200, html, htmlType), noPage),
  'html-mislabelled': fails('server_error', ['HTML'], respond(200, `\n  ${html}`, jsonType), noPage),
  'html-502-write': fails('server_error', ['502 Bad Gateway', 'HTML'], respond(502, html, htmlType), {
    method: 'POST',
    ...noPage,
  }),
  'html-404': fails('not_found', ['404 Not Found', 'HTML'], respond(404, html, htmlType), noPage),
  'plain-text': fails('server_error', ['not JSON'], respond(200, 'OK', plainType)),
  'json-truncated': fails('server_error', [], respond(200, '{"id":7,"name":"ro', jsonType)),
  empty: fails('server_error', ['empty'], respond(200, '', jsonType)),
  'white-space': fails('server_error', ['empty'], respond(200, ' \r\n\t', jsonType)),
  'no-content': { method: 'DELETE', serve: respond(204, '') },
  'accepted-empty': { method: 'POST', serve: respond(202, '') },
  'byte-order-mark': prints(respond(200, '\uFEFF{"id":7}', jsonType)),
  'byte-order-mark-split': prints(async ({ res }) => {
    res.writeHead(200, jsonType);
    for (const byte of Buffer.from('\uFEFF {"id":7}')) {
      res.write(Buffer.of(byte));
      await new Promise((resolve) => setImmediate(resolve));
    }
    res.end();
  }),
  'no-content-type': prints(respond(200, '{"id":7}')),
};

const encoded = (encoding: string, body: Buffer | string): Serve =>
  respond(200, body, { ...jsonType, 'content-encoding': encoding });
const damaged = gzipSync(JSON.stringify({ id: 7, text: 'abcdefghij'.repeat(50) }));
damaged[20]! ^= 0xff;

const encodingScenarios: Definitions = {
  gzip: prints(encoded('gzip', gzipSync('{"id":7}'))),
  brotli: prints(encoded('br', brotliCompressSync('{"id":7}'))),
  'gzip-twice': prints(encoded('gzip, br', brotliCompressSync(gzipSync('{"id":7}')))),
  'gzip-empty': { method: 'POST', serve: respond(202, '', { 'content-encoding': 'gzip' }) },
  'gzip-head': {
    method: 'HEAD',
    serve: respond(200, '', { ...fileFacts, 'content-encoding': 'gzip', 'content-length': '123' }),
  },
  'gzip-damaged': fails('server_error', ['gzip'], encoded('gzip', damaged)),
  'gzip-cut': fails('server_error', ['gzip'], encoded('gzip', gzipSync('{"id":7}').subarray(0, 15))),
  'gzip-claimed': fails('server_error', ['gzip'], encoded('gzip', '{"id":7}')),
  'brotli-damaged': fails('server_error', ['br'], encoded('br', 'not brotli at all')),
  'unknown-encoding': fails('server_error', ['zopfli'], encoded('zopfli', 'x')),
};

/** The kind of each error response to a PUT, and what its text includes and excludes. */
const errors: readonly (readonly [
  name: string,
  status: number,
  body: unknown,
  kind: Kind,
  includes: Texts,
  excludes?: Texts,
])[] = [
  ['unauthorized', 401, { message: '401 Unauthorized' }, 'auth', ['401 Unauthorized']],
  [
    'revoked',
    401,
    { error: 'invalid_token', error_description: 'Token was revoked.' },
    'auth',
    ['Token was revoked.', 'invalid_token'],
  ],
  [
    'wrong-scope',
    403,
    { error: 'insufficient_scope', error_description: 'Too few privileges.', scope: 'api read_api' },
    'auth',
    ['Too few privileges', 'api read_api'],
  ],
  ['forbidden', 403, { message: '403 Forbidden' }, 'auth', ['403 Forbidden']],
  ['not-found', 404, { message: '404 Project Not Found' }, 'not_found', ['404 Project Not Found']],
  ['gone', 410, {}, 'not_found', ['410 Gone']],
  [
    'missing-attribute',
    400,
    { message: '400 (Bad request) "key" not given' },
    'rejected',
    ['key" not given'],
  ],
  ['error-text', 400, { error: 'name is missing, is empty' }, 'rejected', ['name is missing, is empty']],
  [
    'message-list',
    400,
    { message: ['first is wrong', 'second is wrong'] },
    'rejected',
    ['first is wrong', 'second is wrong'],
  ],
  [
    'field-map',
    400,
    { message: { key: ['is too long (maximum is 255 characters)', 'is odd'], base: ['no'] } },
    'rejected',
    [/^key: is too long \(maximum is 255 characters\), is odd$/m],
  ],
  [
    'nested-map',
    422,
    { message: { name: ['is taken'], config: { url: ['is blocked', 'is bad'] } } },
    'rejected',
    [/^name: is taken$/m, /^config\.url: is blocked, is bad$/m],
  ],
  [
    'list-of-maps',
    422,
    { errors: [{ title: 'wrong' }, { title: 'worse' }] },
    'rejected',
    ['title: wrong', 'title: worse'],
  ],
  ['odd-values', 400, { message: { depth: [1, null, true, { a: { b: [2] } }] } }, 'rejected', ['depth']],
  ['top-list', 400, ['one', { two: 'three' }], 'rejected', ['one', 'two: three']],
  ['wrong-method', 405, { error: '405 Method Not Allowed' }, 'rejected', ['405']],
  ['conflict', 409, { message: 'Branch already exists' }, 'rejected', ['Branch already exists']],
  ['precondition', 412, { message: '412 Precondition Failed' }, 'rejected', ['412']],
  ['url-too-long', 414, '', 'rejected', ['414', 'body']],
  [
    'spam',
    400,
    { message: { error: 'Your snippet has been recognized as spam.' } },
    'rejected',
    [/^Your snippet has been recognized as spam\.$/m],
  ],
  [
    'captcha',
    409,
    {
      needs_captcha_response: true,
      spam_log_id: 42,
      captcha_site_key: 'site-key-1',
      message: { error: 'Please solve the CAPTCHA.' },
    },
    'rejected',
    ['Please solve the CAPTCHA.', 'site-key-1', '--captcha-response', '--spam-log-id 42'],
  ],
  ['teapot', 418, { message: 'short and stout' }, 'rejected', ['short and stout']],
  ['unknown-status', 499, '', 'rejected', ['499']],
  ['json-scalar', 400, '"just text"', 'rejected', ['just text']],
  ['broken-json-error', 400, '{"message": "cut', 'rejected', ['cut']],
  [
    'control-characters',
    400,
    { message: '\u001b]0;owned\u0007\u009b31mred\nline' },
    'rejected',
    ['red line'],
    [/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/],
  ],
  ['huge-error', 400, { message: 'x'.repeat(200_000) }, 'rejected', [], [/x{5000}/]],
];
const errorScenarios: Definitions = {
  ...Object.fromEntries(
    errors.map(([name, status, body, kind, includes, excludes = []]) => [
      name,
      fails(kind, includes, respond(status, body), {
        method: 'PUT',
        excludes: ['[object Object]', ...excludes],
      }),
    ]),
  ),
  'token-echoed': fails(
    'auth',
    ['token *** is unknown'],
    (call) => {
      const sent = call.req.headers['private-token'] as string;
      respond(401, { message: `token ${sent} is unknown`, [sent]: [encodeURIComponent(sent)] })(call);
    },
    { excludes: [token] },
  ),
  'token-in-redirect': fails(
    'server_error',
    ['too many redirects'],
    redirect(302, ({ req, url, nth }) => `${url}?private_token=${req.headers['private-token']}&n=${nth}`),
    { excludes: [token], requests: 11 },
  ),
  'error-cut': fails(
    'rejected',
    ['Conf'],
    ({ req, res }) => {
      res.writeHead(409, { ...jsonType, 'content-length': '500' }).write('{"message":"Conf');
      setTimeout(() => req.socket.end(), 20);
    },
    { method: 'PUT' },
  ),
};

export const scenarios: readonly Scenario[] = Object.entries({
  ...retryScenarios,
  ...brokenOff,
  ...redirectScenarios,
  ...linkScenarios,
  ...bodyScenarios,
  ...encodingScenarios,
  ...errorScenarios,
}).map(([name, definition]) => ({ name, requests: 1, waits: [], ...definition }));
