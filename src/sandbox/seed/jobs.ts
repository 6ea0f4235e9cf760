/** Jobs with plausible durations, runners and artifacts. */
import { runner } from '../areas/jobs/progress.ts';
import { defined } from '../core/lookup.ts';
import type { Job, Pipeline } from '../core/rows.ts';
import { day, iso, minute } from '../core/time.ts';
import type { Rows } from '../store/store.ts';
import { seededRandom } from './random.ts';

/** Times in milliseconds since the epoch, durations in seconds. */
interface Draft extends Pick<Job, 'id' | 'name' | 'status'> {
  readonly stage: string;
  readonly createdAt: number;
  readonly run?: { readonly startedAt: number; readonly wait: number; readonly seconds: number } | undefined;
}

function rowOf(pipeline: Pipeline, { id, name, stage, status, createdAt, run }: Draft, now: number) {
  const isRunning = status === 'running';
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
    started_at: run ? iso(run.startedAt) : null,
    finished_at: run && !isRunning ? iso(run.startedAt + run.seconds * 1000) : null,
    duration: run ? (isRunning ? (now - run.startedAt) / 1000 : run.seconds) : null,
    queued_duration: run ? run.wait : null,
    tag_list: stage === 'deploy' ? ['linux', 'deploy'] : ['linux'],
  };
}

function artifactsOf(size: number, startedAt: number) {
  return {
    artifacts: [
      { file_type: 'archive', size, filename: 'artifacts.zip', file_format: 'zip' },
      { file_type: 'metadata', size: 146, filename: 'metadata.gz', file_format: 'gzip' },
      { file_type: 'trace', size: 1508, filename: 'job.log', file_format: 'raw' },
    ],
    artifacts_file: { filename: 'artifacts.zip', size },
    artifacts_expire_at: iso(startedAt + 30 * day),
  };
}

/** Milliseconds after the pipeline, seconds of waiting and of running, the runner, and bytes of artifacts. */
type Run = readonly [started: number, wait: number, seconds: number, runner: number, size?: number];

/** Id, pipeline, name, stage, status, seconds after the pipeline, the run of a job that started, and further attributes. */
export type JobEntry = readonly [
  number,
  number,
  string,
  string,
  string,
  number,
  (Run | null)?,
  Partial<Job>?,
];

export function seedJobs(
  entries: readonly JobEntry[],
  pipelines: Rows<Pipeline>,
  jobs: Rows<Job>,
  now: number,
): void {
  for (const [id, pipelineId, name, stage, status, order, run, more] of entries) {
    const pipeline = defined(pipelines.get(pipelineId));
    const begun = Date.parse(pipeline.created_at);
    const draft = { id, name, stage, status, createdAt: begun + order * 1000 };
    if (!run) {
      jobs.insert(Object.assign(rowOf(pipeline, draft, now), { runner: null, runner_manager: null }, more));
      continue;
    }
    const [started, wait, seconds, runnerId, size] = run;
    const startedAt = begun + started;
    jobs.insert(
      Object.assign(
        rowOf(pipeline, { ...draft, run: { startedAt, wait, seconds } }, now),
        runner(runnerId, iso(startedAt)),
        size !== undefined && artifactsOf(size, startedAt),
        more,
      ),
    );
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
    const seconds = 20 + roll(400) + roll(1000) / 1000;
    const run = { startedAt, wait: 60, seconds };
    const row = rowOf(pipeline, { id, name, stage, status, createdAt: startedAt - minute, run }, now);
    return { ...row, ...runners[number % runners.length] };
  };
}
