/** Execute a plan: every change is tried, and the summary names each failure. */
import { isDeepStrictEqual } from 'node:util';
import { Failure, mayBeExecuted } from '../../errors.ts';
import { withArticle } from '../../spec/names.ts';
import type { Call } from '../../spec/request.ts';
import { type Row, scopeOf } from '../../spec/resource.ts';
import { groupBy } from '../../support/record.ts';
import { readRows } from './actual.ts';
import { compareKind } from './changes.ts';
import type { Reading } from './codecs.ts';
import {
  type Change,
  changesOf,
  type Desired,
  type DesiredKind,
  type Entry,
  isChange,
  type Plan,
  type ReadKind,
  targetName,
} from './model.ts';
import { makePlan, nameOf } from './plan.ts';
import { countText } from './plan-text.ts';

/** `unknown`: the service may have executed the request. `not_started`: nothing was sent. */
export type Outcome = 'done' | 'failed' | 'unknown' | 'not_started';

export interface Execution {
  readonly change: Change;
  readonly outcome: Outcome;
  readonly error?: Failure;
}

/** Kinds of failures after which nothing else can succeed. */
const final: ReadonlySet<string> = new Set(['interrupted', 'terminated', 'internal']);

/** Send the calls of a plan in order. @param executions receives the outcomes @throws Failure on an interruption */
export async function execute(task: Reading, plan: Plan, executions: Execution[] = []): Promise<Execution[]> {
  const steps = changesOf(plan).flatMap((change) => (change.call ? [{ change, call: change.call }] : []));
  const progress = task.progress?.('applying', steps.length);
  try {
    for (const { change, call } of steps) {
      progress?.step(nameOf(change));
      executions.push(withheld(change, executions) ?? (await executeOne(task, change, call)));
    }
    for (const [at, { change, error }] of executions.entries())
      if (error?.exchange?.status === 404 && change.action === 'delete' && (await isGone(task, change)))
        executions[at] = { change, outcome: 'done' };
  } catch (error) {
    const step = steps[executions.length];
    const known = error instanceof Failure ? { error } : {};
    if (step) executions.push({ change: step.change, outcome: 'unknown', ...known });
    throw error;
  } finally {
    progress?.end();
  }
  // No request was sent: read-only mode, or an audit log that cannot be written.
  const [first] = executions;
  if (first?.error && executions.every(({ error }) => error?.kind === 'usage')) throw first.error;
  return executions;
}

/** Create the desired resources in a new service, which has no values to keep. @returns those that it does not accept, with the reason */
export async function fill(service: Reading, desired: readonly Desired[], read?: ReadKind) {
  const plan = await makePlan(service, desired, { rewriteSecrets: true }, read);
  const executions = await execute(service, plan);
  const impossible = changesOf(plan).flatMap((change) =>
    change.unresolved === undefined ? [] : [[change, change.unresolved] as const],
  );
  const failed = executions.flatMap(({ change, error }) =>
    error ? [[change, [error.message, ...error.details].join('; ')] as const] : [],
  );
  return [...impossible, ...failed];
}

/** Resources that a failed creation was to replace are kept. */
function withheld(change: Change, before: readonly Execution[]): Execution | undefined {
  const { action, resource, target } = change;
  const isReplacement = ({ change: other, outcome }: Execution) =>
    outcome !== 'done' && other.action === 'create' && other.target === target && other.resource === resource;
  if (action !== 'delete' || !before.some(isReplacement)) return undefined;
  const error = new Failure(
    'rejected',
    `${withArticle(resource.noun)} could not be created, so none is deleted`,
  );
  return { change, outcome: 'not_started', error };
}

const onlyAccepted = 'the service accepted the request and executes it later (202)';

async function executeOne(task: Reading, change: Change, call: Call): Promise<Execution> {
  try {
    const { value, accepted } = await task.call(call);
    if (accepted) return { change, outcome: 'unknown', error: new Failure('partial', onlyAccepted) };
    const kept = change.action === 'delete' ? [] : keptIn(change, value);
    if (kept.length === 0) return { change, outcome: 'done' };
    const error = new Failure('rejected', `the response has another value of ${kept.join(', ')}`);
    return { change, outcome: 'failed', error };
  } catch (error) {
    if (!(error instanceof Failure) || final.has(error.kind)) throw error;
    return { change, outcome: mayBeExecuted(error) ? 'unknown' : 'failed', error };
  }
}

function kindOf({ target, resource }: Change, entries: readonly Entry[]): DesiredKind {
  return { resource, calls: resource.calls.find((one) => scopeOf(one) === target.scope) ?? {}, entries };
}

/** The attributes that differ in the response: a second run would send them again. */
function keptIn(change: Change, response: Row): string[] {
  const { target, resource, entry } = change;
  const row = resource.read ? resource.read(response, target.scope) : response;
  const compared = compareKind(target, kindOf(change, entry ? [entry] : []), row ? [row] : [], {});
  const [left] = compared.filter(isChange).filter(({ action }) => action === 'update');
  return Object.entries(left?.changes ?? {}).flatMap(([name, [old]]) => (old === undefined ? [] : [name]));
}

async function isGone(task: Reading, change: Change): Promise<boolean> {
  const { target, call } = change;
  // The name of a resource that is otherwise kept was given.
  const { isKept: _, ...resource } = change.resource;
  const kind = kindOf({ ...change, resource }, []);
  const left = compareKind(target, kind, await readRows(task, target, kind), { prune: true });
  // A row without its identity may be the one to delete.
  return !left.filter(isChange).some((one) => !one.call || isDeepStrictEqual(one.call, call));
}

/** The report of a change that was not made: its error, and the messages of its fields. @param isNamed name the target too */
export function problemOf({ change, outcome, error }: Execution, isNamed: boolean): string[] {
  if (outcome === 'done') return [];
  const doubt = outcome === 'unknown' ? ', so it may have been done' : '';
  const target = isNamed ? ` of ${targetName(change.target)}` : '';
  const first = `${outcome.replace('_', ' ')}: ${change.action} ${nameOf(change)}${target}: ${error?.message ?? 'unexpected error'}${doubt}`;
  const hints = (error?.advice ?? []).map(({ text }) => `  hint: ${text}`);
  return [first, ...(error?.details ?? []).map((line) => `  ${line}`), ...hints];
}

/** `1 created, 2 updated, 0 deleted, 1 failed.` */
export function executionText(executions: readonly Execution[], plan: Plan): string {
  const by = groupBy(executions, ({ outcome }) => outcome);
  const count = (outcome: Outcome) => by.get(outcome)?.length ?? 0;
  const changes = changesOf(plan);
  const solvable = changes.filter(({ call }) => call).length;
  const problems = [
    [count('failed'), 'failed'],
    [count('unknown'), 'unknown'],
    [solvable - executions.length + count('not_started'), 'not started'],
    [changes.length - solvable, 'not possible'],
  ] as const;
  const done = (by.get('done') ?? []).map(({ change }) => change.action);
  const texts = problems.flatMap(([many, what]) => (many > 0 ? [`${many} ${what}`] : []));
  return `${[countText(done, ['created', 'updated', 'deleted']), ...texts].join(', ')}.`;
}
