/** The steps that the commands of the engine share: read state files, read the service, print a plan. */

import { errorObject, usage } from '../../errors.ts';
import { computedRows } from '../../spec/compose.ts';
import { choice, list, object, text } from '../../spec/field.ts';
import { rowSecrets } from '../../spec/mask.ts';
import { done, type Frame, type Result, rowsResult } from '../../spec/result.ts';
import { type TaskContext, textLimit } from '../context.ts';
import { identitiesOf } from './actual.ts';
import type { CompareOptions } from './changes.ts';
import { desiredState, merged } from './desired.ts';
import type { Execution } from './execute.ts';
import { changesOf, type Desired, type Plan, positionText, targetKey, targetName } from './model.ts';
import { nameOf, planLine, planParts, uncomparedText } from './plan.ts';
import type { StateDocument } from './state-file.ts';

/**
 * Resolve state documents, and merge those that name one target in different ways. Secrets are masked in everything that is printed from
 * here on.
 * @throws Failure `usage` for an error in a document, and before a deletion of what another document may declare
 */
export async function readDesired(
  task: TaskContext,
  documents: readonly StateDocument[],
  { prune, concurrency }: CompareOptions,
  only?: readonly string[],
): Promise<Desired[]> {
  const references = {
    env: (name: string) => task.env(name, 'sent'),
    read: (path: string) => task.read(path, 'file', textLimit),
  };
  // A document may name its target in another way, such as by the URL of a project.
  const located = documents.map((document) => {
    const { target, at } = document;
    if (!target || target.scope === 'instance') return document;
    const { scope, id } = target;
    return { ...document, target: { scope, id: task.scopeId(scope, id, positionText(at)) } };
  });
  // Otherwise a note would name a default that is not used.
  const areComplete = documents.every(({ target }) => target !== undefined);
  const desired = await desiredState(located, references, task.target(areComplete), only);
  for (const { resource, entries } of desired.flatMap(({ kinds }) => kinds))
    for (const { attributes, secrets = [] } of entries)
      task.conceal([...secrets, ...rowSecrets(attributes, resource.attributes)]);
  const targets = desired.map(({ target }) => target);
  const identities = await identitiesOf(task, targets, concurrency);
  const unknown = targets.find((_, at) => identities[at] === undefined);
  const other = targets.find(({ scope, id }) => scope === unknown?.scope && id !== unknown.id);
  if (unknown && other) {
    const message = `cannot tell whether ${other.id} and ${unknown.id} are the same ${unknown.scope}`;
    if (prune) throw usage(`${message}, as --prune requires`, 'apply each document with its own command');
    task.warn(message);
  }
  const keys = targets.map((target, at) => identities[at] ?? JSON.stringify(targetKey(target)));
  for (const [at, { scope, id }] of targets.entries()) {
    const first = targets[keys.indexOf(keys[at] ?? '')];
    if (first && first.id !== id) task.note(`${first.id} and ${id} are the same ${scope}`);
  }
  return merged(desired, (one) => keys[desired.indexOf(one)] ?? '');
}

export function isText({ format, line }: TaskContext): boolean {
  const isTable = format === undefined || format === 'table';
  return isTable && !['fields', 'jq', 'slurp'].some((name) => name in line.options);
}

export function showPlan(task: TaskContext, made: Plan): Promise<void> {
  return task.showPlan(planParts(made, task.unicode ? '→' : '->'));
}

export function noteUncompared(task: TaskContext, made: Plan): void {
  for (const one of made)
    for (const text of uncomparedText(one)) task.note(`${targetName(one.target)}: ${text}`);
}

const change = {
  action: choice(['create', 'update', 'delete'], 'What svc does'),
  kind: text('Kind of the resource, as in state files'),
  target: object('Project or group'),
  identity: object('Attributes that identify the resource'),
  changes: object('Old and new value of each attribute; secrets are ***'),
  deleted_files: list(text('Path'), 'Files that the update of a snippet deletes'),
  request: object('Method and URL; absent if svc or the API cannot make the change'),
  unresolved: text('Why the change cannot be made'),
};

export const plannedChanges = computedRows('change', change);

export const executedChanges = computedRows('change', {
  ...change,
  step: text('The change in words'),
  result: choice(['done', 'failed', 'unknown', 'not_started'], 'How it ended'),
  error: object('The error of a change that failed, or null'),
});

/** The changes of a plan as rows, or nothing if people read its text. @param executions adds the outcome of each change */
export async function planResult(
  task: TaskContext,
  made: Plan,
  frame: Frame,
  executions?: readonly Execution[],
): Promise<Result> {
  if (isText(task)) return done(frame);
  const outcomes = executions && new Map(executions.map((one) => [one.change, one]));
  const rows = changesOf(made).map((change) => {
    const { outcome: result = 'not_started', error } = outcomes?.get(change) ?? {};
    const step = `${change.action} ${nameOf(change)}`;
    const end = { step, result, error: error ? errorObject(error).error : null };
    return { ...planLine(change, task.url), ...(outcomes && end) };
  });
  const more = { ...(outcomes && { areSteps: true }), ...(rows.length === 0 && { isUnchanged: true }) };
  return {
    ...rowsResult(task.withoutTokens(rows), undefined, { ...frame, ...more }),
    endpoint: outcomes ? executedChanges : plannedChanges,
  };
}
