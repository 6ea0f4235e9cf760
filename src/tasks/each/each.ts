/** `svc each`: run a command for many targets. */
import { randomBytes } from 'node:crypto';
import { dirname } from 'node:path';
import { Failure, usage } from '../../errors.ts';
import { shellQuote } from '../../support/shell.ts';
import type { EachContext, Ending, Subcommand, TargetResult, TaskContext } from '../context.ts';
import { taskCommand } from '../context.ts';

export { sampleWords } from './template.ts';

import { inOrder } from './in-order.ts';
import { type Entry, type Journal, openJournal } from './journal.ts';
import { journalName, removeOldJournals } from './old-journals.ts';
import { Tally } from './summary.ts';
import {
  inTarget,
  readTargets,
  shardOf,
  sourceOf,
  type Target,
  type TargetOptions,
  withoutDuplicates,
} from './targets.ts';

interface EachOptions extends TargetOptions {
  readonly concurrency?: string | undefined;
  readonly shard?: string | undefined;
  readonly journal?: string | undefined;
  readonly resume?: string | undefined;
  readonly retryUnknown?: true | undefined;
  readonly failFast?: true | undefined;
}

const maxConcurrency = 100;
/** Targets whose results wait for the result of an earlier one. */
const ahead = 64;

function concurrencyOf({ concurrency = '4' }: EachOptions): number {
  const number = /^\d{1,3}$/.test(concurrency) ? Number(concurrency) : 0;
  if (number < 1 || number > maxConcurrency)
    throw usage(
      `--concurrency must be a whole number from 1 to ${maxConcurrency}, not ${JSON.stringify(concurrency)}`,
    );
  return number;
}

/** Read the targets, and validate the command line of each. Only `--in-group` sends a request. */
async function prepare(
  task: TaskContext,
  options: EachOptions,
  command: Subcommand,
): Promise<{ targets: Target[]; isKnown: boolean }> {
  const source = sourceOf(options);
  shardOf([], options.shard);
  const words = task.line.tail;
  const [flag] = source;
  if (flag === '--in-group') await command.check({ words, project: 'group/project' });
  const all = await readTargets(task, source, options, words);
  const unique = withoutDuplicates(all, (name) =>
    task.warn(`${name} is listed more than once; it runs once`),
  );
  const targets: Target[] = [];
  for (const target of unique) {
    try {
      const named = await command.check(target.line);
      targets.push(target.row === undefined || named === undefined ? target : { ...target, name: named });
    } catch (error) {
      throw inTarget(error, target.row === undefined ? target.name : `row ${target.row}`);
    }
  }
  return { targets: shardOf(targets, options.shard), isKnown: unique.length > 0 };
}

const listed = 5;

/** `Delete a variable (svc variables delete) for 1,482 targets: a, b, … and 1,477 more` */
function confirmationText({ summary, path }: Subcommand, targets: readonly Target[]): string {
  const names = targets.slice(0, listed).map(({ name }) => name);
  const more = targets.length - names.length;
  const count = `${targets.length} target${targets.length === 1 ? '' : 's'}`;
  return `${summary} (svc ${path}) for ${count}: ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`;
}

async function journalFor(
  task: TaskContext,
  { journal, resume }: EachOptions,
  { effect }: Subcommand,
): Promise<Journal | undefined> {
  if (journal !== undefined && resume !== undefined)
    throw usage(
      '--journal and --resume cannot be used together',
      '--resume appends to the journal that it names',
    );
  if (task.dryRun) return undefined;
  const given = resume ?? journal;
  if (given === undefined && effect === 'read') return undefined;
  const path = given === undefined ? await ownJournal(task) : task.path(given);
  return openJournal(path, { words: task.line.tail, resume: resume !== undefined, now: task.now });
}

/** The path of a new journal in the state folder, from which old ones are removed. */
async function ownJournal(task: TaskContext): Promise<string> {
  const path = await task.stateFile(`each/${journalName(task.now(), randomBytes(4))}`);
  await removeOldJournals(dirname(path), task.now());
  return path;
}

const unknownResult = (target: string): TargetResult => ({
  exit: 11,
  kind: 'unknown',
  uncertain: true,
  failure: new Failure('partial', `${target} was started in an earlier run; the outcome is unknown`, {
    hint: 'check the target, then use --retry-unknown to run the command again',
  }),
});

const entryOf = ({ name, row }: Target): Entry => ({ target: name, ...(row === undefined ? {} : { row }) });

async function runAll(
  task: TaskContext,
  command: Subcommand,
  targets: readonly Target[],
  options: EachOptions,
  journal: Journal | undefined,
  tally: Tally,
  stop: { isStopped: boolean },
): Promise<void> {
  const progress = task.progress('running', targets.length);
  const run = async (target: Target): Promise<TargetResult> => {
    const entry = entryOf(target);
    tally.start();
    progress.step(target.name);
    const isUnknown = journal?.earlier(entry) === 'unknown' && !command.idempotent;
    if (isUnknown && !options.retryUnknown) {
      const result = unknownResult(target.name);
      tally.add(result);
      return result;
    }
    await journal?.started(entry);
    const result = await command.run(target.line);
    const unknown = result.uncertain && !command.idempotent;
    tally.add(result);
    journal?.ended(entry, { exit: result.exit, unknown, complete: tally.complete });
    if (result.exit !== 0 && options.failFast) stop.isStopped = true;
    return result;
  };
  try {
    await inOrder(targets, {
      concurrency: concurrencyOf(options),
      ahead: Math.max(ahead, concurrencyOf(options)),
      run,
      deliver: ({ name }, result) => command.print(name, result),
      isStopped: () => stop.isStopped,
    });
  } finally {
    progress.end();
  }
}

/** The command that resumes a run, without what may be secret. */
function resumeText(task: TaskContext, options: EachOptions, command: Subcommand, { path }: Journal): string {
  const [flag, value] = sourceOf(options);
  const words = [
    'svc each --resume',
    shellQuote(path),
    flag,
    shellQuote(value),
    ...(options.recursive ? ['--recursive'] : []),
    ...(options.shard === undefined ? [] : ['--shard', options.shard]),
    '--',
    command.path,
  ];
  const hasMore = task.line.tail.length > command.path.split(' ').length;
  return `${words.join(' ')}${hasMore ? ' …' : ''}`;
}

/** Run the command of `task.subcommand` for each target. */
async function runEach(task: EachContext, options: EachOptions): Promise<Ending | undefined> {
  const command = task.subcommand;
  concurrencyOf(options);
  const { targets, isKnown } = await prepare(task, options, command);
  if (!isKnown) task.warn('there are no targets');
  // A new journal is created only after the confirmation.
  let journal = options.resume === undefined ? undefined : await journalFor(task, options, command);
  const left = targets.filter((target) => journal?.earlier(entryOf(target)) !== 'done');
  try {
    if (command.effect === 'destructive' && left.length > 0 && !task.dryRun) {
      if (task.line.options.yes !== true) task.note(confirmationText(command, left));
      await task.confirm('Continue?');
    }
    if (left.length > 0) journal ??= await journalFor(task, options, command);
  } catch (error) {
    await journal?.close();
    throw error;
  }
  const tally = new Tally(targets.length);
  for (let done = left.length; done < targets.length; done++) tally.skip();
  const stop = { isStopped: false };
  let isReaderGone = false;
  // The targets that are running end, so that the journal knows their outcome.
  if (journal)
    task.onReaderGone(() => {
      isReaderGone = true;
      stop.isStopped = true;
    });
  let isComplete = false;
  try {
    try {
      await runAll(task, command, left, options, journal, tally, stop);
      isComplete = true;
    } finally {
      await journal?.close();
      await command.end().catch((error: unknown) => {
        if (isComplete) throw error;
      });
    }
  } finally {
    if (!task.dryRun) {
      const resume =
        journal && !tally.complete ? ` Resume with: ${resumeText(task, options, command, journal)}` : '';
      const isChosen = options.journal !== undefined || options.resume !== undefined;
      if (journal && tally.complete && !isChosen) task.note(`Journal: ${journal.path}`);
      task.note(`${tally.text()}${resume}`);
    }
  }
  return isReaderGone ? undefined : tally.exit;
}

export const eachCommand = taskCommand({
  name: 'each',
  args: '-- <command>',
  // That of the command, at most.
  effect: 'destructive',
  summary: 'Run a command for many projects, groups or rows',
  doc: `Runs every command of the API, every task and svc api, except commands that concern this machine or its terminal. The command line of each target is validated before the first request. Results are printed in the order of the targets: table, csv and tsv begin with a column TARGET; json, ndjson and yaml have an object with target, exit and data or error. If a list fails midway, table, csv and tsv keep the rows that arrived, and the error says that the list is incomplete; the other formats have the error only. With --rows, {column} is replaced by the value of the row, which is never read as a flag, @file or -; use {{ and }} for braces. In the path of svc api, {project} and {group} are the targets of --projects and --groups, and a value of a row is encoded as one segment unless the path is only a placeholder. Output flags, connection flags and --yes may precede or follow --. A command that writes keeps a journal in the state folder, so that an interrupted run can be resumed with the same targets and command; it is removed 30 days after all targets are done. The exit code is 0 if all targets are done, 11 if some failed, or the code that all failures share.`,
  flags: {
    projects: { value: 'file|-', doc: 'File with one project per line; # starts a comment' },
    groups: { value: 'file|-', doc: 'File with one group per line; # starts a comment' },
    'in-group': { value: 'id|path', doc: 'Run for each project of this group' },
    recursive: { doc: 'With --in-group: include the projects of subgroups' },
    rows: {
      value: 'file|-',
      doc: 'File with one target per row: csv with a header, or ndjson; columns fill {placeholders}',
    },
    concurrency: { value: 'n', doc: 'Number of targets that run at a time, 1 to 100 (default: 4)' },
    shard: { value: 'i/n', doc: 'Run for every n-th target, from the i-th: 3/10' },
    journal: { value: 'file', doc: 'File for the journal (default for writes: a file in the state folder)' },
    resume: { value: 'file', doc: 'Journal of an earlier run: skip the targets that are done' },
    'retry-unknown': { doc: 'With --resume: repeat targets whose outcome is unknown' },
    'fail-fast': { doc: 'Start no target after the first failure' },
  },
  shared: [
    'output',
    'json',
    'csv',
    'fields',
    'jq',
    'raw-strings',
    'sort-by',
    'all-fields',
    'no-header',
    'csv-safe',
    'wrap',
    'time',
    'yes',
    'dry-run',
    'curl',
    'show-secrets',
    'retry-unsafe',
  ],
  scopes: [],
  examples: [
    {
      does: 'Set a variable in several projects',
      run: 'each --projects projects.txt -- variables set LOG_LEVEL info',
    },
    {
      does: 'List the failed jobs of each project, 8 at a time',
      run: 'each --projects projects.txt --concurrency 8 -- jobs list --scope failed --limit 5 --json',
    },
    { does: 'For each project of a group', run: 'each --in-group acme --recursive -- approvals get' },
    {
      does: 'Send the same request to each project',
      run: "each --projects projects.txt -- api PUT 'projects/{project}/notification_settings' -f level=watch",
    },
    {
      does: 'Fill in the columns of a file',
      run: 'each --rows rotate.csv -- variables set {key} @{file} --project {project}',
    },
  ],
  // Only `svc each` runs it, with the command after `--`.
  run: (task, options) => runEach(task as EachContext, options),
});
