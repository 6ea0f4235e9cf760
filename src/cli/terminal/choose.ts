/** Choose one of many values on the terminal: a list that is filtered while the user types. */
import { PassThrough, Writable } from 'node:stream';
import { Failure } from '../../errors.ts';
import { Measure } from '../../output/table/width.ts';
import { printable } from '../../support/text/printable.ts';
import type { Context } from '../context.ts';
import { ask, onSuspend } from './prompt.ts';

export interface Choice {
  readonly value: string;
  readonly doc?: string;
}

/** Returns the values whose text contains a term, in order. It may stop after `count`. */
export type Find<C extends Choice> = (term: string, count: number) => Promise<readonly C[]>;

/** Values that are listed at a time. The user types to find others. */
const maxListed = 100;

/** Let the user choose. Nothing is written to standard output. @throws Failure `interrupted` on Esc, Ctrl-C and Ctrl-D */
export async function choose<C extends Choice>(context: Context, title: string, find: Find<C>): Promise<C> {
  const { env } = context;
  if (env['SVC_ACCESSIBLE'] === '1' || env['TERM'] === 'dumb') return chooseByNumber(context, title, find);
  return chooseInList(context, title, find);
}

async function chooseInList<C extends Choice>(context: Context, title: string, find: Find<C>): Promise<C> {
  const { stdin, stderr, signal } = context;
  const { default: search, Separator } = await import('@inquirer/search');
  const measure = new Measure();
  let term = '';
  const source = async (typed = '') => {
    term = typed;
    const found = await find(typed, maxListed + 1).catch((error: Error) => {
      throw new Error(printable(error.message));
    });
    const listed = found.slice(0, maxListed);
    await measure.prepare(listed.map(textOf));
    const width = (stderr.columns || 80) - 4;
    const choices = listed.map((value) => ({ value, name: measure.cut(textOf(value), width, '…') }));
    return found.length > maxListed ? [...choices, new Separator('… type to find others')] : choices;
  };
  // The keys are read here, because the prompt knows neither Esc nor a suspension.
  const keys = new PassThrough();
  let stop = new AbortController();
  let last = '';
  let resume: (() => void) | undefined;
  const onKeys = (chunk: Buffer | string) => {
    last = /[\x03\x04\x1a]|^\x1b$/.exec(String(chunk))?.[0] ?? '';
    if (last === '') keys.write(chunk);
    else stop.abort();
  };
  const setRawMode = (on: boolean) => stdin.setRawMode?.(on);
  const suspension = onSuspend(context, () => {
    if (resume) resume();
    else stop.abort();
  });
  const redraw = () => stop.abort();
  setRawMode(true);
  stdin.on('data', onKeys).resume();
  stderr.on('resize', redraw);
  try {
    for (;;) {
      stop = new AbortController();
      last = '';
      // The prompt ends its output. Text is written at once, so that none follows the prompt.
      const output = new Writable({
        write(chunk, _encoding, done) {
          stderr.write(chunk);
          done();
        },
      });
      Object.defineProperty(output, 'columns', { get: () => stderr.columns });
      const pageSize = Math.max(1, Math.min(15, (stderr.rows || 24) - 5));
      const theme = { style: { keysHelpTip: () => 'Type to find; Enter, or Esc to stop' } };
      const typed = term === '' ? {} : { initialValue: term };
      const question = { message: title, source, pageSize, theme, ...typed };
      const stopped = AbortSignal.any([signal, stop.signal]);
      try {
        return await search(question, { input: keys, output, signal: stopped, clearPromptOnDone: true });
      } catch (error) {
        signal.throwIfAborted();
        if (!stop.signal.aborted) throw error;
        if (last !== '' && last !== '\x1a') throw new Failure('interrupted', 'interrupted');
        // Otherwise the process continues after a suspension, or the size changed: the list is drawn again.
        if (last !== '' && suspension)
          await new Promise<void>((done) => {
            resume = done;
            suspension.suspend();
          });
        resume = undefined;
      }
    }
  } finally {
    suspension?.end();
    stderr.off('resize', redraw);
    stdin.off('data', onKeys).pause();
    setRawMode(false);
  }
}

const textOf = ({ value, doc = '' }: Choice): string => printable(doc === '' ? value : `${value}  ${doc}`);

/** Values that are listed with numbers at a time. */
const maxNumbered = 20;

/** Print a numbered list and ask for a number, for screen readers. Any other text filters the list. */
async function chooseByNumber<C extends Choice>(context: Context, title: string, find: Find<C>): Promise<C> {
  let term = '';
  for (;;) {
    const found = await find(term, maxNumbered + 1);
    const shown = found.slice(0, maxNumbered);
    const lines = shown.map((choice, at) => `${at + 1}. ${textOf(choice)}\n`);
    const none = shown.length === 0 ? `No value contains ${printable(term)}.\n` : '';
    context.stderr.write(`${title}\n${none}${lines.join('')}`);
    if (found.length > maxNumbered) context.stderr.write('There are more. Type a text to find others.\n');
    const typed = (
      await ask(context, `Number${shown.length > 1 ? ` from 1 to ${shown.length}` : ''}, or a text to find: `)
    ).trim();
    const chosen = /^\d+$/.test(typed) ? shown[Number(typed) - 1] : undefined;
    if (chosen) return chosen;
    term = typed;
  }
}
