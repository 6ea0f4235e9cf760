/** Compare declared resources with those that exist. */
import { usage } from '../../errors.ts';
import type { Endpoint } from '../../spec/endpoint.ts';
import { type Field, fieldOf, isSecret, keysOf } from '../../spec/field.ts';
import type { Call, Value, Values } from '../../spec/request.ts';
import { bodyFields, isSingleton, type Resource, type ResourceCalls, type Row } from '../../spec/resource.ts';
import { groupBy, isRecord } from '../../support/record.ts';
import type { ManagedResource } from './codecs.ts';
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
  /** The attributes that could not be compared, for each resource without a change that has any. */
  readonly uncompared: readonly (readonly string[])[];
}

/** Whether an attribute has the declared value. */
function isSame(field: Field | undefined, desired: unknown, actual: unknown): boolean {
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

/** The order of ids, roles or files has no meaning, nor has a repetition. */
function isSameSet(item: Field, desired: unknown, actual: unknown): boolean {
  if (!Array.isArray(desired) || !Array.isArray(actual)) return false;
  return (
    desired.every((one) => actual.some((other) => isSame(item, one, other))) &&
    actual.every((other) => desired.some((one) => isSame(item, one, other)))
  );
}

/** The sets of attributes that identify an entry. */
function identitySets({ identity }: Resource, entry: Row): readonly (readonly string[])[] {
  return identity.filter((names) => names.every((name) => entry[name] !== undefined && entry[name] !== ''));
}

/** The attributes that identify an entry: the first set that it has. */
export function identityNames(resource: Resource, entry: Row): readonly string[] | undefined {
  return identitySets(resource, entry)[0];
}

/** The error for two entries that describe one resource. */
export const duplicate = ({ noun }: Resource, { at }: Entry, other: Entry) =>
  usage(`${positionText(at)}: duplicate of the ${noun} at ${positionText(other.at)}`);

/** A text that is the same for the same identity. */
export function identityKey({ attributes }: Resource, names: readonly string[], row: Row): string {
  return JSON.stringify(
    names.map((name) => {
      const field = fieldOf(attributes, name);
      const value = row[name] ?? field?.default;
      return [name, field?.kind === 'datetime' ? Date.parse(String(value)) : String(value ?? '')];
    }),
  );
}

function pickNames(row: Row, names: readonly string[]): Row {
  return Object.fromEntries(names.map((name) => [name, row[name]]));
}

/** A function that returns the rows with the identity of an entry. */
function byIdentity(resource: Resource, rows: readonly Row[]): (entry: Row) => readonly Row[] {
  const keyed = resource.identity.flatMap((names) => rows.map((row) => ({ row, names })));
  const index = groupBy(keyed, ({ row, names }) => identityKey(resource, names, row));
  return (entry) => {
    const [first = [], ...others] = identitySets(resource, entry);
    const withKey = (names: readonly string[]) =>
      (index.get(identityKey(resource, names, entry)) ?? []).map(({ row }) => row);
    const found = withKey(first);
    if (found.length > 0) return found;
    // The next set counts only for a row that was returned without the first.
    return others.flatMap(withKey).filter((row) => first.some((name) => row[name] === undefined));
  };
}

/** Whether an entry may describe a row that lacks an attribute of the first set, which alone tells rows apart. */
function isAmbiguous(resource: Resource, { attributes: entry }: Entry, row: Row): boolean {
  const isMissing = (name: string) =>
    row[name] === undefined && entry[name] !== fieldOf(resource.attributes, name)?.default;
  return identityNames(resource, entry)?.some(isMissing) ?? false;
}

const noIdentity = 'the service returned it without its identity';

/** Compare the entries of one kind with the rows of the service. @throws Failure `usage` for two entries that describe one row */
export function compareKind(
  target: Target,
  { resource, calls, entries }: DesiredKind,
  rows: readonly Row[],
  options: CompareOptions,
): Comparison {
  const context = { target, resource, calls, options };
  if (isSingleton(resource))
    return summarize(entries.map((entry) => compareEntry({ ...context, entry }, entry, rows[0] ?? {}, {})));
  const partial = rows.filter((row) => resource.identity.flat().some((name) => row[name] === undefined));
  const rowsOf = resource.match?.(rows) ?? byIdentity(resource, rows);
  const claimed = new Map<Row, Entry>();
  const compared = entries.map((entry): Compared => {
    const identity = pickNames(entry.attributes, identityNames(resource, entry.attributes) ?? []);
    const own = { ...context, entry };
    const found = rowsOf(entry.attributes);
    for (const row of found) {
      const other = claimed.get(row);
      if (other) throw duplicate(resource, entry, other);
      claimed.set(row, entry);
    }
    const [row, another] = found;
    const isHidden = !row && partial.some((one) => isAmbiguous(resource, entry, one));
    const incomplete = isHidden ? `it may exist: ${noIdentity}` : row && resource.obstacle?.(row);
    if (!row || incomplete !== undefined) return creation(own, { incomplete, ...entry }, identity);
    if (!another) return compareEntry(own, entry, row, identity);
    const reason = `${found.length} existing ones have this identity`;
    return change(own, 'update', identity, {}, reason);
  });
  const isSurplus = (row: Row) =>
    !claimed.has(row) &&
    !(resource.covers && entries.some(({ attributes }) => resource.covers?.(attributes, row)));
  const surplus = options.prune ? rows.filter(isSurplus) : [];
  const isHidden = (row: Row) =>
    partial.includes(row) && entries.some((entry) => isAmbiguous(resource, entry, row));
  return summarize([...compared, ...surplus.map((row) => deletion(context, row, isHidden(row)))]);
}

/** A change, or else the attributes that could not be compared. */
type Compared = Change | readonly string[];

const isChange = (one: Compared): one is Change => 'action' in one;

interface Context {
  readonly target: Target;
  readonly resource: ManagedResource;
  readonly calls: ResourceCalls;
  readonly options: CompareOptions;
  readonly entry?: Entry;
}

function summarize(compared: readonly Compared[]): Comparison {
  const changes = compared.filter(isChange);
  const uncompared = compared.flatMap((one) => (isChange(one) || one.length === 0 ? [] : [one]));
  return { changes, unchanged: compared.length - changes.length - uncompared.length, uncompared };
}

function change(
  { target, resource, entry }: Context,
  action: Change['action'],
  identity: Row,
  changes: Change['changes'],
  end: Call | string,
): Change {
  const { at, secrets } = entry ?? {};
  const hidden = secrets?.size ? { secrets } : {};
  const common = { action, target, resource, identity, changes, ...(at ? { at } : {}), ...hidden };
  return typeof end === 'string'
    ? { ...common, unresolved: end }
    : { ...common, call: { ...end, ...hidden } };
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

function compareEntry(context: Context, { attributes }: Entry, row: Row, identity: Row): Compared {
  const { resource, calls, options } = context;
  const { update } = calls;
  const isUnreadable = resource.isUnreadable?.(row) ?? false;
  const differing: Record<string, unknown> = {};
  const unknown: Record<string, unknown> = {};
  const old: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(attributes)) {
    const field = fieldOf(resource.attributes, name);
    const isReturned = row[name] !== undefined && !(isSecret(field) && (isUnreadable || row[name] === null));
    if (!isReturned)
      (options.rewriteSecrets && update && isSecret(field) ? differing : unknown)[name] = value;
    else if (!(resource.rewrites?.[name]?.(value, row) ?? isSame(field, value, row[name]))) {
      differing[name] = value;
      old[name] = row[name];
    }
  }
  if (Object.keys(differing).length === 0) return Object.keys(unknown);
  const updating = (sent: Row, end: Call | string) => {
    const changes = Object.entries(sent).map(([name, value]) => [name, [old[name], value] as const]);
    return change(context, 'update', identity, Object.fromEntries(changes), end);
  };
  if (!update) return updating(differing, 'the API cannot change it');
  const fields = bodyFields(update);
  const fixed = Object.keys(differing).filter((name) => !(name in fields));
  if (fixed.length > 0) return updating(differing, `${fixed.join(', ')} can only be set at creation`);
  // What cannot be compared is sent as well: some attributes count only together, such as a level and its events.
  const changed = { ...differing, ...unknown };
  const values = only(fields, resource.toUpdate?.(changed, row) ?? changed);
  const required = missingIn(fields, values);
  const known = required === undefined ? undefined : (attributes[required] ?? row[required]);
  if (
    required !== undefined &&
    (known === undefined || known === null || (isUnreadable && !attributes[required]))
  )
    return updating(differing, `an update requires ${required}, which cannot be read`);
  const completed = required === undefined ? values : only(fields, { ...values, [required]: known });
  const sent = Object.entries(changed).filter(([name]) => values[name] !== undefined);
  return updating(Object.fromEntries(sent), callTo(context, update, row, completed));
}

function deletion(context: Context, row: Row, isHidden: boolean): Change {
  const { resource, calls } = context;
  const names = identityNames(resource, row);
  const identity = pickNames(row, names ?? resource.identity.flat());
  const { delete: remove } = calls;
  if (!names || isHidden) return change(context, 'delete', identity, {}, noIdentity);
  if (!remove) return change(context, 'delete', identity, {}, 'the API cannot delete it');
  return change(context, 'delete', identity, {}, callTo(context, remove, row, {}));
}

/** A call for a row. Its path has the attributes of the same name, or the id. @returns a reason if the row lacks them */
function callTo({ target, resource }: Context, endpoint: Endpoint, row: Row, values: Values): Call | string {
  const slots = Object.keys(endpoint.slots).map((name) => [name, String(row[name] ?? row['id'] ?? '')]);
  if (slots.some(([, value]) => value === '')) return 'the service returned it without its id';
  return {
    endpoint,
    slots: { ...slotsOf(target), ...Object.fromEntries(slots) },
    values: { ...values, ...resource.select?.(row) },
  };
}
