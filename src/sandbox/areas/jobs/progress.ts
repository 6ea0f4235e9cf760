/** Status changes of jobs. The specification has no call that runs or cancels a job; similar services have these. */
import { defined } from '../../core/lookup.ts';
import { byId } from '../../core/pages.ts';
import type { Job, Pipeline, Row } from '../../core/rows.ts';
import { iso } from '../../core/time.ts';
import type { World } from '../../core/world.ts';
import { deploymentEvent, jobEvent, jobsOf, pipelineEvent, secondsBetween } from './events.ts';

/** A job that waits or runs, and ends by the clock. Its id is that of the job. */
interface Run extends Row {
  queued_at: string;
}

/** The events of a run, in milliseconds after it was queued. */
const steps = [
  { status: 'running', after: 5_000 },
  { status: 'success', after: 35_000 },
] as const;

const active = ['pending', 'running', 'waiting_for_resource'];
export const cancelable = [...active, 'created'];

function statusOf(jobs: readonly Job[]): string {
  const has = (wanted: readonly string[]) => jobs.some(({ status }) => wanted.includes(status));
  if (has(cancelable)) return 'running';
  if (jobs.some((job) => job.status === 'failed' && job['allow_failure'] !== true)) return 'failed';
  if (has(['canceled'])) return 'canceled';
  if (has(['success'])) return 'success';
  return has(['manual']) ? 'manual' : 'skipped';
}

/** Start the jobs of the next stage of a staged pipeline, or skip them after a failure. */
export function startNextStage(world: World, pipeline: Pipeline): void {
  if (!pipeline.staged) return;
  const jobs = jobsOf(world, pipeline).sort(byId);
  const next = jobs.find(({ status }) => status === 'created');
  if (!next || jobs.some((job) => job.id < next.id && active.includes(job.status))) return;
  const isFailed = statusOf(jobs.filter(({ id }) => id < next.id)) === 'failed';
  for (const job of jobs.filter((one) => one['stage'] === next['stage'])) {
    const status = isFailed ? 'skipped' : job['manual'] === true ? 'manual' : 'pending';
    const started = world.table<Job>('jobs').update(job, { status });
    if (status === 'pending') queue(world, job.id);
    report(world, started);
  }
}

function report(world: World, job: Job): void {
  const pipelines = world.table<Pipeline>('pipelines');
  const pipeline = defined(pipelines.get(job.pipeline_id));
  const status = statusOf(jobsOf(world, pipeline));
  const isChanged = status !== pipeline.status;
  if (isChanged) pipelines.update(pipeline, { status, updated_at: world.time() });
  world.emit(jobEvent(world, job, pipeline));
  const deployment = deploymentEvent(world, job, pipeline);
  if (deployment) world.emit(deployment);
  if (isChanged) world.emit(pipelineEvent(world, pipeline));
  startNextStage(world, pipeline);
}

/** The attributes of a job that has not run. */
export const waiting = {
  status: 'pending',
  started_at: null,
  finished_at: null,
  erased_at: null,
  duration: null,
  queued_duration: null,
  failure_reason: null,
  coverage: null,
  runner_id: null,
  artifacts_size: null,
} as const;

const queue = (world: World, id: number): void =>
  void world.table<Run>('job_runs').insert({ id, queued_at: world.time() });

export function play(world: World, job: Job, user_id: number, variables?: unknown): Job {
  const own = variables === undefined ? {} : { variables };
  const played = world.table<Job>('jobs').update(job, { ...waiting, ...own, user_id });
  queue(world, played.id);
  report(world, played);
  return played;
}

/** Run a job again: a new job takes its place. */
export function retry(world: World, job: Job, user_id: number): Job {
  const jobs = world.table<Job>('jobs');
  const { id: _, ...same } = job;
  jobs.update(job, { retried: true });
  const id = jobs.last + 1;
  const again = jobs.insert({
    ...same,
    ...waiting,
    id,
    user_id,
    created_at: world.time(),
  } as Job);
  queue(world, id);
  report(world, again);
  return again;
}

export function cancel(world: World, job: Job): Job {
  const finished_at = world.time();
  const run = world.table<Run>('job_runs').get(job.id);
  if (run) world.table<Run>('job_runs').remove(run);
  const canceled = world.table<Job>('jobs').update(job, {
    status: 'canceled',
    finished_at,
    duration: secondsBetween(job['started_at'], finished_at),
  });
  report(world, canceled);
  return canceled;
}

function stepsOf(world: World) {
  const runs = world.table<Run>('job_runs').all();
  const all = runs.flatMap((run) =>
    steps.map(({ status, after }) => ({ run, status, at: Date.parse(run.queued_at) + after })),
  );
  return all.sort((a, b) => a.at - b.at);
}

export function advanceJobs(world: World): void {
  for (const { run, status, at } of stepsOf(world).filter((step) => step.at <= world.now()))
    advance(world, run, status, at);
}

/** The time of the next step; undefined if no job waits or runs. */
export const nextStep = (world: World): number | undefined =>
  stepsOf(world).find(({ at }) => at > world.now())?.at;

function advance(world: World, run: Run, status: 'running' | 'success', at: number): void {
  const jobs = world.table<Job>('jobs');
  const job = jobs.get(run.id);
  const time = iso(at);
  if (job && status === 'running' && job.status === 'pending') {
    const queued_duration = secondsBetween(run.queued_at, time);
    report(world, jobs.update(job, { status, started_at: time, queued_duration, runner_id: 1 }));
  } else if (job && status === 'success') {
    const duration = secondsBetween(job['started_at'], time);
    report(world, jobs.update(job, { status, finished_at: time, duration }));
  }
  if (status === 'success') world.table<Run>('job_runs').remove(run);
}
