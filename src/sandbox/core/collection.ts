/**
 * Collections: list, get, create, update and delete on the rows of a table. What a collection does not declare follows from the
 * catalogue, so that an ordinary area declares nothing.
 */
import { type Operation, returnedFields } from '../../spec/endpoint.ts';
import { type Fields, fieldOf, type Role } from '../../spec/field.ts';
import { parseTime } from '../../support/number.ts';
import { changedAt, checkUnmodified } from '../conditional.ts';
import { type Context, type Handler, list, noContent, one, type Shape } from './context.ts';
import { badRequest, type HttpError, httpError, notFound } from './http-error.ts';
import { scopeColumns } from './lookup.ts';
import type { Order } from './pages.ts';
import type { Hash } from './request/params.ts';
import type { AnyRow, Row } from './rows.ts';
import { iso } from './time.ts';
import { alreadyTaken, type Checks, rejectInvalid } from './validation.ts';

type Values<T> = Partial<Omit<T, 'id'>>;
type RequiredRole = Role | ((ctx: Context) => Role | undefined);

/** Returns the test for the value of a parameter. It is not called for null. */
export type Filter<T> = (value: unknown, ctx: Context) => (row: T) => boolean;

/** A collection of rows. Its functions get the request, and are called in the order of the declaration. */
export interface Collection<T extends Row> extends Shape<T> {
  readonly table: string;
  /** Name of a row in a 404, such as `Client Key`; by default that of the area. */
  readonly title?: string;
  /** Role for reading, if it is more than the catalogue states. */
  readonly readRole?: RequiredRole;
  /** Role for changes, if it is more than the catalogue states. */
  readonly role?: RequiredRole;
  /** Return the rows that the request refers to; by default those of its project or group. */
  readonly rows?: (ctx: Context) => T[];
  /** Whether the caller sees a row. Others are not found. */
  readonly visible?: (ctx: Context, row: T) => boolean;
  /** Choose the row that the path names; by default by its slots. */
  readonly find?: (ctx: Context, rows: readonly T[]) => T | undefined;
  /** Filters of a list by parameter. Other parameters filter by the attribute with their name. */
  readonly filters?: Readonly<Record<string, Filter<T>>>;
  /** Order of a list: an attribute, with `-` for descending. The parameters `order_by` and `sort` take precedence. */
  readonly order?: string | ((ctx: Context) => Order);
  /** @throws HttpError if the caller cannot change or delete a row */
  readonly permit?: (ctx: Context, row: T) => void;
  /** Attributes of a new row, in addition to its scope and the defaults of the catalogue. */
  readonly defaults?: (ctx: Context) => Values<T>;
  /** Return the attributes that a request sets; by default its parameters. */
  readonly changes?: (ctx: Context, row: T | undefined) => Values<T> | Promise<Values<T>>;
  /** Attributes whose values together occur once in the collection. */
  readonly unique?: readonly (keyof T & string)[];
  /** Return the error for a row that is not unique; by default a message for the first attribute. */
  readonly duplicate?: (next: T) => HttpError;
  /** Return messages by attribute for a row as it would be after the request. */
  readonly check?: (ctx: Context, next: T, row: T | undefined) => Checks | Promise<Checks>;
  readonly after?: (ctx: Context, action: Action, row: T, before: T | undefined) => void | Promise<void>;
}

export type Action = 'create' | 'update' | 'delete';

const displayParams = ['page', 'per_page', 'pagination', 'order_by', 'sort'];

/** Path parameters ending in `_id` are the id, in `_iid` the iid; others have the name of their attribute. */
function attributeOf(slot: string): string {
  if (slot.endsWith('_iid')) return 'iid';
  return slot.endsWith('_id') ? 'id' : slot;
}

/** `client-keys` -> `Client Key` */
const titleOf = (area: string): string => {
  const singular = area
    .replace(/ies$/, 'y')
    .replace(/(?<!s)s$/, '')
    .replaceAll('-', ' ');
  return singular.replace(/\b\w/g, (letter) => letter.toUpperCase());
};

const isIn = (ctx: Context, row: object): boolean =>
  ctx.scope === undefined || row[`${ctx.scope}_id` as keyof typeof row] === ctx[ctx.scope].id;

/**
 * Return the rows of a collection that the caller sees, in no particular order.
 * @param where an attribute with a value, looked up with an index; a collection with `rows` ignores it
 */
export function rowsOf<T extends Row>(
  ctx: Context,
  { table, rows, visible }: Collection<T>,
  where?: readonly [name: keyof T & string, value: unknown],
): T[] {
  const stored = ctx.table<T>(table);
  const [name, value] = where ?? [];
  const found = () => (name === undefined ? stored.all() : stored.where(name, value as T[keyof T & string]));
  const all = rows ? rows(ctx) : found().filter((row) => isIn(ctx, row));
  return visible ? all.filter((row) => visible(ctx, row)) : all;
}

/** Find a row by its id, if that is the first slot of the path, or else by all slots. */
function bySlots<T extends Row>(ctx: Context, rows: readonly T[]): T | undefined {
  const all = Object.entries(ctx.slots.values);
  const slots = /^id$|_i?id$/.test(all[0]?.[0] ?? '') ? all.slice(0, 1) : all;
  return rows.find((row) =>
    slots.every(([slot, value]) => String(row[attributeOf(slot) as keyof T]) === String(value)),
  );
}

/** Return the row that the path of a request names. @throws HttpError 404 */
export function findRow<T extends Row>(ctx: Context, collection: Collection<T>): T {
  const named = collection.unique?.find((name) => ctx.slots.has(name));
  const where = named && ([named, ctx.slots.values[named]] as const);
  const row = (collection.find ?? bySlots)(ctx, rowsOf(ctx, collection, where));
  if (!row) throw notFound(collection.title ?? titleOf(ctx.area));
  return row;
}

/** Delete a row. @throws HttpError 412 if it changed after `If-Unmodified-Since` */
export function removeRow<T extends Row>(ctx: Context, table: string, row: T): void {
  checkUnmodified(ctx.request, changedAt(row));
  ctx.store.table<T>(table).remove(row);
}

const toTime = (value: unknown): number => parseTime(String(value)) ?? Number.NaN;

const searchFilter: Filter<AnyRow> = (value) => {
  const term = String(value).toLowerCase();
  const searched = ['name', 'title', 'description'];
  return (row) =>
    searched.some((name) =>
      String(row[name] ?? '')
        .toLowerCase()
        .includes(term),
    );
};

/** Return the filter by the attribute with the name of a parameter; `created_after` and similar ones filter by time. */
function attributeFilter(name: string, fields: Fields): Filter<AnyRow> | undefined {
  const [, stem, side] = /^(\w+)_(after|before)$/.exec(name) ?? [];
  if (stem && `${stem}_at` in fields) {
    return (value) => (row) => {
      const age = toTime(row[`${stem}_at`]) - toTime(value);
      return side === 'after' ? age >= 0 : age <= 0;
    };
  }
  if (name === 'search') return searchFilter;
  if (displayParams.includes(name) || !(name in fields)) return undefined;
  return (value) => (row) => (Array.isArray(value) ? value.includes(row[name]) : row[name] === value);
}

export const testsOf = <T>(
  filters: Readonly<Record<string, Filter<T>>>,
  values: Hash,
  ctx: Context,
): ((row: T) => boolean)[] =>
  Object.entries(values).flatMap(([name, value]) =>
    value === null ? [] : (filters[name]?.(value, ctx) ?? []),
  );

function filtered<T extends Row>(ctx: Context, { filters }: Collection<T>, rows: readonly T[]): T[] {
  const fields = returnedFields(ctx.endpoint);
  const known = Object.keys(ctx.params.values).map((name) => [name, attributeFilter(name, fields)]);
  const tests = testsOf({ ...Object.fromEntries(known), ...filters }, ctx.params.values, ctx);
  return rows.filter((row) => tests.every((test) => test(row)));
}

/** Return the order that a request sets, or else that of the catalogue or of the collection. */
export function orderOf(ctx: Context, declared = 'id'): Order {
  const { takes } = ctx.endpoint;
  const by = ctx.params.text('order_by') ?? takes['order_by']?.default ?? declared.replace(/^-/, '');
  const sort =
    ctx.params.text('sort') ?? takes['sort']?.default ?? (declared.startsWith('-') ? 'desc' : 'asc');
  return { by: String(by), sort: sort === 'desc' ? 'desc' : 'asc' };
}

function draft<T extends Row>(ctx: Context, { defaults }: Collection<T>): Values<T> {
  const fields = returnedFields(ctx.endpoint);
  const values: Record<string, unknown> = {};
  for (const [name, field] of Object.entries({ ...fields, ...ctx.endpoint.takes })) {
    if (field.default !== undefined && name in fields) values[name] = field.default;
  }
  for (const name of ['created_at', 'updated_at']) if (name in fields) values[name] = ctx.time();
  return { ...values, ...(ctx.scope ? scopeColumns(ctx) : {}), ...defaults?.(ctx) } as Values<T>;
}

/** Return parameters as attributes. Null clears a nullable attribute and resets a text; otherwise it changes nothing. */
export function given<T extends Row>(ctx: Context, blank: Values<T>, names?: readonly string[]): Values<T> {
  const fields = { ...ctx.endpoint.takes, ...returnedFields(ctx.endpoint) };
  const values = Object.entries(ctx.params.values).flatMap(([name, value]) => {
    if (names && !names.includes(name)) return [];
    const field = fieldOf(fields, name);
    if (value !== null && field?.kind === 'datetime') return [[name, iso(toTime(value))] as const];
    if (value !== null || field?.nullable) return [[name, value] as const];
    return field?.kind === 'text' && !field.choices
      ? [[name, blank[name as keyof Values<T>] ?? ''] as const]
      : [];
  });
  return Object.fromEntries(values) as Values<T>;
}

async function changesOf<T extends Row>(
  ctx: Context,
  collection: Collection<T>,
  row: T | undefined,
): Promise<Values<T>> {
  const { changes, check, unique, duplicate } = collection;
  const blank = draft(ctx, collection);
  const set = changes ? await changes(ctx, row) : given(ctx, blank);
  const values: Values<T> = row ? set : { ...blank, ...set };
  const next = { ...row, ...values } as T;
  const [first] = unique ?? [];
  const alike = first === undefined ? [] : rowsOf(ctx, collection, [first, next[first]]);
  if (alike.some((other) => other !== row && unique?.every((name) => other[name] === next[name])))
    throw duplicate?.(next) ?? badRequest({ [String(first)]: alreadyTaken });
  if (check) rejectInvalid(await check(ctx, next, row));
  const isStamped = row && 'updated_at' in returnedFields(ctx.endpoint) && !('updated_at' in values);
  return isStamped ? { ...values, updated_at: ctx.time() } : values;
}

export async function createRow<T extends Row>(ctx: Context, collection: Collection<T>): Promise<T> {
  const values = await changesOf(ctx, collection, undefined);
  const row = ctx.table<T>(collection.table).insert(values as Omit<T, 'id'>);
  await collection.after?.(ctx, 'create', row, undefined);
  return row;
}

async function updateRow<T extends Row>(ctx: Context, collection: Collection<T>, row: T): Promise<T> {
  const before = { ...row };
  ctx.table<T>(collection.table).update(row, await changesOf(ctx, collection, row));
  await collection.after?.(ctx, 'update', row, before);
  return row;
}

async function deleteRow<T extends Row>(ctx: Context, collection: Collection<T>, row: T): Promise<Response> {
  removeRow(ctx, collection.table, row);
  await collection.after?.(ctx, 'delete', row, undefined);
  return ctx.endpoint.returns.kind === 'object' ? one(ctx, row, collection) : noContent();
}

const isItem = ({ path }: Operation): boolean => /\/:\w+$/.test(path);

/** Whether a collection without a declaration serves an endpoint. */
export function isOrdinary({ method, path, scope, slots, returns }: Operation): boolean {
  const names = Object.keys(slots);
  const isOne = names.length === 1 && path.endsWith(`/:${names[0]}`);
  const isAll = names.length === 0 && !(scope && path === scope.prefix);
  if (method === 'HEAD' || returns.kind === 'raw') return false;
  return isOne ? method !== 'POST' : isAll && method !== 'DELETE';
}

function requireDeclaredRole<T extends Row>(ctx: Context, { readRole, role }: Collection<T>): void {
  const required = ctx.endpoint.method === 'GET' ? readRole : role;
  const least = typeof required === 'function' ? required(ctx) : required;
  if (least) ctx.requireRole(least);
}

/** Return the handler of the endpoints of a collection. Which function it runs follows from method and path. */
export const collection =
  <T extends Row>(declared: Collection<T>): Handler =>
  async (ctx) => {
    const { method, returns } = ctx.endpoint;
    requireDeclaredRole(ctx, declared);
    if (method === 'POST') return one(ctx, await createRow(ctx, declared), declared);
    if (returns.kind === 'list') {
      const { order } = declared;
      const wanted = typeof order === 'function' ? order(ctx) : orderOf(ctx, order);
      return list(ctx, filtered(ctx, declared, rowsOf(ctx, declared)), declared, wanted);
    }
    if (!isItem(ctx.endpoint)) return singleton(declared)(ctx);
    const row = findRow(ctx, declared);
    if (method === 'GET') return one(ctx, row, declared);
    declared.permit?.(ctx, row);
    if (method === 'DELETE') return deleteRow(ctx, declared, row);
    return one(ctx, await updateRow(ctx, declared, row), declared);
  };

/** Return the handler of settings: one row for each scope, created by the first update. */
export const singleton =
  <T extends Row>(declared: Collection<T>): Handler =>
  async (ctx) => {
    requireDeclaredRole(ctx, declared);
    const [row] = rowsOf(ctx, declared);
    if (ctx.endpoint.method === 'GET') return one(ctx, row ?? (draft(ctx, declared) as T), declared);
    const next = row ? await updateRow(ctx, declared, row) : await createRow(ctx, declared);
    return one(ctx, next, declared);
  };

/** Serve an endpoint of an area without handlers. @throws HttpError 503 if the endpoint needs one */
export const undeclared: Handler = (ctx) => {
  if (!isOrdinary(ctx.endpoint)) throw httpError(503, '503 Service Unavailable');
  return collection({ table: ctx.area })(ctx);
};
