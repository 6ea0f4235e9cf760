/** The transport for connections through a proxy: undici, which supports tunnels. Only its agent is loaded; the whole package takes 40 ms. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import type { buildConnector, Dispatcher } from 'undici';
import connectMethod from 'undici/lib/api/api-connect.js';
import Pool from 'undici/lib/dispatcher/pool.js';
import ProxyAgent from 'undici/lib/dispatcher/proxy-agent.js';
import { percentDecoded } from '../../support/url.ts';
import { codeOf, networkFailure, type TransportCode, TransportError } from '../errors/network.ts';
import {
  assertWithin,
  maxHeaderBytes,
  type ProxiedOptions,
  type Transport,
  tlsOptions,
} from '../transport.ts';
import { ProxiedExchange } from './exchange.ts';

/**
 * Create a transport to one origin through a proxy. Connections are kept alive; a new one is opened if all are busy.
 * @param origin scheme, host and port: `https://host:8443`
 * @throws Failure `usage` on the first request, for an unreadable certificate or key
 */
export function createProxiedTransport(origin: string, options: ProxiedOptions): Transport {
  let dispatcher: Dispatcher | undefined;
  const active = new Set<ProxiedExchange>();
  const onSend = watchSockets(active);
  return {
    async send(request) {
      assertWithin(request.url, origin);
      options.signal?.throwIfAborted();
      const exchange = new ProxiedExchange(request, options, () => active.delete(exchange));
      active.add(exchange);
      try {
        if (!dispatcher) {
          dispatcher = connect(options);
          subscribe(sendChannel, onSend);
        }
        return await exchange.start(dispatcher, origin);
      } catch (error) {
        active.delete(exchange);
        throw options.signal?.aborted ? options.signal.reason : networkFailure(error, exchange.attempt());
      }
    },
    async close() {
      unsubscribe(sendChannel, onSend);
      await dispatcher?.destroy();
    },
  };
}

/** The channel on which undici publishes each request with its socket. */
const sendChannel = 'undici:client:sendHeaders';

/**
 * Work around two defects of undici when a connection ends while a slow reader has paused the parser. On a normal end undici throws an
 * error that cannot be caught, so the parser is resumed first. A reset it takes for a normal end because of its code, so the
 * code is changed.
 */
function watchSockets(active: ReadonlySet<ProxiedExchange>) {
  const seen = new WeakSet<Socket>();
  const resumeAll = () => {
    for (const exchange of active) exchange.resume();
  };
  const changeCode = (error: NodeJS.ErrnoException) => {
    if (error.code === 'ECONNRESET' && [...active].some(({ paused }) => paused))
      error.code = 'TRANSPORT_RESET' satisfies TransportCode;
  };
  return (message: unknown): void => {
    const { socket } = message as { readonly socket: Socket };
    if (seen.has(socket)) return;
    seen.add(socket);
    socket
      .prependListener('end', resumeAll)
      .prependListener('close', resumeAll)
      .prependListener('error', changeCode);
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
  keepWasmCold();
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
        const isEndless = endlessCodes.has(codeOf(reason) ?? '');
        callback(isEndless ? new TransportError('TRANSPORT_TUNNEL') : reason, null);
      }),
  };
}

/** Remove a server name that is an IP address, which TLS does not permit (RFC 6066 section 3). undici sets it for a proxy. */
function withoutAddress(to: buildConnector.Options): buildConnector.Options {
  const { servername, ...rest } = to;
  const isAddress =
    process.getBuiltinModule('node:net').isIP(servername?.replace(/^\[|\]$/g, '') ?? '') !== 0;
  return isAddress ? rest : to;
}

/**
 * Keep V8 from optimizing undici's WebAssembly parser in the background: the process would wait 70 ms for it at exit.
 * A flag set before Node's own modules are loaded would invalidate their code cache, so it is set here.
 */
function keepWasmCold(): void {
  process.getBuiltinModule('node:v8').setFlagsFromString('--wasm-tiering-budget=1000000000');
}
