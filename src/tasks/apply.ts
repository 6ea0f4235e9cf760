/** `svc diff` and `svc apply`: compare state files with the service, and make it match, also by a saved plan. */

import { randomBytes, scrypt } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { group, project } from '../api/scopes.ts';
import { Failure, usage } from '../errors.ts';
import { newFile, type OptionsOf, textFlag } from '../spec/flag.ts';
import type { Call } from '../spec/request.ts';
import type { Frame, Result } from '../spec/result.ts';
import { jsonIn, jsonText } from '../support/json.ts';
import { isRecord } from '../support/record.ts';
import {
  readText,
  serverName,
  sharedByPlan,
  type TaskContext,
  taskCommand,
  valuesOf,
  writeNew,
} from './context.ts';
import { type Execution, execute, executionText, problemOf } from './engine/execute.ts';
import { applyFlags, type PlanOptions, planFlags, pruneFlags } from './engine/flags.ts';
import {
  type Change,
  changesOf,
  type Desired,
  type DesiredKind,
  deletedFiles,
  type Plan,
  type ReadKind,
  targetName,
} from './engine/model.ts';
import { makePlan, nameOf, planLine, planParts } from './engine/plan.ts';
import { planText } from './engine/plan-text.ts';
import {
  executedChanges,
  isText,
  noteUncompared,
  plannedChanges,
  planResult,
  readDesired,
  showPlan,
} from './engine/shared.ts';
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
  'save-plan': textFlag('Save the plan for a review; nothing is changed', { ...newFile, writes: true }),
  plan: textFlag('Execute only changes of the saved plan; exit code 10 if others are needed', {
    suggest: 'path',
  }),
} as const;

export type ApplyOptions = PlanOptions & OptionsOf<typeof savedFlags>;

const stateFile = /\.(yaml|yml|json)$/i;

/** The state files that a path names: itself, or those of a folder by name. @throws Failure `usage` for a folder without any */
async function stateFiles(task: TaskContext, path: string): Promise<string[]> {
  const names = path === '-' || path === '' ? undefined : await task.folder(path);
  if (!names) return [path];
  const files = names.filter((name) => stateFile.test(name) && !name.startsWith('.')).sort();
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
  const made = await makePlan(task, desired, options);
  if (isText(task)) await showPlan(task, made);
  else noteUncompared(task, made);
  return planResult(task, made, changesOf(made).length > 0 ? { ending: 'differs' } : {});
}

function checkDeletes(made: Plan, { maxDeletes: max = 10 }: ApplyOptions): void {
  const changes = changesOf(made);
  const resources = changes.filter(({ action, call }) => action === 'delete' && call).length;
  const deletions = resources + changes.flatMap(deletedFiles).length;
  if (deletions > max)
    throw usage(
      `the plan deletes ${deletions} resources and files of snippets, more than --max-deletes ${max}`,
      [`if this is intended, use --max-deletes ${deletions}`, 'nothing was changed'],
    );
}

/**
 * Show the plan, confirm and execute it. It ends as `partial` if a change failed or is not possible.
 * @param read returns the kinds that the targets have; by default, they must have all
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
  const made = await makePlan(task, desired, options, read);
  if (task.dryRun) {
    checkDeletes(made, options);
    return task.requests(changesOf(made).flatMap(({ call }) => (call ? [call] : [])));
  }
  const executions: Execution[] = [];
  if (isText(task)) await showPlan(task, made);
  else {
    if (task.canPrompt) for (const [, text] of planText(planParts(made, '->'))) task.note(text);
    noteUncompared(task, made);
  }
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
    await writeNew(planFile(task, options.savePlan), await savedPlan(made, options, task.url));
    task.note(`Saved the plan to ${options.savePlan}; nothing was changed`);
    return {};
  }
  const differing = saved === undefined ? [] : await differences(saved, options, made, task.url);
  if (differing.length > 0)
    throw new Failure('differs', `the plan is not the one in ${options.plan}; nothing was changed`, {
      details: differing,
    });
  const changes = changesOf(made);
  if (changes.some(({ call }) => call)) await task.confirm(`Apply this plan to ${serverName(task)}?`);
  try {
    await execute(task, made, executions);
  } finally {
    for (const line of executions.flatMap((one) => problemOf(one, made.length > 1))) task.note(line);
    if (changes.length > 0) task.note(executionText(executions, made));
  }
  const isDone = changes.every(({ call }) => call) && executions.every(({ outcome }) => outcome === 'done');
  return isDone ? {} : { ending: 'partial' };
}

const files = 'Declared attributes are compared; others are left alone. See svc help resources.';

export const diffCommand = taskCommand({
  name: 'diff',
  effect: 'read',
  summary: 'Compare state files with the service',
  doc: `Exit code 10 if there are differences. A line that starts with ! is a difference that cannot be resolved. ${files}`,
  exits: ['differs'],
  prints: plannedChanges,
  flags: { ...fileFlag, ...pruneFlags, ...planFlags },
  shared: ['output', 'json', 'csv', 'fields', 'jq', 'raw-strings', 'no-header'],
  scopes: [project, group],
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
  prints: executedChanges,
  flags: { ...fileFlag, ...applyFlags, ...planFlags, ...savedFlags },
  shared: sharedByPlan,
  scopes: [project, group],
  examples: {
    'Apply without confirmation': '-f settings.yaml --yes',
    'Print the requests without sending them': '-f settings.yaml --dry-run',
  },
  run: async (task, options) => {
    if (options.savePlan !== undefined) await writeNew(planFile(task, options.savePlan));
    return applyPlan(task, await readDesired(task, await readFiles(task), options), options);
  },
});

const derive = promisify<string, Buffer, number, { N: number }, Buffer>(scrypt);
/** A digest takes milliseconds, so that guessing a weak secret from a plan is slow. */
const cost = { N: 2048 };

/** A line. In place of secrets, and of the attributes of a resource that is deleted, it has their digest. */
async function savedLine(change: Change, salt: Buffer, urlOf: (call: Call) => string): Promise<string> {
  const line = planLine(change, urlOf);
  const { action, resource, row } = change;
  const deleted = action === 'delete' ? Object.keys(resource.attributes).map((name) => row?.[name]) : [];
  const whole = jsonText([change.identity, change.changes, ...deleted]);
  const isWhole = whole === jsonText([line.identity, line.changes]);
  const digest = isWhole ? undefined : (await derive(whole, salt, 16, cost)).toString('base64url');
  return jsonText({ ...line, digest });
}

/** The text of a plan file. */
async function savedPlan(
  plan: Plan,
  { prune, rewriteSecrets }: ApplyOptions,
  urlOf: (call: Call) => string,
): Promise<string> {
  const salt = randomBytes(16);
  const lines: string[] = [];
  for (const change of changesOf(plan)) lines.push(await savedLine(change, salt, urlOf));
  const header = { svc_plan: 1, salt: salt.toString('base64url'), prune, rewrite_secrets: rewriteSecrets };
  return `${[JSON.stringify(header), ...lines].join('\n')}\n`;
}

const isPlan = (start: string): boolean => saltOf(start.split('\n', 1)[0] as string) !== undefined;

const planFile = (task: TaskContext, name: string) => ({
  ...{ flag: '--save-plan', path: task.path(name), name, isEarlier: isPlan },
  hints: ['name a new file or an earlier plan', 'nothing was changed'],
});

/**
 * Name the changes of a plan that a saved plan does not have. Saved changes that are no longer needed have been made.
 * @throws Failure `usage` for another file
 */
async function differences(
  saved: string,
  { plan: file = '', prune, rewriteSecrets }: ApplyOptions,
  plan: Plan,
  urlOf: (call: Call) => string,
): Promise<string[]> {
  const [header = '', ...lines] = saved.split('\n');
  const salt = saltOf(header);
  if (!salt) throw usage(`${file} is not a plan of svc`, 'create one with svc apply --save-plan <file>');
  const made = JSON.parse(header);
  for (const [flag, was, is] of [
    ['--prune', made.prune, prune],
    ['--rewrite-secrets', made.rewrite_secrets, rewriteSecrets],
  ])
    if (was !== is)
      throw usage(`${file} was made with${was ? '' : 'out'} ${flag}`, 'use the flags with which it was made');
  const known = new Set(lines);
  const subjects = lines.map(subjectOf);
  const found: string[] = [];
  for (const change of changesOf(plan)) {
    const line = await savedLine(change, salt, urlOf);
    if (known.has(line)) continue;
    const what = subjects.includes(subjectOf(line)) ? 'changed' : 'new';
    found.push(`${what}: ${change.action} ${nameOf(change)} of ${targetName(change.target)}`);
  }
  return found;
}

const subjectOf = (line: string) => /"kind":.*?,"changes":/.exec(line)?.[0];

function saltOf(header: string): Buffer | undefined {
  const value = jsonIn(header);
  if (!isRecord(value) || value['svc_plan'] !== 1 || typeof value['salt'] !== 'string') return undefined;
  return Buffer.from(value['salt'], 'base64url');
}
