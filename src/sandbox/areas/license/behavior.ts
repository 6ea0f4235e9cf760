/** Licenses of the instance (section 4.21). */
import { behaviors, type RequestContext } from '../../core/behavior.ts';
import { byId, defined, orNotFound } from '../../core/lookup.ts';
import type { Row, User } from '../../core/rows.ts';
import { day, iso } from '../../core/time.ts';
import { activeLicense, isExpired, type License, today } from '../../license.ts';

/** Number of billable users on one day. */
export interface Usage extends Row {
  date: string;
  count: number;
}

/** Return the number of billable users: without blocked users, bots and internal users. */
const countBillable = (ctx: RequestContext): number =>
  ctx.table<User>('users').filter((user) => user.state === 'active' && !user.bot).length;

/** Add the overage (section 2.20): by the historical maximum if expired, else by the current number of users. */
function view(ctx: RequestContext, row: License): object {
  const expired = isExpired(ctx, row);
  const active_users = countBillable(ctx);
  const used = expired ? row.historical_max : active_users;
  return { ...row, expired, active_users, overage: used - row.user_limit };
}

/** Return the license in effect, or else the one that was added last. */
function current(ctx: RequestContext): License {
  const all = ctx.table<License>('licenses').all();
  return orNotFound(activeLicense(ctx) ?? all.sort(byId).at(-1), 'License');
}

const findLicense = (ctx: RequestContext): License =>
  orNotFound(ctx.table<License>('licenses').get(ctx.slots.number('id')), 'License');

/** Quote a CSV cell (RFC 4180). */
const csvCell = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

const minKeyLength = 10;

export const license = behaviors('license', {
  get: (ctx) => ctx.one(view(ctx, ctx.slots.has('id') ? findLicense(ctx) : current(ctx))),

  list: (ctx) => {
    const rows = ctx.table<License>('licenses').all();
    return ctx.list(rows, { view: (row) => view(ctx, row) });
  },

  add: (ctx) => {
    const key = defined(ctx.params.text('license')).trim();
    if (key.length < minKeyLength) {
      throw ctx.badRequest({
        base: ['The license key is invalid. Make sure it is exactly as you received it.'],
      });
    }
    const { name, email } = ctx.requireUser();
    const used = countBillable(ctx);
    const row = ctx.table<License>('licenses').insert({
      key,
      plan: /premium/i.test(key) ? 'premium' : 'ultimate',
      created_at: ctx.time(),
      starts_at: today(ctx),
      expires_at: iso(ctx.now() + 365 * day).slice(0, 10),
      user_limit: 100,
      historical_max: used,
      maximum_user_count: used,
      licensee: { Name: name, Email: email, Company: 'Acme' },
      add_ons: {},
    });
    return ctx.one(view(ctx, row));
  },

  delete: (ctx) => {
    ctx.remove('licenses', findLicense(ctx));
    return ctx.noContent();
  },

  refresh: (ctx) => {
    const row = findLicense(ctx);
    const used = countBillable(ctx);
    ctx.table<License>('licenses').update(row, {
      maximum_user_count: Math.max(row.maximum_user_count, used),
      historical_max: Math.max(row.historical_max, used),
    });
    return ctx.one({ success: true }, 202);
  },

  usage: (ctx) => {
    const { key, licensee, starts_at, expires_at } = current(ctx);
    const generated = ctx.time().slice(0, 19).replace('T', ' ');
    const rows = [
      ['License Key', key],
      ['Email', licensee.Email],
      ['License Start Date', starts_at],
      ['License End Date', expires_at ?? ''],
      ['Company', licensee.Company],
      ['Generated At', generated],
      [],
      ['Date', 'Billable User Count'],
      ...ctx
        .table<Usage>('license_usage')
        .all()
        .map(({ date, count }) => [date, String(count)]),
    ];
    const text = rows.map((row) => `${row.map(csvCell).join(',')}\n`).join('');
    return ctx.raw(text, 'text/csv; charset=utf-8', 'license_usage.csv');
  },
});
