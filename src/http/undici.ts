/** The carrier over undici: only its pool is loaded, by its own path, because the whole package takes 40 ms. */
import type { Socket } from 'node:net';
import type { Dispatcher } from 'undici';
import buildConnector from 'undici/lib/core/connect.js';
import Pool from 'undici/lib/dispatcher/pool.js';
import { Exchange } from './exchange.ts';
import { networkFailure } from './failures.ts';
import { percentDecoded } from './text.ts';
import type { Transport, TransportOptions } from './transport.ts';

const maxHeaderBytes = 64 * 1024;

/**
 * A carrier to one origin: keep-alive, one connection more whenever all are busy.
 * @param origin scheme, host and port: `https://host:8443`
 * @throws Failure `usage` on the first request, for a certificate or key that can't be read
 */
export function createTransport(origin: string, options: TransportOptions): Transport {
  let dispatcher: Promise<Dispatcher> | undefined;
  const sockets = new Set<Socket>();
  return {
    async send(request) {
      if (request.url !== origin && !request.url.startsWith(`${origin}/`)) {
        throw new Error(`a transport to ${origin} was asked for ${request.url}`);
      }
      dispatcher ??= connect(origin, options, sockets);
      const exchange = new Exchange(request, options);
      try {
        return await exchange.start(await dispatcher, origin);
      } catch (error) {
        throw options.signal?.aborted ? options.signal.reason : networkFailure(error, exchange.attempt());
      }
    },
    async close() {
      await (await dispatcher?.catch(() => undefined))?.destroy();
      // Those that are still connecting: undici would let them go on until the timeout.
      for (const socket of sockets) socket.destroy();
    },
  };
}

async function connect(origin: string, options: TransportOptions, sockets: Set<Socket>): Promise<Dispatcher> {
  const { timeout, proxy } = options;
  const tls = options.tls ? tlsOptions(options.tls) : {};
  const limits = { maxHeaderSize: maxHeaderBytes };
  if (proxy === undefined) {
    const connector = buildConnector({ timeout, ...tls });
    const pool = new Pool(origin, {
      ...limits,
      connect(target, callback) {
        const socket = connector(target, callback);
        sockets.add(socket);
        socket.once('close', () => sockets.delete(socket));
      },
    });
    keepWasmCold();
    return pool;
  }
  const [{ default: ProxyAgent }, { default: connectMethod }] = await Promise.all([
    import('undici/lib/dispatcher/proxy-agent.js'),
    import('undici/lib/api/api-connect.js'),
  ]);
  const { username, password, origin: uri } = new URL(proxy);
  const login = `${percentDecoded(username)}:${percentDecoded(password)}`;
  const agent = new ProxyAgent({
    ...limits,
    uri,
    ...(username === '' ? {} : { token: `Basic ${Buffer.from(login).toString('base64')}` }),
    // Plain http goes through a proxy by absolute URL; many refuse a tunnel to port 80.
    proxyTunnel: false,
    requestTls: { timeout, ...tls },
    proxyTls: { timeout, ...tls },
    // Loaded by its own path, undici's pool lacks the method that asks for a tunnel.
    clientFactory: (url, more) =>
      Object.assign(new Pool(url, { ...more, headersTimeout: timeout }), { connect: connectMethod }),
  });
  keepWasmCold();
  return agent;
}

/**
 * V8 optimises undici's WebAssembly parser in the background, and the process waits for that at its end: 70 ms.
 * A flag set before Node's own modules are loaded would invalidate their code cache, so it is set here.
 */
function keepWasmCold(): void {
  process.getBuiltinModule('node:v8').setFlagsFromString('--wasm-tiering-budget=1000000000');
}

function tlsOptions({ ca, cert, key, insecure }: NonNullable<TransportOptions['tls']>) {
  return {
    ...(ca === undefined ? {} : { ca: [...process.getBuiltinModule('node:tls').rootCertificates, ca] }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(insecure ? { rejectUnauthorized: false } : {}),
  };
}
