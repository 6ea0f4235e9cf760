/** `--watch`: repeat a read command on a terminal. */
import { PassThrough } from 'node:stream';
import { Failure, usage } from '../../errors.ts';
import { type Command, pathOf } from '../../spec/command.ts';
import { knownFields } from '../../spec/mask.ts';
import type { Call } from '../../spec/request.ts';
import type { Result } from '../../spec/result.ts';
import { pause } from '../../support/waiting/pause.ts';
import type { CommandLine } from '../argv/parse.ts';
import type { Context, Sink } from '../context.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { prepareCall } from '../request/prepare.ts';
import type { Session } from '../session/model.ts';
import { withSession } from '../session/session.ts';
import { print } from './print.ts';

const defaultSeconds = 5;

/** Failures that the next request may not have. */
const temporary = new Set(['network', 'rate_limited', 'server_error']);

/** A terminal in memory, from which each result is drawn as a whole. */
const createScreen = (real: Sink): PassThrough =>
  Object.defineProperties(new PassThrough({ highWaterMark: Number.MAX_SAFE_INTEGER }), {
    isTTY: { value: true },
    columns: { get: () => real.columns ?? 80 },
  });

/** The lines that were written to a terminal in memory since the last call. */
function linesOf(screen: PassThrough): string[] {
  const text = String(screen.read() ?? '');
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

/**
 * Repeat a read command until Ctrl-C, which leaves the last result on the screen.
 * @param send sends the call of the command
 * @throws Failure `usage` without a terminal, and any failure that is not temporary
 */
export async function watch(
  command: Command,
  line: CommandLine,
  context: Context,
  send: (session: Session, call: Call, area: string) => Promise<Result>,
): Promise<ExitCode> {
  const { watch: given } = line.options;
  const seconds = typeof given === 'number' ? given : defaultSeconds;
  const { stdout, stderr } = context;
  if (stdout.isTTY !== true)
    throw usage(
      '--watch requires a terminal on standard output',
      'in a script, repeat the command in a loop',
    );
  const screen = createScreen(stdout);
  return withSession(
    line.options,
    { ...context, stdout: screen, stderr: screen },
    async (session) => {
      const call = await prepareCall(session, command, line);
      const request = async () => print(session, await send(session, call, command.area));
      const title = `svc ${pathOf(command)}, every ${seconds} s (press Ctrl-C to stop)`;
      const { canRedraw, openView } = await import('../terminal/view.ts');
      let wake = () => {};
      // A terminal with another size needs another table.
      const view = canRedraw(context) ? await openView(context, session.terminal, () => wake()) : undefined;
      if (!view) stderr.write(`${title}\n`);
      let before = '';
      try {
        for (;;) {
          const errors = await request().then(() => [], errorLines);
          context.signal.throwIfAborted();
          const clock = new Date(context.now()).toTimeString().slice(0, 8);
          const lines = [...linesOf(screen), ...errors];
          view?.draw((_, height) => cut([`${clock}  ${title}`, '', ...lines], height));
          // Terminals that cannot move the cursor, and screen readers, get each result that differs from the one before.
          const text = lines.join('\n');
          if (!view && text !== before) stdout.write(`${clock}\n${text}\n`);
          before = text;
          const waken = new Promise<void>((resolve) => {
            wake = resolve;
          });
          await Promise.race([(context.sleep ?? pause)(seconds * 1000, context.signal), waken]);
        }
      } catch (error) {
        view?.end();
        const { aborted, reason } = context.signal;
        if (!aborted || !(reason instanceof Failure)) throw error;
        stderr.write('Stopped.\n');
        return exitCodes[reason.kind];
      }
    },
    knownFields(command.endpoints),
  );
}

function cut(lines: readonly string[], height: number): readonly string[] {
  if (lines.length <= height) return lines;
  return [...lines.slice(0, height - 1), `(${lines.length - height + 1} more lines)`];
}

function errorLines(error: unknown): string[] {
  if (!(error instanceof Failure) || !temporary.has(error.kind)) throw error;
  return [`error: ${error.message}`, ...error.details.map((detail) => `  ${detail}`)];
}
