/** Compare declared resources with those that exist. */
import { usage } from '../../errors.ts';
import type { Endpoint } from '../../spec/endpoint.ts';
import { type Field, type Fields, fieldOf, hasSecret, isSecret, keysOf } from '../../spec/field.ts';
import type { Call, Value, Values } from '../../spec/request.ts';
import { bodyFields, isSingleton, type Resource, type Row, type Target } from '../../spec/resource.ts';
import { parseTime } from '../../support/number.ts';
import { groupBy, isRecord } from '../../support/record.ts';
import { matchesPath } from '../../support/text/wildcard.ts';
import type { PlanOptions } from './flags.ts';
import { type Change, type Compared, type DesiredKind, type Entry, positionText, slotsOf } from './model.ts';

export type CompareOptions = Pick<PlanOptions, 'prune' | 'rewriteSecrets' | 'concurrency'>;

/** A time without a zone is in UTC, as for services. */
const timeOf = (value: unknown): number => parseTime(String(value)) ?? Date.parse(String(value));

function isSame(field: Field | undefined, desired: unknown, actual: unknown): boolean {
  if (desired === null || actual === null) return isEmpty(desired) && isEmpty(actual);
  switch (field?.kind) {
    case 'date':
    case 'datetime':
      return timeOf(desired) === timeOf(actual);
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

function identitiesIn({ identity }: Resource, entry: Row): Row[] {
  const sets = identity.filter((names) => names.every((name) => (entry[name] ?? '') !== ''));
  return sets.map((names) => pickNames(entry, names));
}

/** The attributes that identify an entry: the first set that it has, or none for a kind that exists once per scope. */
export function identityOf(resource: Resource, entry: Row): Row | undefined {
  return isSingleton(resource) ? {} : identitiesIn(resource, entry)[0];
}

export const duplicate = ({ noun }: Resource, { at }: Entry, other: Entry) =>
  usage(`${positionText(at)}: duplicate of the ${noun} at ${positionText(other.at)}`);

const contradiction = ({ noun }: Resource, { at }: Entry, pattern: Entry) =>
  usage(`${positionText(at)}: this ${noun} must not exist, see ${positionText(pattern.at)}`);

/** The attributes of a pattern that the service does not return. */
const unreturned = (pattern: Entry, row: Row): string[] =>
  Object.keys(pattern.attributes).filter((name) => row[name] === undefined);

/** Whether a row has the attributes of a pattern that the service returns. Only texts have `*` and `**`; the scope of an environment contains `*` itself. */
function fitsPattern({ attributes }: Resource, pattern: Entry, row: Row): boolean {
  return Object.entries(pattern.attributes).every(([name, value]) => {
    const field = fieldOf(attributes, name);
    if (row[name] === undefined) return true;
    if (field?.kind !== 'text' || name === 'environment_scope') return isSame(field, value, row[name]);
    return matchesPath(String(value), String(row[name] ?? ''));
  });
}

/** A text that is the same for the same identity. */
export function identityKey({ attributes }: Resource, identity: Row): string {
  const parts = Object.entries(identity).map(([name, given]) => {
    const field = fieldOf(attributes, name);
    const value = given ?? field?.default;
    return [name, field?.kind === 'datetime' ? timeOf(value) : String(value ?? '')];
  });
  return JSON.stringify(parts);
}

const pickNames = (row: Row, names: readonly string[]): Row =>
  Object.fromEntries(names.map((name) => [name, row[name]]));

function byIdentity(resource: Resource, rows: readonly Row[]): (entry: Row) => readonly Row[] {
  if (isSingleton(resource)) return () => rows;
  const keyed = resource.identity.flatMap((names) => rows.map((row) => ({ row, names })));
  const index = groupBy(keyed, ({ row, names }) => identityKey(resource, pickNames(row, names)));
  return (entry) => {
    const [first = {}, ...others] = identitiesIn(resource, entry);
    const rowsOf = (identity: Row) =>
      (index.get(identityKey(resource, identity)) ?? []).map(({ row }) => row);
    const found = rowsOf(first);
    if (found.length > 0) return found;
    // The next set counts only for a row that was returned without the first.
    const lacksFirst = (row: Row) => Object.keys(first).some((name) => row[name] === undefined);
    return others.flatMap(rowsOf).filter(lacksFirst);
  };
}

/** Whether an entry may describe a row that lacks an attribute of the first set, which distinguishes rows. */
function isAmbiguous(resource: Resource, { attributes: entry }: Entry, row: Row): boolean {
  const isMissing = (name: string) =>
    row[name] === undefined && entry[name] !== fieldOf(resource.attributes, name)?.default;
  return Object.keys(identityOf(resource, entry) ?? {}).some(isMissing);
}

const noIdentity = 'the service returned it without its identity';

interface Context extends DesiredKind {
  readonly target: Target;
  readonly options: CompareOptions;
  readonly entry?: Entry;
}

/** Compare the entries of one kind with the rows of the service. @throws Failure `usage` for two entries that describe one row */
export function compareKind(
  target: Target,
  kind: DesiredKind,
  rows: readonly Row[],
  options: CompareOptions,
) {
  const { resource, entries, absent = [] } = kind;
  const matches = (pattern: Entry, row: Row) =>
    fitsPattern(resource, pattern, row) && unreturned(pattern, row).length === 0;
  for (const entry of entries)
    for (const pattern of absent)
      if (matches(pattern, entry.attributes)) throw contradiction(resource, entry, pattern);
  const context = { ...kind, target, options };
  const partial = rows.filter((row) => resource.identity.flat().some((name) => row[name] === undefined));
  const rowsOf = resource.match?.(rows) ?? byIdentity(resource, rows);
  const claimed = new Map<Row, Entry>();
  const compared = entries.map((entry): Compared => {
    const identity = identityOf(resource, entry.attributes) ?? {};
    const own = { ...context, entry };
    const found = rowsOf(entry.attributes);
    for (const row of found) {
      const other = claimed.get(row);
      if (other) throw duplicate(resource, entry, other);
      claimed.set(row, entry);
    }
    const [row, another] = found;
    const isHidden = !row && partial.some((one) => isAmbiguous(resource, entry, one));
    const doubt = isHidden ? `it may exist: ${noIdentity}` : row && resource.obstacle?.(row);
    if (!row || doubt !== undefined) return creation(own, identity, entry, doubt);
    if (!another) return comparison(own, identity, entry, row);
    return change(own, 'update', identity, {}, `${found.length} existing ones have this identity`);
  });
  const isHidden = (row: Row) =>
    partial.includes(row) && entries.some((entry) => isAmbiguous(resource, entry, row));
  const isPruned = (row: Row) =>
    options.prune && !kind.isOpen && !claimed.has(row) && !resource.isKept?.(row);
  const isAbsent = (row: Row) => {
    const pattern = absent.find((one) => matches(one, row));
    const other = claimed.get(row);
    if (pattern && other) throw contradiction(resource, other, pattern);
    return pattern !== undefined;
  };
  const surplus = new Set(rows.filter((row) => isAbsent(row) || isPruned(row)));
  const doubtful = rows.flatMap((row) => {
    const isSettled = surplus.has(row) || claimed.has(row);
    const pattern = isSettled ? undefined : absent.find((one) => fitsPattern(resource, one, row));
    const identity = identityOf(resource, row) ?? {};
    const reason = pattern && `the service does not return ${unreturned(pattern, row).join(', ')}`;
    return reason ? { ...change(context, 'delete', identity, {}, reason), row } : [];
  });
  return [...compared, ...[...surplus].map((row) => deletion(context, row, isHidden(row))), ...doubtful];
}

function change(
  { target, resource, entry }: Context,
  action: Change['action'],
  identity: Row,
  changes: Change['changes'],
  end: Call | string,
): Change {
  const common = { action, target, resource, identity, changes, ...(entry ? { entry } : {}) };
  if (typeof end === 'string') return { ...common, unresolved: end };
  return { ...common, call: { ...end, ...(entry?.secrets ? { secrets: entry.secrets } : {}) } };
}

/** @param doubt why it is not known whether the resource exists */
function creation(context: Context, identity: Row, entry: Entry, doubt: string | undefined): Change {
  const { resource, calls, target } = context;
  const { at } = entry;
  // What is not set needs no parameter, unless the service has another default.
  const isNeeded = ([name, value]: [string, unknown]) =>
    value !== null || fieldOf(resource.attributes, name)?.default !== undefined;
  const attributes = Object.fromEntries(Object.entries(entry.attributes).filter(isNeeded));
  const pairs = Object.entries(attributes).map(([name, value]) => [name, [null, value] as const]);
  const made = (end: Call | string) => change(context, 'create', identity, Object.fromEntries(pairs), end);
  const { create: endpoint } = calls;
  const reason = endpoint ? (doubt ?? entry.incomplete) : 'the API does not create it';
  if (!endpoint || reason !== undefined) return made(reason ?? '');
  const fields = bodyFields(endpoint);
  const values = only(fields, resource.toCreate?.(attributes) ?? attributes);
  const missing = missingIn(fields, values);
  if (missing === undefined) return made({ endpoint, slots: slotsOf(target), values });
  const named = [resource.noun, ...Object.values(identity).slice(0, 1)].join(' ');
  const isSecretMissing = isSecret(fieldOf(resource.attributes, missing));
  throw usage(`${positionText(at)}: ${missing} is missing, which the new ${named} requires`, [
    ...(isSecretMissing && resource.isUnreadable?.(attributes)
      ? [`the ${missing} of a hidden ${resource.noun} cannot be read`]
      : []),
    `add ${missing}, or remove the entry`,
    ...(isSecretMissing ? [`to keep it out of the file, use ${missing}: { env: NAME }`] : []),
  ]);
}

function missingIn(fields: Fields, values: Values): string | undefined {
  return Object.entries(fields).find(
    ([name, { required, orElse = [] }]) =>
      required && ![name, ...orElse].some((one) => values[one] !== undefined),
  )?.[0];
}

function only(fields: Fields, row: Row): Values {
  // The attributes were validated against the fields of the resource when they were read.
  return Object.fromEntries(
    Object.entries(row).filter(([name, value]) => value !== undefined && fieldOf(fields, name)),
  ) as Record<string, Value>;
}

function comparison(context: Context, identity: Row, entry: Entry, row: Row): Compared {
  const { attributes } = entry;
  const { resource, calls, options } = context;
  const { update } = calls;
  const isUnreadable = resource.isUnreadable?.(row) ?? false;
  const differing: string[] = [];
  const unknown: string[] = [];
  const old: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(attributes)) {
    const field = fieldOf(resource.attributes, name);
    const isReturned = row[name] !== undefined && !(isSecret(field) && (isUnreadable || row[name] === null));
    if (isReturned) old[name] = row[name];
    if (!isReturned) (options.rewriteSecrets && update && hasSecret(field) ? differing : unknown).push(name);
    else if (!(resource.rewrites?.[name]?.(value, row) ?? isSame(field, value, row[name])))
      differing.push(name);
  }
  if (differing.length === 0) return { resource, identity, entry, uncompared: unknown };
  const made = (names: readonly string[], end: Call | string) => {
    const pairs = names.map((name) => [name, [old[name], attributes[name]] as const]);
    return { ...change(context, 'update', identity, Object.fromEntries(pairs), end), row };
  };
  if (!update) return made(differing, 'the API does not change it');
  const fields = bodyFields(update);
  const parameterOf = (name: string) => resource.sentAs?.[name] ?? name;
  const fixed = differing.filter((name) => !(parameterOf(name) in fields));
  if (fixed.length > 0) return made(differing, `${fixed.join(', ')} can only be set at creation`);
  // Attributes that cannot be compared are sent as well: some attributes count only together, such as a level and its events.
  const changed = pickNames(attributes, [...differing, ...unknown]);
  const values = only(fields, resource.toUpdate?.(changed, row) ?? changed);
  const required = missingIn(fields, values) ?? '';
  const known = attributes[required] ?? (isUnreadable ? undefined : row[required]);
  if (required !== '' && (known ?? null) === null)
    return made(differing, `an update requires ${required}, which cannot be read`);
  const sent = Object.keys(changed).filter((name) => values[parameterOf(name)] !== undefined);
  return made(sent, callTo(context, update, row, { ...values, ...only(fields, { [required]: known }) }));
}

function deletion(context: Context, row: Row, isHidden: boolean): Change {
  const { resource, calls } = context;
  const identity = identityOf(resource, row);
  const call = calls.delete ? callTo(context, calls.delete, row, {}) : 'the API does not delete it';
  const end = !identity || isHidden ? noIdentity : call;
  const shown = identity ?? pickNames(row, resource.identity.flat());
  return { ...change(context, 'delete', shown, {}, end), row };
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
