import { randomBytes } from 'node:crypto';
import { dirname } from 'node:path';
import { Failure, isFromSignal, usage } from '../../errors.ts';
import { counted, targetLabel, upperFirst } from '../../spec/names.ts';
import { done, type Result } from '../../spec/result.ts';
import { inOrder } from '../../support/in-order.ts';
import { groupBy } from '../../support/record.ts';
import { commandLine } from '../../support/shell.ts';
import { shortList } from '../../support/text/list.ts';
import { type EachContext, serverName, type TargetLine, type TargetResult } from '../context.ts';
import type { EachOptions } from '../engine/flags.ts';
import { type Entry, type Journal, journalName, openJournal, removeOldJournals } from './journal.ts';
import {
  checkedTargets,
  identityOf,
  keepsTargets,
  noTargets,
  shardOf,
  targetsOf,
  withoutAliases,
  withoutDuplicates,
} from './targets.ts';

/** Targets whose results wait for the result of an earlier one. */
const ahead = 64;

/** The path of the new journal of a command that writes, or that the user named. Old ones are removed. */
async function newJournal(task: EachContext, { journal }: EachOptions): Promise<string | undefined> {
  if (journal !== undefined) return task.path(journal);
  if (task.subcommand.effect === 'read') return undefined;
  const name = journalName(task.now(), randomBytes(4));
  const path = await task.stateFile(`each/${name}`).catch((error: unknown) => {
    throw error instanceof Failure ? error.withHints('or name a file with --journal <file>') : error;
  });
  await removeOldJournals(dirname(path), task.now());
  return path;
}

const entryOf = (target: TargetLine): Entry => ({
  target: targetLabel(target),
  ...(target.row === undefined ? {} : { row: identityOf(target) }),
});

function checkTargets(task: EachContext, journal: Journal, targets: readonly TargetLine[]): void {
  const others = journal.others(targets.map(entryOf));
  const isKnown = targets.some((target) => journal.earlier(entryOf(target)) !== undefined);
  if (others.length > 0 && !isKnown)
    throw usage(
      `the journal ${journal.path} has other targets: ${shortList(others.map(({ target }) => target))}`,
      'resume with the same targets',
    );
  const open = others.filter(({ earlier }) => earlier !== 'done');
  if (open.length > 0)
    task.warn(
      `the list lacks ${open.length} of the targets in the journal that are not done: ${shortList(open.map(({ target }) => target))}`,
    );
}

const unknownResult: TargetResult = {
  exit: 11,
  kind: 'unknown',
  uncertain: true,
  failure: new Failure('partial', 'started in an earlier run; the outcome is unknown', {
    hint: 'check the target, then use --retry-unknown to run the command again',
  }),
};

export async function runEach(task: EachContext, options: EachOptions): Promise<Result> {
  const { subcommand: command, dryRun } = task;
  const { journal: named, resume: resumed, retryUnknown } = options;
  if (named !== undefined && resumed !== undefined)
    throw usage(
      '--journal and --resume cannot be used together',
      '--resume appends to the journal that it names',
    );
  if (retryUnknown && resumed === undefined) throw usage('--retry-unknown requires --resume');
  shardOf([], options.shard);
  const all = await targetsOf(task, options);
  const unique = withoutDuplicates(task, all);
  const checked = await checkedTargets(command, unique);
  const distinct = command.effect === 'read' || dryRun ? checked : await withoutAliases(task, checked);
  const targets = shardOf(distinct, options.shard);
  if (all.length === 0) task.warn(noTargets);
  if (options.rehearse) {
    if (dryRun || named !== undefined || resumed !== undefined)
      throw usage('--rehearse cannot be used with --dry-run, --curl, --journal or --resume');
    return (await import('../rehearse/rehearse.ts')).rehearseEach(task, targets);
  }
  const open = (path: string, resume: boolean) =>
    openJournal(path, {
      words: task.line.tail,
      name: command.path,
      server: task.server(),
      files: command.files,
      targets: keepsTargets(options) ? all.flatMap(({ target }) => target ?? []) : undefined,
      total: targets.length,
      resume,
      now: task.now,
    });
  const earlier = resumed === undefined ? undefined : await open(task.path(resumed), true);
  const isRepeated = (target: TargetLine) =>
    earlier?.earlier(entryOf(target)) !== 'unknown' || command.idempotent || retryUnknown === true;
  const left = targets.filter(
    // A dry run leaves out those that would not be sent.
    (target) => earlier?.earlier(entryOf(target)) !== 'done' && (!dryRun || isRepeated(target)),
  );
  let journal = earlier;
  try {
    if (journal) checkTargets(task, journal, targets);
    if (command.effect === 'destructive' && left.length > 0 && !dryRun) {
      // `Delete a variable (svc variables delete KEY) for 1482 targets on host.example: a, b and 1480 more.`
      const targets = `${counted(left.length, 'target')} on ${serverName(task)}`;
      const text = `${command.summary} (${command.shown()}) for ${targets}`;
      if (task.line.options.yes !== true) task.note(`${text}: ${shortList(left.map(targetLabel))}.`);
      await task.confirm('Continue?');
    }
    // Only now, so that a run that is not confirmed leaves no journal.
    // A shard without targets has a journal too, so that a report can tell it from a shard that was lost.
    const isKept = left.length > 0 || named !== undefined;
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
  const tally: Tally = {
    ...{ total: left.length, earlier: targets.length - left.length, running: new Set(), labels: [] },
    codes: new Set(left.length < targets.length ? [0] : []),
    differs: false,
  };
  let isStopped = false;
  let isReaderGone = false;
  // The targets that are running end, so that the journal knows their outcome.
  if (journal)
    task.onReaderGone(() => {
      isReaderGone = true;
    });
  let isInterrupted = false;
  let isComplete = false;
  const progress = task.progress('running', left.length);
  const runOne = async (target: TargetLine): Promise<TargetResult> => {
    task.signal.throwIfAborted();
    progress.step(target.name);
    const isRun = isRepeated(target);
    if (isRun) await journal?.started(entryOf(target));
    tally.running.add(target);
    const result = isRun ? await command.run(target) : unknownResult;
    // The journal and the summary know a target without an end.
    isInterrupted ||= result.interrupted === true;
    if (result.interrupted) return result;
    tally.running.delete(target);
    // A comparison that found differences did not fail.
    const isDifferent = result.kind === 'differs' && !result.failure;
    tally.differs ||= isDifferent;
    tally.codes.add(isDifferent ? 0 : result.exit);
    tally.labels.push(labelOf(result));
    if (!isRun) return result;
    journal?.ended(entryOf(target), result, isDone(tally));
    if (result.exit !== 0 && options.failFast) isStopped = true;
    return result;
  };
  const { concurrency = 4 } = options;
  try {
    await inOrder(left, {
      concurrency,
      ahead: Math.max(ahead, concurrency),
      run: runOne,
      deliver: (target, result) => command.print(target, result),
      isStopped: () => isStopped || isReaderGone,
    });
    if (isInterrupted) task.signal.throwIfAborted();
    isComplete = true;
  } catch (error) {
    const resume = resumeText(task, options, tally, journal);
    // The summary is a note, which --quiet suppresses.
    throw resume && task.line.options.quiet && isFromSignal(error) ? error.withHints(resume) : error;
  } finally {
    progress.end();
    try {
      await journal?.close();
    } finally {
      const ended = command.end().catch((error: unknown) => {
        if (isComplete) throw error;
      });
      await ended.finally(() => {
        if (!dryRun) printSummary(task, options, tally, journal);
      });
    }
  }
  return done(isReaderGone ? {} : { ending: exitOf(tally) });
}

function printSummary(task: EachContext, options: EachOptions, tally: Tally, journal?: Journal): void {
  const isOwn = options.journal === undefined && options.resume === undefined;
  if (journal && isDone(tally) && isOwn) task.note(`Journal: ${journal.path}`);
  const resume = resumeText(task, options, tally, journal);
  task.note(`${summaryOf(tally)}${resume === undefined ? '' : ` ${upperFirst(resume)}.`}`);
}

/** How to continue a run that is not complete; undefined if there is nothing to continue. */
function resumeText(task: EachContext, options: EachOptions, tally: Tally, journal?: Journal) {
  if (!journal?.isWritten() || isDone(tally)) return undefined;
  const [list] = (['projects', 'groups'] as const).filter((name) => options[name] === '-');
  const targets = list === undefined ? '' : ` without --${list} -`;
  const hasInput = options.rows === '-' || task.subcommand.files.has('-');
  const input = hasInput ? ', and the same standard input' : '';
  // The rest of the command can contain secrets, and the user has it.
  const resume = commandLine(['svc', 'each', '--resume', journal.path]);
  return `resume with: ${resume} and the same command and flags${targets}${input}`;
}

interface Tally {
  readonly total: number;
  /** The targets that earlier runs completed, which are not among the others. */
  readonly earlier: number;
  /** Started, without an end. */
  readonly running: Set<TargetLine>;
  readonly labels: string[];
  readonly codes: Set<number>;
  differs: boolean;
}

/** 0 if all targets are done, 10 if some differ and none failed, the code that all failures share, or 11. */
function exitOf({ codes, differs }: Tally): number {
  const [first = 0, another] = codes;
  if (another !== undefined) return 11;
  return first === 0 && differs ? 10 : first;
}

const isDone = (tally: Tally): boolean => tally.labels.length === tally.total && exitOf(tally) === 0;

const labelsOfKinds: Readonly<Record<string, string>> = {
  auth: 'unauthorized',
  not_found: 'not found',
  rate_limited: 'rate limited',
  server_error: 'failed with a server error',
  network: 'failed with a network error',
  differs: 'different',
  internal: 'failed',
  usage: 'invalid',
};

function labelOf({ exit, failure, kind }: TargetResult): string {
  if (exit === 0) return 'done';
  if (failure?.exchange?.status === 403) return 'forbidden';
  const name = kind ?? failure?.kind;
  return name === undefined ? `with exit code ${exit}` : (labelsOfKinds[name] ?? name);
}

/** `1482 done, 3 rejected, 1 forbidden, 2 interrupted (acme/a, acme/b).` */
function summaryOf({ total, earlier, running, labels }: Tally): string {
  const { done = [], ...failed } = Object.fromEntries(groupBy(labels, (label) => label));
  // The targets end in any order.
  const others = Object.entries(failed).sort(
    ([a, many], [b, more]) => more.length - many.length || (a < b ? -1 : 1),
  );
  const counts: [label: string, count: number][] = [
    ...others.map(([label, all]): [string, number] => [label, all.length]),
    [`interrupted (${shortList([...running].map(targetLabel))})`, running.size],
    ['not started', total - running.size - labels.length],
  ];
  const shown = counts.flatMap(([label, count]) => (count > 0 ? [`${count} ${label}`] : []));
  const before = earlier > 0 ? ` (${earlier} earlier)` : '';
  return `${[`${done.length + earlier} done${before}`, ...shown].join(', ')}.`;
}
