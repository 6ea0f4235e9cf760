/** Run a command for its targets, with a journal. */
import { Failure } from '../../errors.ts';
import { commandLine } from '../../support/shell.ts';
import type { EachContext, Subcommand, TargetResult } from '../context.ts';
import { inOrder } from './in-order.ts';
import type { Earlier, Entry, Journal } from './journal.ts';
import { type EachOptions, keepsTargets } from './options.ts';
import type { Tally } from './summary.ts';
import { identityOf, type Target } from './targets.ts';

/** Targets whose results wait for the result of an earlier one. */
const ahead = 64;

const unknownResult = (target: string): TargetResult => ({
  exit: 11,
  kind: 'unknown',
  uncertain: true,
  failure: new Failure('partial', `${target} was started in an earlier run; the outcome is unknown`, {
    hint: 'check the target, then use --retry-unknown to run the command again',
  }),
});

export const entryOf = (target: Target): Entry => ({
  target: target.name,
  ...(target.row === undefined ? {} : { row: identityOf(target) }),
});

/** A run of a command for its targets. */
export interface Run {
  readonly task: EachContext;
  readonly command: Subcommand;
  readonly options: EachOptions;
  readonly tally: Tally;
  readonly journal: Journal | undefined;
  /** Whether a target is run after an earlier run. */
  readonly isRepeated: (earlier: Earlier | undefined) => boolean;
  /** No target is started any more. */
  isStopped: boolean;
}

/** Run the command for all targets, and end the journal and the output. */
export async function runAll(run: Run, targets: readonly Target[]): Promise<void> {
  const { task, command, options, journal } = run;
  const { concurrency = 4 } = options;
  const progress = task.progress('running', targets.length);
  let isComplete = false;
  let isInterrupted = false;
  try {
    await inOrder(targets, {
      concurrency,
      ahead: Math.max(ahead, concurrency),
      async run(target) {
        task.signal.throwIfAborted();
        progress.step(target.name);
        const result = await runOne(run, target);
        isInterrupted ||= result.interrupted === true;
        return result;
      },
      deliver: ({ name }, result) => command.print(name, result),
      isStopped: () => run.isStopped,
    });
    if (isInterrupted) task.signal.throwIfAborted();
    isComplete = true;
  } finally {
    progress.end();
    try {
      await journal?.close();
    } finally {
      await command.end().catch((error: unknown) => {
        if (isComplete) throw error;
      });
    }
  }
}

async function runOne(run: Run, target: Target): Promise<TargetResult> {
  const { command, options, tally, journal } = run;
  const entry = entryOf(target);
  if (!run.isRepeated(journal?.earlier(entry))) {
    const result = unknownResult(target.name);
    tally.start();
    tally.add(result);
    return result;
  }
  await journal?.started(entry);
  tally.start();
  const result = await command.run(target.line);
  // The journal and the summary know a target without an end.
  if (result.interrupted) return result;
  tally.add(result);
  journal?.ended(entry, { exit: result.exit, unknown: result.uncertain, complete: tally.complete });
  if (result.exit !== 0 && options.failFast) run.isStopped = true;
  return result;
}

/** The command that resumes a run: as it was typed, without secrets. Notes say what else it requires. */
function resumeText({ task, command, options }: Run, path: string): string {
  const targets = keepsTargets(options) ? ['projects', 'groups'] : [];
  const replaced = ['journal', 'resume', 'retryUnknown', ...targets];
  const flags = Object.entries(task.ownOptions).flatMap(([name, value]) => {
    if (replaced.includes(name)) return [];
    const flag = `--${name.replace(/[A-Z]/g, '-$&').toLowerCase()}`;
    return value === true ? [flag] : [flag, String(value)];
  });
  const { words, isComplete } = command.shown(task.line.tail);
  if (options.rows === '-' || command.files.has('-')) task.note('To resume, use the same standard input.');
  if (!isComplete) task.note('To resume, replace *** with the values.');
  return ` Resume with: ${commandLine(['svc', 'each', '--resume', path, ...flags, '--', ...words])}`;
}

/** Print the last line, with the command that resumes the run. */
export function printSummary(run: Run): void {
  const { task, options, tally, journal } = run;
  const isOwn = options.journal === undefined && options.resume === undefined;
  if (journal && tally.complete && isOwn) task.note(`Journal: ${journal.path}`);
  const resume = journal && !tally.complete ? resumeText(run, journal.path) : '';
  task.note(`${tally.text()}${resume}`);
}
