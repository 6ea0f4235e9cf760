/** A server on 127.0.0.1 that records the calls of hooks. */
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { collect } from '../../src/support/bytes.ts';
import type { KeyPair } from './certificates.ts';

export interface ReceivedCall {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface ReceiverResponse {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Receiver {
  /** `http://127.0.0.1:4000` */
  readonly url: string;
  readonly calls: ReceivedCall[];
}

/**
 * Start a receiver, which is closed when the test ends.
 * @param respond makes each response; by default 200 without a body
 * @param tls serve https with this certificate
 */
export async function openReceiver(
  respond: (call: ReceivedCall) => ReceiverResponse | Promise<ReceiverResponse> = () => ({}),
  tls?: KeyPair,
): Promise<Receiver> {
  const calls: ReceivedCall[] = [];
  const listener: RequestListener = async (request, response) => {
    const { method = '', url = '', headers } = request;
    const call = { method, url, headers, body: String(await collect(request)) };
    calls.push(call);
    const { status = 200, headers: more = {}, body = '' } = await respond(call);
    response.writeHead(status, more).end(body);
  };
  const server = tls ? createSecureServer(tls, listener) : createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http${tls ? 's' : ''}://127.0.0.1:${(server.address() as AddressInfo).port}`, calls };
}
