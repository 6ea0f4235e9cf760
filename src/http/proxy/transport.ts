/** The transport for connections through a proxy: undici, which supports tunnels. Only its agent is loaded; the whole package takes 40 ms. */
import { subscribe } from 'node:diagnostics_channel';
import { isIP, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import type { buildConnector, Dispatcher } from 'undici';
import connectMethod from 'undici/lib/api/api-connect.js';
import Pool from 'undici/lib/dispatcher/pool.js';
import ProxyAgent from 'undici/lib/dispatcher/proxy-agent.js';
import { errorCode } from '../../support/errno.ts';
import { percentDecoded } from '../../support/url.ts';
import { TransportError } from '../errors/network.ts';
import { createTransport, Exchange } from '../exchange.ts';
import {
  headersFrom,
  maxHeaderBytes,
  pathWithin,
  type Transport,
  type TransportOptions,
  tlsOptions,
} from '../transport.ts';

type ProxiedOptions = TransportOptions & { readonly proxy: string };

/**
 * Create a transport to one origin through a proxy.
 * @param origin scheme, host and port: `https://host:8443`
 * @throws Failure `usage` on the first request, for an unreadable certificate or key
 */
export function createProxiedTransport(origin: string, options: ProxiedOptions): Transport {
  const open = async () => ({ origin, dispatcher: await connect(options) });
  return createTransport(origin, options, ProxiedExchange, open, ({ dispatcher }) => dispatcher.destroy());
}

interface OriginClient {
  readonly origin: string;
  readonly dispatcher: Dispatcher;
}

/** The exchange whose headers undici is about to send. */
let sending: ProxiedExchange | undefined;

class ProxiedExchange extends Exchange<OriginClient> implements Dispatcher.DispatchHandler {
  #controller: Dispatcher.DispatchController | undefined;

  pause(): void {
    this.#controller?.pause();
  }

  resume(): void {
    this.#controller?.resume();
  }

  protected dispatch({ origin, dispatcher }: OriginClient): void {
    const { method, url, body } = this.request;
    const headers = this.request.headers.flat();
    if (body && 'open' in body && body.length !== undefined)
      headers.push('content-length', String(body.length));
    // undici accepts any async iterable; its types do not say so.
    const content =
      body && ('open' in body ? (this.chunksOf(body) as unknown as Buffer) : Buffer.from(body.bytes));
    dispatcher.dispatch(
      {
        origin,
        path: pathWithin(url, origin),
        method: method as Dispatcher.HttpMethod,
        headers,
        body: content ?? null,
        // The exchange has its own timer.
        headersTimeout: 0,
        bodyTimeout: 0,
      },
      this,
    );
  }

  protected abort(error: unknown): void {
    const reason = error instanceof Error ? error : new Error(String(error));
    // After its own abort, undici opens a connection that no request uses.
    if (this.socket) this.socket.destroy(reason);
    else this.#controller?.abort(reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // undici cannot abort a request before it is connected.
    if (this.ended) this.abort('the request has ended');
    else {
      sending = this;
      this.connected();
    }
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number): void {
    if (status < 200) return;
    this.beginResponse(
      status,
      headersFrom(Array.isArray(controller.rawHeaders) ? controller.rawHeaders : []),
    );
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.receive(chunk);
  }

  onResponseEnd(): void {
    this.complete();
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    // undici reports a malformed header after Content-Length as a body of another length.
    const code = errorCode(error);
    const isMalformed = code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' && !this.hasResponse;
    const isParserError = isMalformed || (code === undefined && error.name === 'HTTPParserError');
    this.fail(isParserError ? new TransportError('TRANSPORT_PROTOCOL') : error);
  }
}

/** The last exchange on each connection. */
const users = new WeakMap<Socket, ProxiedExchange>();

/**
 * Work around two defects of undici. On a normal end while a slow reader has paused the parser, it throws an error that cannot be
 * caught, so the parser is resumed first. It takes a reset of a connection that is not kept alive for the end of the response because
 * of the code of the error, so the code is changed.
 */
subscribe('undici:client:sendHeaders', (message) => {
  const { socket } = message as { readonly socket: Socket };
  if (!sending) return;
  const isReused = users.has(socket);
  sending.useSocket(socket, isReused);
  users.set(socket, sending);
  sending = undefined;
  if (isReused) return;
  const resume = () => users.get(socket)?.resume();
  socket
    .prependListener('end', resume)
    .prependListener('close', resume)
    .prependListener('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNRESET') error.code = 'TRANSPORT_RESET';
    });
});

async function connect({ timeout, proxy, tls }: ProxiedOptions): Promise<Dispatcher> {
  const { username, password, origin: uri } = new URL(proxy);
  const login = `${percentDecoded(username)}:${percentDecoded(password)}`;
  const secure = { timeout, ...(await tlsOptions(tls)) };
  const agent = new ProxyAgent({
    maxHeaderSize: maxHeaderBytes,
    uri,
    ...(username === '' ? {} : { token: `Basic ${Buffer.from(login).toString('base64')}` }),
    // Plain http uses absolute URLs: many proxies reject a tunnel to port 80.
    proxyTunnel: false,
    requestTls: secure,
    proxyTls: secure,
    // The pool, imported by its own path, lacks the method that requests a tunnel.
    clientFactory: (url, more) =>
      Object.assign(new Pool(url, { ...withFinalErrors(more), headersTimeout: timeout }), {
        connect: connectMethod,
      }),
    factory: (url, more) => new Pool(url, withFinalErrors(more)),
  });
  // Keep V8 from optimizing undici's WebAssembly parser in the background: the process would wait 70 ms for it at exit. A flag set before
  // Node's own modules are loaded would invalidate their code cache.
  setFlagsFromString('--wasm-tiering-budget=1000000000');
  return agent;
}

/** Codes after which undici would reconnect immediately, without a limit. */
const endlessCodes = new Set(['UND_ERR_SOCKET', 'UND_ERR_INFO']);

/** Pool options without undici's own reconnects, since `retry.ts` decides about retries. */
function withFinalErrors<T extends { connect?: unknown }>(options: T): T {
  const connect = options.connect as buildConnector.connector;
  return {
    ...options,
    connect: (to: buildConnector.Options, callback: buildConnector.Callback) =>
      connect(withoutAddress(to), (error, socket) => {
        if (error === null && !socket.destroyed) return callback(null, socket);
        const reason = error ?? socket?.errored ?? new TransportError('TRANSPORT_CLOSED');
        const isEndless = endlessCodes.has(errorCode(reason) ?? '');
        callback(isEndless ? new TransportError('TRANSPORT_TUNNEL') : reason, null);
      }),
  };
}

/** Remove a server name that is an IP address, which TLS does not permit (RFC 6066 section 3). undici sets it for a proxy. */
function withoutAddress(to: buildConnector.Options): buildConnector.Options {
  const { servername, ...rest } = to;
  const isAddress = isIP(servername?.replace(/^\[|\]$/g, '') ?? '') !== 0;
  return isAddress ? rest : to;
}
