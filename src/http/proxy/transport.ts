/** The transport through a proxy, over undici, which knows tunnels. Only its agent is loaded: the whole package takes 40 ms. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import type { buildConnector, Dispatcher } from 'undici';
import connectMethod from 'undici/lib/api/api-connect.js';
import Pool from 'undici/lib/dispatcher/pool.js';
import ProxyAgent from 'undici/lib/dispatcher/proxy-agent.js';
import { codeOf, networkFailure, TransportError } from '../errors/network.ts';
import { percentDecoded } from '../text.ts';
import { isWithin, maxHeaderBytes, type Transport, type TransportOptions, tlsOptions } from '../transport.ts';
import { Exchange } from './exchange.ts';

export interface ProxiedOptions extends TransportOptions {
  /** The proxy for this origin, already chosen from HTTP_PROXY, HTTPS_PROXY and NO_PROXY. */
  readonly proxy: string;
}

/**
 * A transport to one origin through a proxy: keep-alive, one connection more whenever all are busy.
 * @param origin scheme, host and port: `https://host:8443`
 * @throws Failure `usage` on the first request, for a certificate or key that can't be read
 */
export function createProxiedTransport(origin: string, options: ProxiedOptions): Transport {
  let dispatcher: Dispatcher | undefined;
  const live = new Set<Exchange>();
  const watch = watching(live);
  return {
    async send(request) {
      if (!isWithin(request.url, origin))
        throw new Error(`a transport to ${origin} was asked for ${request.url}`);
      options.signal?.throwIfAborted();
      const exchange = new Exchange(request, options, () => live.delete(exchange));
      live.add(exchange);
      try {
        if (!dispatcher) {
          dispatcher = connect(options);
          subscribe(sent, watch);
        }
        return await exchange.start(dispatcher, origin);
      } catch (error) {
        live.delete(exchange);
        throw options.signal?.aborted ? options.signal.reason : networkFailure(error, exchange.attempt());
      }
    },
    async close() {
      unsubscribe(sent, watch);
      await dispatcher?.destroy();
    },
  };
}

/** Where undici tells of each request that it sends, and of its connection. */
const sent = 'undici:client:sendHeaders';

/**
 * A connection may end while a slow reader keeps undici's parser from going on. undici takes that for a bug of its own, and throws where
 * nobody can catch it: so the parser is let go on before an end. Where the connection was reset it can't go on any more, and undici
 * must not take the reset for an end, as it does by its code.
 */
function watching(live: ReadonlySet<Exchange>) {
  const seen = new WeakSet<Socket>();
  const letGo = () => {
    for (const exchange of live) exchange.flow();
  };
  const rename = (error: NodeJS.ErrnoException) => {
    if (error.code === 'ECONNRESET' && [...live].some(({ paused }) => paused)) error.code = 'CARRIER_RESET';
  };
  return (message: unknown): void => {
    const { socket } = message as { readonly socket: Socket };
    if (seen.has(socket)) return;
    seen.add(socket);
    socket.prependListener('end', letGo).prependListener('close', letGo).prependListener('error', rename);
  };
}

function connect({ timeout, proxy, tls }: ProxiedOptions): Dispatcher {
  const { username, password, origin: uri } = new URL(proxy);
  const login = `${percentDecoded(username)}:${percentDecoded(password)}`;
  const secure = { timeout, ...(tls ? tlsOptions(tls) : {}) };
  const agent = new ProxyAgent({
    maxHeaderSize: maxHeaderBytes,
    uri,
    ...(username === '' ? {} : { token: `Basic ${Buffer.from(login).toString('base64')}` }),
    // Plain http goes through a proxy by absolute URL; many refuse a tunnel to port 80.
    proxyTunnel: false,
    requestTls: secure,
    proxyTls: secure,
    // Loaded by its own path, undici's pool lacks the method that asks for a tunnel.
    clientFactory: (url, more) =>
      Object.assign(new Pool(url, { ...withFinalErrors(more), headersTimeout: timeout }), {
        connect: connectMethod,
      }),
    factory: (url, more) => new Pool(url, withFinalErrors(more)),
  });
  keepWasmCold();
  return agent;
}

/** Codes after which undici connects again at once, without an end. */
const endless = new Set(['UND_ERR_SOCKET', 'UND_ERR_INFO']);

/** Pool options whose connection attempts fail for good: whether to try again is for `retry.ts` to decide. */
function withFinalErrors<T extends { connect?: unknown }>(options: T): T {
  const connect = options.connect as buildConnector.connector;
  return {
    ...options,
    connect: (to: buildConnector.Options, callback: buildConnector.Callback) =>
      connect(to, (error, socket) => {
        const reason = error ?? (socket?.destroyed ? (socket.errored ?? new TransportError('closed')) : null);
        if (!reason) callback(null, socket!);
        else callback(endless.has(codeOf(reason) ?? '') ? new TransportError('tunnel') : reason, null);
      }),
  };
}

/**
 * V8 optimizes undici's WebAssembly parser in the background, and the process waits for that at its end: 70 ms.
 * A flag set before Node's own modules are loaded would invalidate their code cache, so it is set here.
 */
function keepWasmCold(): void {
  process.getBuiltinModule('node:v8').setFlagsFromString('--wasm-tiering-budget=1000000000');
}
