/** Delivery of a webhook over HTTP (section 6.1). */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { startOf } from '../../../support/bytes.ts';
import { isLocalHost } from '../../../support/url.ts';
import type { Row } from '../../core/rows.ts';
import type { World } from '../../core/world.ts';

interface Delivery {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Whether an untrusted certificate fails the delivery. */
  readonly verify: boolean;
}

export interface Outcome {
  /** Status code, or `internal error` without a response. */
  readonly status: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Start of the response body, or the error message. */
  readonly body: string;
  /** Seconds. */
  readonly duration: number;
}

/** The receivers of the events of a copy. Without such a row, they are delivered everywhere. */
export interface Deliveries extends Row {
  readonly to: 'none' | 'local';
}

/** Milliseconds. */
const timeout = 10_000;
/** Bytes of the response body that are logged. */
const maxBody = 8 * 1024;

async function exchange({ url, headers, body, verify }: Delivery): Promise<Omit<Outcome, 'duration'>> {
  const target = new URL(url);
  const { request } = await (target.protocol === 'https:' ? import('node:https') : import('node:http'));
  const bytes = Buffer.from(body, 'utf8');
  const outgoing = request(target, {
    method: 'POST',
    agent: false,
    signal: AbortSignal.timeout(timeout),
    headers: { ...headers, 'Content-Length': bytes.byteLength },
    ...(verify ? {} : { rejectUnauthorized: false }),
  });
  // A pending delivery must not keep the process alive.
  outgoing.on('socket', (socket) => socket.unref());
  // Errors after the response has begun reach its reader.
  outgoing.on('error', () => {});
  outgoing.end(bytes);
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  const shown = Object.entries(response.headers).map(([name, value]) => [name, [value].flat().join(', ')]);
  return {
    status: String(response.statusCode),
    headers: Object.fromEntries(shown),
    body: (await startOf(response, maxBody)).toString('utf8'),
  };
}

/** Send one request. Follows no redirects, adds no headers except those that HTTP requires, and never throws. */
export async function deliver(delivery: Delivery, world: Pick<World, 'table'>): Promise<Outcome> {
  const [only] = world.table<Deliveries>('sandbox_deliveries').all();
  // The receivers of a copy are those of the real service.
  if (only && (only.to === 'none' || !isLocalHost(new URL(delivery.url).host)))
    return { status: '200', headers: {}, body: 'not delivered: this is a copy', duration: 0 };
  const start = performance.now();
  const outcome = await exchange(delivery).catch((error: unknown) => ({
    status: 'internal error',
    headers: {},
    body: error instanceof Error ? error.message : String(error),
  }));
  return { ...outcome, duration: Math.round(performance.now() - start) / 1000 };
}
