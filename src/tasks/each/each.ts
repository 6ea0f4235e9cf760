import { randomBytes } from 'node:crypto';
import { dirname } from 'node:path';
import { Failure, usage } from '../../errors.ts';
import { done, type Result } from '../../spec/result.ts';
import { inOrder } from '../../support/in-order.ts';
import { commandLine } from '../../support/shell.ts';
import { listOf } from '../../support/text/list.ts';
import type { EachContext, Subcommand, TargetLine, TargetResult } from '../context.ts';
import {
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
  readTargets,
  shardOf,
  sourceOf,
  withoutDuplicates,
} from './targets.ts';

/** Targets whose results wait for the result of an earlier one. */
const ahead = 64;

function checkOptions({ journal, resume, retryUnknown, shard }: EachOptions): void {
  if (journal !== undefined && resume !== undefined)
    throw usage(
      '--journal and --resume cannot be used together',
      '--resume appends to the journal that it names',
    );
  if (journal === '') throw usage('--journal requires a path');
  if (resume === '') throw usage('--resume requires a path');
  if (retryUnknown && resume === undefined) throw usage('--retry-unknown requires --resume');
  shardOf([], shard);
}

async function targetsOf(task: EachContext, options: EachOptions): Promise<TargetLine[]> {
  const words = task.line.tail;
  const { resume, projects, groups } = options;
  if (resume !== undefined && keepsTargets(options) && (projects ?? groups) === undefined)
    return (await keptTargets(task.path(resume))).map((target) => lineOf(words, target));
  const source = sourceOf(options);
  if (source[0] === '--in-group')
    await task.subcommand.check(lineOf(words, { scope: 'project', id: 'group/project' }));
  if (source[0] === '--subgroups-of')
    await task.subcommand.check(lineOf(words, { scope: 'group', id: 'group/subgroup' }));
  return readTargets(task, source, options, words);
}

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

/** Ask for the confirmation of a destructive command: `Delete a variable (svc variables delete) for 1,482 targets: a, b and 1,480 more.` */
async function confirm(task: EachContext, targets: readonly TargetLine[]): Promise<void> {
  const { summary, path } = task.subcommand;
  const count = `${targets.length} target${targets.length === 1 ? '' : 's'}`;
  if (task.line.options.yes !== true)
    task.note(`${summary} (svc ${path}) for ${count}: ${listOf(targets.map(({ name }) => name))}.`);
  await task.confirm('Continue?');
}

/** The path of the new journal of a command that writes, or that the user named. Old ones are removed. */
async function newJournal(task: EachContext, { journal }: EachOptions): Promise<string | undefined> {
  if (journal !== undefined) return task.path(journal);
  if (task.subcommand.effect === 'read') return undefined;
  const path = await task.stateFile(`each/${journalName(task.now(), randomBytes(4))}`);
  await removeOldJournals(dirname(path), task.now());
  return path;
}

const entryOf = (target: TargetLine): Entry => ({
  target: target.name,
  ...(target.row === undefined ? {} : { row: identityOf(target) }),
});

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
  const { subcommand: command, dryRun } = task;
  checkOptions(options);
  const all = await targetsOf(task, options);
  const unique = withoutDuplicates(all, (text) => task.warn(text));
  const targets = shardOf(await validated(command, unique), options.shard);
  if (all.length === 0) task.warn('there are no targets');
  if (options.rehearse) {
    if (dryRun || options.journal !== undefined || options.resume !== undefined)
      throw usage('--rehearse cannot be used with --dry-run, --curl, --journal or --resume');
    return (await import('../rehearse/each.ts')).rehearseEach(task, targets);
  }
  const kept = keepsTargets(options) ? all.flatMap(({ target }) => target ?? []) : undefined;
  const open = (path: string, resume: boolean) =>
    openJournal(path, {
      ...{ words: task.line.tail, files: command.files, targets: kept, total: targets.length },
      ...{ resume, now: task.now },
    });
  const earlier = options.resume === undefined ? undefined : await open(task.path(options.resume), true);
  const isRepeated = (target: TargetLine) =>
    earlier?.earlier(entryOf(target)) !== 'unknown' || command.idempotent || options.retryUnknown === true;
  const left = targets.filter(
    // A dry run leaves out those that would not be sent.
    (target) => earlier?.earlier(entryOf(target)) !== 'done' && (!dryRun || isRepeated(target)),
  );
  let journal = earlier;
  try {
    if (journal) checkTargets(task, journal, targets);
    if (command.effect === 'destructive' && left.length > 0 && !dryRun) await confirm(task, left);
    // Only now, so that a run that is not confirmed leaves no journal.
    // A shard without targets has a journal too, so that a report can tell it from a shard that was lost.
    const isKept = left.length > 0 || options.journal !== undefined;
    const path = isKept && !journal && !dryRun ? await newJournal(task, options) : undefined;
    if (path !== undefined) journal = await open(path, false);
  } catch (error) {
    await journal?.close();
    throw error;
  }
  if (dryRun) {
    await journal?.close();
    journal = undefined;
  }
  const tally = new Tally(targets.length, targets.length - left.length);
  let isStopped = false;
  let isReaderGone = false;
  // The targets that are running end, so that the journal knows their outcome.
  if (journal)
    task.onReaderGone(() => {
      isReaderGone = true;
      isStopped = true;
    });
  let isInterrupted = false;
  let isComplete = false;
  const progress = task.progress('running', left.length);
  const runOne = async (target: TargetLine): Promise<TargetResult> => {
    task.signal.throwIfAborted();
    progress.step(target.name);
    const isRun = isRepeated(target);
    if (isRun) await journal?.started(entryOf(target));
    tally.start();
    const result = isRun ? await command.run(target) : unknownResult(target.name);
    // The journal and the summary know a target without an end.
    isInterrupted ||= result.interrupted === true;
    if (result.interrupted) return result;
    tally.add(result);
    if (!isRun) return result;
    journal?.ended(entryOf(target), result, tally.complete);
    if (result.exit !== 0 && options.failFast) isStopped = true;
    return result;
  };
  const endAll = async () => {
    progress.end();
    try {
      await journal?.close();
    } finally {
      await command.end().catch((error: unknown) => {
        if (isComplete) throw error;
      });
    }
  };
  const { concurrency = 4 } = options;
  try {
    await inOrder(left, {
      concurrency,
      ahead: Math.max(ahead, concurrency),
      run: runOne,
      deliver: ({ name }, result) => command.print(name, result),
      isStopped: () => isStopped,
    });
    if (isInterrupted) task.signal.throwIfAborted();
    isComplete = true;
  } finally {
    await endAll().finally(() => {
      if (!dryRun) printSummary(task, options, tally, journal);
    });
  }
  return done(isReaderGone ? {} : { ending: tally.exit });
}

/** The flag that resumes a run. The rest of the command can contain secrets, and the user has it. */
function resumeText({ subcommand }: EachContext, options: EachOptions, path: string): string {
  const targets = keepsTargets(options) ? ', and the targets of the journal' : '';
  const input = options.rows === '-' || subcommand.files.has('-') ? ', and the same standard input' : '';
  return ` Resume with: ${commandLine(['svc', 'each', '--resume', path])}, the same command and flags${targets}${input}.`;
}

function printSummary(task: EachContext, options: EachOptions, tally: Tally, journal?: Journal): void {
  const isOwn = options.journal === undefined && options.resume === undefined;
  if (journal && tally.complete && isOwn) task.note(`Journal: ${journal.path}`);
  const resume = journal && !tally.complete ? resumeText(task, options, journal.path) : '';
  task.note(`${tally.text()}${resume}`);
}
