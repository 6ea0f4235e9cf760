import { behaviors, type RequestContext } from '../../core/behavior.ts';
import type { Row, User } from '../../core/rows.ts';
import { activeLicense, isExpired, type License, today } from '../../license.ts';

/** Billable users at a moment of one day. */
export interface Usage extends Row {
  date: string;
  count: number;
}

/** Blocked people, bots and the service's own users are not paid for. */
const billable = (ctx: RequestContext): number =>
  ctx.table<User>('users').filter((user) => user.state === 'active' && !user.bot).length;

/** Overage, section 2.20: an expired license is measured at its highest, a live one by who counts now. */
function view(ctx: RequestContext, row: License): object {
  const expired = isExpired(ctx, row);
  const active_users = billable(ctx);
  const used = expired ? row.historical_max : active_users;
  return { ...row, expired, active_users, overage: used - row.user_limit };
}

/** The one in force; else the last that was added. */
function current(ctx: RequestContext): License {
  const all = ctx.table<License>('licenses').all();
  const row = activeLicense(ctx) ?? all.sort((a, b) => a.id - b.id).at(-1);
  if (!row) throw ctx.notFound('License');
  return row;
}

function meant(ctx: RequestContext): License {
  const row = ctx.table<License>('licenses').get(ctx.slots.number('id'));
  if (!row) throw ctx.notFound('License');
  return row;
}

/** RFC 4180. */
const cell = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

const shortest = 10;
const year = 365 * 24 * 60 * 60 * 1000;

export const license = behaviors('license', {
  get: (ctx) => ctx.one(view(ctx, ctx.slots.has('id') ? meant(ctx) : current(ctx))),

  list: (ctx) => {
    const rows = ctx.table<License>('licenses').all();
    return ctx.list(rows, {
      view: (row) => view(ctx, row),
    });
  },

  add: (ctx) => {
    const key = (ctx.params.text('license') as string).trim();
    if (key.length < shortest) {
      throw ctx.badRequest({
        base: ['The license key is invalid. Make sure it is exactly as you received it.'],
      });
    }
    const { name, email } = ctx.requireUser();
    const used = billable(ctx);
    const row = ctx.table<License>('licenses').insert({
      key,
      plan: /premium/i.test(key) ? 'premium' : 'ultimate',
      created_at: ctx.time(),
      starts_at: today(ctx),
      expires_at: new Date(ctx.now() + year).toISOString().slice(0, 10),
      user_limit: 100,
      historical_max: used,
      maximum_user_count: used,
      licensee: { Name: name, Email: email, Company: 'Acme' },
      add_ons: {},
    });
    return ctx.one(view(ctx, row));
  },

  delete: (ctx) => {
    ctx.remove('licenses', meant(ctx));
    return ctx.noContent();
  },

  refresh: (ctx) => {
    const row = meant(ctx);
    const used = billable(ctx);
    ctx.table<License>('licenses').update(row, {
      maximum_user_count: Math.max(row.maximum_user_count, used),
      historical_max: Math.max(row.historical_max, used),
    });
    return ctx.one({ success: true }, 202);
  },

  usage: (ctx) => {
    const { key, licensee, starts_at, expires_at } = current(ctx);
    const clock = ctx.time().slice(0, 19).replace('T', ' ');
    const rows = [
      ['License Key', key],
      ['Email', licensee.Email],
      ['License Start Date', starts_at],
      ['License End Date', expires_at ?? ''],
      ['Company', licensee.Company],
      ['Generated At', clock],
      [],
      ['Date', 'Billable User Count'],
      ...ctx
        .table<Usage>('license_usage')
        .all()
        .map(({ date, count }) => [date, String(count)]),
    ];
    const text = rows.map((row) => `${row.map(cell).join(',')}\n`).join('');
    return ctx.raw(text, 'text/csv; charset=utf-8', 'license_usage.csv');
  },
});
