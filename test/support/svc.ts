/** Runs command lines through `run(argv, context)`, as a user would see them. */
import { PassThrough, Readable, Writable } from 'node:stream';
import type { Context } from '../../src/cli/context.ts';
import { run } from '../../src/cli/run.ts';
import type { Header, Reply, Request, Transport } from '../../src/http/transport.ts';
import { shellWords } from '../../src/support/shell.ts';
import { pause } from '../../src/support/waiting/pause.ts';

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  readonly requests: readonly Request[];
}

export interface Setting {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly stdin?: string | Uint8Array;
  /** Columns of the terminal for standard output and standard error. Without it, both are pipes. */
  readonly terminal?: number | undefined;
  readonly transport?: Context['transport'];
  readonly signal?: AbortSignal;
  readonly now?: () => number;
  readonly elapsed?: () => number;
  readonly onSuspend?: Context['onSuspend'];
  /** Receives the text of standard error as soon as it is written. */
  readonly onError?: (text: string) => void;
}

class Collector extends Writable {
  readonly chunks: Buffer[] = [];
  readonly isTTY?: boolean;
  readonly columns?: number;
  constructor(terminal: number | undefined) {
    super();
    if (terminal !== undefined) {
      this.isTTY = true;
      this.columns = terminal;
    }
  }
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.chunks.push(Buffer.from(chunk));
    this.emit('text', chunk.toString());
    done();
  }
  text(): string {
    return Buffer.concat(this.chunks).toString('utf8');
  }
}

/** Split a line into words as a shell would, with quotes and no expansions. */
export const words = shellWords;

/** The values of an ndjson text. */
// biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary JSON
export const jsonLines = (text: string): any[] =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

/** The text of the body of a request. */
export const bodyText = ({ body }: Request): string =>
  body && 'bytes' in body ? Buffer.from(body.bytes).toString() : '';

/** An empty home in which not even root can create files. */
const nowhere = '/dev/null';

/** The machine as a command line sees it: nothing of the real environment, and no input. */
export const contextWith = (more: Partial<Context>): Context => ({
  cwd: '/',
  program: ['svc'],
  stdin: new PassThrough().end(),
  stdout: new PassThrough().resume(),
  stderr: new PassThrough().resume(),
  now: Date.now,
  signal: new AbortController().signal,
  random: () => 0.5,
  ...more,
  env: { SVC_CONFIG_DIR: `${nowhere}/svc`, HOME: nowhere, ...more.env },
});

/** Run one command line without the real environment. Pauses take a hundredth of their time. */
export async function svc(argv: string | readonly string[], setting: Setting = {}): Promise<Ran> {
  const stdout = new Collector(setting.terminal);
  const stderr = new Collector(setting.terminal);
  const stdin =
    setting.stdin === undefined ? new PassThrough().end() : Readable.from([Buffer.from(setting.stdin)]);
  const requests: Request[] = [];
  const { transport, onSuspend, onError, signal = new AbortController().signal, ...machine } = setting;
  if (onError) stderr.on('text', onError);
  const context = contextWith({
    ...machine,
    stdin,
    stdout,
    stderr,
    signal,
    // As a signal from elsewhere than the terminal of the tests.
    onSignal(act) {
      const abort = () => void act('SIGTERM');
      signal.addEventListener('abort', abort);
      return () => signal.removeEventListener('abort', abort);
    },
    sleep: (milliseconds, signal) => pause(milliseconds / 100, signal),
    ...(onSuspend ? { onSuspend } : {}),
    ...(transport ? { transport: recording(transport, requests) } : {}),
  });
  const code = await run(typeof argv === 'string' ? words(argv) : argv, context);
  return { code, out: stdout.text(), err: stderr.text(), requests };
}

/** A transport that notes each request. */
export function recording(
  transport: NonNullable<Context['transport']>,
  requests: Request[],
): NonNullable<Context['transport']> {
  return (origin, options) => {
    const inner = transport(origin, options);
    return {
      send(request) {
        requests.push(request);
        return inner.send(request);
      },
      close: () => inner.close(),
    };
  };
}

export interface Canned {
  readonly status?: number;
  readonly headers?: readonly Header[];
  readonly body?: string | Uint8Array;
}

/** A transport that takes each response from a function and opens no connection. */
export function canned(
  respond: (request: Request, number: number) => Canned | Promise<Canned>,
): NonNullable<Context['transport']> {
  let number = 0;
  return (): Transport => ({
    async send(request): Promise<Reply> {
      const { status = 200, headers = [], body = '' } = await respond(request, number++);
      const isTyped = headers.some(([name]) => name === 'content-type');
      return {
        status,
        headers: isTyped ? headers : [['content-type', 'application/json'], ...headers],
        body: bytes(body),
        url: request.url,
        discard: async () => {},
      };
    },
    close: async () => {},
  });
}

async function* bytes(body: string | Uint8Array): AsyncGenerator<Uint8Array> {
  if (body.length > 0) yield Buffer.from(body as string);
}
