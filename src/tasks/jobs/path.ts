/** When the jobs of a pipeline ran, and its critical path: the jobs whose time determined the time of the pipeline. */
import type { Row } from '../../spec/resource.ts';
import { type Id, type PipelineJob, timeOf } from './pipeline.ts';

/** A job that has started. Times are in seconds from the creation of the pipeline. */
export interface TimedJob {
  readonly id: Id;
  readonly name: string;
  readonly stage: string;
  readonly status: string;
  readonly start: number;
  /** Seconds in the queue before the start. */
  readonly queued: number;
  /** Seconds until the end, or until now. */
  readonly duration: number;
  critical: boolean;
  /** The jobs that it waited for, as their times show. */
  readonly after: readonly Id[];
}

export interface Timeline {
  /** Seconds from the creation of the pipeline to its end, or until now. */
  readonly duration: number;
  readonly jobs: readonly TimedJob[];
  /** The jobs whose times are impossible. */
  readonly contradicting: readonly string[];
}

/** Seconds by which the times of the service are rounded. */
const precision = 0.002;

export const endOf = ({ start, duration }: TimedJob): number => start + duration;
const readyAt = ({ start, queued }: TimedJob): number => start - queued;

function timedJob(job: PipelineJob, origin: number, now: number): TimedJob | undefined {
  const started = timeOf(job['started_at']);
  if (started === undefined) return undefined;
  const end = timeOf(job['finished_at']) ?? (job.status === 'running' ? now : started);
  const { queued_duration: waited } = job;
  const start = (started - origin) / 1000;
  // A retry is created later than its pipeline, and cannot have waited before that.
  const created = ((timeOf(job['created_at']) ?? origin) - origin) / 1000;
  const queued = Math.max(0, Math.min(typeof waited === 'number' ? waited : 0, start - created));
  const { id, name, status } = job;
  const stage = String(job['stage']);
  const duration = Math.max(0, (end - started) / 1000);
  return { id, name, stage, status, start, queued, duration, critical: false, after: [] };
}

/** Whether a trigger job lasts as long as its child pipeline, whose jobs count in its place. */
function isSpan(trigger: PipelineJob, jobs: readonly PipelineJob[]): boolean {
  const inside = jobs.filter((job) => job.pipeline_id === trigger.downstream);
  const first = Math.min(...inside.map((job) => timeOf(job['started_at']) ?? Number.POSITIVE_INFINITY));
  return inside.length > 0 && (timeOf(trigger['finished_at']) ?? Number.POSITIVE_INFINITY) > first;
}

/** The service does not list dependencies. A job counts as waiting for the jobs that ended last before it was ready to run. */
function waitedFor(job: TimedJob, jobs: readonly TimedJob[]): TimedJob[] {
  const before = jobs.filter((one) => one !== job && endOf(one) <= readyAt(job) + precision);
  const last = Math.max(...before.map(endOf));
  return before.filter((one) => endOf(one) >= last - precision);
}

/**
 * Compute when the jobs of a pipeline ran.
 * @param jobs every run of its jobs, in any order
 * @param now milliseconds since the epoch, the end of jobs that are running
 */
export function timelineOf(pipeline: Row, jobs: readonly PipelineJob[], now: number): Timeline {
  const origin = timeOf(pipeline['created_at']) ?? Number.NaN;
  const timed = jobs
    .filter((job) => !isSpan(job, jobs))
    .flatMap((job) => timedJob(job, origin, now) ?? [])
    .map((job, _, all) => ({ ...job, after: waitedFor(job, all).map(({ id }) => id) }))
    .sort((a, b) => a.start - b.start || (a.id < b.id ? -1 : 1));
  const ended = timeOf(pipeline['finished_at']) ?? origin;
  markCriticalPath(timed);
  return {
    duration: Math.max((ended - origin) / 1000, ...timed.map(endOf)),
    jobs: timed,
    contradicting: timed.filter((job) => job.start < -precision).map(({ name }) => name),
  };
}

/** Mark the job that ended last, the job that it waited for, and so on. */
function markCriticalPath(jobs: readonly TimedJob[]): void {
  const byId = new Map(jobs.map((job) => [job.id, job]));
  const last = Math.max(...jobs.map(endOf));
  for (let job = jobs.find((one) => endOf(one) === last); job && !job.critical; ) {
    job.critical = true;
    const next: Id | undefined = job.after.find((id) => !byId.get(id)?.critical);
    job = next === undefined ? undefined : byId.get(next);
  }
}

/**
 * Seconds that a pipeline would save if the jobs of one name took less time. Every job is taken to wait for all jobs that ended before
 * it was ready.
 */
export function savingOf({ jobs, duration }: Timeline, name: string, seconds: number): number {
  const byEnd = [...jobs].sort((a, b) => endOf(a) - endOf(b));
  const ends = new Map<TimedJob, number>();
  let [index, latest, before] = [0, 0, 0];
  for (const job of [...jobs].sort((a, b) => readyAt(a) - readyAt(b))) {
    for (let next = byEnd[index]; next && endOf(next) <= readyAt(job) + precision; next = byEnd[++index]) {
      latest = Math.max(latest, ends.get(next) ?? endOf(next));
      before = endOf(next);
    }
    const shorter = job.name === name ? Math.min(seconds, job.duration) : 0;
    ends.set(job, latest + (endOf(job) - before) - shorter);
  }
  const last = Math.max(0, ...jobs.map(endOf));
  return Math.min(duration, last - Math.max(0, ...ends.values()));
}
