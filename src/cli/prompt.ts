import { Failure } from '../errors.ts';
import type { Context } from './context.ts';

/** Whether somebody can be asked: a terminal on both sides, and nobody who forbade it. */
export function canAsk(context: Context, globals: Readonly<Record<string, unknown>>): boolean {
  if (globals['no-input'] === true) return false;
  if (context.env['CI'] || context.env['SVC_NO_INPUT']) return false;
  return context.stdin.isTTY === true && context.stderr.isTTY === true;
}

/**
 * Ask for one line on the terminal.
 * @param hidden whether what is typed stays invisible
 * @throws Failure `interrupted` on Ctrl-C; `usage` on Ctrl-D before anything was typed
 */
export async function ask(context: Context, question: string, { hidden = false } = {}): Promise<string> {
  const { createInterface } = await import('node:readline');
  const { Writable } = await import('node:stream');
  if (hidden) context.stderr.write(question);
  // readline echoes what is typed to its output: a hidden answer gets an output that swallows it.
  const output = hidden ? new Writable({ write: (_chunk, _encoding, done) => done() }) : context.stderr;
  const lines = createInterface({ input: context.stdin, output, terminal: true, historySize: 0 });
  try {
    return await new Promise<string>((resolve, reject) => {
      lines.question(hidden ? '' : question, resolve);
      lines.once('SIGINT', () => reject(new Failure('interrupted', 'interrupted')));
      lines.once('close', () => reject(new Failure('usage', 'nothing was entered')));
      context.signal.addEventListener('abort', () => reject(context.signal.reason), { once: true });
    });
  } finally {
    lines.close();
    if (hidden) context.stderr.write('\n');
  }
}

/** A yes or no, with no as the default. */
export async function confirmed(context: Context, question: string): Promise<boolean> {
  const answer = await ask(context, `${question} [y/N] `);
  return /^y(es)?$/i.test(answer.trim());
}
