/** Runs `svc copy` and `svc variables copy`. */
import { readNamespace } from '../../api/namespaces.ts';
import { usage } from '../../errors.ts';
import { isSecret } from '../../spec/field.ts';
import { rowSecrets } from '../../spec/mask.ts';
import type { ResourceCalls, Row, Target } from '../../spec/resource.ts';
import { type Result, sayNote } from '../../spec/result.ts';
import { groupBy, idText } from '../../support/record.ts';
import { shortList } from '../../support/text/list.ts';
import { type ApplyOptions, applyPlan } from '../apply.ts';
import { type Maybe, readText, type TaskContext, valuesOf } from '../context.ts';
import { listedIn, noTargets, readTargets } from '../each/targets.ts';
import { entriesOf } from '../export.ts';
import { identitiesOf, readRows } from './actual.ts';
import { identityKey, identityOf } from './changes.ts';
import { hasBranchIds, ifAvailable, isUnavailable, type ManagedResource } from './codecs.ts';
import { kindsOf } from './desired.ts';
import type { DesiredKind, Entry } from './model.ts';
import { nameOf } from './plan.ts';

type CopyOptions = ApplyOptions & Maybe<{ toFile: string; toGroup: string; recursive: true }>;

/** Look up the source: a project, or else a group. If the service shows neither, it counts as a project. */
async function sourceOf(task: TaskContext, from: string) {
  const read = (scope: 'project' | 'group') =>
    ifAvailable(task.call(readNamespace(scope, task.scopeId(scope, from, '--from'))));
  const project = await read('project');
  const group = project ? undefined : await read('group');
  const { value = {} } = project ?? group ?? {};
  const scope = group ? ('group' as const) : ('project' as const);
  const id = task.scopeId(scope, from, '--from');
  const path = value['path_with_namespace'] ?? value['full_path'] ?? id;
  return { scope, id: idText(value['id']) ?? id, path };
}

/** The targets, without the source and without repetitions. @throws Failure `usage` */
async function targetsOf(
  task: TaskContext,
  { scope, id, path }: Awaited<ReturnType<typeof sourceOf>>,
  { toFile, toGroup, recursive, concurrency }: CopyOptions,
): Promise<Target[]> {
  const to = valuesOf(task, 'to');
  if ([to.length > 0, toFile !== undefined, toGroup !== undefined].filter(Boolean).length !== 1)
    throw usage('name the targets with one of --to, --to-file and --to-group');
  if (recursive && toGroup === undefined) throw usage('--recursive requires --to-group');
  if (toGroup !== undefined) {
    const flag = scope === 'project' ? '--in-group' : '--subgroups-of';
    const listed = await readTargets(task, [flag, toGroup], { recursive });
    return listed.filter((target) => target.id !== path);
  }
  const list = toFile === undefined ? '--to' : '--to-file';
  const ids = toFile === undefined ? to : listedIn(await readText(task, toFile, list));
  const targets = ids.map((one): Target => ({ scope, id: task.scopeId(scope, one, list) }));
  const all = [{ scope, id }, ...targets];
  const known = await identitiesOf(task, all, concurrency);
  const [source = '', ...identities] = all.map((one, at) => known[at] ?? one.id);
  if (identities.includes(source)) throw usage(`--from and ${list} name the same ${scope}`);
  const unique = targets.filter((_, at) => identities.indexOf(identities[at] ?? '') === at);
  if (unique.length < targets.length) task.warn(`${list} names a ${scope} more than once; it is copied once`);
  return unique;
}

/** Declare the resources of the source, with notes on missing values. A resource with an unreadable secret is neither created nor deleted. */
function declared(resource: ManagedResource, calls: ResourceCalls, rows: readonly Row[], file: string) {
  const required = Object.entries(calls.create?.takes ?? {}).filter(([, field]) => field.required);
  const { entries, withheld } = entriesOf(resource, rows, 'values');
  const notes: string[] = [];
  const seen = new Set<string>();
  const copied = entries.flatMap((entry, index): readonly Entry[] => {
    const identity = identityOf(resource, entry) ?? {};
    const name = nameOf({ resource, identity });
    const key = identityKey(resource, identity);
    if (seen.size === seen.add(key).size) {
      notes.push(
        `not copied, because another one has the same ${Object.keys(identity).join(' and ')}: ${name}`,
      );
      return [];
    }
    const at = { file, line: index + 1, column: 1 };
    const unshown = resource.unshown?.(rows[index] ?? {}) ?? [];
    const missing = required.find(
      ([one, field]) => entry[one] === undefined && (isSecret(field) || unshown.includes(one)),
    );
    // Only its identity is known to be right.
    if (missing) {
      const [attribute] = missing;
      const unreadable = `its ${unshown.includes(attribute) ? attribute : 'value'} cannot be read`;
      const why = unshown.includes(attribute) ? unreadable : 'its value is hidden';
      notes.push(`not copied, because ${why}: ${name}`);
      return [{ attributes: identity, at, incomplete: unreadable }];
    }
    if (unshown.length > 0) notes.push(`copied without ${unshown.join(', ')}, which cannot be read: ${name}`);
    if (withheld.includes(name)) notes.push(`copied without its secrets, which cannot be read: ${name}`);
    const { protected_branch_ids: _, ...attributes } = entry;
    if (hasBranchIds(entry))
      notes.push(`copied without protected_branch_ids, which belong to the source: ${name}`);
    // An export leaves out what is not set, and a copy removes it in the targets.
    const unset = Object.entries(resource.attributes).flatMap(([attribute, field]) =>
      field.nullable && !isSecret(field) && rows[index]?.[attribute] === null ? [[attribute, null]] : [],
    );
    return [{ attributes: { ...attributes, ...Object.fromEntries(unset) }, at }];
  });
  return { kind: { resource, calls, entries: copied }, notes };
}

/**
 * Copy settings. The result is `partial` if a resource could not be copied.
 * @param scope that of the source; by default, svc looks it up
 * @throws Failure if no kind of the source or of a target can be read
 */
export async function copySettings(
  task: TaskContext,
  options: CopyOptions,
  kinds: readonly string[] = task.line.words,
  scope?: 'project',
): Promise<Result> {
  const [from = '', another] = valuesOf(task, 'from');
  if (another !== undefined) throw usage('--from can be used only once');
  const path = task.scopeId('project', from, '--from');
  const source = scope ? { scope, id: path, path } : await sourceOf(task, from);
  const targets = await targetsOf(task, source, options);
  if (targets.length === 0) task.warn(noTargets);
  const desired: DesiredKind[] = [];
  const incomplete: string[] = [];
  const absent: string[] = [];
  const chosen = await kindsOf(kinds, source.scope);
  for (const one of chosen) {
    const { resource, calls } = one;
    const isLast = resource === chosen.at(-1)?.resource && desired.length === 0;
    const rows = await readRows(task, source, one).catch((error: unknown) => {
      if (isLast || !isUnavailable(error)) throw error;
      // Without names, all kinds are chosen, of which a service lacks some.
      if (kinds.length === 0 && error.exchange?.status !== 403) absent.push(resource.kind);
      else
        incomplete.push(`not copied, because the kind cannot be read: ${resource.kind} (${error.message})`);
      return undefined;
    });
    if (!rows) continue;
    for (const row of rows) task.conceal(rowSecrets(row, resource.attributes));
    const { kind, notes } = declared(resource, calls, rows, from);
    desired.push(kind);
    incomplete.push(...notes);
  }
  const lacking: { target: Target; kind: DesiredKind; isForbidden: boolean }[] = [];
  const result = await applyPlan(
    task,
    targets.map((target) => ({ target, kinds: desired })),
    options,
    async (target, kind) => {
      const isLast = lacking.filter((one) => one.target === target).length === desired.length - 1;
      return readRows(task, target, kind).catch((error: unknown) => {
        if (isLast || !isUnavailable(error)) throw error;
        const isForbidden = error.exchange?.status === 403;
        if (!lacking.some((one) => one.target === target && one.kind === kind))
          lacking.push({ target, kind, isForbidden });
        return undefined;
      });
    },
  );
  // Of a kind that the source has without resources, those of the target would be deleted.
  const needed = lacking.filter(
    ({ kind, isForbidden }) => kind.entries.length > 0 || (isForbidden && options.prune),
  );
  const reasonOf = ({ kind, isForbidden }: (typeof lacking)[number]) =>
    `the kind ${isForbidden ? 'cannot be read' : 'is not available'} there: ${kind.resource.kind}`;
  const missing = [...groupBy(needed, reasonOf)].map(
    ([reason, all]) => `not copied, because ${reason} (${shortList(all.map(({ target }) => target.id))})`,
  );
  const notes = targets.length === 0 ? [] : [...incomplete, ...missing].map(sayNote);
  const unknown = absent.length === 0 ? [] : [sayNote(`not found in the source: ${absent.join(', ')}`)];
  return {
    ...result,
    notes: [...(result.notes ?? []), ...unknown, ...notes],
    ...(notes.length > 0 && !task.dryRun && !options.rehearse ? { ending: 'partial' } : {}),
  };
}
