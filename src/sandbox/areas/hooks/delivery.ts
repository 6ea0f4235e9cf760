/** One call of a hook's address, by real HTTP (section 6.1). */
import { getBuiltinModule } from 'node:process';

export interface Call {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Whether a certificate that can't be trusted ends the call. */
  readonly verify: boolean;
}

export interface Outcome {
  /** `internal error` where no answer came. */
  readonly status: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The beginning of it, or what went wrong. */
  readonly body: string;
  /** Seconds. */
  readonly duration: number;
}

/** Milliseconds that a call may take in all, and bytes of the answer that are kept. */
const timeout = 10_000;
const kept = 8 * 1024;

const flat = (headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  );

/**
 * Make one call. Redirects are not followed, no header is added but those that HTTP itself needs, and nothing is thrown.
 */
export function deliver({ url, headers, body, verify }: Call): Promise<Outcome> {
  const start = performance.now();
  const took = () => Math.round(performance.now() - start) / 1000;
  return new Promise((resolve) => {
    const fail = (error: unknown) => {
      const text = error instanceof Error ? error.message : String(error);
      resolve({ status: 'internal error', headers: {}, body: text, duration: took() });
    };
    try {
      const target = new URL(url);
      const { request } = getBuiltinModule(target.protocol === 'https:' ? 'node:https' : 'node:http');
      const bytes = Buffer.from(body, 'utf8');
      const call = request(
        target,
        {
          method: 'POST',
          agent: false,
          signal: AbortSignal.timeout(timeout),
          headers: { ...headers, 'Content-Length': bytes.byteLength },
          ...(verify ? {} : { rejectUnauthorized: false }),
        },
        (answer) => {
          const chunks: Buffer[] = [];
          let size = 0;
          const end = () => {
            const text = Buffer.concat(chunks).subarray(0, kept).toString('utf8');
            resolve({
              status: String(answer.statusCode),
              headers: flat(answer.headers),
              body: text,
              duration: took(),
            });
          };
          answer.on('data', (chunk: Buffer) => {
            chunks.push(chunk);
            size += chunk.byteLength;
            if (size < kept) return;
            end();
            call.destroy();
          });
          answer.on('end', end);
          answer.on('error', fail);
        },
      );
      // What is not heard of when the sandbox closes must not keep the process.
      call.on('socket', (socket) => socket.unref());
      call.on('error', fail);
      call.end(bytes);
    } catch (error) {
      fail(error);
    }
  });
}
