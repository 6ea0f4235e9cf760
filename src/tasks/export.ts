/** `svc export`: print a state file of what exists. */
import { group, project } from '../api/scopes.ts';
import { usage } from '../errors.ts';
import { type Field, fieldOf, isSecret } from '../spec/field.ts';
import { guardedTexts } from '../spec/mask.ts';
import { isSingleton, type Row, type Target } from '../spec/resource.ts';
import { objectResult, type Result } from '../spec/result.ts';
import { type Maybe, type TaskContext, taskCommand } from './context.ts';
import { readRows } from './engine/actual.ts';
import { identityKey, identityOf } from './engine/changes.ts';
import { hasBranchIds, isUnavailable, type ManagedResource } from './engine/codecs.ts';
import { kindsOf } from './engine/desired.ts';
import { targetKey } from './engine/model.ts';
import { inLine, nameOf } from './engine/plan.ts';

/** How secrets are exported. `references`: masked ones as references to environment variables. */
export type Secrets = 'values' | 'references' | 'none';

function keepKnown(field: Field, value: unknown): unknown {
  if (field.kind !== 'rows' || !Array.isArray(value)) return value;
  return value.map((row: Row) =>
    Object.fromEntries(Object.entries(row).filter(([name]) => fieldOf(field.keys, name))),
  );
}

/** `SECRET_<KEY>`, or `SECRET_<KEY>__<SCOPE>` for another scope than the default. @param owner precedes the key: `acme/rocket` */
function referenceName(resource: ManagedResource, row: Row, owner: string | undefined): string {
  const identity = Object.entries(identityOf(resource, row) ?? {});
  const parts = identity.filter(([name, value]) => value !== fieldOf(resource.attributes, name)?.default);
  const values = [...(owner ? [owner.replaceAll('/', '__')] : []), ...parts.map(([, value]) => value)];
  return `SECRET_${values.join('__')}`.toUpperCase().replace(/\W/gu, '_');
}

/** Choose an environment variable for each masked row, with a number where two would be equal. */
function referenceNames(
  resource: ManagedResource,
  rows: readonly Row[],
  owner: string | undefined,
): Map<Row, string> {
  const keyOf = (row: Row) => identityKey(resource, identityOf(resource, row) ?? {});
  const masked = rows.flatMap((row) => (resource.isMasked?.(row) ? [[keyOf(row), row] as const] : []));
  // The order of a list can change, and with it the variable that a number means.
  masked.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  // A number must not lead to the name of another row.
  const plain = new Set(masked.map(([, row]) => referenceName(resource, row, owner)));
  const chosen = new Map<string, Row>();
  for (const [, row] of masked) {
    const name = referenceName(resource, row, owner);
    let distinct = name;
    for (let number = 2; chosen.has(distinct) || (number > 2 && plain.has(distinct)); number += 1)
      distinct = `${name}_${number}`;
    chosen.set(distinct, row);
  }
  return new Map([...chosen].map(([name, row]) => [row, name]));
}

/**
 * Rows as entries of a state file without null, and notes on what they do not contain.
 * @param owner the target, if exports of several targets may become one file
 */
export function entriesOf(resource: ManagedResource, rows: readonly Row[], secrets: Secrets, owner?: string) {
  const withheld: string[] = [];
  const nameOfRow = (row: Row) => nameOf({ resource, identity: identityOf(resource, row) ?? {} });
  const keys = rows.map((row) => identityKey(resource, identityOf(resource, row) ?? {}));
  const repeated = rows.filter((_, at) => keys.indexOf(keys[at] ?? '') !== at).map(nameOfRow);
  const fixed = rows.filter(hasBranchIds).map(nameOfRow);
  const unshown = rows.flatMap((row) => {
    const names = resource.unshown?.(row) ?? [];
    return names.length > 0 ? `${nameOfRow(row)} (${names.join(', ')})` : [];
  });
  const urls = rows.filter((row) => guardedTexts(row, resource.attributes).length > 0).map(nameOfRow);
  const references =
    secrets === 'references' ? referenceNames(resource, rows, owner) : new Map<Row, string>();
  const attributes = Object.entries(resource.attributes);
  const entries = rows.map((row): Row => {
    const hasNone = secrets === 'none' || resource.isUnreadable?.(row) === true;
    if (attributes.some(([name, field]) => isSecret(field) && (hasNone || (row[name] ?? null) === null))) {
      withheld.push(nameOfRow(row));
      references.delete(row);
    }
    const reference = references.get(row);
    const pairs = attributes.flatMap(([name, field]): [string, unknown][] => {
      const value = row[name] ?? null;
      if (value === null || (isSecret(field) ? hasNone : field.deprecated)) return [];
      return [[name, isSecret(field) && reference ? { env: reference } : keepKnown(field, value)]];
    });
    return Object.fromEntries(pairs);
  });
  const why = secrets === 'none' ? '' : ', because they cannot be read';
  const notes = [
    [`secret values not included${why}`, withheld],
    ['masked values replaced by references to environment variables', [...references.values()]],
    ['attributes not included, because they cannot be read', unshown],
    ['protected_branch_ids are those of this project', fixed],
    ['named more than once, which svc diff and svc apply refuse', repeated],
    ['URLs with user information or a query, which may be secret', secrets === 'values' ? [] : urls],
  ] as const;
  const filled = notes.filter(([, names]) => names.length > 0);
  return {
    entries,
    withheld,
    notes: filled.map(([what, names]) => `${resource.kind}: ${what}: ${names.join(', ')}`),
  };
}

/** The target of an export that may become one file with those of other targets. */
export const ownerOf = ({ isOneOfSeveral }: TaskContext, { id }: Target): string | undefined =>
  isOneOfSeveral ? id : undefined;

/** @throws Failure `usage` for both flags */
export function secretsOf({
  withSecrets,
  noSecrets,
}: Maybe<{ withSecrets: true; noSecrets: true }>): Secrets {
  if (withSecrets && noSecrets) throw usage('--with-secrets and --no-secrets cannot be used together');
  if (noSecrets) return 'none';
  return withSecrets ? 'values' : 'references';
}

/** A state file, with the notes on standard error and, in YAML, as comments. */
export function stateResult(
  task: TaskContext,
  target: Target,
  kinds: Readonly<Record<string, unknown>>,
  notes: readonly string[],
): Result {
  for (const note of notes) task.note(note);
  return objectResult({ svc: 1, ...targetKey(target), ...kinds }, undefined, {
    format: task.format === 'json' ? 'json' : 'yaml',
    comments: notes.map(inLine),
  });
}

export const exportCommand = taskCommand({
  name: 'export',
  effect: 'read',
  args: '[kind...]',
  summary: 'Print a state file of the settings of a project, a group or the instance',
  doc: 'The output can be edited, compared with svc diff and applied with svc apply. Masked values become references to environment variables, such as { env: SECRET_API_TOKEN }. Values that cannot be read are left out.',
  flags: {
    instance: { doc: 'Export the kinds of the instance' },
    'with-secrets': { doc: 'Include the values of masked variables instead of references' },
    'no-secrets': { doc: 'Leave out the values of secrets' },
  },
  shared: ['output', 'json'],
  formats: ['yaml', 'json'],
  scopes: [project, group],
  examples: {
    'Save the settings of a project': '--project acme/rocket',
    'Print only badges and variables': 'badges variables --project acme/rocket --no-secrets',
  },
  async run(task, { instance, ...options }) {
    const secretMode = secretsOf(options);
    if (instance && (task.line.project ?? task.line.group) !== undefined)
      throw usage('--instance cannot be used with --project or --group');
    const target: Target | undefined = instance ? { scope: 'instance', id: '' } : task.target();
    if (!target)
      throw usage(
        'svc export requires --project, --group or --instance',
        'or save a default: svc profiles set project <id|path>',
      );
    const chosen = await kindsOf(task.line.words, target.scope);
    const kinds: Record<string, unknown> = {};
    const notes: string[] = [];
    const progress = task.progress('reading', chosen.length);
    for (const kind of chosen) {
      const { resource } = kind;
      progress.step(resource.kind);
      try {
        const rows = await readRows(task, target, kind);
        const exported = entriesOf(resource, rows, secretMode, ownerOf(task, target));
        kinds[resource.kind] = isSingleton(resource) ? exported.entries[0] : exported.entries;
        notes.push(...exported.notes);
      } catch (error) {
        // A project that does not exist has no state to save.
        const isLast = resource === chosen.at(-1)?.resource && Object.keys(kinds).length === 0;
        if (!isUnavailable(error) || isLast) throw error;
        notes.push(`${resource.kind}: not included: ${error.message}`);
      }
    }
    progress.end();
    return stateResult(task, target, kinds, notes);
  },
});
