/** The sandbox on a port of this machine, over HTTP/1.1. Nobody else here knows ports or sockets. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Failure } from '../errors.ts';
import type { Sandbox } from './sandbox.ts';

export interface ServeOptions {
  /** By default the system chooses one. */
  readonly port?: number;
  /** Milliseconds for the headers of a request, and for all of it. */
  readonly headersTimeout?: number;
  readonly requestTimeout?: number;
  /** Bytes that a body may have: a form with files, and any other. */
  readonly bodyLimit?: number;
  readonly textLimit?: number;
}

export interface SandboxServer {
  /** `http://127.0.0.1:4000`, without `/api/v4`. */
  readonly url: string;
  readonly port: number;
  /** Stop listening, let what is under way end for a second, then cut all connections. */
  close(): Promise<void>;
}

const kib = 1024;
const urlLimit = 8 * kib;
const headerLimit = 8 * kib;
/** What the parser takes, so that a long URL and long headers can be told apart and answered. */
const parserLimit = 16 * 1024 * kib;
const grace = 1000;

const local = /^(localhost|[\w-]+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/i;

/**
 * A page in a browser can make a name of its own lead to this machine: only names that always do are answered.
 */
function isLocalHost(host: string): boolean {
  return local.test(host.replace(/:\d{1,5}$/, ''));
}

function isLocalOrigin(origin: string): boolean {
  return URL.canParse(origin) && isLocalHost(new URL(origin).host);
}

class TooLong extends Error {}

/** @throws TooLong by the announced length, or by the bytes that came, which are not kept */
async function readBody(
  incoming: IncomingMessage,
  { bodyLimit, textLimit }: Required<Pick<ServeOptions, 'bodyLimit' | 'textLimit'>>,
): Promise<Uint8Array> {
  const isForm = incoming.headers['content-type']?.startsWith('multipart/') ?? false;
  const limit = isForm ? bodyLimit : Math.min(bodyLimit, textLimit);
  if (Number(incoming.headers['content-length']) > limit) throw new TooLong(String(limit));
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    length += chunk.byteLength;
    if (length > limit) throw new TooLong(String(limit));
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

interface Trouble {
  readonly status: number;
  readonly error: string;
}

/** Not 431: the API knows no such status (section 7). */
const tooLarge: Trouble = { status: 400, error: '400 Bad Request - the headers are too large' };

/** What is wrong with a request before anything looks at what it asks for. */
function troubleOf(incoming: IncomingMessage): Trouble | undefined {
  const { url = '', headers, rawHeaders, method } = incoming;
  if (url.length > urlLimit) return { status: 414, error: '414 URI Too Long' };
  // Each line has a colon, a space and a line end beside its name and value.
  const size = rawHeaders.reduce((sum, text) => sum + text.length + 2, 0);
  if (size > headerLimit) return tooLarge;
  if (headers.host === undefined && incoming.httpVersion === '1.1')
    return { status: 400, error: '400 Bad Request' };
  if (headers.host !== undefined && !isLocalHost(headers.host)) {
    return { status: 403, error: '403 Forbidden - the sandbox answers to names of this machine only' };
  }
  if (headers.origin !== undefined && !isLocalOrigin(headers.origin)) {
    return { status: 403, error: '403 Forbidden - the sandbox answers no page of another site' };
  }
  if (method === 'TRACE' || method === 'TRACK') return { status: 405, error: '405 Not Allowed' };
  return undefined;
}

/** The target of the request line as a URL of this server; bytes beyond ASCII are taken as UTF-8. */
function urlOf(incoming: IncomingMessage, own: string): URL | undefined {
  const target = Buffer.from(incoming.url ?? '', 'latin1').toString('utf8');
  const base = incoming.headers.host === undefined ? own : `http://${incoming.headers.host}`;
  const path = /^https?:\/\/[^/?#]*(.*)$/i.exec(target)?.[1] ?? target;
  const text = `${base}${path.startsWith('/') ? '' : '/'}${path}`;
  return URL.canParse(text) ? new URL(text) : undefined;
}

function toRequest(incoming: IncomingMessage, url: URL): Request {
  const headers = new Headers();
  const { rawHeaders } = incoming;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    headers.append(rawHeaders[at] as string, rawHeaders[at + 1] as string);
  }
  return new Request(url, { method: incoming.method ?? 'GET', headers });
}

const problem = ({ status, error }: Trouble): Response =>
  new Response(JSON.stringify({ error }), { status, headers: { 'content-type': 'application/json' } });

async function answer(
  sandbox: Sandbox,
  incoming: IncomingMessage,
  own: string,
  limits: Required<Pick<ServeOptions, 'bodyLimit' | 'textLimit'>>,
): Promise<{ response: Response; hangUp?: true }> {
  const url = urlOf(incoming, own);
  const trouble = troubleOf(incoming) ?? (url ? undefined : { status: 400, error: '400 Bad Request' });
  try {
    // Read before it is refused too: one that still sends would not hear the answer.
    const body = await readBody(incoming, limits);
    if (trouble) return { response: problem(trouble), hangUp: true };
    return { response: await sandbox.handle(toRequest(incoming, url as URL), body) };
  } catch (error) {
    if (!(error instanceof TooLong)) throw error;
    const says = `413 Content Too Large - the body is larger than ${error.message} bytes`;
    return { response: problem({ status: 413, error: says }), hangUp: true };
  }
}

async function write(response: Response, outgoing: ServerResponse, hangUp: boolean): Promise<void> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  const hasBody = response.status !== 204 && response.status !== 304 && outgoing.req.method !== 'HEAD';
  outgoing.writeHead(response.status, {
    ...Object.fromEntries(response.headers),
    ...(hasBody ? { 'content-length': String(bytes.byteLength) } : {}),
    ...(hangUp ? { connection: 'close' } : {}),
  });
  outgoing.end(hasBody ? bytes : undefined);
}

const reasons: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
};

/** Answer where there is no request to answer: it never became one. */
function refuseSocket(socket: Duplex, status: number): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const body = JSON.stringify({ error: `${status} ${reasons[status]}` });
  const head = [
    `HTTP/1.1 ${status} ${reasons[status]}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  // A peer that goes on sending must not keep the socket.
  setTimeout(() => socket.destroy(), grace).unref();
}

function statusOfClientError({ code }: NodeJS.ErrnoException): number {
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
}

function listen(server: Server, port: number): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    // Later ones tell of a connection that could not be taken, for lack of file handles: whoever asked comes again.
    server.on('error', (error: NodeJS.ErrnoException) => {
      const what = error.code === 'EADDRINUSE' ? `port ${port} is in use` : `can't listen: ${error.message}`;
      reject(new Failure('internal', what, { cause: error }));
    });
    server.listen(port, '127.0.0.1', () => resolve(server.address() as AddressInfo));
  });
}

/**
 * Serve a sandbox on 127.0.0.1.
 * @throws Failure `internal` where the port can't be had
 */
export async function serve(sandbox: Sandbox, options: ServeOptions = {}): Promise<SandboxServer> {
  const {
    port = 0,
    headersTimeout = 15_000,
    requestTimeout = 120_000,
    bodyLimit = 256 * kib * kib,
    // A file of 100 MiB in base64, and as much memory as parsing takes.
    textLimit = 160 * kib * kib,
  } = options;
  const http = process.getBuiltinModule('node:http');
  const server = http.createServer({
    maxHeaderSize: parserLimit,
    requireHostHeader: false,
    headersTimeout,
    requestTimeout,
    keepAliveTimeout: 60_000,
    connectionsCheckingInterval: Math.min(1_000, headersTimeout, requestTimeout),
  });
  let closing = false;
  let own = '';

  const respond = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    try {
      const { response, hangUp } = await answer(sandbox, incoming, own, { bodyLimit, textLimit });
      await write(response, outgoing, closing || hangUp === true);
      if (!incoming.complete) incoming.resume();
    } catch (error) {
      // A body that broke off leaves nobody to answer; anything else is our own fault.
      if (!incoming.destroyed || incoming.complete) sandbox.reportError(error);
      outgoing.destroy();
    }
  };
  server.on('request', respond);
  // An expectation that is not known may be passed over (RFC 9110, section 10.1.1).
  server.on('checkExpectation', respond);
  server.on('connect', (_incoming, socket) => refuseSocket(socket, 405));
  server.on('clientError', (error: Error, socket: Duplex) =>
    refuseSocket(socket, statusOfClientError(error)),
  );
  server.on('connection', (socket: Socket) => socket.setNoDelay(true));

  const address = await listen(server, port);
  own = `http://127.0.0.1:${address.port}`;
  sandbox.setOrigin(own);
  return {
    url: own,
    port: address.port,
    close: () =>
      new Promise((resolve) => {
        closing = true;
        const timer = setTimeout(() => server.closeAllConnections(), grace);
        server.close(() => {
          clearTimeout(timer);
          resolve();
        });
        server.closeIdleConnections();
      }),
  };
}
