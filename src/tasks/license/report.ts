/** `license report`: seats, overage, peak and expiry of the current license. Never its key. */
import { downloadUsage, getCurrentLicense } from '../../api/license.ts';
import { Failure } from '../../errors.ts';
import { objectResult, type Result } from '../../spec/result.ts';
import type { TaskContext } from '../context.ts';
import { drawUsage, report, usageOf } from './usage.ts';

const day = 86_400_000;
const numberOf = (value: unknown): number | null => (typeof value === 'number' ? value : null);

function peakOf(rows: ReturnType<typeof usageOf>): { peak: number | null; peak_day: string | null } {
  if (rows.length === 0) return { peak: null, peak_day: null };
  const peak = Math.max(...rows.map(({ billable_users }) => billable_users));
  const days = rows.filter((row) => row.billable_users === peak).map(({ date: on }) => on.slice(0, 10));
  return { peak, peak_day: days.sort()[0] ?? null };
}

/** Days from today to a date, both in UTC. */
function daysTo(expiry: unknown, now: number): number | null {
  const end = typeof expiry === 'string' ? Date.parse(expiry.slice(0, 10)) : Number.NaN;
  return Number.isNaN(end) ? null : Math.round((end - Math.floor(now / day) * day) / day);
}

const calls = {
  license: { endpoint: getCurrentLicense, slots: {}, values: {} },
  usage: { endpoint: downloadUsage, slots: {}, values: {} },
};

async function read(task: TaskContext, days: ReturnType<typeof usageOf>) {
  const { value } = await task.call(calls.license);
  const seats = numberOf(value['user_limit']);
  const used = numberOf(value['active_users']) ?? 0;
  const expires_at = typeof value['expires_at'] === 'string' ? value['expires_at'] : null;
  return {
    license_id: value['id'],
    plan: value['plan'],
    seats,
    used,
    used_percent: seats ? Math.round((used / seats) * 1000) / 10 : null,
    overage: Math.max(0, numberOf(value['overage']) ?? 0),
    ...peakOf(days),
    historical_max: value['historical_max'],
    expires_at,
    days_to_expiry: daysTo(expires_at, task.now()),
    expired: value['expired'] === true,
  };
}

/** Read the report, with a failure above the percentage of `--fail-over`. */
export async function reportLicense(
  task: TaskContext,
  { failOver: limit }: { readonly failOver?: number | undefined },
): Promise<Result> {
  if (task.dryRun) return task.requests([calls.license, calls.usage]);
  const days = usageOf(await task.text(calls.usage));
  const value = await read(task, days);
  const message = limit === undefined ? undefined : problemOf(value, limit);
  const failure = message === undefined ? undefined : new Failure('unsuccessful', message);
  return objectResult(value, report, { failure, below: (pen) => drawUsage(pen, days, value.seats) });
}

function problemOf(value: Awaited<ReturnType<typeof read>>, limit: number): string | undefined {
  const { used, seats, overage } = value;
  if (overage > 0) return `the license has an overage of ${overage} users`;
  // The percentage is not rounded here: 95.04% is over 95%. Whole numbers avoid the error of 28 / 100 * 100.
  return seats && used * 100_000 > seats * Math.round(limit * 1000)
    ? `${used} of ${seats} seats are used, more than ${limit}%`
    : undefined;
}
