/** `svc each`: run a command for many targets. */
import { randomBytes } from 'node:crypto';
import { dirname } from 'node:path';
import { Failure, usage } from '../../errors.ts';
import { done, type Result } from '../../spec/result.ts';
import { commandLine } from '../../support/shell.ts';
import type { EachContext, Subcommand, TargetLine, TargetResult } from '../context.ts';
import { inOrder } from './in-order.ts';
import {
  type Earlier,
  type Entry,
  type Journal,
  journalName,
  keptTargets,
  openJournal,
  removeOldJournals,
} from './journal.ts';
import type { EachOptions } from './options.ts';
import { Tally } from './summary.ts';
import {
  identityOf,
  inTarget,
  keepsTargets,
  lineOf,
  listOf,
  readTargets,
  shardOf,
  sourceOf,
  withoutDuplicates,
} from './targets.ts';

/** Targets whose results wait for the result of an earlier one. */
const ahead = 64;

/** @throws Failure `usage` for options that contradict each other */
function checkOptions({ journal, resume, retryUnknown }: EachOptions): void {
  if (journal !== undefined && resume !== undefined)
    throw usage(
      '--journal and --resume cannot be used together',
      '--resume appends to the journal that it names',
    );
  if (journal === '') throw usage('--journal requires a path');
  if (resume === '') throw usage('--resume requires a path');
  if (retryUnknown && resume === undefined) throw usage('--retry-unknown requires --resume');
}

/** The targets that the flags name, or those of the run to resume. */
async function targetsOf(task: EachContext, options: EachOptions): Promise<TargetLine[]> {
  const words = task.line.tail;
  const { resume, projects, groups } = options;
  if (resume !== undefined && keepsTargets(options) && (projects ?? groups) === undefined)
    return (await keptTargets(task.path(resume))).map((target) => lineOf(words, target));
  const source = sourceOf(options);
  if (source[0] === '--in-group')
    await task.subcommand.check(lineOf(words, { scope: 'project', id: 'group/project' }));
  return readTargets(task, source, options, words);
}

/** Validate the command line of each target, and name rows by their project or group. Nothing is sent. */
async function validated(command: Subcommand, targets: readonly TargetLine[]): Promise<TargetLine[]> {
  const checked: TargetLine[] = [];
  for (const target of targets) {
    const { row, name } = target;
    try {
      const named = await command.check(target);
      checked.push({ ...target, name: (row === undefined ? undefined : named) ?? name });
    } catch (error) {
      throw inTarget(error, row === undefined ? name : `row ${row}`);
    }
  }
  return checked;
}

/** `Delete a variable (svc variables delete) for 1,482 targets: a, b and 1,480 more.` */
function confirmationText({ summary, path }: Subcommand, targets: readonly TargetLine[]): string {
  const count = `${targets.length} target${targets.length === 1 ? '' : 's'}`;
  return `${summary} (svc ${path}) for ${count}: ${listOf(targets.map(({ name }) => name))}.`;
}

/** The path of the new journal of a command that writes, or that the user named. Old ones are removed. */
async function newJournal(task: EachContext, { journal }: EachOptions): Promise<string | undefined> {
  if (task.dryRun || (journal === undefined && task.subcommand.effect === 'read')) return undefined;
  if (journal !== undefined) return task.path(journal);
  const path = await task.stateFile(`each/${journalName(task.now(), randomBytes(4))}`);
  await removeOldJournals(dirname(path), task.now());
  return path;
}

const entryOf = (target: TargetLine): Entry => ({
  target: target.name,
  ...(target.row === undefined ? {} : { row: identityOf(target) }),
});

/** Compare the targets with those of the journal. @throws Failure `usage` if they have none in common */
function checkTargets(task: EachContext, journal: Journal, targets: readonly TargetLine[]): void {
  const others = journal.others(targets.map(entryOf));
  const isKnown = targets.some((target) => journal.earlier(entryOf(target)) !== undefined);
  if (others.length > 0 && !isKnown)
    throw usage(
      `the journal ${journal.path} has other targets: ${listOf(others.map(({ target }) => target))}`,
      'resume with the same targets',
    );
  const open = others.filter(({ earlier }) => earlier !== 'done');
  if (open.length > 0)
    task.warn(
      `the list lacks ${open.length} of the targets in the journal that are not done: ${listOf(open.map(({ target }) => target))}`,
    );
}

const unknownResult = (target: string): TargetResult => ({
  exit: 11,
  kind: 'unknown',
  uncertain: true,
  failure: new Failure('partial', `${target} was started in an earlier run; the outcome is unknown`, {
    hint: 'check the target, then use --retry-unknown to run the command again',
  }),
});

/** Run the command of `task.subcommand` for each target. */
export async function runEach(task: EachContext, options: EachOptions): Promise<Result> {
  const command = task.subcommand;
  checkOptions(options);
  shardOf([], options.shard);
  const all = await targetsOf(task, options);
  const unique = withoutDuplicates(all, (text) => task.warn(text));
  const targets = shardOf(await validated(command, unique), options.shard);
  if (all.length === 0) task.warn('there are no targets');
  const isRepeated = (earlier: Earlier | undefined) =>
    earlier !== 'unknown' || command.idempotent || options.retryUnknown === true;
  const kept = keepsTargets(options) ? all.flatMap(({ target }) => target ?? []) : undefined;
  const open = (path: string, resume: boolean) =>
    openJournal(path, { words: task.line.tail, files: command.files, targets: kept, resume, now: task.now });
  let journal = options.resume === undefined ? undefined : await open(task.path(options.resume), true);
  const left = targets.filter((target) => {
    const earlier = journal?.earlier(entryOf(target));
    // A dry run leaves out those that would not be sent.
    return earlier !== 'done' && (!task.dryRun || isRepeated(earlier));
  });
  try {
    if (journal) checkTargets(task, journal, targets);
    if (command.effect === 'destructive' && left.length > 0 && !task.dryRun) {
      if (task.line.options.yes !== true) task.note(confirmationText(command, left));
      await task.confirm('Continue?');
    }
    // Only now, so that a run that is not confirmed leaves no journal.
    const path = left.length > 0 && !journal ? await newJournal(task, options) : undefined;
    if (path !== undefined) journal = await open(path, false);
    if (task.dryRun) {
      await journal?.close();
      journal = undefined;
    }
  } catch (error) {
    await journal?.close();
    throw error;
  }
  const tally = new Tally(targets.length, targets.length - left.length);
  const run: Run = { task, options, tally, journal, isRepeated, isStopped: false };
  let isReaderGone = false;
  // The targets that are running end, so that the journal knows their outcome.
  if (journal)
    task.onReaderGone(() => {
      isReaderGone = true;
      run.isStopped = true;
    });
  try {
    await runAll(run, left);
  } finally {
    if (!task.dryRun) printSummary(run);
  }
  return done(isReaderGone || tally.exit === undefined ? {} : { ending: tally.exit });
}

/** A run of a command for its targets. */
interface Run {
  readonly task: EachContext;
  readonly options: EachOptions;
  readonly tally: Tally;
  readonly journal: Journal | undefined;
  /** Whether a target is run after an earlier run. */
  readonly isRepeated: (earlier: Earlier | undefined) => boolean;
  /** No target is started any more. */
  isStopped: boolean;
}

/** Run the command for all targets, and end the journal and the output. */
async function runAll(run: Run, targets: readonly TargetLine[]): Promise<void> {
  const { task, options, journal } = run;
  const { subcommand: command, signal } = task;
  const { concurrency = 4 } = options;
  const progress = task.progress('running', targets.length);
  let isComplete = false;
  let isInterrupted = false;
  try {
    await inOrder(targets, {
      concurrency,
      ahead: Math.max(ahead, concurrency),
      async run(target) {
        signal.throwIfAborted();
        progress.step(target.name);
        const result = await runOne(run, target);
        isInterrupted ||= result.interrupted === true;
        return result;
      },
      deliver: ({ name }, result) => command.print(name, result),
      isStopped: () => run.isStopped,
    });
    if (isInterrupted) signal.throwIfAborted();
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

async function runOne(run: Run, target: TargetLine): Promise<TargetResult> {
  const { task, options, tally, journal } = run;
  const entry = entryOf(target);
  const isRun = run.isRepeated(journal?.earlier(entry));
  if (isRun) await journal?.started(entry);
  tally.start();
  const result = isRun ? await task.subcommand.run(target) : unknownResult(target.name);
  // The journal and the summary know a target without an end.
  if (result.interrupted) return result;
  tally.add(result);
  if (!isRun) return result;
  journal?.ended(entry, { exit: result.exit, unknown: result.uncertain, complete: tally.complete });
  if (result.exit !== 0 && options.failFast) run.isStopped = true;
  return result;
}

/** The command that resumes a run: as it was typed, without secrets. Notes say what else it requires. */
function resumeText({ task, options }: Run, path: string): string {
  const { subcommand: command } = task;
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
function printSummary(run: Run): void {
  const { task, options, tally, journal } = run;
  const isOwn = options.journal === undefined && options.resume === undefined;
  if (journal && tally.complete && isOwn) task.note(`Journal: ${journal.path}`);
  const resume = journal && !tally.complete ? resumeText(run, journal.path) : '';
  task.note(`${tally.text()}${resume}`);
}
