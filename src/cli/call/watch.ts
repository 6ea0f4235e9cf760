/** `--watch`: repeat a read command on a terminal. */
import { Writable } from 'node:stream';
import { Failure, usage } from '../../errors.ts';
import { type Command, pathOf } from '../../spec/command.ts';
import { knownFields } from '../../spec/mask.ts';
import { isForeground } from '../../support/process.ts';
import { pause } from '../../support/waiting/pause.ts';
import type { CommandLine } from '../argv/parse.ts';
import type { Context, Sink } from '../context.ts';
import type { ExitCode } from '../exit-codes.ts';
import { isDryRun } from '../request/dry-run.ts';
import { prepareCall } from '../request/prepare.ts';
import { withSession } from '../session/session.ts';
import { sendCall } from './call.ts';
import { print } from './print.ts';

/** Seconds between two requests. */
const defaultInterval = 5;

/** Failures that the next request may not have. */
const temporary = new Set(['network', 'rate_limited', 'server_error']);

/** A terminal in memory, from which each result is drawn as a whole. */
class Screen extends Writable {
  readonly isTTY = true;
  readonly #real: Sink;
  #text = '';
  constructor(real: Sink) {
    super({ decodeStrings: true });
    this.#real = real;
  }
  get columns(): number {
    return this.#real.columns ?? 80;
  }
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#text += chunk.toString('utf8');
    done();
  }
  take(): string[] {
    const lines = this.#text.replace(/\n$/, '').split('\n');
    this.#text = '';
    return lines[0] === '' && lines.length === 1 ? [] : lines;
  }
}

/**
 * Repeat a read command until Ctrl-C.
 * @throws Failure `usage` without a terminal, `interrupted` on Ctrl-C, and any failure that is not temporary
 */
export async function watch(command: Command, line: CommandLine, context: Context): Promise<ExitCode> {
  const { watch: given } = line.options;
  const seconds = typeof given === 'number' ? given : defaultInterval;
  const { stdout, env } = context;
  if (stdout.isTTY !== true)
    throw usage(
      '--watch requires a terminal on standard output',
      'in a script, repeat the command in a loop',
    );
  const screen = new Screen(stdout);
  return withSession(
    line.options,
    { ...context, stdout: screen, stderr: screen },
    async (session) => {
      const call = await prepareCall(session, command, line);
      const request = async () => print(session, await sendCall(session, call, command.area));
      if (isDryRun(session)) {
        await request();
        stdout.write(`${screen.take().join('\n')}\n`);
        return 0;
      }
      const append = env['TERM'] === 'dumb' || env['SVC_ACCESSIBLE'] === '1';
      const view = append ? appendingView(stdout, context) : redrawingView(stdout);
      const suspension = context.onSuspend?.(view.end, () => isForeground() && view.begin());
      view.begin();
      try {
        for (;;) {
          const errors = await attempt(request);
          context.signal.throwIfAborted();
          const title = `svc ${pathOf(command)}, every ${seconds} s (press Ctrl-C to stop)`;
          view.draw(title, [...screen.take(), ...errors], context.now());
          await (context.sleep ?? pause)(seconds * 1000, context.signal);
        }
      } finally {
        suspension?.end();
        view.end();
      }
    },
    knownFields(command.endpoints),
  );
}

/** Make one request. @returns the lines of a temporary failure */
async function attempt(request: () => Promise<unknown>): Promise<string[]> {
  try {
    await request();
    return [];
  } catch (error) {
    if (!(error instanceof Failure) || !temporary.has(error.kind)) throw error;
    return [`error: ${error.message}`, ...error.details.map((detail) => `  ${detail}`)];
  }
}

interface View {
  begin(): void;
  draw(title: string, lines: readonly string[], now: number): void;
  end(): void;
}

const clock = (now: number): string => new Date(now).toTimeString().slice(0, 8);

/** Draw on the alternate screen, which leaves the contents of the terminal unchanged at the end. */
function redrawingView(stdout: Sink & { readonly rows?: number }): View {
  let isOpen = false;
  let drawn = '';
  return {
    begin() {
      // The alternate screen is empty after a suspension.
      if (!isOpen) stdout.write(`\u001b[?1049h\u001b[?25l${drawn}`);
      isOpen = true;
    },
    draw(title, lines, now) {
      const room = (stdout.rows ?? 24) - 3;
      const cut =
        lines.length > room ? [...lines.slice(0, room), `(${lines.length - room} more lines)`] : lines;
      const text = [`${clock(now)}  ${title}`, '', ...cut].map((line) => `${line}\u001b[K`).join('\n');
      drawn = `\u001b[H${text}\u001b[J`;
      if (isOpen) stdout.write(drawn);
    },
    end() {
      if (isOpen) stdout.write('\u001b[?25h\u001b[?1049l');
      isOpen = false;
    },
  };
}

/** Append each change, for terminals that cannot move the cursor and for screen readers. */
function appendingView(stdout: Sink, context: Context): View {
  let before = '';
  return {
    begin() {},
    draw(title, lines, now) {
      const text = lines.join('\n');
      if (before === '') context.stderr.write(`${title}\n`);
      if (text !== before) stdout.write(`${clock(now)}\n${text}\n`);
      before = text;
    },
    end() {},
  };
}
