/** The declarations of a state file, the existing resources, and the changes between them. */
import type { Call } from '../../spec/request.ts';
import type { ResourceCalls, Row, Target } from '../../spec/resource.ts';
import { isRecord } from '../../support/record.ts';
import type { ManagedResource } from './codecs.ts';
import type { Action } from './plan-text.ts';

/** A place in a state file. Lines and columns start at 1. */
export interface Position {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

export interface Entry {
  readonly attributes: Row;
  readonly at: Position;
  /** Why the entry cannot be created. */
  readonly incomplete?: string | undefined;
  /** Texts that came from the environment or from files. */
  readonly secrets?: ReadonlySet<string>;
}

/** A kind of resource, with its calls in one scope. */
export interface Kind {
  readonly resource: ManagedResource;
  readonly calls: ResourceCalls;
  /** The declared resources, whose content alone is fetched; absent in an export. */
  readonly entries?: readonly Entry[];
}

export interface DesiredKind extends Kind {
  readonly entries: readonly Entry[];
  /** Patterns of resources to delete. An attribute that a pattern does not have matches every value. */
  readonly absent?: readonly Entry[];
  /** The file has `absent` without `entries`, so `--prune` deletes nothing else. */
  readonly isOpen?: boolean;
}

export interface Desired {
  readonly target: Target;
  readonly kinds: readonly DesiredKind[];
}

/** Reads the rows of a kind; undefined if the target does not have it. */
export type ReadKind = (target: Target, kind: DesiredKind) => Promise<readonly Row[] | undefined>;

export interface Change {
  readonly action: Action;
  readonly target: Target;
  readonly resource: ManagedResource;
  readonly identity: Row;
  /** Old and new value of each attribute that is sent. The old value is undefined if the service does not return it. */
  readonly changes: Readonly<Record<string, readonly [old: unknown, desired: unknown]>>;
  /** Absent if the change is not possible. */
  readonly call?: Call;
  /** Why the change is not possible. */
  readonly unresolved?: string;
  readonly entry?: Entry;
  /** The resource before an update or a deletion. */
  readonly row?: Row;
}

export type Named = Pick<Change, 'resource' | 'identity' | 'entry'>;

export interface Unchanged extends Named {
  readonly uncompared: readonly string[];
}

export type Compared = Change | Unchanged;

/** The comparison of one target. Creations and updates come before deletions. */
export interface TargetPlan {
  readonly target: Target;
  readonly changes: readonly Change[];
  readonly unchanged: readonly Unchanged[];
}

export type Plan = readonly TargetPlan[];

export function changesOf(plan: Plan): Change[] {
  return plan.flatMap(({ changes }) => changes);
}

/** The files that an update of a snippet deletes, because the declared list does not have them. */
export function deletedFiles({ call }: Change): string[] {
  const files: unknown = call?.values['files'];
  const actions = Array.isArray(files) ? files.filter(isRecord) : [];
  return actions.filter(({ action }) => action === 'delete').map(({ file_path }) => String(file_path));
}

export const isChange = (one: Compared): one is Change => 'action' in one;

export function slotsOf({ scope, id }: Target): Readonly<Record<string, string>> {
  return scope === 'instance' ? {} : { id };
}

/** The target as a state file writes it: `{ project: 'acme/rocket' }`. */
export function targetKey({ scope, id }: Target): Readonly<Record<string, string | true>> {
  return scope === 'instance' ? { instance: true } : { [scope]: id };
}

/** `acme/rocket`, or `instance`. */
export function targetName({ scope, id }: Target): string {
  return scope === 'instance' ? 'instance' : id;
}

/** `settings.yaml:12:5` */
export function positionText({ file, line, column }: Position): string {
  return `${file}:${line}:${column}`;
}
