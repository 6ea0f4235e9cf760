/** Licenses of the instance (section 4.21). */

import { type Collection, collection, findRow } from '../../core/collection.ts';
import { type AreaHandlers, fileResponse, one } from '../../core/context.ts';
import { defined } from '../../core/lookup.ts';
import { byId } from '../../core/pages.ts';
import type { User } from '../../core/rows.ts';
import { day, iso } from '../../core/time.ts';
import type { World } from '../../core/world.ts';
import { activeLicense, isExpired, type License, today } from '../../license.ts';

const countBillable = (world: World): number =>
  world.table<User>('users').filter((user) => user.state === 'active' && !user.bot).length;

const minKeyLength = 10;

const licenses: Collection<License> = {
  table: 'licenses',
  view(ctx, row) {
    const expired = isExpired(ctx, row);
    const active_users = countBillable(ctx);
    // The overage (section 2.20) is by the historical maximum if expired, else by the current number of users.
    const used = expired ? row.historical_max : active_users;
    return { ...row, expired, active_users, overage: used - row.user_limit };
  },
  find: (ctx, rows) =>
    ctx.slots.has('id')
      ? rows.find(({ id }) => id === ctx.slots.number('id'))
      : (activeLicense(ctx) ?? [...rows].sort(byId).at(-1)),
  changes(ctx) {
    const key = defined(ctx.params.text('license')).trim();
    const { name, email } = ctx.requireUser();
    const used = countBillable(ctx);
    return {
      key,
      plan: /premium/i.test(key) ? 'premium' : 'ultimate',
      starts_at: today(ctx),
      expires_at: iso(ctx.now() + 365 * day).slice(0, 10),
      user_limit: 100,
      historical_max: used,
      maximum_user_count: used,
      licensee: { Name: name, Email: email, Company: 'Acme' },
    };
  },
  check: (_, { key }) => ({
    base: key.length < minKeyLength && [
      'The license key is invalid. Make sure it is exactly as you received it.',
    ],
  }),
};

const csvCell = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

export const license: AreaHandlers = {
  area: 'license',
  collection: collection(licenses),
  handlers: {
    get: (ctx) => one(ctx, findRow(ctx, licenses), licenses),

    refresh: (ctx) => {
      const row = findRow(ctx, licenses);
      const used = countBillable(ctx);
      ctx.table<License>('licenses').update(row, {
        maximum_user_count: Math.max(row.maximum_user_count, used),
        historical_max: Math.max(row.historical_max, used),
      });
      return one(ctx, { success: true }, {}, 202);
    },

    usage: (ctx) => {
      const { key, licensee, starts_at, expires_at } = findRow(ctx, licenses);
      const usage = ctx.table('license_usage').all();
      const rows = [
        ['License Key', key],
        ['Email', licensee.Email],
        ['License Start Date', starts_at],
        ['License End Date', expires_at ?? ''],
        ['Company', licensee.Company],
        ['Generated At', ctx.time().slice(0, 19).replace('T', ' ')],
        [],
        ['Date', 'Billable User Count'],
        ...usage.map(({ date, count }) => [String(date), String(count)]),
      ];
      const text = rows.map((row) => `${row.map(csvCell).join(',')}\n`).join('');
      return fileResponse(text, 'text/csv; charset=utf-8', 'license_usage.csv');
    },
  },
};
