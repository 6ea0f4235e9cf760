/** `license refresh`, with a count that did not start as a failure, and `license usage` as rows. */
import { downloadUsage, getCurrentLicense, getLicense } from '../../api/license.ts';
import { Failure, forPerson } from '../../errors.ts';
import { commandName } from '../../spec/command.ts';
import { type Endpoint, one } from '../../spec/endpoint.ts';
import { bool, date, datetime, int, number, text } from '../../spec/field.ts';
import type { Call } from '../../spec/request.ts';
import { type Result, rowsResult } from '../../spec/result.ts';
import { jsonText } from '../../support/json.ts';
import type { Pen } from '../../support/text/pen.ts';
import type { Response, Task, TaskContext } from '../context.ts';
import { waitable, waitForOutcome } from '../engine/wait.ts';

/** Milliseconds after which an unchanged count is considered final. */
const settleTime = 10_000;
const counts = ['active_users', 'historical_max', 'maximum_user_count', 'overage'] as const;

const numbersOf = (value: Response['value']) => jsonText(counts.map((name) => value[name]));

const usageRows: Endpoint = {
  ...downloadUsage,
  doc: 'The rows contain neither the license key nor the holder of the license.',
  usage: 'With --raw, prints the file of the service, which contains both.',
  noun: 'day',
  returns: {
    kind: 'list',
    fields: { date: datetime('Time of the count'), billable_users: int('Number of billable users') },
    unpaged: true,
    file: 'text/csv',
  },
  columns: ['date', 'billable_users'],
  examples: [
    { does: 'List the usage', run: 'license usage' },
    { does: 'Show the days with the most users first', run: 'license usage --sort-by -billable_users' },
    { does: 'Save the file of the service', run: 'license usage --output-file usage.csv' },
  ],
};

export function present(endpoints: readonly Endpoint[]): readonly Endpoint[] {
  return endpoints.map((one) => (commandName(one) === 'usage' ? usageRows : one));
}

const header = 'Date,Billable User Count';

/** The rows after the header. The lines before it contain the license key and the holder, which no format prints. */
export function usageOf(text: string): { date: string; billable_users: number }[] {
  const lines = text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .map((line) => line.replaceAll('"', ''));
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
  if (task.wantsFile || task.dryRun) return task.run(call);
  const rows = usageOf(await task.text(call));
  const isTable = (task.format ?? 'table') === 'table';
  const current = { endpoint: getCurrentLicense, slots: {}, values: {} };
  // Without the license, the picture has no limit.
  const license = isTable ? await task.call(current).catch(() => undefined) : undefined;
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

async function startOnly(task: TaskContext, call: Call): Promise<Result> {
  if (task.dryRun) return task.requests([call]);
  return task.response(await start(task, call), call.endpoint);
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
    startOnly,
  ),
};

export const report: Endpoint = {
  ...getCurrentLicense,
  returns: one({
    license_id: int('License id'),
    plan: text('Name of the plan'),
    seats: int('Number of licensed users', { nullable: true }),
    used: int('Current number of billable users'),
    used_percent: number('Current billable users in percent of the licensed users', { nullable: true }),
    overage: int('Billable users above the licensed users'),
    peak: int('Highest number of billable users in the usage export', { nullable: true }),
    peak_day: date('First day of the peak', { nullable: true }),
    historical_max: int('Highest number of billable users at any time'),
    expires_at: date('Expiry date', { nullable: true }),
    days_to_expiry: int('Days until the license expires; negative if it has expired', { nullable: true }),
    expired: bool('Expired'),
  }),
  columns: [
    ...['plan', 'seats', 'used', 'used_percent', 'overage', 'peak'],
    ...['peak_day', 'historical_max', 'expires_at', 'days_to_expiry', 'expired'],
  ],
};
