/** The progress indicator: a spinner with a text on standard error, or a line every few seconds. */
import type { Event } from '../../http/client.ts';
import { Measure } from '../../output/table/width.ts';
import { showDuration, showSize } from '../../support/number.ts';
import { isForeground } from '../../support/process.ts';
import type { Context, Sink } from '../context.ts';
import type { Cleaner } from './clean.ts';
import type { Terminal } from './terminal.ts';

interface Described {
  readonly text: string;
  /** The part that is done, from 0 to 1, if the total is known. */
  readonly share: number | undefined;
}

/** Describe the work in progress, for example `120 of 280 jobs`. Called for each frame. */
export type Describe = () => string | Described;

export interface Progress {
  /** Show a description after half a second. @param idle only if nothing else is shown @returns a function that ends it */
  open(describe: Describe, idle?: 'idle'): () => void;
  close(): void;
}

/** The progress indicator of a command whose standard error is not a terminal. */
export const noProgress: Progress = { open: () => () => {}, close() {} };

/** Show that a command waits for a response, or for the time of a retry. @param notify receives each event */
export function withProgress(
  notify: (event: Event) => void,
  progress: Progress,
  now: () => number,
): (event: Event) => void {
  if (progress === noProgress) return notify;
  // Of requests without a response, whose descriptions are all alike.
  const endWaiting: (() => void)[] = [];
  let endRetry = () => {};
  return (event) => {
    if (event.kind === 'request') {
      endRetry();
      const { host } = new URL(event.url);
      endWaiting.push(progress.open(() => `waiting for ${host}`, 'idle'));
    } else if (event.kind === 'response') endWaiting.pop()?.();
    else if (event.kind === 'wait') {
      endWaiting.pop()?.();
      const end = now() + event.ms;
      endRetry = progress.open(() => `retrying in ${Math.max(0, Math.ceil((end - now()) / 1000))}s`);
    }
    notify(event);
  };
}

const delay = 500;
/** Milliseconds between two lines in accessible mode, and on terminals that cannot move the cursor. */
const lineInterval = 5000;
const textInterval = 100;

interface Indicator {
  /** Remove it before something else is printed. It may return later. */
  hide(): void;
  stop(): void;
}

/** Create the progress indicator of a command. It disappears as soon as the command is interrupted. */
export function createProgress(terminal: Terminal & Cleaner, context: Context): Progress {
  if (terminal.progress === 'none') return noProgress;
  const opened: { readonly describe: Describe; readonly idle: boolean }[] = [];
  const current = (): Described => {
    const working = opened.filter(({ idle }) => !idle);
    const shown = working.length > 0 ? working : opened.slice(-1);
    const parts = shown.map(({ describe }) => describe());
    const texts = parts.map((part) => (typeof part === 'string' ? part : part.text));
    const [first = ''] = parts;
    const isOne = parts.length === 1 && typeof first !== 'string';
    return { text: terminal.clean(texts.join(', ')), share: isOne ? first.share : undefined };
  };
  let timer: NodeJS.Timeout | undefined;
  let indicator: Indicator | undefined;
  const output = watchOutput(context.stdout, () => indicator?.hide());
  const stop = () => {
    clearTimeout(timer);
    timer = undefined;
    indicator?.stop();
    indicator = undefined;
  };
  const show = () => {
    indicator =
      terminal.progress === 'lines' ? printLines(current, context) : spin(current, terminal, context, output);
  };
  context.signal.addEventListener('abort', stop, { once: true });
  return {
    open(describe, idle) {
      const one = { describe, idle: idle === 'idle' };
      opened.push(one);
      if (!context.signal.aborted) timer ??= setTimeout(show, delay).unref();
      return () => {
        const at = opened.indexOf(one);
        if (at >= 0) opened.splice(at, 1);
        if (opened.length === 0) stop();
      };
    },
    close() {
      opened.length = 0;
      stop();
      output.end();
    },
  };
}

function printLines(current: () => Described, { stderr }: Context): Indicator {
  let before: string | undefined;
  const print = () => {
    const now = current().text;
    if (now !== before) stderr.write(`${now}\n`);
    before = now;
  };
  print();
  const timer = setInterval(print, lineInterval).unref();
  return { hide() {}, stop: () => clearInterval(timer) };
}

/** Columns of the bar on a terminal of 80 columns. */
const barWidth = 10;

function spin(
  current: () => Described,
  terminal: Terminal,
  context: Context,
  output: ReturnType<typeof watchOutput>,
): Indicator {
  let stopped = false;
  let hide = () => {};
  let end = () => {};
  const load = async () => {
    const { createPen } = await import('../../output/pen.ts');
    return [await createPen(barWidth, terminal), (await import('ora')).default] as const;
  };
  void load().then(([pen, ora]) => {
    if (stopped) return;
    const { stderr } = context;
    const measure = new Measure();
    const [spinner, ellipsis] = terminal.unicode ? (['dots', '…'] as const) : (['line', '...'] as const);
    const barOf = (share: number | undefined, columns: number) => {
      if (share === undefined) return '';
      const done = { kind: 'running', from: 0, to: share } as const;
      const rest = { kind: 'waiting', from: share, to: 1 } as const;
      return `${pen.bar([done, rest], 1, Math.ceil(Math.min(1, columns / 80) * barWidth))} `;
    };
    // One line: two characters for the spinner, and the last column stays empty.
    const line = () => {
      const { text, share } = current();
      const columns = stderr.columns || 80;
      return measure.cut(`${barOf(share, columns)}${text}`, columns - 3, ellipsis);
    };
    const shown = ora({
      text: line(),
      stream: stderr as NodeJS.WriteStream,
      color: terminal.messages.color ? 'cyan' : false,
      spinner,
      // Does not change the mode of the terminal, which a signal would leave behind.
      discardStdin: false,
      hideCursor: false,
      isEnabled: true,
    });
    // Otherwise it would move the cursor.
    hide = () => void (shown.isSpinning && shown.stop());
    let wasSuspended = false;
    const draw = () => {
      shown.text = line();
      if (output.isAtLineStart() && (!wasSuspended || isForeground())) shown.start();
      else hide();
    };
    const suspension = context.onSuspend?.(() => {
      wasSuspended = true;
      shown.stop();
    }, draw);
    draw();
    const timer = setInterval(draw, textInterval).unref();
    end = () => {
      clearInterval(timer);
      suspension?.end();
      hide();
    };
  });
  return {
    hide: () => hide(),
    stop() {
      stopped = true;
      end();
    },
  };
}

/** Call a function before each write to a terminal: as standard output may be corked, a new frame would appear before the text. */
function watchOutput(stdout: Sink, beforeWrite: () => void) {
  let isAtLineStart = true;
  if (stdout.isTTY !== true) return { isAtLineStart: () => true, end() {} };
  const { write } = stdout;
  const original = write.bind(stdout) as (chunk: unknown, ...rest: unknown[]) => boolean;
  stdout.write = (chunk: unknown, ...rest: unknown[]) => {
    beforeWrite();
    const last = (chunk as string | Uint8Array).at(-1);
    if (last !== undefined) isAtLineStart = last === '\n' || last === 0x0a;
    return original(chunk, ...rest);
  };
  const end = () => {
    stdout.write = write;
  };
  return { isAtLineStart: () => isAtLineStart, end };
}

/** Format milliseconds in whole seconds: `4s`, `6m54s`, `2h5m`. */
export function lasting(ms: number): string {
  return showDuration(Math.max(0, Math.round(ms / 1000)));
}

interface Amount {
  readonly done: number;
  readonly total: number | undefined;
  readonly elapsed: number;
}

export const shareOf = ({ done, total }: Pick<Amount, 'done' | 'total'>): number | undefined =>
  total ? Math.min(1, done / total) : undefined;

/** Estimate the remaining time, once enough of the work is done to judge its speed: `, 12s left`. */
export function timeLeft({ done, total, elapsed }: Amount): string {
  if (total === undefined || elapsed < 3000 || done >= total || done / total < 0.02) return '';
  return `, ${lasting((elapsed / done) * (total - done))} left`;
}

/** `120 of 280 jobs, 12s left`, or `120 jobs` if the total is not known. */
export function countText(amount: Amount, noun: string): string {
  const { done, total } = amount;
  return total === undefined ? `${done} ${noun}` : `${done} of ${total} ${noun}${timeLeft(amount)}`;
}

/** `received 3.2 MiB of 10 MiB (32%), 1.2 MiB/s, 6s left` */
export function transferText(amount: Amount, verb: string): string {
  const { done, total, elapsed } = amount;
  const share = total ? ` of ${showSize(total)} (${Math.min(100, Math.floor((done / total) * 100))}%)` : '';
  const rate = elapsed < 1000 || done === 0 ? '' : `, ${showSize(Math.floor((done / elapsed) * 1000))}/s`;
  return `${verb} ${showSize(done)}${share}${rate}${timeLeft(amount)}`;
}
