/**
 * The ordinary collection: list, get, create, update and delete over the table that bears the area's name, read off the
 * catalogue. Also the ordinary singleton (one row a scope, made when it is first changed).
 */
import type { Endpoint } from '../../spec/endpoint.ts';
import type { Field } from '../../spec/field.ts';
import type { RequestContext } from './behavior.ts';
import { httpError } from './http-error.ts';
import { ordered } from './order.ts';
import { parseTime } from './params.ts';
import type { AnyRow } from './rows.ts';

/** Parameters that say how to show a list, not which rows. */
const notFilters = ['page', 'per_page', 'pagination', 'order_by', 'sort', 'search'];

function inScope(ctx: RequestContext): (row: AnyRow) => boolean {
  if (ctx.scope === 'project') return (row) => row['project_id'] === ctx.project.id;
  if (ctx.scope === 'group') return (row) => row['group_id'] === ctx.group.id;
  return () => true;
}

function scopeIds(ctx: RequestContext): Record<string, number> {
  if (ctx.scope === 'project') return { project_id: ctx.project.id };
  return ctx.scope === 'group' ? { group_id: ctx.group.id } : {};
}

/** `approval_rule_id` and `id` mean the id, `epic_iid` the iid, any other slot the attribute of its name. */
function attributeOf(slot: string): string {
  if (slot.endsWith('_iid')) return 'iid';
  return slot.endsWith('_id') ? 'id' : slot;
}

const title = (area: string): string => {
  const singular = area
    .replace(/ies$/, 'y')
    .replace(/(?<!s)s$/, '')
    .replaceAll('-', ' ');
  return singular.replace(/\b\w/g, (letter) => letter.toUpperCase());
};

function item(ctx: RequestContext, rows: readonly AnyRow[]): AnyRow {
  const slots = Object.entries(ctx.slots.values);
  const row = rows.find((candidate) =>
    slots.every(([slot, value]) => String(candidate[attributeOf(slot)]) === String(value)),
  );
  if (!row) throw ctx.notFound(title(ctx.area));
  return row;
}

const asTime = (value: unknown): number => parseTime(String(value));

/** A parameter filters by the attribute of its name; `created_after` and its like by a moment. */
function filters(ctx: RequestContext, fields: Readonly<Record<string, Field>>): ((row: AnyRow) => boolean)[] {
  const tests: ((row: AnyRow) => boolean)[] = [];
  for (const [name, value] of Object.entries(ctx.params.values)) {
    if (notFilters.includes(name) || value === null) continue;
    const [, stem, side] = /^(\w+)_(after|before)$/.exec(name) ?? [];
    if (stem && `${stem}_at` in fields) {
      const limit = asTime(value);
      tests.push((row) => {
        const time = asTime(row[`${stem}_at`]);
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

/** What a new row holds before its parameters: the defaults, and when it was made. */
function blank(ctx: RequestContext): Record<string, unknown> {
  const { returns, takes } = ctx.endpoint;
  const fields = 'fields' in returns ? returns.fields : {};
  const made: Record<string, unknown> = {};
  for (const [name, field] of Object.entries({ ...fields, ...takes })) {
    if (field.default !== undefined && name in fields) made[name] = field.default;
  }
  if ('created_at' in fields) made['created_at'] = ctx.time();
  if ('updated_at' in fields) made['updated_at'] = ctx.time();
  return made;
}

function changes(ctx: RequestContext): Record<string, unknown> {
  return { ...ctx.params.values, ...('updated_at' in answered(ctx) ? { updated_at: ctx.time() } : {}) };
}

const answered = (ctx: RequestContext): Readonly<Record<string, Field>> =>
  'fields' in ctx.endpoint.returns ? ctx.endpoint.returns.fields : {};

/** Whether a call is one of those that need no behavior. */
export function isOrdinary({ method, path, scope, slots, returns }: Endpoint): boolean {
  const names = Object.keys(slots);
  const ofOne = names.length === 1 && path.endsWith(`/:${names[0]}`);
  const ofAll = names.length === 0 && !(scope && path === scope.prefix);
  if (method === 'HEAD' || returns.kind === 'raw') return false;
  return ofOne ? method !== 'POST' : ofAll && method !== 'DELETE';
}

/** Answer as an ordinary collection or singleton does; 503 for a call that is neither and has no behavior. */
export async function collection(ctx: RequestContext): Promise<Response> {
  const { method, returns } = ctx.endpoint;
  if (!isOrdinary(ctx.endpoint)) throw httpError(503, '503 Service Unavailable');
  const table = ctx.table(ctx.area);
  if (method === 'POST') {
    return ctx.one(table.insert({ ...blank(ctx), ...scopeIds(ctx), ...ctx.params.values }));
  }
  const rows = table.filter(inScope(ctx));
  if (Object.keys(ctx.slots.values).length > 0) {
    const row = item(ctx, rows);
    if (method === 'GET') return ctx.one(row);
    if (method !== 'DELETE') return ctx.one(table.update(row, changes(ctx)));
    ctx.remove(ctx.area, row);
    return ctx.noContent();
  }
  if (returns.kind === 'list') {
    const tests = filters(ctx, returns.fields);
    return ctx.list(
      sorted(
        ctx,
        rows.filter((row) => tests.every((test) => test(row))),
      ),
    );
  }
  if (method === 'GET') return ctx.one(rows[0] ?? {});
  const row = rows[0] ?? table.insert({ ...blank(ctx), ...scopeIds(ctx) });
  return ctx.one(table.update(row, changes(ctx)));
}
