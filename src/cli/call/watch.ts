/** `--watch`: a reading command, again and again, on a terminal. */

import { Writable } from 'node:stream';
import { Failure, usage } from '../../errors.ts';
import type { Command } from '../../spec/command.ts';
import { knownFields } from '../../spec/mask.ts';
import { pause } from '../../support/pause.ts';
import type { CommandLine } from '../argv/parse.ts';
import type { Context, Sink } from '../context.ts';
import type { ExitCode } from '../exit-codes.ts';
import { isDryRun } from '../request/dry-run.ts';
import { prepare } from '../request/validate.ts';
import { openSession } from '../session/session.ts';
import { perform } from './call.ts';

/** Seconds between two rounds, unless told otherwise, and at least. */
const usual = 5;
const least = 1;

/** Failures that may be over by the next round. */
const passing = new Set(['network', 'rate_limited', 'server_error']);

/** A terminal that is not shown yet. */
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

/** @throws Failure `usage` */
function intervalOf(typed: string | boolean | undefined): number {
  if (typeof typed !== 'string') return usual;
  const seconds = /^\d{1,6}(\.\d{1,3})?s?$/.test(typed) ? Number.parseFloat(typed) : Number.NaN;
  if (!(seconds >= least))
    throw usage(`--watch wants a number of seconds, ${least} or more, not ${JSON.stringify(typed)}`);
  return seconds;
}

/**
 * Run a reading command until Ctrl-C.
 * @throws Failure `usage` where standard output is no terminal; `interrupted` when it is ended; what no next round can mend
 */
export async function watch(command: Command, line: CommandLine, context: Context): Promise<ExitCode> {
  const seconds = intervalOf(line.options.watch);
  const { stdout, env } = context;
  if (stdout.isTTY !== true)
    throw usage('--watch needs a terminal on standard output', 'in a script, repeat the command in a loop');
  const screen = new Screen(stdout);
  const session = await openSession(
    line.options,
    { ...context, stdout: screen, stderr: screen },
    knownFields(command.endpoints),
  );
  try {
    const call = await prepare(session, command, line);
    if (isDryRun(session)) {
      await perform(session, call);
      stdout.write(`${screen.take().join('\n')}\n`);
      return 0;
    }
    const plain = env['TERM'] === 'dumb' || env['SVC_ACCESSIBLE'] === '1';
    const show = plain ? followed(stdout, context) : redrawn(stdout);
    show.begin();
    try {
      for (;;) {
        const trouble = await round(() => perform(session, call));
        context.signal.throwIfAborted();
        const title = `svc ${command.area} ${command.name}, every ${seconds} s (Ctrl-C ends it)`;
        show.draw(title, [...screen.take(), ...trouble], context.now());
        await pause(seconds * 1000, context.signal);
      }
    } finally {
      show.end();
    }
  } finally {
    await session.close();
  }
}

/** One round. @returns what went wrong and may be over by the next, as lines */
async function round(go: () => Promise<unknown>): Promise<string[]> {
  try {
    await go();
    return [];
  } catch (error) {
    if (!(error instanceof Failure) || !passing.has(error.kind)) throw error;
    return [`svc: ${error.message}`, ...error.details.map((detail) => `  ${detail}`)];
  }
}

interface Show {
  begin(): void;
  draw(title: string, lines: readonly string[], now: number): void;
  end(): void;
}

const clock = (now: number): string => new Date(now).toTimeString().slice(0, 8);

/** On the terminal's other screen: the first is as it was when this ends. */
function redrawn(stdout: Sink & { readonly rows?: number }): Show {
  return {
    begin: () => stdout.write('\u001b[?1049h\u001b[?25l'),
    draw(title, lines, now) {
      const room = (stdout.rows ?? 24) - 3;
      const cut =
        lines.length > room ? [...lines.slice(0, room), `(${lines.length - room} more lines)`] : lines;
      const text = [`${clock(now)}  ${title}`, '', ...cut].map((line) => `${line}\u001b[K`).join('\n');
      stdout.write(`\u001b[H${text}\u001b[J`);
    },
    end: () => stdout.write('\u001b[?25h\u001b[?1049l'),
  };
}

/** For a terminal that can't move its cursor, and for a screen reader: what has changed, below what was there. */
function followed(stdout: Sink, context: Context): Show {
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
