import { Failure, usage } from '../../errors.ts';
import { isForeground } from '../../support/process.ts';
import { printable } from '../../support/text/printable.ts';
import type { Options } from '../argv/flags.ts';
import type { Context } from '../context.ts';

/** Whether prompts are possible: on a terminal, unless a flag or variable disables them. */
export function canPrompt(context: Context, options: Pick<Options, 'noInput'>): boolean {
  if (options.noInput === true) return false;
  if (context.env['CI'] || context.env['SVC_NO_INPUT']) return false;
  // After `--projects -`, which the user ended with Ctrl-D, no answer can be read.
  const isOpen = context.stdin.isTTY === true && !context.stdin.readableEnded;
  return isOpen && context.stderr.isTTY === true && isForeground();
}

/** Leave raw mode during a suspension. @param resumed is called when the process continues */
export function onSuspend({ stdin, onSuspend }: Context, resumed: () => void) {
  const setRawMode = (on: boolean) => stdin.setRawMode?.(on);
  return onSuspend?.(
    () => setRawMode(false),
    () => {
      // Off and on, because Node does not know that the shell changed the mode.
      setRawMode(false);
      setRawMode(true);
      resumed();
    },
  );
}

interface PromptOptions {
  readonly hidden?: boolean;
  /** The input for Ctrl-D (default: an error). */
  readonly onEnd?: string;
}

/** Let the terminal mark the beginning and the end of text that is pasted. */
const markPastes = '\x1b[?2004h';
const markNoPastes = '\x1b[?2004l';

/**
 * Prompt for a line on the terminal. Control characters are removed from the question.
 * @throws Failure `interrupted` on Ctrl-C and Esc, `usage` on Ctrl-D and if several lines are pasted in place of a hidden one
 */
export async function ask(context: Context, text: string, { hidden = false, onEnd }: PromptOptions = {}) {
  const question = printable(text);
  context.signal.throwIfAborted();
  const { createInterface } = await import('node:readline');
  const { Writable } = await import('node:stream');
  // readline echoes the input to its output.
  const output = hidden ? new Writable({ write: (_chunk, _encoding, done) => done() }) : context.stderr;
  const lines = createInterface({ input: context.stdin, output, terminal: true, historySize: 0 });
  const [marked, unmarked] = hidden && context.env['TERM'] !== 'dumb' ? [markPastes, markNoPastes] : ['', ''];
  let entered = false;
  let isPasting = false;
  const entries: string[] = [];
  const suspension = onSuspend(context, () => {
    if (hidden) context.stderr.write(`${marked}\r${question}`);
    lines.prompt(true);
  });
  if (suspension) lines.on('SIGTSTP', suspension.suspend);
  // readline has no event for Esc, but lets its input report keys.
  const onKey = (_text: unknown, { name }: { name?: string }) => {
    if (name === 'escape') lines.emit('SIGINT');
    if (name !== 'paste-start' && name !== 'paste-end') return;
    isPasting = name === 'paste-start';
    // A paste that contains a line terminator ends the question, as Enter does.
    if (!isPasting && entries.length > 0) lines.emit('line', lines.line);
  };
  context.stdin.on('keypress', onKey);
  // Printed only now that the echo is off and suspensions are handled.
  if (hidden) context.stderr.write(`${marked}${question}`);
  else lines.setPrompt(question);
  try {
    const typed = new Promise<string>((resolve, reject) => {
      lines.on('line', (line) => {
        entries.push(line);
        // The lines of a paste are read to its end, so that the shell does not run them.
        if (isPasting) return;
        entered = true;
        resolve(entries[0] ?? '');
      });
      if (!hidden) lines.prompt();
      lines.once('SIGINT', () => reject(new Failure('interrupted', 'interrupted')));
      lines.once('close', () => {
        if (onEnd === undefined) reject(new Failure('usage', 'no value entered'));
        else resolve(onEnd);
      });
      context.signal.addEventListener('abort', () => reject(context.signal.reason), { once: true });
    });
    const line = await typed;
    // Text that was pasted with its line terminator is one line.
    if (hidden && entries.slice(1).some((one) => one !== ''))
      throw usage(
        'several lines were pasted; nothing was sent',
        'for a value of several lines, use a file or standard input',
      );
    return line;
  } finally {
    suspension?.end();
    context.stdin.off('keypress', onKey);
    lines.close();
    // The cursor is still after the question.
    if (hidden || !entered) context.stderr.write(`${unmarked}\n`);
  }
}

/** The error for a confirmation that the user cannot give here. @param details what would happen */
export const needsConfirmation = (hint: string, details: readonly string[] = [], flag = '--yes'): Failure =>
  new Failure('usage', `this command requires ${flag}, because svc cannot prompt here`, { details, hint });

/** Confirm a change on this machine, unless `--yes`. @param action in the imperative: `remove the profile work` @throws Failure `usage` */
export async function confirmAction(
  context: Context,
  options: Pick<Options, 'yes' | 'noInput'>,
  action: string,
): Promise<void> {
  if (options.yes === true) return;
  if (!canPrompt(context, options)) throw needsConfirmation('nothing was changed', [`it would ${action}`]);
  if (!(await askYesNo(context, `This will ${action}. Continue?`))) throw usage('canceled');
}

/** Ask a yes-or-no question. The default is no. */
export async function askYesNo(context: Context, question: string): Promise<boolean> {
  const typed = await ask(context, `${question} [y/N] `, { onEnd: '' });
  return /^y(es)?$/i.test(typed.trim());
}
