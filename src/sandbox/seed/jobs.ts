/** Jobs with plausible durations, runners and artifacts. */
import { runner } from '../areas/jobs/progress.ts';
import { defined } from '../core/lookup.ts';
import type { Job, Pipeline } from '../core/rows.ts';
import { day, iso, minute } from '../core/time.ts';
import type { Rows } from '../store/store.ts';
import { seededRandom } from './random.ts';

const started = ['success', 'failed', 'running', 'canceled'];
const ended = ['success', 'failed', 'canceled'];

/** Times in milliseconds since the epoch, durations in seconds. */
type Draft = Pick<Job, 'id' | 'name' | 'status'> &
  Readonly<Record<'createdAt' | 'startedAt' | 'wait' | 'seconds', number>> & { readonly stage: string };

function rowOf(pipeline: Pipeline, draft: Draft, now: number) {
  const { id, name, stage, status, startedAt, createdAt, wait, seconds } = draft;
  const hasStarted = started.includes(status);
  const hasEnded = ended.includes(status);
  return {
    id,
    project_id: pipeline.project_id,
    pipeline_id: pipeline.id,
    user_id: pipeline.user_id,
    bridge: false,
    retried: false,
    downstream_pipeline_id: null,
    name,
    stage,
    status,
    ref: pipeline.ref,
    tag: false,
    web_url: `/acme/rocket/-/jobs/${id}`,
    coverage: null,
    allow_failure: name === 'audit:dependencies',
    failure_reason: status === 'failed' ? 'script_failure' : null,
    created_at: iso(createdAt),
    started_at: hasStarted ? iso(startedAt) : null,
    finished_at: hasEnded ? iso(startedAt + seconds * 1000) : null,
    duration: hasEnded ? seconds : status === 'running' ? (now - startedAt) / 1000 : null,
    queued_duration: hasStarted ? wait : null,
    tag_list: stage === 'deploy' ? ['linux', 'deploy'] : ['linux'],
  };
}

function artifactsOf(size: number, started_at: string) {
  return {
    artifacts: [
      { file_type: 'archive', size, filename: 'artifacts.zip', file_format: 'zip' },
      { file_type: 'metadata', size: 146, filename: 'metadata.gz', file_format: 'gzip' },
      { file_type: 'trace', size: 1508, filename: 'job.log', file_format: 'raw' },
    ],
    artifacts_file: { filename: 'artifacts.zip', size },
    artifacts_expire_at: iso(Date.parse(started_at) + 30 * day),
  };
}

/** The runners for the tags of a job. `svc jobs capacity` finds this number. */
export const seededRunners = 6;

interface Ended {
  readonly name: string;
  readonly stage: string;
  readonly end: number;
}

/**
 * Return a function that starts the jobs of a pipeline on a few runners: after the jobs of the stages before, and a retry after the
 * attempt before. Times are in milliseconds, the wait for a runner is in seconds.
 * @param pools when each runner is free, by tag
 */
function schedule(pools: Map<string, number[]>) {
  const ended: Ended[] = [];
  return ({ name, stage, status, createdAt, wait, seconds }: Omit<Draft, 'id' | 'startedAt'>) => {
    const stages = [...new Set([...ended.map((one) => one.stage), stage])];
    const before = ended.filter(
      (one) => one.name === name || stages.indexOf(one.stage) < stages.indexOf(stage),
    );
    const ready = Math.max(createdAt, ...before.map(({ end }) => end));
    const pool = stage === 'deploy' ? 'deploy' : 'linux';
    const free = pools.get(pool) ?? Array.from({ length: seededRunners }, () => 0);
    const [first = 0, ...others] = free.sort((a, b) => a - b);
    const startedAt = Math.max(ready + wait * 1000, first);
    const end = status === 'running' ? Infinity : startedAt + Math.round(seconds * 1000);
    pools.set(pool, [...others, end]);
    ended.push({ name, stage, end });
    return { startedAt, wait: (startedAt - ready) / 1000 };
  };
}

const secondsOf = (roll: (limit: number) => number): number => 20 + roll(400) + roll(1000) / 1000;

/** Id, pipeline, name, stage, status, seconds after the pipeline, and further attributes. */
export type JobEntry = readonly [number, number, string, string, string, number, Partial<Job>?];

export function seedJobs(
  entries: readonly JobEntry[],
  pipelines: Rows<Pipeline>,
  jobs: Rows<Job>,
  now: number,
): void {
  const roll = seededRandom(280);
  const pools = new Map<string, number[]>();
  const schedules = new Map<number, ReturnType<typeof schedule>>();
  for (const [id, pipelineId, name, stage, status, order, more] of entries) {
    const pipeline = defined(pipelines.get(pipelineId));
    const createdAt = Date.parse(pipeline.created_at) + order * 1000;
    const wait = 2 + roll(40);
    const seconds = secondsOf(roll);
    const start = schedules.get(pipelineId) ?? schedule(pools);
    schedules.set(pipelineId, start);
    const times = { createdAt, startedAt: createdAt, wait, seconds };
    const begun = started.includes(status) ? start({ name, stage, status, ...times }) : undefined;
    const row = rowOf(pipeline, { id, name, stage, status, ...times, ...begun }, now);
    const { started_at } = row;
    jobs.insert({
      ...row,
      coverage: name === 'coverage' && status === 'success' ? 80 + roll(150) / 10 : null,
      ...(started_at ? runner(1 + roll(3), started_at) : { runner: null, runner_manager: null }),
      ...(started_at && status === 'success' && stage === 'build'
        ? artifactsOf(10_000 + roll(900_000), started_at)
        : {}),
      ...more,
    });
  }
}

const jobsPerPipeline = 20;
const statuses = ['success', 'success', 'success', 'success', 'failed', 'canceled'];

/** Return a function that makes ended jobs, one each ten seconds until now, and their pipelines. */
export function generatedJobs(
  plan: readonly JobEntry[],
  pipelines: Rows<Pipeline>,
  now: number,
  count: number,
) {
  const roll = seededRandom(count);
  const { id: _, ...model } = defined(pipelines.get(plan[0]?.[1]));
  const runners = [1, 2, 3].map((id) => runner(id, model.created_at));
  let pipeline: Pipeline | undefined;
  return (number: number, id: number): object => {
    const startedAt = now - (count - number + 60) * 10_000;
    if (pipeline === undefined || number % jobsPerPipeline === 1) {
      const at = iso(startedAt);
      pipeline = pipelines.insert({ ...model, created_at: at, updated_at: at });
    }
    const [, , name, stage] = defined(plan[number % plan.length]);
    const status = defined(statuses[roll(statuses.length)]);
    const times = { createdAt: startedAt - minute, startedAt, wait: 60, seconds: secondsOf(roll) };
    const row = rowOf(pipeline, { id, name, stage, status, ...times }, now);
    return { ...row, ...runners[number % runners.length] };
  };
}
