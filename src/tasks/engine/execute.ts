/** Execute a plan: every change is tried, and the summary names each failure. */
import { Failure } from '../../errors.ts';
import { isReadMethod } from '../../support/http-method.ts';
import type { TaskContext } from '../context.ts';
import { type Change, changesOf, type Plan } from './model.ts';
import { nameOf } from './plan.ts';

/** `unknown`: the request was sent, but no response arrived. `not_started`: nothing was sent. */
export type Outcome = 'done' | 'failed' | 'unknown' | 'not_started';

export interface Execution {
  readonly change: Change;
  readonly outcome: Outcome;
  readonly error?: Failure;
}

/** Kinds of failures after which nothing else can succeed. */
const final: ReadonlySet<string> = new Set(['interrupted', 'terminated', 'internal']);

/** Send the calls of a plan in order. @throws Failure on an interruption, after a summary of what was done */
export async function execute(
  task: Pick<TaskContext, 'call' | 'progress'>,
  plan: Plan,
  report: (executions: readonly Execution[]) => void,
): Promise<Execution[]> {
  const changes = changesOf(plan).filter(({ call }) => call);
  const executions: Execution[] = [];
  const progress = task.progress('applying', changes.length);
  try {
    for (const change of changes) {
      progress.step(nameOf(change));
      executions.push(withheld(change, executions) ?? (await executeOne(task, change)));
    }
  } finally {
    progress.end();
    report(executions);
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
  const { call, action } = change;
  if (!call) return { change, outcome: 'failed' };
  try {
    await task.call(call);
    return { change, outcome: 'done' };
  } catch (error) {
    if (!(error instanceof Failure) || final.has(error.kind)) throw error;
    // What is to be deleted is gone, unless it exists because of another resource.
    const isGone = action === 'delete' && error.exchange?.status === 404 && !change.resource.covers;
    if (isGone) return { change, outcome: 'done' };
    const isLost = error.kind === 'network' && !isReadMethod(call.endpoint.method);
    return { change, outcome: isLost ? 'unknown' : 'failed', error };
  }
}

const verbs = { create: 'created', update: 'updated', delete: 'deleted' } as const;

/** `1 created, 2 updated, 0 deleted, 1 failed.` */
export function executionText(executions: readonly Execution[], unresolved: number): string {
  const done = executions.filter(({ outcome }) => outcome === 'done');
  const counts = Object.entries(verbs).map(
    ([action, verb]) => `${done.filter(({ change }) => change.action === action).length} ${verb}`,
  );
  const count = (outcome: Outcome) => executions.filter((one) => one.outcome === outcome).length;
  const failed = count('failed');
  const unknown = count('unknown');
  const notStarted = count('not_started');
  return `${[
    ...counts,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(unknown > 0 ? [`${unknown} unknown`] : []),
    ...(notStarted > 0 ? [`${notStarted} not started`] : []),
    ...(unresolved > 0 ? [`${unresolved} not possible through the API`] : []),
  ].join(', ')}.`;
}
