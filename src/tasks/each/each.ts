/** `svc each`: run a command for many targets. */
import { randomBytes } from 'node:crypto';
import { dirname } from 'node:path';
import { usage } from '../../errors.ts';
import { done as ended, type Result } from '../../spec/result.ts';
import type { EachContext, Subcommand, TaskContext } from '../context.ts';
import { type Earlier, type Journal, keptTargets, openJournal } from './journal.ts';
import { journalName, removeOldJournals } from './old-journals.ts';
import { checkOptions, type EachOptions, keepsTargets } from './options.ts';
import { entryOf, printSummary, type Run, runAll } from './run.ts';
import { Tally } from './summary.ts';
import {
  inTarget,
  listOf,
  readTargets,
  shardOf,
  sourceOf,
  type Target,
  withoutDuplicates,
} from './targets.ts';

/** The targets that the flags name, or those of the run to resume. */
async function targetsOf(task: TaskContext, options: EachOptions, command: Subcommand): Promise<Target[]> {
  const words = task.line.tail;
  const { resume, projects, groups } = options;
  if (resume !== undefined && keepsTargets(options) && (projects ?? groups) === undefined) {
    const kept = await keptTargets(task.path(resume));
    return kept.map((scope) => ({ name: scope.project ?? scope.group ?? '', line: { words, ...scope } }));
  }
  const source = sourceOf(options);
  if (source[0] === '--in-group') await command.check({ words, project: 'group/project' });
  return readTargets(task, source, options, words);
}

/** Read the targets, and validate the command line of each. Only `--in-group` sends a request. */
async function prepare(
  task: TaskContext,
  options: EachOptions,
  command: Subcommand,
): Promise<{ targets: Target[]; all: Target[] }> {
  shardOf([], options.shard);
  const all = await targetsOf(task, options, command);
  const unique = withoutDuplicates(all, (text) => task.warn(text));
  const targets: Target[] = [];
  for (const target of unique) {
    try {
      const named = await command.check(target.line);
      targets.push(target.row === undefined || named === undefined ? target : { ...target, name: named });
    } catch (error) {
      throw inTarget(error, target.row === undefined ? target.name : `row ${target.row}`);
    }
  }
  return { targets: shardOf(targets, options.shard), all };
}

/** `Delete a variable (svc variables delete) for 1,482 targets: a, b and 1,480 more.` */
function confirmationText({ summary, path }: Subcommand, targets: readonly Target[]): string {
  const count = `${targets.length} target${targets.length === 1 ? '' : 's'}`;
  return `${summary} (svc ${path}) for ${count}: ${listOf(targets.map(({ name }) => name))}.`;
}

/** The path of the new journal of a command that writes, or that the user named. Old ones are removed. */
async function newJournal(
  task: TaskContext,
  { journal }: EachOptions,
  { effect }: Subcommand,
): Promise<string | undefined> {
  if (task.dryRun || (journal === undefined && effect === 'read')) return undefined;
  if (journal !== undefined) return task.path(journal);
  const path = await task.stateFile(`each/${journalName(task.now(), randomBytes(4))}`);
  await removeOldJournals(dirname(path), task.now());
  return path;
}

/** Compare the targets with those of the journal. @throws Failure `usage` if they have none in common */
function checkTargets(task: TaskContext, journal: Journal, targets: readonly Target[]): void {
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

/** The targets that an earlier run did not complete. A dry run leaves out those that would not be sent. */
function remaining(
  task: TaskContext,
  targets: readonly Target[],
  journal: Journal | undefined,
  isRepeated: (earlier: Earlier | undefined) => boolean,
): Target[] {
  return targets.filter((target) => {
    const earlier = journal?.earlier(entryOf(target));
    return earlier !== 'done' && (!task.dryRun || isRepeated(earlier));
  });
}

/** Run the command of `task.subcommand` for each target. */
export async function runEach(task: EachContext, options: EachOptions): Promise<Result> {
  const command = task.subcommand;
  checkOptions(options);
  const { targets, all } = await prepare(task, options, command);
  if (all.length === 0) task.warn('there are no targets');
  const isRepeated = (earlier: Earlier | undefined) =>
    earlier !== 'unknown' || command.idempotent || options.retryUnknown === true;
  const kept = keepsTargets(options) ? all.map(({ line: { words: _, ...scope } }) => scope) : undefined;
  const open = (path: string, resume: boolean) =>
    openJournal(path, { words: task.line.tail, files: command.files, targets: kept, resume, now: task.now });
  let journal = options.resume === undefined ? undefined : await open(task.path(options.resume), true);
  const left = remaining(task, targets, journal, isRepeated);
  try {
    if (journal) checkTargets(task, journal, targets);
    if (command.effect === 'destructive' && left.length > 0 && !task.dryRun) {
      if (task.line.options.yes !== true) task.note(confirmationText(command, left));
      await task.confirm('Continue?');
    }
    // Only now, so that a run that is not confirmed leaves no journal.
    const path = left.length > 0 && !journal ? await newJournal(task, options, command) : undefined;
    if (path !== undefined) journal = await open(path, false);
    if (task.dryRun) {
      await journal?.close();
      journal = undefined;
    }
  } catch (error) {
    await journal?.close();
    throw error;
  }
  const tally = new Tally(targets.length);
  for (let done = left.length; done < targets.length; done++) tally.skip();
  const run: Run = { task, command, options, tally, journal, isRepeated, isStopped: false };
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
  return ended(isReaderGone || tally.exit === undefined ? {} : { ending: tally.exit });
}
