/**
 * The default behavior: list, get, create, update and delete on a table with the name of the area, derived from the catalogue. Also
 * singletons: one row per scope, created by the first update.
 */
import type { Operation } from '../../spec/endpoint.ts';
import type { Field } from '../../spec/field.ts';
import type { RequestContext } from './behavior.ts';
import { httpError } from './http-error.ts';
import { ordered } from './order.ts';
import { parseTime } from './request/params.ts';
import type { AnyRow } from './rows.ts';

/** Parameters that do not filter. */
const displayParams = ['page', 'per_page', 'pagination', 'order_by', 'sort', 'search'];

function inScope(ctx: RequestContext): (row: AnyRow) => boolean {
  if (ctx.scope === 'project') return (row) => row['project_id'] === ctx.project.id;
  if (ctx.scope === 'group') return (row) => row['group_id'] === ctx.group.id;
  return () => true;
}

function scopeIds(ctx: RequestContext): Record<string, number> {
  if (ctx.scope === 'project') return { project_id: ctx.project.id };
  return ctx.scope === 'group' ? { group_id: ctx.group.id } : {};
}

/** Path parameters ending in `_id` are the id, in `_iid` the iid; others have the name of their attribute. */
function attributeOf(slot: string): string {
  if (slot.endsWith('_iid')) return 'iid';
  return slot.endsWith('_id') ? 'id' : slot;
}

const titleOf = (area: string): string => {
  const singular = area
    .replace(/ies$/, 'y')
    .replace(/(?<!s)s$/, '')
    .replaceAll('-', ' ');
  return singular.replace(/\b\w/g, (letter) => letter.toUpperCase());
};

function findRow(ctx: RequestContext, rows: readonly AnyRow[]): AnyRow {
  const slots = Object.entries(ctx.slots.values);
  const row = rows.find((candidate) =>
    slots.every(([slot, value]) => String(candidate[attributeOf(slot)]) === String(value)),
  );
  if (!row) throw ctx.notFound(titleOf(ctx.area));
  return row;
}

const toTime = (value: unknown): number => parseTime(String(value));

/** Parameters filter by the attribute with their name; `created_after` and similar ones by time. */
function filtersOf(
  ctx: RequestContext,
  fields: Readonly<Record<string, Field>>,
): ((row: AnyRow) => boolean)[] {
  const tests: ((row: AnyRow) => boolean)[] = [];
  for (const [name, value] of Object.entries(ctx.params.values)) {
    if (displayParams.includes(name) || value === null) continue;
    const [, stem, side] = /^(\w+)_(after|before)$/.exec(name) ?? [];
    if (stem && `${stem}_at` in fields) {
      const limit = toTime(value);
      tests.push((row) => {
        const time = toTime(row[`${stem}_at`]);
        return side === 'after' ? time >= limit : time <= limit;
      });
    } else if (name in fields) {
      tests.push((row) => (Array.isArray(value) ? value.includes(row[name]) : row[name] === value));
    }
  }
  const search = ctx.params.text('search')?.toLowerCase();
  if (search) {
    tests.push((row) =>
      ['name', 'title', 'description'].some((name) =>
        String(row[name] ?? '')
          .toLowerCase()
          .includes(search),
      ),
    );
  }
  return tests;
}

function sorted(ctx: RequestContext, rows: AnyRow[]): AnyRow[] {
  const { takes } = ctx.endpoint;
  const by = ctx.params.text('order_by') ?? takes['order_by']?.default ?? 'id';
  const sort = ctx.params.text('sort') ?? takes['sort']?.default ?? 'asc';
  const key = (row: AnyRow) => {
    const value = row[String(by)];
    return typeof value === 'string' ? value.toLowerCase() : Number(value ?? 0);
  };
  return ordered(rows, key, String(sort));
}

/** Return the defaults and timestamps of a new row. */
function initialValues(ctx: RequestContext): Record<string, unknown> {
  const { takes } = ctx.endpoint;
  const fields = returnedFields(ctx);
  const values: Record<string, unknown> = {};
  for (const [name, field] of Object.entries({ ...fields, ...takes })) {
    if (field.default !== undefined && name in fields) values[name] = field.default;
  }
  if ('created_at' in fields) values['created_at'] = ctx.time();
  if ('updated_at' in fields) values['updated_at'] = ctx.time();
  return values;
}

function changes(ctx: RequestContext): Record<string, unknown> {
  return { ...ctx.params.values, ...('updated_at' in returnedFields(ctx) ? { updated_at: ctx.time() } : {}) };
}

const returnedFields = (ctx: RequestContext): Readonly<Record<string, Field>> =>
  'fields' in ctx.endpoint.returns ? ctx.endpoint.returns.fields : {};

/** Whether the default behavior supports an endpoint. */
export function isOrdinary({ method, path, scope, slots, returns }: Operation): boolean {
  const names = Object.keys(slots);
  const isItem = names.length === 1 && path.endsWith(`/:${names[0]}`);
  const isCollection = names.length === 0 && !(scope && path === scope.prefix);
  if (method === 'HEAD' || returns.kind === 'raw') return false;
  return isItem ? method !== 'POST' : isCollection && method !== 'DELETE';
}

/** @throws HttpError 503 if the endpoint needs a behavior and has none */
export async function collection(ctx: RequestContext): Promise<Response> {
  const { method, returns } = ctx.endpoint;
  if (!isOrdinary(ctx.endpoint)) throw httpError(503, '503 Service Unavailable');
  const table = ctx.table(ctx.area);
  if (method === 'POST') {
    return ctx.one(table.insert({ ...initialValues(ctx), ...scopeIds(ctx), ...ctx.params.values }));
  }
  const rows = table.filter(inScope(ctx));
  if (Object.keys(ctx.slots.values).length > 0) {
    const row = findRow(ctx, rows);
    if (method === 'GET') return ctx.one(row);
    if (method !== 'DELETE') return ctx.one(table.update(row, changes(ctx)));
    ctx.remove(ctx.area, row);
    return ctx.noContent();
  }
  if (returns.kind === 'list') {
    const tests = filtersOf(ctx, returns.fields);
    return ctx.list(
      sorted(
        ctx,
        rows.filter((row) => tests.every((test) => test(row))),
      ),
    );
  }
  if (method === 'GET') return ctx.one(rows[0] ?? {});
  const row = rows[0] ?? table.insert({ ...initialValues(ctx), ...scopeIds(ctx) });
  return ctx.one(table.update(row, changes(ctx)));
}
