/** Execute a plan: every change is tried, and the summary names each failure. */
import { isDeepStrictEqual } from 'node:util';
import { Failure } from '../../errors.ts';
import { scopeOf } from '../../spec/resource.ts';
import type { TaskContext } from '../context.ts';
import { readRows } from './actual.ts';
import { compareKind } from './changes.ts';
import { type Change, changesOf, isChange, type Plan } from './model.ts';
import { nameOf } from './plan.ts';

/** `unknown`: the request was sent, but no complete response arrived. `not_started`: nothing was sent. */
export type Outcome = 'done' | 'failed' | 'unknown' | 'not_started';

export interface Execution {
  readonly change: Change;
  readonly outcome: Outcome;
  readonly error?: Failure;
}

/** Kinds of failures after which nothing else can succeed. */
const final: ReadonlySet<string> = new Set(['interrupted', 'terminated', 'internal']);

/** Send the calls of a plan in order. @param executions receives the outcomes @throws Failure on an interruption */
export async function execute(
  task: Pick<TaskContext, 'call' | 'rows' | 'text' | 'progress'>,
  plan: Plan,
  executions: Execution[] = [],
): Promise<Execution[]> {
  const changes = changesOf(plan).filter(({ call }) => call);
  const progress = task.progress('applying', changes.length);
  try {
    for (const change of changes) {
      progress.step(nameOf(change));
      executions.push(withheld(change, executions) ?? (await executeOne(task, change)));
    }
    await settleMissing(task, executions);
  } catch (error) {
    const change = changes[executions.length];
    if (change)
      executions.push({ change, outcome: 'unknown', ...(error instanceof Failure ? { error } : {}) });
    throw error;
  } finally {
    progress.end();
  }
  // No request was sent: read-only mode, or an audit log that cannot be written.
  const [first] = executions;
  if (first?.error && executions.every(({ error }) => error?.kind === 'usage')) throw first.error;
  return executions;
}

/** What a failed creation was to replace is kept. */
function withheld(change: Change, before: readonly Execution[]): Execution | undefined {
  const { action, resource, target } = change;
  const isReplacement = ({ change: other, outcome }: Execution) =>
    outcome !== 'done' && other.action === 'create' && other.target === target && other.resource === resource;
  if (action !== 'delete' || !before.some(isReplacement)) return undefined;
  const error = new Failure('rejected', `a ${resource.noun} could not be created, so none is deleted`);
  return { change, outcome: 'not_started', error };
}

async function executeOne(task: Pick<TaskContext, 'call'>, change: Change): Promise<Execution> {
  const { call } = change;
  if (!call) return { change, outcome: 'failed' };
  try {
    await task.call(call);
    return { change, outcome: 'done' };
  } catch (error) {
    if (!(error instanceof Failure) || final.has(error.kind)) throw error;
    const status = error.exchange?.status ?? 0;
    // After a success with an unusable response, the service probably carried out the request.
    const isLost = error.kind === 'network' || (error.kind === 'server_error' && /^2/.test(`${status}`));
    return { change, outcome: isLost ? 'unknown' : 'failed', error };
  }
}

/** Count a deletion that was answered with 404 as done if the service does not list the resource any more. */
async function settleMissing(task: Parameters<typeof execute>[0], executions: Execution[]): Promise<void> {
  const listed = new Map<string, readonly Change[]>();
  for (const [at, { change, error }] of executions.entries()) {
    const { action, target, resource, call } = change;
    const calls = resource.calls.find((one) => scopeOf(one) === target.scope);
    if (action !== 'delete' || error?.exchange?.status !== 404 || !calls) continue;
    const kind = { resource, calls, entries: [] };
    const key = `${resource.kind} ${target.scope} ${target.id}`;
    const left =
      listed.get(key) ??
      compareKind(target, kind, await readRows(task, target, resource, calls, []), { prune: true }).filter(
        isChange,
      );
    listed.set(key, left);
    // A row without its identity may be the one to delete.
    if (!left.some((one) => !one.call || isDeepStrictEqual(one.call, call)))
      executions[at] = { change, outcome: 'done' };
  }
}

/** What to report of a change that was not made: its error, and the messages of its fields. */
export function problemOf({ change, outcome, error }: Execution): string[] {
  if (outcome === 'done') return [];
  const doubt = outcome === 'unknown' ? ', so it may have been done' : '';
  const first = `${outcome.replace('_', ' ')}: ${change.action} ${nameOf(change)}: ${error?.message ?? 'unexpected error'}${doubt}`;
  return [first, ...(error?.details ?? []).map((line) => `  ${line}`)];
}

const verbs = { create: 'created', update: 'updated', delete: 'deleted' } as const;

/** `1 created, 2 updated, 0 deleted, 1 failed.` */
export function executionText(executions: readonly Execution[], plan: Plan): string {
  const done = executions.filter(({ outcome }) => outcome === 'done');
  const counts = Object.entries(verbs).map(
    ([action, verb]) => `${done.filter(({ change }) => change.action === action).length} ${verb}`,
  );
  const changes = changesOf(plan);
  const solvable = changes.filter(({ call }) => call).length;
  const count = (outcome: Outcome) => executions.filter((one) => one.outcome === outcome).length;
  const others = {
    failed: count('failed'),
    unknown: count('unknown'),
    'not started': solvable - executions.length + count('not_started'),
    'not possible through the API': changes.length - solvable,
  };
  const problems = Object.entries(others).flatMap(([what, many]) => (many > 0 ? [`${many} ${what}`] : []));
  return `${[...counts, ...problems].join(', ')}.`;
}
