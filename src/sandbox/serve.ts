/** Serves a sandbox over HTTP/1.1 on 127.0.0.1. */

import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from 'node:http';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { Failure } from '../errors.ts';
import { collect } from '../support/bytes.ts';
import { errnoText } from '../support/errno.ts';
import { isLocalHost, parseUrl } from '../support/url.ts';
import { cutOf } from './control/control.ts';
import { jsonResponse } from './core/context.ts';
import { HttpError } from './core/http-error.ts';
import type { Sandbox } from './sandbox.ts';

export interface SandboxServer {
  /** `http://127.0.0.1:4000`, without `/api/v4`. */
  readonly url: string;
  readonly port: number;
  /** Stop listening, wait one second for requests in progress, then close all connections. */
  close(): Promise<void>;
}

const kib = 1024;
const urlLimit = 8 * kib;
/** Bytes of a body. */
const bodyLimit = 256 * kib * kib;
/** Node's limit, large enough that this file can report long URLs. */
const parserLimit = 16 * 1024 * kib;
/** Milliseconds that open connections get to end. */
const gracePeriod = 1000;

/** Whether a page of another site sent a request. Browsers send no Origin with the requests of images, scripts and links. */
function isForeign({ origin, 'sec-fetch-site': site }: IncomingHttpHeaders): boolean {
  if (origin !== undefined) return !isLocalHost(parseUrl(origin)?.host ?? '');
  return site !== undefined && site !== 'none' && site !== 'same-origin';
}

async function readBody(incoming: IncomingMessage): Promise<Buffer> {
  const error = `413 Content Too Large - the body is larger than ${bodyLimit} bytes`;
  const tooLarge = () => new HttpError(413, { error });
  if (Number(incoming.headers['content-length']) > bodyLimit) throw tooLarge();
  return collect(incoming, bodyLimit, tooLarge);
}

/** Return the error of a request that is not routed. */
function rejectionOf({ url = '', headers, method }: IncomingMessage): HttpError | undefined {
  if (url.length > urlLimit) return new HttpError(414, { error: '414 URI Too Long' });
  // Against DNS rebinding by a web page.
  if (!isLocalHost(headers.host ?? '')) {
    const error = '403 Forbidden - the sandbox only accepts the name of this machine as host';
    return new HttpError(403, { error });
  }
  if (isForeign(headers)) {
    const error = '403 Forbidden - the sandbox does not accept requests from other origins';
    return new HttpError(403, { error });
  }
  return method === 'TRACE' ? new HttpError(405, { error: '405 Not Allowed' }) : undefined;
}

function urlOf({ url = '', headers }: IncomingMessage): URL | undefined {
  const target = Buffer.from(url, 'latin1').toString('utf8');
  return target.startsWith('/') ? parseUrl(`http://${headers.host}${target}`) : undefined;
}

function toRequest(incoming: IncomingMessage, url: URL): Request {
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(incoming.headersDistinct)) {
    for (const value of values) headers.append(name, value);
  }
  return new Request(url, { method: incoming.method ?? 'GET', headers });
}

async function respondTo(
  sandbox: Sandbox,
  incoming: IncomingMessage,
): Promise<{ response: Response; close?: true }> {
  const url = urlOf(incoming);
  const rejection = rejectionOf(incoming);
  try {
    // Also read before a rejection, because a client that is still sending does not read the response.
    const body = await readBody(incoming);
    if (rejection || !url) throw rejection ?? new HttpError(400, { error: '400 Bad Request' });
    return { response: await sandbox.handle(toRequest(incoming, url), body) };
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    return { response: jsonResponse(error.status, error.body), close: true };
  }
}

async function write(response: Response, outgoing: ServerResponse, close: boolean): Promise<void> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  const hasBody = response.status !== 204 && response.status !== 304 && outgoing.req.method !== 'HEAD';
  const cut = cutOf(response);
  if (cut === 'headers' || (cut && (!hasBody || bytes.byteLength === 0))) {
    outgoing.destroy();
    return;
  }
  outgoing.writeHead(response.status, {
    ...Object.fromEntries(response.headers),
    ...(hasBody ? { 'content-length': String(bytes.byteLength) } : {}),
    ...(close ? { connection: 'close' } : {}),
  });
  if (cut) outgoing.write(bytes.subarray(0, bytes.byteLength / 2), () => outgoing.destroy());
  else outgoing.end(hasBody ? bytes : undefined);
}

function listen(server: Server, port: number): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    // Later errors are connections that could not be accepted; clients retry them.
    server.on('error', (error) => {
      const reason = `cannot listen on port ${port}: ${errnoText(error)}`;
      reject(new Failure('internal', reason, { cause: error }));
    });
    server.listen(port, '127.0.0.1', () => resolve(server.address() as AddressInfo));
  });
}

/** Serve a sandbox on 127.0.0.1. @param port 0 for a free port @throws Failure `internal` if the port is not available */
export async function serve(sandbox: Sandbox, port = 0): Promise<SandboxServer> {
  const server = http.createServer({ maxHeaderSize: parserLimit, keepAliveTimeout: 60_000 });
  let closing = false;

  const respond = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    try {
      const { response, close } = await respondTo(sandbox, incoming);
      await write(response, outgoing, closing || close === true);
      if (!incoming.complete) incoming.resume();
    } catch (error) {
      // An interrupted body is not an error of the sandbox.
      if (!incoming.destroyed || incoming.complete) sandbox.reportError(error);
      outgoing.destroy();
    }
  };
  server.on('request', respond);

  const address = await listen(server, port);
  const url = `http://127.0.0.1:${address.port}`;
  sandbox.world.origin = url;
  return {
    url,
    port: address.port,
    close: () =>
      new Promise((resolve) => {
        closing = true;
        const timer = setTimeout(() => server.closeAllConnections(), gracePeriod);
        server.close(() => {
          clearTimeout(timer);
          resolve();
        });
        server.closeIdleConnections();
      }),
  };
}
