/** Compare declared resources with those that exist. */
import { usage } from '../../errors.ts';
import { type Field, fieldOf, isSecret, keysOf } from '../../spec/field.ts';
import type { Call, Value, Values } from '../../spec/request.ts';
import { bodyFields, isSingle, type Resource, type ResourceCalls, type Row } from '../../spec/resource.ts';
import { isRecord } from '../../support/record.ts';
import { type Change, type DesiredKind, type Entry, positionText, slotsOf, type Target } from './model.ts';

export interface CompareOptions {
  /** Delete resources that are not declared. */
  readonly prune?: boolean | undefined;
  /** Send secrets that cannot be compared. */
  readonly rewriteSecrets?: boolean | undefined;
}

export interface Comparison {
  readonly changes: readonly Change[];
  readonly unchanged: number;
}

/** Whether an attribute has the declared value. An attribute that the service did not return is unchanged. */
export function isSame(field: Field | undefined, desired: unknown, actual: unknown): boolean {
  if (actual === undefined) return true;
  if (desired === null || actual === null) return isEmpty(desired) && isEmpty(actual);
  switch (field?.kind) {
    case 'date':
    case 'datetime':
      return Date.parse(String(desired)) === Date.parse(String(actual));
    case 'list':
      return isSameSet(field.of, desired, actual);
    case 'rows':
      return isSameSet({ kind: 'hash', doc: '', keys: field.keys }, desired, actual);
    case 'hash':
    case 'object': {
      if (!isRecord(desired) || !isRecord(actual)) return false;
      return Object.entries(desired).every(([key, value]) =>
        isSame(keysOf(field)?.[key], value, actual[key] ?? null),
      );
    }
    default:
      return String(desired) === String(actual);
  }
}

/** Services return null for a text or a list without content. */
function isEmpty(value: unknown): boolean {
  return value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

/** The order of ids, roles or files has no meaning. */
function isSameSet(item: Field, desired: unknown, actual: unknown): boolean {
  if (!Array.isArray(desired) || !Array.isArray(actual) || desired.length !== actual.length) return false;
  const left = [...actual];
  return desired.every((one) => {
    const at = left.findIndex((other) => isSame(item, one, other));
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  });
}

/** The attributes that identify an entry: the first set that it has. */
export function identityNames({ identity }: Resource, entry: Row): readonly string[] | undefined {
  return identity.find((names) => names.every((name) => entry[name] !== undefined && entry[name] !== ''));
}

/** A text that is the same for the same identity. */
export function identityKey({ attributes }: Resource, names: readonly string[], row: Row): string {
  return JSON.stringify(
    names.map((name) => {
      const value = row[name];
      const isTime = fieldOf(attributes, name)?.kind === 'datetime';
      return [name, isTime ? Date.parse(String(value)) : String(value ?? '')];
    }),
  );
}

function pickNames(row: Row, names: readonly string[]): Row {
  return Object.fromEntries(names.map((name) => [name, row[name]]));
}

/** Compare the entries of one kind with the rows of the service. */
export function compareKind(
  target: Target,
  { resource, calls, entries }: DesiredKind,
  rows: readonly Row[],
  options: CompareOptions,
): Comparison {
  const context = { target, resource, calls, options };
  if (isSingle(resource)) {
    const compared = entries.map((entry) => placed(compareEntry(context, entry, rows[0] ?? {}, {}), entry));
    return summarize(compared);
  }
  const index = new Map<string, Row[]>();
  for (const names of resource.identity)
    for (const row of rows) {
      const key = identityKey(resource, names, row);
      index.set(key, [...(index.get(key) ?? []), row]);
    }
  const claimed = new Set<Row>();
  const compared = entries.map((entry): Change | undefined => {
    const names = identityNames(resource, entry.attributes) ?? [];
    const identity = pickNames(entry.attributes, names);
    const found = index.get(identityKey(resource, names, entry.attributes)) ?? [];
    for (const row of found) claimed.add(row);
    if (resource.covers) for (const row of rows) if (resource.covers(entry.attributes, row)) claimed.add(row);
    const [row, other] = found;
    if (!row) return placed(creation(context, entry, identity), entry);
    const made = other
      ? change(context, 'update', identity, {}, `${found.length} existing ones have this identity`)
      : compareEntry(context, entry, row, identity);
    return placed(made, entry);
  });
  const surplus = options.prune ? rows.filter((row) => !claimed.has(row)) : [];
  return summarize([...compared, ...surplus.map((row) => deletion(context, row))]);
}

function placed(made: Change | undefined, { at, secrets }: Entry): Change | undefined {
  if (!made || !secrets?.size) return made && { ...made, at };
  return { ...made, at, secrets, ...(made.call ? { call: { ...made.call, secrets } } : {}) };
}

interface Context {
  readonly target: Target;
  readonly resource: Resource;
  readonly calls: ResourceCalls;
  readonly options: CompareOptions;
}

function summarize(compared: readonly (Change | undefined)[]): Comparison {
  const changes = compared.filter((one) => one !== undefined);
  return { changes, unchanged: compared.length - changes.length };
}

function change(
  { target, resource }: Context,
  action: Change['action'],
  identity: Row,
  changes: Change['changes'],
  end: Call | string,
): Change {
  const common = { action, target, resource, identity, changes };
  return typeof end === 'string' ? { ...common, unresolved: end } : { ...common, call: end };
}

function creation(context: Context, { attributes, at, incomplete }: Entry, identity: Row): Change {
  const { resource, calls, target } = context;
  const changes = Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [name, [null, value] as const]),
  );
  const { create } = calls;
  if (!create) return change(context, 'create', identity, changes, 'the API cannot create it');
  if (incomplete !== undefined) return change(context, 'create', identity, changes, incomplete);
  const values = only(bodyFields(create), resource.toCreate?.(attributes) ?? attributes);
  const missing = missingIn(bodyFields(create), values);
  if (missing !== undefined)
    throw usage(`${positionText(at)}: ${missing} is missing, which a new ${resource.noun} requires`, [
      `add ${missing}, or remove the entry`,
      ...(isSecret(fieldOf(resource.attributes, missing))
        ? [`to keep it out of the file, use ${missing}: { env: NAME }`]
        : []),
    ]);
  return change(context, 'create', identity, changes, { endpoint: create, slots: slotsOf(target), values });
}

/** The first required parameter without a value or an alternative. */
function missingIn(fields: ReturnType<typeof bodyFields>, values: Values): string | undefined {
  return Object.entries(fields).find(
    ([name, { required, orElse = [] }]) =>
      required && ![name, ...orElse].some((one) => values[one] !== undefined),
  )?.[0];
}

/** Keep the attributes that a call takes. */
function only(fields: ReturnType<typeof bodyFields>, row: Row): Values {
  // The attributes were validated against the fields of the resource when they were read.
  return Object.fromEntries(
    Object.entries(row).filter(([name, value]) => value !== undefined && fieldOf(fields, name)),
  ) as Record<string, Value>;
}

function compareEntry(context: Context, { attributes }: Entry, row: Row, identity: Row): Change | undefined {
  const { resource, calls, target, options } = context;
  const isUnreadable = resource.isUnreadable?.(row) ?? false;
  const differing = Object.entries(attributes).filter(([name, value]) => {
    const field = fieldOf(resource.attributes, name);
    if (isSecret(field) && (isUnreadable || row[name] === undefined || row[name] === null))
      return options.rewriteSecrets && calls.update !== undefined;
    return !isSame(field, value, row[name]);
  });
  if (differing.length === 0) return undefined;
  const changes = Object.fromEntries(
    differing.map(([name, value]) => [name, [row[name] ?? null, value] as const]),
  );
  const { update } = calls;
  if (!update) return change(context, 'update', identity, changes, 'the API cannot change it');
  const fields = bodyFields(update);
  const changed = Object.fromEntries(differing);
  const values = only(fields, resource.toUpdate?.(changed, row) ?? changed);
  const fixed = Object.keys(changed).filter((name) => !(name in fields));
  if (fixed.length > 0)
    return change(context, 'update', identity, changes, `${fixed.join(', ')} can only be set at creation`);
  const required = missingIn(fields, values);
  const known = required === undefined ? undefined : (attributes[required] ?? row[required]);
  if (
    required !== undefined &&
    (known === undefined || known === null || (isUnreadable && !attributes[required]))
  )
    return change(
      context,
      'update',
      identity,
      changes,
      `an update requires ${required}, which cannot be read`,
    );
  const completed = required === undefined ? values : only(fields, { ...values, [required]: known });
  const slots = { ...slotsOf(target), ...slotsFrom(update.slots, row) };
  return change(context, 'update', identity, changes, {
    endpoint: update,
    slots,
    values: { ...completed, ...resource.select?.(row) },
  });
}

function deletion(context: Context, row: Row): Change {
  const { resource, calls, target } = context;
  const names = identityNames(resource, row);
  const identity = pickNames(row, names ?? resource.identity.flat());
  const { delete: remove } = calls;
  if (!names) return change(context, 'delete', identity, {}, 'the service returned it without its identity');
  if (!remove) return change(context, 'delete', identity, {}, 'the API cannot delete it');
  return change(
    context,
    'delete',
    identity,
    {},
    {
      endpoint: remove,
      slots: { ...slotsOf(target), ...slotsFrom(remove.slots, row) },
      values: { ...resource.select?.(row) },
    },
  );
}

/** The slots of a path from the attribute of the same name, or from the id. */
function slotsFrom(slots: Readonly<Record<string, Field>>, row: Row): Record<string, string> {
  return Object.fromEntries(Object.keys(slots).map((name) => [name, String(row[name] ?? row['id'])]));
}
