/** The context of a call: what it prints is kept, and nothing of it reaches the streams of the server. */
import { Writable } from 'node:stream';
import type { Context } from '../../context.ts';

export interface Captured {
  readonly context: Context;
  /** What was printed on standard output. */
  text(): string;
  /** Confirmations of writes. */
  readonly sentences: string[];
}

/**
 * @param limit bytes that are kept
 * @param tooLarge the error of the write that exceeds the limit
 */
export function captureIn(context: Context, limit: number, tooLarge: () => Error): Captured {
  const chunks: Buffer[] = [];
  let length = 0;
  const stdout = new Writable({
    write(chunk: Buffer, _encoding, done) {
      length += chunk.length;
      if (length > limit) return done(tooLarge());
      chunks.push(chunk);
      done();
    },
  });
  // The command that writes reports the error.
  stdout.on('error', () => {});
  return {
    // The streams of the program are getters.
    context: Object.create(context, {
      stdout: { value: stdout },
      stdin: { value: undefined },
      stderr: { value: diagnostics(context) },
    }),
    text: () => Buffer.concat(chunks).toString('utf8'),
    sentences: [],
  };
}

/** Standard error as a stream that is no terminal, so that calls show no progress there. */
function diagnostics(context: Context): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      context.stderr.write(chunk);
      done();
    },
  });
}
