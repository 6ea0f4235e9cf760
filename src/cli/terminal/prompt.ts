import { Failure, usage } from '../../errors.ts';
import type { Options } from '../argv/flags.ts';
import type { Context } from '../context.ts';

/** Whether somebody can be asked: a terminal on both sides, and nobody who forbade it. */
export function canAsk(context: Context, options: Pick<Options, 'noInput'>): boolean {
  if (options.noInput === true) return false;
  if (context.env['CI'] || context.env['SVC_NO_INPUT']) return false;
  return context.stdin.isTTY === true && context.stderr.isTTY === true;
}

export interface Asking {
  /** What is typed stays invisible. */
  readonly hidden?: boolean;
  /** What Ctrl-D stands for; without it, it is an error. */
  readonly ended?: string;
}

/**
 * Ask for one line on the terminal.
 * @throws Failure `interrupted` on Ctrl-C; `usage` on Ctrl-D before anything was typed
 */
export async function ask(context: Context, question: string, asking: Asking = {}): Promise<string> {
  const { hidden = false, ended } = asking;
  const { createInterface } = await import('node:readline');
  const { Writable } = await import('node:stream');
  // readline echoes what is typed to its output: a hidden answer gets an output that swallows it.
  const output = hidden ? new Writable({ write: (_chunk, _encoding, done) => done() }) : context.stderr;
  const lines = createInterface({ input: context.stdin, output, terminal: true, historySize: 0 });
  let entered = false;
  const silence = (on: boolean) => context.stdin.setRawMode?.(on);
  const suspension = context.onSuspend?.(
    () => silence(false),
    () => {
      // Off and on: the shell may have changed the mode that Node takes to be still in force.
      silence(false);
      silence(true);
      if (hidden) context.stderr.write(`\r${question}`);
      lines.prompt(true);
    },
  );
  if (suspension) lines.on('SIGTSTP', suspension.suspend);
  // The terminal echoes nothing by now, and a suspension is noticed.
  if (hidden) context.stderr.write(question);
  try {
    return await new Promise<string>((resolve, reject) => {
      lines.question(hidden ? '' : question, (answer) => {
        entered = true;
        resolve(answer);
      });
      lines.once('SIGINT', () => reject(new Failure('interrupted', 'interrupted')));
      lines.once('close', () => {
        if (ended === undefined) reject(new Failure('usage', 'nothing was entered'));
        else resolve(ended);
      });
      context.signal.addEventListener('abort', () => reject(context.signal.reason), { once: true });
    });
  } finally {
    suspension?.end();
    lines.close();
    // The cursor still stands behind the question.
    if (hidden || !entered) context.stderr.write('\n');
  }
}

/**
 * Ask before `svc` replaces or forgets something on this machine, unless `--yes` was given.
 * @param act what it is about to do: `remove the profile work`
 * @throws Failure `usage` where nobody can be asked, or where the answer is no; nothing was done
 */
export async function agree(
  context: Context,
  options: Pick<Options, 'yes' | 'noInput'>,
  act: string,
): Promise<void> {
  if (options.yes === true) return;
  if (!canAsk(context, options)) throw usage(`this needs --yes, since nobody can be asked: ${act}`);
  if (!(await confirmed(context, `This will ${act}. Go on?`))) throw usage('not done');
}

/** A yes or no, with no as the default. */
export async function confirmed(context: Context, question: string): Promise<boolean> {
  const answer = await ask(context, `${question} [y/N] `, { ended: '' });
  return /^y(es)?$/i.test(answer.trim());
}
