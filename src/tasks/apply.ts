/** `svc diff` and `svc apply`: compare state files with the service, and make it match. */

import { join } from 'node:path';
import { group, project } from '../api/scopes.ts';
import { Failure, usage } from '../errors.ts';
import { type OptionsOf, textFlag } from '../spec/flag.ts';
import type { Frame, Result } from '../spec/result.ts';
import { readText, sharedByPlan, type TaskContext, taskCommand, valuesOf } from './context.ts';
import { type Execution, execute, executionText, problemOf } from './engine/execute.ts';
import { applyFlags, planFlags, pruneFlags, secrets } from './engine/flags.ts';
import { changesOf, type Desired, type DesiredKind, type Plan, type ReadKind } from './engine/model.ts';
import { planParts } from './engine/plan.ts';
import { planText } from './engine/plan-text.ts';
import { differences, savedPlan, writePlan } from './engine/saved-plan.ts';
import { isText, plan, planResult, readDesired, showPlan } from './engine/shared.ts';
import type { StateDocument } from './engine/state-file.ts';

const fileFlag = {
  file: textFlag('State file in YAML or JSON, or a folder of them; may be repeated', {
    short: 'f',
    placeholder: 'file|folder|-',
    suggest: 'path',
    repeats: true,
    required: 'name a state file: -f settings.yaml',
  }),
} as const;

const savedFlags = {
  'save-plan': textFlag('Save the plan for a review; nothing is changed', { suggest: 'path', writes: true }),
  plan: textFlag('Execute only changes of the saved plan; exit code 10 if others are needed', {
    suggest: 'path',
  }),
} as const;

export type ApplyOptions = OptionsOf<typeof applyFlags & typeof planFlags & typeof savedFlags>;

const stateFile = /\.(yaml|yml|json)$/i;

/** The state files that a path names: itself, or those of a folder by name. @throws Failure `usage` for a folder without any */
async function stateFiles(task: TaskContext, path: string): Promise<string[]> {
  const names = path === '-' ? undefined : await task.folder(path);
  if (!names) return [path];
  const files = names.filter((name) => stateFile.test(name)).sort();
  if (files.length === 0) throw usage(`--file: the folder ${path} has no *.yaml, *.yml or *.json`);
  return files.map((name) => join(path, name));
}

async function readFiles(task: TaskContext): Promise<StateDocument[]> {
  // Only files need the YAML parser.
  const { parseStateFile } = await import('./engine/state-file.ts');
  const documents: StateDocument[] = [];
  const named = await Promise.all(valuesOf(task, 'file').map((file) => stateFiles(task, file)));
  for (const file of named.flat())
    documents.push(...parseStateFile(file, await readText(task, file, '--file')));
  return documents;
}

/** List the changes. It ends as `differs` if there are any. */
export async function compare(task: TaskContext, desired: readonly Desired[], options: ApplyOptions) {
  const made = await plan(task, desired, options);
  if (isText(task)) await showPlan(task, made);
  return planResult(task, made, changesOf(made).length > 0 ? { ending: 'differs' } : {});
}

function checkDeletes(made: Plan, { maxDeletes: max = 10 }: ApplyOptions): void {
  const deletions = changesOf(made).filter(({ action, call }) => action === 'delete' && call).length;
  if (deletions > max)
    throw usage(`the plan deletes ${deletions} resources, more than --max-deletes ${max}`, [
      `if this is intended, use --max-deletes ${deletions}`,
      'nothing was changed',
    ]);
}

/**
 * Show the plan, confirm and execute it. It ends as `partial` if a change failed or is not possible.
 * @param read tells which kinds the targets have; by default, they must have all
 */
export async function applyPlan(
  task: TaskContext,
  desired: readonly Desired[],
  options: ApplyOptions,
  read?: ReadKind,
): Promise<Result> {
  checkPlanFlags(task, options);
  if (options.rehearse) {
    const { rehearsePlan } = await import('./rehearse/rehearse.ts');
    const available: Desired[] = [];
    for (const { target, kinds } of desired) {
      const known: DesiredKind[] = [];
      for (const kind of kinds) if (!read || (await read(target, kind))) known.push(kind);
      available.push({ target, kinds: known });
    }
    return rehearsePlan(task, available, options, (made) => checkDeletes(made, options));
  }
  const saved = options.plan === undefined ? undefined : await readText(task, options.plan, '--plan');
  const made = await plan(task, desired, options, read);
  if (task.dryRun) {
    checkDeletes(made, options);
    return task.requests(changesOf(made).flatMap(({ call }) => (call ? [call] : [])));
  }
  const executions: Execution[] = [];
  if (isText(task)) await showPlan(task, made);
  else if (task.canPrompt) for (const [, text] of planText(planParts(made, '->'))) task.note(text);
  const end = await carryOut(task, made, options, saved, executions).catch((error: unknown): Frame => {
    // The rows also show the changes before an error.
    if (error instanceof Failure) return { failure: error };
    throw error;
  });
  return planResult(task, made, end, executions);
}

function checkPlanFlags({ dryRun }: TaskContext, { plan: saved, savePlan, rehearse }: ApplyOptions): void {
  if (saved !== undefined && savePlan !== undefined)
    throw usage('--plan and --save-plan cannot be used together');
  if (rehearse && (saved !== undefined || savePlan !== undefined || dryRun))
    throw usage('--rehearse cannot be used with --dry-run, --curl, --plan or --save-plan');
}

/** Save a plan, or confirm and execute it. @param executions receives the outcomes, also up to an interruption */
async function carryOut(
  task: TaskContext,
  made: Plan,
  options: ApplyOptions,
  saved: string | undefined,
  executions: Execution[],
): Promise<Frame> {
  checkDeletes(made, options);
  if (options.savePlan !== undefined) {
    await writePlan(task.path(options.savePlan), options.savePlan, await savedPlan(made, task.url));
    task.note(`Saved the plan to ${options.savePlan}; nothing was changed`);
    return {};
  }
  const differing = saved === undefined ? [] : await differences(saved, options.plan ?? '', made, task.url);
  if (differing.length > 0) {
    task.note(`the plan is not the one in ${options.plan}; nothing was changed`);
    for (const line of differing) task.note(`  ${line}`);
    return { ending: 'differs' };
  }
  const isSolvable = changesOf(made).every(({ call }) => call);
  if (changesOf(made).some(({ call }) => call)) {
    await task.confirm('Apply this plan?');
    try {
      await execute(task, made, executions);
    } finally {
      for (const line of executions.flatMap(problemOf)) task.note(line);
      task.note(executionText(executions, made));
    }
  }
  const isDone = isSolvable && executions.every(({ outcome }) => outcome === 'done');
  return isDone ? {} : { ending: 'partial' };
}

const files = 'Declared attributes are compared; others are left alone. See svc help resources.';

export const diffCommand = taskCommand({
  name: 'diff',
  effect: 'read',
  summary: 'Compare state files with the service',
  doc: `Exit code 10 if there are differences. A line that starts with ! is a difference that cannot be resolved. ${files}`,
  exits: ['differs'],
  flags: { ...fileFlag, ...pruneFlags, ...planFlags },
  shared: ['output', 'json', 'csv', 'fields', 'jq', 'raw-strings', 'no-header'],
  scopes: [project, group],
  secrets,
  examples: { 'Review a change': '-f settings.yaml --project acme/rocket' },
  run: async (task, options) =>
    compare(task, await readDesired(task, await readFiles(task), options), options),
});

export const applyCommand = taskCommand({
  name: 'apply',
  effect: 'destructive',
  summary: 'Make the service match state files',
  doc: `Shows the plan, asks for confirmation, and creates, updates and deletes. A second run changes nothing. Exit code 11 if a change failed, or is not possible (a line that starts with !). ${files}`,
  exits: ['unsuccessful', 'differs', 'partial'],
  flags: { ...fileFlag, ...applyFlags, ...planFlags, ...savedFlags },
  shared: sharedByPlan,
  scopes: [project, group],
  secrets,
  examples: {
    'Apply without confirmation': '-f settings.yaml --yes',
    'Print the requests without sending them': '-f settings.yaml --dry-run',
  },
  run: async (task, options) => {
    checkPlanFlags(task, options);
    if (options.savePlan !== undefined) await writePlan(task.path(options.savePlan), options.savePlan);
    return applyPlan(task, await readDesired(task, await readFiles(task), options), options);
  },
});
