/** A picture that is redrawn in place on the terminal, and the keys that the user presses meanwhile. */
import { createPen } from '../../output/pen.ts';
import { isForeground } from '../../support/process.ts';
import type { View } from '../../tasks/context.ts';
import type { Context } from '../context.ts';
import type { Terminal } from './terminal.ts';

const names: Readonly<Record<string, string>> = {
  '\u001b': 'escape',
  '\u001b[A': 'up',
  '\u001bOA': 'up',
  '\u001b[B': 'down',
  '\u001bOB': 'down',
};

/** Whether a picture can be redrawn in place: on a terminal that can move its cursor, unless a screen reader is used. */
export function canRedraw({ env, stdout }: Pick<Context, 'env' | 'stdout'>): boolean {
  return stdout.isTTY === true && env['TERM'] !== 'dumb' && env['SVC_ACCESSIBLE'] !== '1';
}

/** Open a picture. @param onResize draws again @param onKey gets `interrupt` for Ctrl-C; without it, keys are not read */
export async function openView(
  context: Context,
  terminal: Terminal,
  onResize: () => void,
  onKey?: (key: string) => void,
): Promise<View> {
  const { stdin, stdout, stderr } = context;
  /** Lines of the picture above the cursor. */
  let drawn = 0;
  let isSuspended = false;
  let readsKeys = false;
  const setRawMode = (on: boolean) => readsKeys && stdin.setRawMode?.(on);
  let pen = await createPen(stdout.columns || 80, terminal);
  const resume = () => {
    isSuspended = false;
    // Off and on, because Node does not know that the shell changed the mode.
    setRawMode(false);
    setRawMode(true);
    stdout.write('\u001b[?25l');
    // The shell wrote below the picture, which is drawn anew there.
    drawn = 0;
  };
  /** Continued with `bg`: the terminal belongs to the shell until `fg`, which sends no signal. */
  let isInBackground = false;
  const suspension = context.onSuspend?.(
    () => {
      isSuspended = true;
      setRawMode(false);
      stdout.write('\u001b[?25h');
    },
    () => {
      isInBackground = !isForeground();
      if (isInBackground) return;
      resume();
      onResize();
    },
  );
  const onData = (chunk: Buffer | string) => {
    const text = String(chunk);
    if (text.includes('\u0003')) onKey?.('interrupt');
    else if (text.includes('\u001a')) suspension?.suspend();
    // Arrows that are held arrive together. Other keys do not count then: the user has not seen the question that they would answer.
    else for (const key of text.match(/\u001b[[O][AB]/g) ?? [text]) onKey?.(names[key] ?? key);
  };
  const resized = async () => {
    pen = await createPen(stdout.columns || 80, terminal);
    // Lines of the old width were wrapped, so their number is not known.
    stdout.write('\u001b[H\u001b[2J');
    drawn = 0;
    onResize();
  };
  const toStart = () => (drawn > 0 ? `\u001b[${drawn}A\r` : '\r');
  const { write } = stderr;
  const original = write.bind(stderr) as (chunk: unknown, ...rest: unknown[]) => boolean;
  // A line such as the note about a retry goes above the picture, which is drawn again below it.
  if (stderr.isTTY === true)
    stderr.write = (chunk: unknown, ...rest: unknown[]) => {
      const isAbove = drawn > 0 && !isSuspended && String(chunk).endsWith('\n');
      if (isAbove) stdout.write(`${toStart()}\u001b[J`);
      const isWritten = original(chunk, ...rest);
      if (isAbove) {
        drawn = 0;
        onResize();
      }
      return isWritten;
    };
  /** The system stops a program in the background that changes the mode of the terminal. */
  const readKeys = () => {
    if (readsKeys || onKey === undefined || stdin.isTTY !== true || !isForeground()) return;
    readsKeys = true;
    setRawMode(true);
    stdin.on('data', onData).resume();
  };
  stdout.write('\u001b[?25l');
  readKeys();
  stdout.on('resize', resized);
  return {
    draw(paint) {
      if (isInBackground && isForeground()) {
        isInBackground = false;
        resume();
      }
      if (isSuspended) return;
      readKeys();
      const lines = paint(pen, Math.max(1, (stdout.rows || 24) - 1));
      stdout.write(`${toStart()}${lines.map((line) => `${line}\u001b[K\n`).join('')}\u001b[J`);
      drawn = lines.length;
    },
    end() {
      suspension?.end();
      stderr.write = write;
      stdout.off('resize', resized);
      if (readsKeys) stdin.off('data', onData).pause();
      setRawMode(false);
      if (!isSuspended) stdout.write('\u001b[?25h');
    },
  };
}
