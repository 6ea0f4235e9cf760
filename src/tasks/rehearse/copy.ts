/** Read kinds of resources from the service, as content of a copy in this process. */
import { readNamespace } from '../../api/namespaces.ts';
import { isSecret } from '../../spec/field.ts';
import { rowSecrets } from '../../spec/mask.ts';
import { type Row, scopeOf, type Target } from '../../spec/resource.ts';
import type { Maybe, TaskContext, WorldRow } from '../context.ts';
import { readRows } from '../engine/actual.ts';
import { identityOf } from '../engine/changes.ts';
import { hasBranchIds, ifAvailable, type ManagedResource, type Reading } from '../engine/codecs.ts';
import { loadResource } from '../engine/desired.ts';
import { fill } from '../engine/execute.ts';
import { type Desired, type DesiredKind, type Kind, targetName } from '../engine/model.ts';
import { nameOf } from '../engine/plan.ts';
import { entriesOf } from '../export.ts';

/** The protected branches of a copy have other ids. */
export const withoutBranchIds = ({ protected_branch_ids: _, ...attributes }: Row): Row => attributes;

export interface CopiedKind extends Pick<Kind, 'resource' | 'calls'> {
  /** Leave it out if it cannot be read. */
  readonly isOptional?: true | undefined;
}

export interface CopiedTarget {
  readonly target: Target;
  readonly kinds: readonly CopiedKind[];
}

/** The rows of a kind; undefined if it may be left out, and cannot be read. */
export function readKind(task: TaskContext, target: Target, { resource, calls, isOptional }: CopiedKind) {
  const reading = readRows(task, target, { resource, calls });
  return isOptional ? ifAvailable(reading) : reading;
}

const at = { file: 'copy', line: 1, column: 1 };
/** For values that cannot be read. It is long enough to be masked. */
const placeholder = 'placeholder-value';
/** The ids of parent groups, which are not known, are above those of a service. */
const firstUnknownId = 1_000_000_000;

/**
 * Read the kinds of each target, and its webhooks if possible. With `masks`, the values of masked variables are replaced; `refers` have ids
 * of users and groups that resources of the command refer to.
 * @throws Failure if one of the kinds cannot be read
 */
export async function readCopy(
  task: TaskContext,
  targets: readonly CopiedTarget[],
  { masks, refers = [] }: Maybe<{ masks: true; refers: readonly Row[] }> = {},
) {
  const notes: string[] = [];
  const desired: Desired[] = [];
  const references = [...refers];
  let count = 0;
  const hooks = await loadResource('hooks');
  const progress = task.progress('reading', targets.length);
  for (const { target, kinds } of targets) {
    progress.step(targetName(target));
    const calls = hooks.calls.find((one) => scopeOf(one) === target.scope);
    const hasHooks = kinds.some(({ resource }) => resource === hooks);
    const events: CopiedKind[] = calls && !hasHooks ? [{ resource: hooks, calls, isOptional: true }] : [];
    const copied: DesiredKind[] = [];
    let isReadable = false;
    for (const kind of [...kinds, ...events]) {
      const { resource } = kind;
      const read = await readKind(task, target, kind);
      isReadable ||= read !== undefined;
      if (!read) notes.push(`${targetName(target)}: ${resource.kind} not copied: they cannot be read`);
      const rows = read ?? [];
      count += rows.length;
      references.push(...rows);
      const entries = entriesOf(resource, rows, 'values').entries.map(withoutBranchIds);
      task.conceal(entries.flatMap((row) => rowSecrets(row, resource.attributes)));
      const filled = entries.map((entry, index) =>
        withPlaceholders(resource, entry, rows[index] ?? {}, masks),
      );
      const changed = filled.filter((row, index) => row !== entries[index]);
      if (masks && resource === hooks && rows.length > 0)
        notes.push(`${targetName(target)}: webhooks are copied without their secret tokens`);
      const names = changed.map((row) => nameOf({ resource, identity: identityOf(resource, row) ?? {} }));
      if (names.length > 0)
        notes.push(`${targetName(target)}: values replaced by placeholders: ${names.join(', ')}`);
      copied.push({ resource, calls: kind.calls, entries: filled.map((attributes) => ({ attributes, at })) });
    }
    // A target that does not exist is an error, although each kind may be left out.
    if (!isReadable)
      for (const kind of kinds) await readKind(task, target, { ...kind, isOptional: undefined });
    desired.push({ target, kinds: copied });
  }
  progress.end();
  if (references.some(hasBranchIds))
    notes.push('protected_branch_ids are left out, because those of a copy differ');
  return {
    rows: await worldRows(task, targets, references),
    async apply(service: Reading): Promise<void> {
      for (const [change, reason] of await fill(service, desired))
        notes.push(`${targetName(change.target)}: not copied: ${nameOf(change)}: ${reason}`);
    },
    count,
    /** Values that were replaced or are missing, and resources that could not be copied. */
    notes,
  };
}

/** An entry with a value for each secret that is hidden, or that the copy must not have. */
function withPlaceholders(resource: ManagedResource, entry: Row, row: Row, masks: true | undefined): Row {
  const isReplaced = resource.isUnreadable?.(row) || (masks && resource.isMasked?.(row));
  const secrets = Object.entries(resource.attributes).filter(([, field]) => isSecret(field));
  const replaced = secrets.filter(
    ([name, field]) => isReplaced && (name in entry || row[name] === null || field.required),
  );
  return replaced.length === 0
    ? entry
    : { ...entry, ...Object.fromEntries(replaced.map(([name]) => [name, placeholder])) };
}

const worldRow = (attributes: Row): WorldRow => ({ at: 'copy', attributes, members: [] });

async function worldRows(task: TaskContext, targets: readonly CopiedTarget[], references: readonly Row[]) {
  const groups = new Map<string, Row>();
  const projects = new Map<string, Row>();
  const addParents = (path: string) => {
    for (const { index } of path.matchAll(/\//g)) {
      const full_path = path.slice(0, index);
      if (!groups.has(full_path)) groups.set(full_path, { full_path, id: firstUnknownId + groups.size });
    }
  };
  for (const { scope, id } of targets.map(({ target }) => target)) {
    if (scope === 'instance') continue;
    const known = (await ifAvailable(task.call(readNamespace(scope, id))))?.value ?? {};
    const own = /^\d+$/.test(id) ? { id: Number(id), path: `copies/${scope}-${id}` } : { path: id };
    const path = String(known['path_with_namespace'] ?? known['full_path'] ?? own.path);
    addParents(path);
    const facts = { id: known['id'] ?? own.id ?? firstUnknownId + projects.size };
    const { default_branch = 'main' } = known;
    if (scope === 'group') groups.set(path, { full_path: path, ...facts });
    else projects.set(path, { path_with_namespace: path, default_branch, ...facts });
  }
  const idsOf = (name: string) =>
    new Set(references.flatMap((row) => (Array.isArray(row[name]) ? row[name].map(Number) : [])));
  const known = new Set([...groups.values()].map(({ id }) => id));
  for (const id of idsOf('group_ids'))
    if (!known.has(id)) groups.set(`group-${id}`, { full_path: `group-${id}`, id });
  // The administrator of the copy has the id 1.
  const users = [...idsOf('user_ids')]
    .filter((id) => id !== 1)
    .map((id) => worldRow({ id, username: `user-${id}` }));
  // Parents come before the groups in them.
  const sorted = [...groups.values()].sort(
    (a, b) => String(a['full_path']).length - String(b['full_path']).length,
  );
  return { users, groups: sorted.map(worldRow), projects: [...projects.values()].map(worldRow) };
}
