/** Delivery of a webhook over HTTP (section 6.1). */
import { getBuiltinModule } from 'node:process';

export interface Delivery {
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

/** Milliseconds. */
const timeout = 10_000;
/** Bytes of the response body that are logged. */
const maxBody = 8 * 1024;

const flattened = (
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  );

/** Send one request. Follows no redirects, adds no headers except those that HTTP requires, and never throws. */
export function deliver({ url, headers, body, verify }: Delivery): Promise<Outcome> {
  const start = performance.now();
  const elapsed = () => Math.round(performance.now() - start) / 1000;
  return new Promise((resolve) => {
    const fail = (error: unknown) => {
      const text = error instanceof Error ? error.message : String(error);
      resolve({ status: 'internal error', headers: {}, body: text, duration: elapsed() });
    };
    try {
      const target = new URL(url);
      const { request } = getBuiltinModule(target.protocol === 'https:' ? 'node:https' : 'node:http');
      const bytes = Buffer.from(body, 'utf8');
      const outgoing = request(
        target,
        {
          method: 'POST',
          agent: false,
          signal: AbortSignal.timeout(timeout),
          headers: { ...headers, 'Content-Length': bytes.byteLength },
          ...(verify ? {} : { rejectUnauthorized: false }),
        },
        (response) => {
          const chunks: Buffer[] = [];
          let size = 0;
          const end = () => {
            const text = Buffer.concat(chunks).subarray(0, maxBody).toString('utf8');
            resolve({
              status: String(response.statusCode),
              headers: flattened(response.headers),
              body: text,
              duration: elapsed(),
            });
          };
          response.on('data', (chunk: Buffer) => {
            chunks.push(chunk);
            size += chunk.byteLength;
            if (size < maxBody) return;
            end();
            outgoing.destroy();
          });
          response.on('end', end);
          response.on('error', fail);
        },
      );
      // A pending delivery must not keep the process alive.
      outgoing.on('socket', (socket) => socket.unref());
      outgoing.on('error', fail);
      outgoing.end(bytes);
    } catch (error) {
      fail(error);
    }
  });
}
