/**
 * A kind of resource that state files describe. Export, comparison and application of the kind are derived from this description
 * and from its endpoints.
 */
import type { Endpoint } from './endpoint.ts';
import { type Fields, fieldOf, pick } from './field.ts';
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

export interface Resource {
  /** The key in a state file: `protected_branches`. */
  readonly kind: string;
  /** Singular: `protected branch`. */
  readonly noun: string;
  /** One for each scope. */
  readonly calls: readonly ResourceCalls[];
  /** Sets of attributes that identify a resource; the first set that an entry has counts. Empty if it exists once per scope. */
  readonly identity: readonly (readonly string[])[];
  readonly attributes: Fields;
  /** Parameters of the list, so that its rows have all attributes. */
  readonly listing?: Values;
  /** The parameters of an update that differ from the names of the attributes. */
  readonly sentAs?: Readonly<Record<string, string>>;
  /** Sentences without a full stop, besides those that follow from the calls. */
  readonly limits?: readonly string[];
}

/**
 * Describe a kind of resource. By default, the noun is that of its list, the attributes are those that its creations and updates take, and
 * the kind exists once per scope.
 */
export function resource(
  draft: Pick<Resource, 'kind' | 'calls'> & Partial<Omit<Resource, 'kind' | 'calls'>>,
): Resource {
  const { kind, calls } = draft;
  const noun = calls[0]?.list?.noun ?? kind;
  const attributes = draft.attributes ?? takenAttributes(calls);
  return { noun, identity: [], ...draft, attributes: pick(attributes, ...Object.keys(attributes)) };
}

/** The attributes that creations and updates take. Of several fields for one attribute, that of the first call counts. */
export function takenAttributes(calls: readonly ResourceCalls[]): Fields {
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

export function scopeOf({ list, get }: ResourceCalls): TargetScope {
  return (list ?? get)?.scope?.name ?? 'instance';
}

/** Whether a kind exists once per scope. */
export function isSingleton({ identity }: Pick<Resource, 'identity'>): boolean {
  return identity.length === 0;
}

/** The limits of a kind in one scope, as sentences without a full stop. */
export function resourceLimits(resource: Resource, calls: ResourceCalls): string[] {
  const { create, update } = calls;
  if (isSingleton(resource)) return [...(resource.limits ?? [])];
  const changeable = bodyFields(update);
  const [own, all] = [takenAttributes([calls]), takenAttributes(resource.calls)];
  const isFixed = (name: string) =>
    !((resource.sentAs?.[name] ?? name) in changeable) && (name in own || !(name in all));
  const fixed = update
    ? Object.keys(resource.attributes).filter(
        (name) => isFixed(name) && !resource.identity.flat().includes(name),
      )
    : [];
  return [
    ...(create ? [] : ['the API does not create them']),
    ...(update ? [] : ['the API does not change them']),
    ...(calls.delete ? [] : ['the API does not delete them']),
    ...(create && fixed.length > 0 ? [`${fixed.join(', ')}: only at creation`] : []),
    ...(resource.limits ?? []),
  ];
}

/** Fill in the identifying attributes that an entry may omit. */
export function withDefaults({ identity, attributes }: Resource, entry: Row): Row {
  const defaults = identity.flat().flatMap((name) => {
    const value = fieldOf(attributes, name)?.default;
    return value === undefined || entry[name] !== undefined ? [] : [[name, value] as const];
  });
  return { ...entry, ...Object.fromEntries(defaults) };
}
