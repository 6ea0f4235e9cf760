/** `svc export`: print a state file of what exists. */
import { resources } from '../api/resources.ts';
import { group, project } from '../api/scopes.ts';
import { usage } from '../errors.ts';
import { type Field, fieldOf, isSecret } from '../spec/field.ts';
import { isSingle, type Resource, type Row, scopeOf } from '../spec/resource.ts';
import { type TaskContext, taskCommand } from './context.ts';
import { isUnavailable, readRows } from './engine/actual.ts';
import { identityNames } from './engine/changes.ts';
import { loadResource } from './engine/desired.ts';
import { secrets } from './engine/flags.ts';
import { type Target, targetKey } from './engine/model.ts';
import { inLine, nameOf } from './engine/plan.ts';

export interface Exported {
  readonly entries: readonly Row[];
  /** The names of resources whose secrets are left out. */
  readonly withheld: readonly string[];
}

/** The attributes of a row that a state file contains, without null. */
function entryOf(resource: Resource, row: Row, noSecrets: boolean): { entry: Row; withheld: boolean } {
  const isUnreadable = resource.isUnreadable?.(row) ?? false;
  let withheld = false;
  const pairs = Object.entries(resource.attributes).flatMap(([name, field]): [string, unknown][] => {
    const value = row[name];
    if (isSecret(field) && (noSecrets || isUnreadable || value === undefined || value === null)) {
      withheld = true;
      return [];
    }
    if (value === undefined || value === null || field.deprecated) return [];
    return [[name, keepKnown(field, value)]];
  });
  return { entry: Object.fromEntries(pairs), withheld };
}

function keepKnown(field: Field, value: unknown): unknown {
  if (field.kind !== 'rows' || !Array.isArray(value)) return value;
  return value.map((row: Row) =>
    Object.fromEntries(Object.entries(row).filter(([name]) => fieldOf(field.keys, name))),
  );
}

/** Rows as entries of a state file. */
export function entriesOf(resource: Resource, rows: readonly Row[], noSecrets: boolean): Exported {
  const withheld: string[] = [];
  const entries = rows.map((row) => {
    const { entry, withheld: isWithheld } = entryOf(resource, row, noSecrets);
    const names = identityNames(resource, row) ?? [];
    const identity = Object.fromEntries(names.map((name) => [name, row[name]]));
    if (isWithheld) withheld.push(nameOf({ resource, identity }));
    return entry;
  });
  return { entries, withheld };
}

/** The kinds to export: those named, or all of the scope. @throws Failure `usage` */
async function kindsOf(task: TaskContext, target: Target) {
  const named = task.line.words;
  const chosen = await Promise.all(
    (named.length > 0 ? named : Object.keys(resources)).map((kind) => loadResource(kind)),
  );
  return chosen.flatMap((resource) => {
    const calls = resource.calls.find((one) => scopeOf(one) === target.scope);
    if (calls) return [{ resource, calls }];
    if (named.length === 0) return [];
    const scopes = resource.calls.map(scopeOf).map((scope) => `--${scope}`);
    throw usage(`${resource.kind} cannot be exported from a ${target.scope}`, `use ${scopes.join(' or ')}`);
  });
}

/** The target of an export. @throws Failure `usage` without one */
function targetOf(task: TaskContext, instance: boolean): Target {
  if (instance) return { scope: 'instance', id: '' };
  const scoped = task.scoped();
  if (scoped) return { scope: scoped.scope, id: scoped.id };
  throw usage(
    'svc export requires --project, --group or --instance',
    'or save a default: svc profiles set project <id|path>',
  );
}

/** Print a state file, with the notes as comments in YAML and on standard error for JSON. */
export async function printState(
  task: TaskContext,
  target: Target,
  kinds: Readonly<Record<string, unknown>>,
  notes: readonly string[],
): Promise<void> {
  const format = task.format === 'json' ? 'json' : 'yaml';
  if (format === 'yaml') task.write(notes.map((note) => `# ${inLine(note)}\n`).join(''));
  else for (const note of notes) task.note(note);
  await task.printValue({ svc: 1, ...targetKey(target), ...kinds }, format);
}

/** A note on secrets that are not included. */
export function withheldNote({ kind }: Resource, names: readonly string[], noSecrets: boolean): string[] {
  if (names.length === 0) return [];
  const why = noSecrets ? '' : ', because they cannot be read';
  return [`${kind}: secret values not included${why}: ${names.join(', ')}`];
}

export const exportCommand = taskCommand({
  name: 'export',
  effect: 'read',
  args: '[kind...]',
  summary: 'Print a state file of the settings of a project, a group or the instance',
  doc: 'The output can be edited, compared with svc diff and applied with svc apply. Values that cannot be read are left out.',
  flags: {
    instance: { doc: 'Export the kinds of the instance' },
    'no-secrets': { doc: 'Leave out the values of secrets' },
  },
  shared: ['output', 'json'],
  formats: ['yaml', 'json'],
  scopes: [project, group],
  secrets,
  examples: [
    { does: 'Save the settings of a project', run: 'export --project acme/rocket' },
    {
      does: 'Print only badges and variables',
      run: 'export badges variables --project acme/rocket --no-secrets',
    },
  ],
  async run(task, { instance, noSecrets = false }) {
    const target = targetOf(task, instance === true);
    const chosen = await kindsOf(task, target);
    const kinds: Record<string, unknown> = {};
    const notes: string[] = [];
    const progress = task.progress('reading', chosen.length);
    try {
      for (const { resource, calls } of chosen) {
        progress.step(resource.kind);
        try {
          const rows = await readRows(task, target, resource, calls);
          const { entries, withheld } = entriesOf(resource, rows, noSecrets);
          kinds[resource.kind] = isSingle(resource) ? entries[0] : entries;
          notes.push(...withheldNote(resource, withheld, noSecrets));
        } catch (error) {
          // A project that does not exist has no state to save.
          const isLast = resource === chosen.at(-1)?.resource && Object.keys(kinds).length === 0;
          if (!isUnavailable(error) || isLast) throw error;
          notes.push(`${resource.kind}: not included: ${error.message}`);
        }
      }
    } finally {
      progress.end();
    }
    await printState(task, target, kinds, notes);
  },
});
