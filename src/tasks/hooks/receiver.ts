/** A server on 127.0.0.1 that receives deliveries of webhooks. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { unusable } from '../../errors.ts';

export interface Delivery {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Why a request was rejected. */
export type Rejection = 'method' | 'origin' | 'token' | 'size' | 'depth';

export interface ReceiverOptions {
  readonly port: number;
  /** The secret that each delivery must carry; undefined accepts all. */
  readonly token: string | undefined;
  /** Bytes of a body. */
  readonly limit: number;
  /** Status of the response to an accepted delivery. */
  readonly status: number;
  /** Returns false for a delivery that is not accepted any more. */
  readonly onDelivery: (delivery: Delivery) => Promise<boolean | Rejection>;
  readonly onRejection: (reason: Rejection) => void;
  readonly onError: (error: unknown) => void;
}

export interface Receiver {
  readonly url: string;
  /** Complete the responses that have begun, and stop. */
  close(): Promise<void>;
}

const statuses: Readonly<Record<Rejection, number>> = {
  method: 405,
  origin: 403,
  token: 401,
  size: 413,
  depth: 400,
};

/** Milliseconds for one request. */
const requestTimeout = 30_000;
const maxConnections = 64;

/** The header that carries the secret is named after the vendor of the service. */
const tokenHeader = /^x-[a-z0-9]+-token$/;

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Compare in a time that does not depend on the content. */
function hasToken(headers: IncomingMessage['headers'], token: string): boolean {
  const wanted = digest(token);
  return Object.entries(headers)
    .filter(([name]) => tokenHeader.test(name))
    .map(([, value]) => timingSafeEqual(digest(String(value)), wanted))
    .includes(true);
}

function rejectionOf(request: IncomingMessage, { token, limit }: ReceiverOptions): Rejection | undefined {
  if (request.method !== 'POST') return 'method';
  // Only browsers send it: a web page could post to ports of this machine.
  if (request.headers.origin !== undefined) return 'origin';
  if (token !== undefined && !hasToken(request.headers, token)) return 'token';
  return Number(request.headers['content-length'] ?? 0) > limit ? 'size' : undefined;
}

/** Read a body; undefined if it is larger than the limit. */
async function readBody(request: IncomingMessage, limit: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > limit) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  options: ReceiverOptions,
): Promise<void> {
  const reject = (reason: Rejection) => {
    options.onRejection(reason);
    // The rest of the body is not read.
    response.writeHead(statuses[reason], { connection: 'close' }).end();
  };
  const reason = rejectionOf(request, options);
  if (reason !== undefined) return reject(reason);
  const body = await readBody(request, options.limit);
  if (body === undefined) return reject('size');
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
  );
  const sent = new Promise((resolve) => response.on('close', resolve));
  // The sender must not count a delivery that was not recorded.
  const accepted = await options.onDelivery({ headers, body });
  if (typeof accepted === 'string') return reject(accepted);
  response.writeHead(accepted ? options.status : 503).end();
  await sent;
}

/** @throws Failure `internal` for a port that is in use */
export async function openReceiver(options: ReceiverOptions): Promise<Receiver> {
  const { createServer } = await import('node:http');
  const pending = new Set<Promise<void>>();
  const server: Server = createServer((request, response) => {
    const one: Promise<void> = handle(request, response, options)
      .catch((error: unknown) => {
        // The client disconnected.
        if (!request.errored) options.onError(error);
        response.destroy();
      })
      .finally(() => pending.delete(one));
    pending.add(one);
  });
  server.requestTimeout = requestTimeout;
  server.maxConnections = maxConnections;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(options.port, '127.0.0.1', resolve);
  }).catch((error: unknown) => {
    throw unusable(`port ${options.port}`, error);
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : options.port;
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      const closed = new Promise((done) => server.close(done));
      await Promise.race([Promise.all(pending), new Promise((done) => setTimeout(done, 300).unref())]);
      server.closeAllConnections();
      await closed;
    },
  };
}
