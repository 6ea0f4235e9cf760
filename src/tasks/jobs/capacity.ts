/** `jobs capacity`: how long jobs wait for runners, and how many runners would be enough. */
import type { Endpoint } from '../../spec/endpoint.ts';
import { counted } from '../../spec/names.ts';
import type { Row } from '../../spec/resource.ts';
import { rowsResult, sayNote } from '../../spec/result.ts';
import { showDuration } from '../../support/number.ts';
import { groupBy } from '../../support/record.ts';
import type { Pen } from '../../support/text/pen.ts';
import type { TaskWith } from '../context.ts';
import { openHistory, type Period, percentile } from './history.ts';
import { jobCapacity } from './outputs.ts';
import { isRunning, isWaiting, timeOf } from './pipeline.ts';

/** A job that has started. Times are in seconds. */
export interface Load {
  /** When the job began to wait for a runner. */
  readonly ready: number;
  readonly queued: number;
  /** The service does not know how long the job waited, so that `queued` is 0. */
  readonly isUnmeasured?: boolean;
  readonly duration: number;
}

/** Read the times of a job; undefined if it has not started. @param now milliseconds, the end of jobs that are running */
export function loadOf(job: Row, now: number): Load | undefined {
  const { started_at, finished_at, queued_duration, status } = job;
  const start = timeOf(started_at);
  if (start === undefined) return undefined;
  const end = timeOf(finished_at) ?? (isRunning(status) ? now : start);
  const isUnmeasured = typeof queued_duration !== 'number';
  const queued = isUnmeasured ? 0 : queued_duration;
  return { ready: start / 1000 - queued, queued, isUnmeasured, duration: Math.max(0, end - start) / 1000 };
}

/** Whole milliseconds, so that sums of the same times are equal. */
const milliseconds = (seconds: number): number => Math.round(seconds * 1000);

/** The most jobs that ran at the same time. A job that ends when another starts does not overlap it. */
export function mostAtOnce(loads: readonly Load[]): number {
  const changes = loads
    .filter(({ duration }) => duration > 0)
    .flatMap(({ ready, queued, duration }) => [
      { at: milliseconds(ready + queued), by: 1 },
      { at: milliseconds(ready + queued + duration), by: -1 },
    ])
    .sort((a, b) => a.at - b.at || a.by - b.by);
  let [running, most] = [0, 0];
  for (const { by } of changes) {
    running += by;
    most = Math.max(most, running);
  }
  return most;
}

/** The 95th percentile of the seconds that jobs would wait with a number of runners, each job in the order in which it was ready. */
export function waitWith(runners: number, loads: readonly Load[]): number {
  /** When each runner is free, the earliest first. */
  const free = Array.from({ length: runners }, () => 0);
  const waits = [...loads]
    .sort((a, b) => a.ready - b.ready)
    .map(({ ready, duration }) => {
      const start = Math.max(ready, free.shift() ?? 0);
      const end = start + duration;
      // Most jobs end after those that are running, so the search begins there.
      free.splice(free.findLastIndex((time) => time <= end) + 1, 0, end);
      return start - ready;
    });
  return percentile(waits, 0.95) ?? 0;
}

/** The smallest number of runners with which the 95th percentile of the waiting times is at most a number of seconds. */
export function runnersFor(target: number, loads: readonly Load[]): number {
  // With as many runners as jobs that are ready at the same time, no job waits. A job without a duration is one of them.
  const waiting = loads.map((load) => ({ ...load, queued: 0, duration: load.duration + 0.001 }));
  let [low, high] = [1, Math.max(1, mostAtOnce(waiting))];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (waitWith(middle, loads) <= target) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** When a job started, in local time. */
const startOf = ({ ready, queued }: Load): Date => new Date((ready + queued) * 1000);

function waitsOf(loads: readonly Load[]) {
  const waits = loads.flatMap(({ queued, isUnmeasured }) => (isUnmeasured ? [] : queued));
  return { jobs: loads.length, median: percentile(waits, 0.5), p95: percentile(waits, 0.95) };
}

/** The waiting times for each hour of the start that has jobs, in the order of the hours. */
function hoursOf(loads: readonly Load[]) {
  const byHour = groupBy(loads, (load) => String(startOf(load).getHours()));
  const hours = [...byHour].map(([hour, own]) => ({ hour: Number(hour), ...waitsOf(own) }));
  return hours.sort((a, b) => a.hour - b.hour);
}

const days = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const dayOf = (load: Load): string | undefined => days[(startOf(load).getDay() + 6) % 7];

function rowOf(tags: string, loads: readonly Load[], target: number | undefined) {
  const week = days.flatMap((day) =>
    hoursOf(loads.filter((load) => dayOf(load) === day)).map((hour) => ({ day, ...hour })),
  );
  return {
    ...{ tags, ...waitsOf(loads) },
    most_at_once: mostAtOnce(loads),
    // The oldest first: of jobs that were ready at the same time, it is served first.
    ...(target === undefined ? {} : { needed: runnersFor(target, loads.toReversed()) }),
    hours: hoursOf(loads),
    week,
  };
}

/** Draw the 95th percentile of the waiting times for each hour of each weekday. Days and hours without a job are blank. */
export function draw(pen: Pen, loads: readonly Load[]): string[] {
  const waits = days.map((day) => {
    const hours = hoursOf(loads.filter((load) => dayOf(load) === day));
    return Array.from({ length: 24 }, (_, hour) => hours.find((own) => own.hour === hour)?.p95 ?? null);
  });
  const highest = Math.max(0, ...waits.flat().map(Number));
  const title = `95th percentile of the time in the queue by hour of the start, up to ${showDuration(highest)}`;
  const lines = [
    ...waits.map(
      (hours, day) => `${days[day]} ${pen.sparkline(hours, { range: [0, highest], show: showDuration })}`,
    ),
    pen.axis('    0     6     12    18'),
  ];
  return ['', ...pen.wrap(title), ...lines.map((line) => pen.fit(line, pen.width).trimEnd())];
}

const withoutNeeded: Endpoint = {
  ...jobCapacity,
  columns: jobCapacity.columns.filter((column) => typeof column === 'string' || column.path !== 'needed'),
};

/** Describe the waiting times for each set of runner tags. */
export const describeCapacity: TaskWith<Period & { target: number }> = async (task, options) => {
  const { target } = options;
  const history = await openHistory(task, options);
  if (task.dryRun) return task.requests(history.calls);
  const loads: (Load & { readonly tags: string })[] = [];
  let waiting = 0;
  for await (const job of history.jobs) {
    const load = loadOf(job, task.now());
    const { tag_list } = job;
    const tags = Array.isArray(tag_list) ? tag_list.map(String).sort().join(',') : '';
    if (load) loads.push({ ...load, tags });
    else if (isWaiting(job['status'])) waiting++;
  }
  const rows = [...groupBy(loads, ({ tags }) => tags)]
    .map(([tags, own]) => rowOf(tags, own, target))
    .sort((a, b) => b.jobs - a.jobs);
  const unstarted = sayNote(`${counted(waiting, 'job')} still waiting, not counted`);
  const limit = sayNote('only jobs of this project are visible; others may use the same runners');
  return rowsResult(rows, target === undefined ? withoutNeeded : jobCapacity, {
    notes: [history.note(), ...(waiting > 0 ? [unstarted] : []), limit],
    picture: (pen) => (rows.length === 0 ? [] : draw(pen, loads)),
  });
};
