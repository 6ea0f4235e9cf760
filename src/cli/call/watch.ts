/** `--watch`: repeat a read command on a terminal. */
import { Writable } from 'node:stream';
import { Failure, usage } from '../../errors.ts';
import { type Command, pathOf } from '../../spec/command.ts';
import { knownFields } from '../../spec/mask.ts';
import type { Call } from '../../spec/request.ts';
import type { Result } from '../../spec/result.ts';
import { isForeground } from '../../support/process.ts';
import { pause } from '../../support/waiting/pause.ts';
import type { CommandLine } from '../argv/parse.ts';
import type { Context, Sink } from '../context.ts';
import type { ExitCode } from '../exit-codes.ts';
import { isDryRun } from '../request/dry-run.ts';
import { prepareCall } from '../request/prepare.ts';
import type { Session } from '../session/model.ts';
import { withSession } from '../session/session.ts';
import { print } from './print.ts';

const defaultSeconds = 5;

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
    const lines = this.#text === '' ? [] : this.#text.replace(/\n$/, '').split('\n');
    this.#text = '';
    return lines;
  }
}

/**
 * Repeat a read command until Ctrl-C.
 * @param send sends the call of the command
 * @throws Failure `usage` without a terminal, `interrupted` on Ctrl-C, and any failure that is not temporary
 */
export async function watch(
  command: Command,
  line: CommandLine,
  context: Context,
  send: (session: Session, call: Call, area: string) => Promise<Result>,
): Promise<ExitCode> {
  const { watch: given } = line.options;
  const seconds = typeof given === 'number' ? given : defaultSeconds;
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
      const request = async () => print(session, await send(session, call, command.area));
      if (isDryRun(session)) {
        await request();
        stdout.write(`${screen.take().join('\n')}\n`);
        return 0;
      }
      const title = `svc ${pathOf(command)}, every ${seconds} s (press Ctrl-C to stop)`;
      const isDumb = env['TERM'] === 'dumb' || env['SVC_ACCESSIBLE'] === '1';
      const view = isDumb ? appendingView(context, title) : redrawingView(stdout, title);
      const suspension = context.onSuspend?.(view.end, () => isForeground() && view.begin());
      view.begin();
      try {
        for (;;) {
          const errors = await request().then(() => [], errorLines);
          context.signal.throwIfAborted();
          const clock = new Date(context.now()).toTimeString().slice(0, 8);
          view.draw([...screen.take(), ...errors], clock);
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

function errorLines(error: unknown): string[] {
  if (!(error instanceof Failure) || !temporary.has(error.kind)) throw error;
  return [`error: ${error.message}`, ...error.details.map((detail) => `  ${detail}`)];
}

/** Draw on the alternate screen, which leaves the contents of the terminal unchanged at the end. */
function redrawingView(stdout: Sink & { readonly rows?: number }, title: string) {
  let isOpen = false;
  let drawn = '';
  return {
    begin() {
      // The alternate screen is empty after a suspension.
      if (!isOpen) stdout.write(`\u001b[?1049h\u001b[?25l${drawn}`);
      isOpen = true;
    },
    draw(lines: readonly string[], clock: string) {
      const room = (stdout.rows ?? 24) - 3;
      const more = lines.length > room ? [`(${lines.length - room} more lines)`] : [];
      const shown = [`${clock}  ${title}`, '', ...lines.slice(0, room), ...more];
      drawn = `\u001b[H${shown.map((line) => `${line}\u001b[K`).join('\n')}\u001b[J`;
      if (isOpen) stdout.write(drawn);
    },
    end() {
      if (isOpen) stdout.write('\u001b[?25h\u001b[?1049l');
      isOpen = false;
    },
  };
}

/** Append each change, for terminals that cannot move the cursor and for screen readers. */
function appendingView({ stdout, stderr }: Context, title: string): ReturnType<typeof redrawingView> {
  let before = '';
  return {
    begin: () => void stderr.write(`${title}\n`),
    draw(lines, clock) {
      const text = lines.join('\n');
      if (text !== before) stdout.write(`${clock}\n${text}\n`);
      before = text;
    },
    end() {},
  };
}
