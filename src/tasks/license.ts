/** The tasks of `svc license`. A report never contains the key. */
import { downloadUsage, getCurrentLicense, getLicense } from '../api/license.ts';
import { Failure, forPerson } from '../errors.ts';
import { computedObject } from '../spec/compose.ts';
import { type Endpoint, wholeListOf } from '../spec/endpoint.ts';
import { bool, date, datetime, int, number, rows, text } from '../spec/field.ts';
import { numberFlag } from '../spec/flag.ts';
import type { Call } from '../spec/request.ts';
import { objectResult, rowsResult } from '../spec/result.ts';
import { jsonText } from '../support/json.ts';
import type { Pen } from '../support/text/pen.ts';
import { type Response, type Task, type TaskContext, type TaskWith, taskCommand } from './context.ts';
import { waitable, waitForOutcome } from './engine/wait.ts';

/** Milliseconds after which an unchanged count is considered final. */
const settleTime = 10_000;
const counts = ['active_users', 'historical_max', 'maximum_user_count', 'overage'] as const;

const numbersOf = (value: Response['value']) => jsonText(counts.map((name) => value[name]));

const usageFields = {
  date: datetime('Time of the count'),
  billable_users: int('Number of billable users'),
};

const usageRows: Endpoint = {
  ...downloadUsage,
  doc: 'The rows contain neither the license key nor the holder of the license.',
  usage: 'With --raw, prints the file of the service, which contains both.',
  noun: 'day',
  returns: { ...wholeListOf(usageFields), file: 'text/csv' },
  columns: ['date', 'billable_users'],
  examples: [
    { does: 'List the usage', run: 'license usage' },
    { does: 'Show the days with the most users first', run: 'license usage --sort-by -billable_users' },
    { does: 'Save the file of the service', run: 'license usage --output-file usage.csv' },
  ],
};

export const present = (one: Endpoint): Endpoint => (one === downloadUsage ? usageRows : one);

const header = 'Date,Billable User Count';

/** The rows after the header. The lines before it contain the license key and the holder, which no format prints. */
function usageOf(text: string): { date: string; billable_users: number }[] {
  const lines = text.replace(/^\uFEFF|"/g, '').split(/\r?\n/);
  const start = lines.indexOf(header);
  const rows = lines
    .slice(start + 1)
    .filter((line) => line !== '')
    .map((line) => /^([^,]+),(\d+)$/.exec(line));
  if (start < 0 || rows.includes(null))
    throw new Failure('server_error', 'the response is not a list of billable users', {
      hint: forPerson('use --raw to print it'),
    });
  return rows.map((row) => ({ date: String(row?.[1]), billable_users: Number(row?.[2]) }));
}

/** The last days that a picture shows. */
const shownDays = 60;

/** Draw the users of the last days, with the licensed users if they are known. */
export function drawUsage(pen: Pen, rows: ReturnType<typeof usageOf>, seats: unknown): string[] {
  const users = rows
    .toSorted((a, b) => (a.date < b.date ? -1 : 1))
    .slice(-Math.min(shownDays, pen.width))
    .map(({ billable_users }) => billable_users);
  if (users.length === 0) return [];
  const [least, most] = [Math.min(...users), Math.max(...users)];
  const limit = typeof seats === 'number' ? `, limit ${seats}` : '';
  const lines = [pen.sparkline(users), `minimum ${least}, maximum ${most}${limit}`];
  return ['', ...lines.map((line) => pen.fit(line, pen.width).trimEnd())];
}

const usage: Task = async (task) => {
  const call = { ...(await task.prepare()), endpoint: downloadUsage };
  const isFile = task.line.options.outputFile !== undefined || task.format === 'raw';
  if (isFile || task.dryRun) return task.run(call);
  const rows = usageOf(await task.text(call));
  const isTable = (task.format ?? 'table') === 'table';
  // Without the license, the picture has no limit.
  const license = isTable ? await task.call(calls.license).catch(() => undefined) : undefined;
  task.signal.throwIfAborted();
  return rowsResult(rows, usageRows, {
    picture: (pen) => drawUsage(pen, rows, license?.value['user_limit']),
  });
};

async function start(task: TaskContext, call: Call): Promise<Response> {
  const started = await task.call(call);
  if (started.value['success'] === false)
    throw new Failure('unsuccessful', 'the service did not start the count', {
      hint: 'only the count of the current license can be refreshed',
    });
  task.confirmed(call, started);
  return started;
}

export const runners = {
  usage,
  /** The service does not report the end of the count. It ends when the numbers change, or after a while without a change. */
  refresh: waitable(
    async (task, call) => {
      const fetch = () => task.call({ endpoint: getLicense, slots: call.slots, values: {} });
      const before = numbersOf((await fetch()).value);
      await start(task, call);
      const id = call.slots['id'] ?? '';
      const since = task.now();
      return waitForOutcome(task, {
        name: `the count of license ${id}`,
        resume: task.resumeCommand(['license', 'get', id]),
        endpoint: getLicense,
        fetch,
        stateOf: ({ value }) => ({
          status: 'running',
          ended: numbersOf(value) !== before || task.now() - since >= settleTime,
        }),
      });
    },
    undefined,
    async (task, call) =>
      task.dryRun ? task.requests([call]) : task.response(await start(task, call), call.endpoint),
  ),
};

const report = computedObject(
  {
    license_id: int('License id'),
    plan: text('Name of the plan'),
    seats: int('Number of licensed users', { nullable: true }),
    used: int('Current number of billable users', { nullable: true }),
    used_percent: number('Current billable users in percent of the licensed users', { nullable: true }),
    overage: int('Billable users above the licensed users', { nullable: true }),
    peak: int('Highest number of billable users in the usage export', { nullable: true }),
    peak_day: date('First day of the peak', { nullable: true }),
    historical_max: int('Highest number of billable users at any time'),
    expires_at: date('Expiry date', { nullable: true }),
    days_to_expiry: int('Days until the license expires; negative if it has expired', { nullable: true }),
    expired: bool('Expired'),
    days: rows('Billable users of each day', usageFields, { bulky: true }),
  },
  [
    ...['plan', 'seats', 'used', 'used_percent', 'overage', 'peak'],
    ...['peak_day', 'historical_max', 'expires_at', 'days_to_expiry', 'expired'],
  ],
);

const day = 86_400_000;
const numberOf = (value: unknown): number | null => (typeof value === 'number' ? value : null);

const calls = {
  license: { endpoint: getCurrentLicense, slots: {}, values: {} },
  usage: { endpoint: downloadUsage, slots: {}, values: {} },
};

type Seats = Readonly<Record<'seats' | 'used' | 'overage', number | null>>;

function failureOver(limit: number, { seats, used, overage }: Seats): Failure | undefined {
  const unsuccessful = (message: string) => new Failure('unsuccessful', message);
  if (overage) return unsuccessful(`the license has an overage of ${overage} users`);
  const unknown = 'the share of used seats is unknown: the response lacks user_limit or active_users';
  if (seats === null || used === null) return new Failure('server_error', unknown);
  // The percentage is not rounded here: 95.04% is over 95%. Whole numbers avoid the error of 28 / 100 * 100.
  const isAbove = seats > 0 && used * 100_000 > seats * Math.round(limit * 1000);
  return isAbove ? unsuccessful(`${used} of ${seats} seats are used, more than ${limit}%`) : undefined;
}

/** Read the report, with a failure above the percentage of `--fail-over`, or if it is unknown. */
export const reportLicense: TaskWith<{ failOver: number }> = async (task, { failOver: limit }) => {
  if (task.dryRun) return task.requests([calls.license, calls.usage]);
  const days = usageOf(await task.text(calls.usage));
  const peak = days.length > 0 ? Math.max(...days.map(({ billable_users }) => billable_users)) : null;
  const peakDays = days.filter((row) => row.billable_users === peak).map(({ date: on }) => on.slice(0, 10));
  const { value: license } = await task.call(calls.license);
  const seats = numberOf(license['user_limit']);
  const used = numberOf(license['active_users']);
  const difference = numberOf(license['overage']);
  const overage = difference && Math.max(0, difference);
  const expires_at = typeof license['expires_at'] === 'string' ? license['expires_at'] : null;
  // Both in UTC.
  const end = Date.parse((expires_at ?? '').slice(0, 10));
  const today = Math.floor(task.now() / day) * day;
  const value = {
    license_id: license['id'],
    plan: license['plan'],
    ...{ seats, used, used_percent: seats && used !== null ? Math.round((used / seats) * 1000) / 10 : null },
    ...{ overage, peak, peak_day: peakDays.sort()[0] ?? null },
    historical_max: license['historical_max'],
    ...{ expires_at, days_to_expiry: Number.isNaN(end) ? null : Math.round((end - today) / day) },
    expired: license['expired'] === true,
    days,
  };
  const failure = limit === undefined ? undefined : failureOver(limit, { seats, used, overage });
  return objectResult(value, report, { failure, below: (pen) => drawUsage(pen, days, seats) });
};

const reportCommand = taskCommand({
  name: 'report',
  summary: 'Show seats, overage, peak and expiry of the current license',
  doc: 'The peak and its date are those of the usage export. The key and the holder of the license are not printed.',
  exits: ['unsuccessful'],
  flags: {
    'fail-over': numberFlag(
      'Exit 9 if more than this percentage of the seats is used, or if there is overage',
      { unit: 'percent', min: 0, max: 999.999 },
    ),
  },
  prints: report,
  tool: { flags: [] },
  examples: {
    'Show the report': '',
    'Fail a scheduled job before the seats run out': '--fail-over 95%',
    'Print the days to the expiry': '--fields days_to_expiry -o tsv --no-header',
  },
  run: reportLicense,
});

export const commands = [reportCommand];
