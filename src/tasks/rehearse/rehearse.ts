/** Rehearse a command: run it several times in a copy of the resources that it changes. */

import { resources } from '../../api/resources.ts';
import { usage } from '../../errors.ts';
import { fieldOf } from '../../spec/field.ts';
import { counted } from '../../spec/names.ts';
import { type ResourceCalls, type Row, scopeOf } from '../../spec/resource.ts';
import { done, objectResult, type Result } from '../../spec/result.ts';
import type { Copy, CopyLimits, EachContext, Subcommand, TargetLine, TaskContext } from '../context.ts';
import { type CompareOptions, identityOf } from '../engine/changes.ts';
import { loadResource } from '../engine/desired.ts';
import { execute, problemOf } from '../engine/execute.ts';
import { changesOf, type Desired, type Plan, targetKey, targetName } from '../engine/model.ts';
import { makePlan, nameOf } from '../engine/plan.ts';
import { isText } from '../engine/shared.ts';
import { entriesOf } from '../export.ts';
import { type CopiedKind, type CopiedTarget, readCopy, readKind, withoutBranchIds } from './copy.ts';

export interface Attempt {
  /** Changes that a second run should not make: `update badge build: image_url` */
  readonly changes?: readonly string[];
  readonly problems: readonly string[];
}

/** Run the command. @param again after a run in the same copy, which may have been interrupted */
type Act = (task: TaskContext, again: boolean) => Promise<Attempt>;

const failing = ['POST', 'PUT', 'PATCH', 'DELETE'];
/** For each method: the first request is throttled, the response to the next one is lost, and the one after it meets a broken gateway. */
const faults = failing.flatMap((method) => [
  { match: `${method} /**`, status: 429, retry_after: 0, times: 1 },
  { match: `${method} /**`, cut: 'headers', times: 1 } as const,
  { match: `${method} /**`, status: 502, times: 1 },
]);

const actionOf: Readonly<Record<string, string>> = { POST: 'create', DELETE: 'delete' };

/** The texts of the resources with one name: more than one if there are duplicates. */
type State = ReadonlyMap<string, readonly string[]>;

/** @param refers rows with ids of users and groups */
export async function rehearse(
  task: TaskContext,
  targets: readonly CopiedTarget[],
  act: Act,
  refers: readonly Row[] = [],
): Promise<Result> {
  const content = await readCopy(task, targets, { refers });
  const copy = await task.openCopy(content);
  const progress = task.progress('rehearsing', 3);
  try {
    const run = async (name: string, limits: CopyLimits = {}) => {
      progress.step(name);
      await copy.restore();
      const first = await copy.run((one) => act(one, false), limits);
      const [after, events] = [await stateOf(copy, targets), await copy.deliveries()];
      const again = await copy.run((one) => act(one, true), {});
      return { first, after, events, again, end: await stateOf(copy, targets) };
    };
    const plain = await run('once');
    const { first, again, after, events } = plain;
    const faulty = await run('with faults', { faults });
    const halved = await run('interrupted', { stopAfter: Math.floor(first.writes.length / 2) });
    const actions = first.successes.map((method) => actionOf[method] ?? 'update');
    const count = (action: string) => actions.filter((one) => one === action).length;
    const repeated = differences(after, plain.end);
    const withFaults = differences(after, faulty.end);
    const resumed = differences(after, halved.end);
    const { problems: known = [] } = first.result ?? {};
    const later = (again.result?.problems ?? []).filter((text) => !known.includes(text));
    const problems = [
      ...known,
      ...later.map((text) => `repeated: ${text}`),
      ...(again.result?.changes ?? []).map((text) => `repeated: ${text}`),
      ...repeated.texts.map((text) => `repeated: ${text}`),
      ...withFaults.texts.map((text) => `with faults: ${text}`),
      ...resumed.texts.map((text) => `interrupted and resumed: ${text}`),
    ];
    const facts = {
      targets: targets.map(({ target }) => targetKey(target)),
      resources: content.count,
      requests: first.writes.length,
      create: count('create'),
      update: count('update'),
      delete: count('delete'),
      /** Requests of the second run. */
      repeated: again.writes.length,
      same_with_faults: withFaults.texts.length === 0,
      same_when_resumed: resumed.texts.length === 0,
      duplicates: resumed.duplicates,
      ...events,
      differences: problems,
      not_copied: content.notes,
    };
    for (const note of facts.not_copied) task.note(note);
    const frame = problems.length > 0 ? ({ ending: 'unsuccessful' } as const) : {};
    if (!isText(task)) return objectResult(task.withoutTokens(facts), undefined, frame);
    const [named = 'instance', ...others] = targets.map(({ target }) => targetName(target));
    const more = others.length === 0 ? '' : ` and ${counted(others.length, 'more target')}`;
    const state = (isSame: boolean) => (isSame ? 'same state' : 'another state');
    const dot = task.unicode ? '·' : '-';
    const lines = [
      `Rehearsed in a copy of ${named}${more} (${counted(facts.resources, 'resource')} read).`,
      `  ${counted(facts.requests, 'request')}: ${facts.create} create, ${facts.update} update, ${facts.delete} delete`,
      `  repeated: ${counted(facts.repeated, 'request')} ${dot} with faults: ${state(facts.same_with_faults)} ${dot} interrupted and resumed: ${state(facts.same_when_resumed)}, ${counted(facts.duplicates, 'duplicate')}`,
      `  ${counted(facts.webhooks, 'webhook')} would receive ${counted(facts.events, 'event')}`,
    ];
    await task.paint([
      ...lines.map((text) => ['plain', text] as const),
      ...problems.map((text) => ['warning', `  ! ${text}`] as const),
    ]);
    return done(frame);
  } finally {
    progress.end();
    await copy.close();
  }
}

/** The resources of the copied kinds, without ids and times. */
async function stateOf(copy: Copy, targets: readonly CopiedTarget[]): Promise<State> {
  const state = new Map<string, string[]>();
  await copy.run(async (task) => {
    for (const { target, kinds } of targets)
      for (const kind of kinds) {
        const { resource } = kind;
        for (const row of entriesOf(resource, (await readKind(task, target, kind)) ?? [], 'values').entries) {
          const identity = identityOf(resource, row) ?? {};
          const name = `${targetName(target)}: ${nameOf({ resource, identity })}`;
          const isTime = (attribute: string) => fieldOf(resource.attributes, attribute)?.kind === 'datetime';
          const compared = Object.entries(row).filter(([attribute]) => !isTime(attribute));
          state.set(name, [...(state.get(name) ?? []), JSON.stringify(compared)].sort());
        }
      }
  }, {});
  return state;
}

function differences(expected: State, found: State) {
  const texts: string[] = [];
  let duplicates = 0;
  for (const name of new Set([...expected.keys(), ...found.keys()])) {
    const [before = [], after = []] = [expected.get(name), found.get(name)];
    if (before.join('\n') === after.join('\n')) continue;
    const more = Math.max(0, after.length - Math.max(1, before.length));
    duplicates += more;
    const many = more > 0 ? `exists ${after.length} times` : 'differs';
    texts.push(
      `${name} ${after.length === 0 ? 'is missing' : before.length === 0 ? 'should not exist' : many}`,
    );
  }
  return { texts, duplicates };
}

/** Rehearse a plan. @param check is called before the changes, which it may reject */
export function rehearsePlan(
  task: TaskContext,
  desired: readonly Desired[],
  options: CompareOptions,
  check: (made: Plan) => void,
): Promise<Result> {
  const comparable = desired.map(({ target, kinds }) => ({
    target,
    kinds: kinds.map((kind) => ({
      ...kind,
      entries: kind.entries.map((one) => ({ ...one, attributes: withoutBranchIds(one.attributes) })),
    })),
  }));
  const act: Act = async (copy, again) => {
    // Secrets that cannot be compared are sent in every run.
    const rewriteSecrets = again ? undefined : options.rewriteSecrets;
    const made = await makePlan(copy, comparable, { ...options, rewriteSecrets });
    check(made);
    const executions = await execute(copy, made);
    const sent = executions.filter(({ outcome }) => outcome !== 'not_started');
    const impossible = changesOf(made).filter(({ unresolved }) => unresolved !== undefined);
    return {
      changes: sent.map(
        ({ change }) => `${change.action} ${nameOf(change)}: ${Object.keys(change.changes).join(', ')}`,
      ),
      problems: [
        ...executions.flatMap((one) => problemOf(one, made.length > 1)),
        ...impossible.map(
          (one) =>
            `not possible: ${one.action} ${nameOf(one)} of ${targetName(one.target)}: ${one.unresolved}`,
        ),
      ],
    };
  };
  const declared = desired.flatMap(({ kinds }) =>
    kinds.flatMap(({ entries }) => entries.map((one) => one.attributes)),
  );
  return rehearse(task, desired, act, declared);
}

/** The kinds that a command changes: those with one of its calls, those of the area of a task, or any for `svc apply`. @throws Failure `usage` if there are none */
async function kindsOf({ endpoints, area, effect, path }: Subcommand): Promise<readonly CopiedKind[]> {
  if (effect === 'read') throw usage(`svc ${path} only reads, so there is nothing to rehearse`);
  const kinds = await Promise.all(Object.keys(resources).map((kind) => loadResource(kind)));
  if (path === 'apply')
    return kinds.flatMap((resource) =>
      resource.calls.map((calls) => ({ resource, calls, isOptional: true })),
    );
  const isSent = ({ create, update, delete: remove }: ResourceCalls) =>
    endpoints.some(({ method, path }) =>
      [create, update, remove].some((one) => one?.method === method && one.path === path),
    );
  const changed = kinds.flatMap((resource) => {
    const isOwn = endpoints.length === 0 && resource.kind === area.replace('-', '_');
    return resource.calls.filter((calls) => isOwn || isSent(calls)).map((calls) => ({ resource, calls }));
  });
  if (changed.length > 0) return changed;
  throw usage(`svc each cannot rehearse svc ${path}: svc export does not include these resources`, [
    `kinds: ${Object.keys(resources).join(', ')}`,
  ]);
}

/** @throws Failure `usage` for a command whose resources cannot be copied */
export async function rehearseEach(task: EachContext, lines: readonly TargetLine[]): Promise<Result> {
  const kinds = await kindsOf(task.subcommand);
  const [scope = 'instance', another] = new Set(kinds.map(({ calls }) => scopeOf(calls)));
  const targets = new Map<string, CopiedTarget>();
  for (const line of lines) {
    if (another && !line.target)
      throw usage('--rehearse and --rows need a command that has only projects or only groups');
    // With --rows, its name is that of the only scope.
    const target = line.target ?? { scope, id: scope === 'instance' ? '' : line.name };
    const own = kinds.filter(({ calls }) => scopeOf(calls) === target.scope);
    targets.set(JSON.stringify(targetKey(target)), { target, kinds: own });
  }
  return rehearse(task, [...targets.values()], async (copy) => {
    const { subcommand } = copy as EachContext;
    const problems: string[] = [];
    for (const line of lines) {
      const { exit, error, kind } = await subcommand.run(line);
      if (exit !== 0) problems.push(`${line.name}: ${error?.message ?? kind}`);
    }
    return { problems };
  });
}
