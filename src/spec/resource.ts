/**
 * A kind of resource that state files describe. Export, comparison and application of the kind are derived from this description
 * and from its endpoints.
 */
import type { Endpoint } from './endpoint.ts';
import { type Field, type Fields, fieldOf } from './field.ts';
import type { Values } from './request.ts';

/** The attributes of one resource, as the service returns them or as a state file declares them. */
export type Row = Readonly<Record<string, unknown>>;

export const targetScopes = ['project', 'group', 'instance'] as const;
export type TargetScope = (typeof targetScopes)[number];

/** The project, the group or the instance that resources belong to, or that a command is about. */
export interface Target {
  readonly scope: TargetScope;
  /** Id or path; empty for the instance. */
  readonly id: string;
}

/** The calls of a kind in one scope. A call that does not exist is a limit of the kind. */
export interface ResourceCalls {
  /** Absent for a kind that exists once per scope. */
  readonly list?: Endpoint;
  /** Reads a kind that exists once per scope. */
  readonly get?: Endpoint;
  readonly create?: Endpoint;
  readonly update?: Endpoint;
  readonly delete?: Endpoint;
}

type Slots = Readonly<Record<string, string>>;

/** Reads what a list does not contain. The functions return undefined for 403, 404 and 405. */
export interface ResourceReader {
  text(endpoint: Endpoint, slots: Slots): Promise<string | undefined>;
  object(endpoint: Endpoint, slots: Slots): Promise<Row | undefined>;
  rows(endpoint: Endpoint, slots: Slots): Promise<readonly Row[] | undefined>;
}

export interface Resource {
  /** The key in a state file: `protected_branches`. */
  readonly kind: string;
  /** Singular: `protected branch`. */
  readonly noun: string;
  /** One for each scope. */
  readonly calls: readonly ResourceCalls[];
  /** Sets of attributes that identify a resource; the first set that an entry has counts. Empty if it exists once per scope. */
  readonly identity: readonly (readonly string[])[];
  /** The attributes that an entry may have. */
  readonly attributes: Fields;
  /** Parameters of the list call. */
  readonly listing?: Values;
  /** Limits that do not follow from the calls. */
  readonly limits?: readonly string[];
  /** Whether a row of the list belongs to the kind and scope. */
  readonly includes?: (row: Row, scope: TargetScope) => boolean;
  /** Derive attributes of a row that state files name differently. */
  readonly read?: (row: Row) => Row;
  /** Add attributes and rows that the list does not contain, and remove others. @param entries undefined in an export */
  readonly refine?: (
    rows: readonly Row[],
    entries: readonly Row[] | undefined,
    slots: Slots,
    from: ResourceReader,
  ) => Promise<readonly Row[]>;
  /** Why it is not known whether a row exists. */
  readonly obstacle?: (row: Row) => string | undefined;
  /** Find the rows that an entry describes, if a service may change what identifies them. By default, those with its identity. */
  readonly match?: (rows: readonly Row[]) => (entry: Row) => readonly Row[];
  /** Attributes that a service may rewrite: whether a row has the declared value. */
  readonly rewrites?: Readonly<Record<string, (declared: unknown, row: Row) => boolean>>;
  /** Whether a row exists because of an entry with another identity. */
  readonly covers?: (entry: Row, row: Row) => boolean;
  /** Whether the service returns the row without its secrets. */
  readonly isUnreadable?: (row: Row) => boolean;
  /** Whether the service masks the secret of the row in logs, so that an export does not contain it. */
  readonly isMasked?: (row: Row) => boolean;
  /** The parameters of a creation; by default the attributes that the call takes. */
  readonly toCreate?: (entry: Row) => Row;
  /** The parameters of an update; by default the changed attributes that the call takes. */
  readonly toUpdate?: (changed: Row, row: Row) => Row;
  /** Parameters that select the row in an update or a deletion. */
  readonly select?: (row: Row) => Values;
}

/**
 * Describe a kind of resource.
 * @param draft everything but the attributes, which are those that its creations and updates take
 */
export function resource(draft: Omit<Resource, 'attributes'> & { readonly attributes?: Fields }): Resource {
  return { ...draft, attributes: optional(draft.attributes ?? attributesOf(draft.calls)) };
}

function attributesOf(calls: readonly ResourceCalls[]): Fields {
  const taken = calls.flatMap(({ create, update }) => [create, update]);
  return Object.assign({}, ...taken.reverse().map((endpoint) => bodyFields(endpoint)));
}

/** The parameters that a call sends in its body, except files. */
export function bodyFields(endpoint: Endpoint | undefined): Fields {
  const fields = Object.entries(endpoint?.takes ?? {});
  return Object.fromEntries(
    fields.filter(([, { in: place, kind }]) => (place === undefined || place === 'body') && kind !== 'file'),
  );
}

function optional(fields: Fields): Fields {
  const entries = Object.entries(fields).map(([name, field]): [string, Field] => {
    const { required: _, orElse: __, ...rest } = field;
    return [name, rest];
  });
  return Object.fromEntries(entries);
}

/** The scope of the calls of a kind. */
export function scopeOf({ list, get }: ResourceCalls): TargetScope {
  return (list ?? get)?.scope?.name ?? 'instance';
}

/** Whether a kind exists once per scope. */
export function isSingleton({ identity }: Pick<Resource, 'identity'>): boolean {
  return identity.length === 0;
}

/** The limits of a kind in one scope, as sentences without a full stop. */
export function limitsOf(resource: Resource, calls: ResourceCalls): string[] {
  const { create, update } = calls;
  if (isSingleton(resource)) return [...(resource.limits ?? [])];
  const changeable = bodyFields(update);
  const fixed = update
    ? Object.keys(resource.attributes).filter((name) => !(name in changeable) && !isIdentity(resource, name))
    : [];
  return [
    ...(create ? [] : ['cannot be created']),
    ...(update || Object.keys(resource.attributes).length <= 1 ? [] : ['cannot be changed']),
    ...(calls.delete ? [] : ['cannot be deleted']),
    ...(create && fixed.length > 0 ? [`${fixed.join(', ')}: only at creation`] : []),
    ...(resource.limits ?? []),
  ];
}

function isIdentity({ identity }: Resource, name: string): boolean {
  return identity.some((names) => names.includes(name));
}

/** Fill in the identifying attributes that an entry may omit. */
export function withDefaults({ identity, attributes }: Resource, entry: Row): Row {
  const defaults = identity.flat().flatMap((name) => {
    const value = fieldOf(attributes, name)?.default;
    return value === undefined || entry[name] !== undefined ? [] : [[name, value] as const];
  });
  return { ...entry, ...Object.fromEntries(defaults) };
}
