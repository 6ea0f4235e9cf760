/** Facts of jobs and pipelines, and the events of their changes. */
import * as payloads from '../../../webhooks/payloads.ts';
import type { Context } from '../../core/context.ts';
import { orNotFound } from '../../core/lookup.ts';
import type { Job, Pipeline } from '../../core/rows.ts';
import { userFacts } from '../../core/summary.ts';
import { day, iso } from '../../core/time.ts';
import type { ProjectEvent, World } from '../../core/world.ts';

/** Return the seconds between two times; null if one of them is unknown. */
export const secondsBetween = (from: unknown, to: unknown): number | null =>
  typeof from === 'string' && typeof to === 'string' ? (Date.parse(to) - Date.parse(from)) / 1_000 : null;

/** The latest run of each job of a pipeline. */
export const jobsOf = (world: World, pipeline: Pipeline): Job[] =>
  world
    .table<Job>('jobs')
    .where('pipeline_id', pipeline.id)
    .filter(({ bridge, retried }) => !bridge && !retried);

/** Return the pipeline of the project that the path names. @throws HttpError 404 */
export function findPipeline(ctx: Context): Pipeline {
  const row = ctx.table<Pipeline>('pipelines').get(ctx.slots.number('pipeline_id'));
  return orNotFound(row?.project_id === ctx.project.id ? row : undefined, 'Pipeline');
}

/** Return the runner of a job that started. */
export function runnerOf({ runner_id: id, started_at: contacted_at }: Job) {
  if (id === null) return { runner: null, runner_manager: null };
  const ip_address = `192.0.2.${id}`;
  return {
    runner: {
      id,
      description: `runner-${id}.example.com`,
      ip_address,
      active: true,
      paused: false,
      is_shared: true,
      runner_type: 'instance_type',
      name: 'runner',
      online: true,
      status: 'online',
    },
    runner_manager: {
      id: id + 10,
      system_id: `s_${id}c0ffee`,
      version: '18.6.0',
      revision: 'a1b2c3d4',
      platform: 'linux',
      architecture: 'amd64',
      created_at: '2026-01-02T08:00:00.000Z',
      contacted_at,
      ip_address,
      status: 'online',
    },
  };
}

/** Return the artifacts of a job; none if it has no archive. */
export function artifactsOf({ artifacts_size: size, started_at }: Job) {
  if (!size) return {};
  return {
    artifacts: [
      { file_type: 'archive', size, filename: 'artifacts.zip', file_format: 'zip' },
      { file_type: 'metadata', size: 146, filename: 'metadata.gz', file_format: 'gzip' },
      { file_type: 'trace', size: 1508, filename: 'job.log', file_format: 'raw' },
    ],
    artifacts_file: { filename: 'artifacts.zip', size },
    artifacts_expire_at: iso(Date.parse(String(started_at)) + 30 * day),
  };
}

export const sourceOf = ({ source, parent_id }: Pipeline): string =>
  source ?? (parent_id === null ? 'push' : 'parent_pipeline');

function finishedAt(world: World, pipeline: Pipeline): string | null {
  if (!/^(success|failed|canceled|skipped)$/.test(pipeline.status)) return null;
  const times = jobsOf(world, pipeline).map((job) => job['finished_at']);
  return (
    times
      .filter((time) => typeof time === 'string')
      .sort()
      .at(-1) ?? null
  );
}

export function pipelineFacts(world: World, pipeline: Pipeline): payloads.PipelineFacts {
  const { id, project_id, ref, tag, sha, status, created_at, commit } = pipeline;
  const all = world.table<Pipeline>('pipelines').filter((row) => row.project_id === project_id);
  const finished_at = finishedAt(world, pipeline);
  return {
    ...{ id, ref, tag, sha, status, created_at, finished_at, commit },
    iid: all.filter((row) => row.id <= id).length,
    before_sha: payloads.zeroSha,
    source: sourceOf(pipeline),
    duration: secondsBetween(created_at, finished_at),
    queued_duration: null,
  };
}

const jobFacts = (world: World, job: Job): payloads.JobFacts => ({
  ...job,
  ...runnerOf(job),
  ...artifactsOf(job),
  user: userFacts(world, job.user_id),
});

export const pipelineEvent = (world: World, pipeline: Pipeline): ProjectEvent => ({
  kind: 'pipeline_events',
  project_id: pipeline.project_id,
  user_id: pipeline.user_id,
  payload: (subject) => {
    const jobs = jobsOf(world, pipeline).map((job) => jobFacts(world, job));
    return payloads.pipeline(subject, pipelineFacts(world, pipeline), jobs);
  },
});

export const jobEvent = (world: World, job: Job, pipeline: Pipeline): ProjectEvent => ({
  kind: 'job_events',
  project_id: job.project_id,
  user_id: job.user_id,
  payload: (subject) => {
    const runs = world.table<Job>('jobs').where('pipeline_id', pipeline.id);
    const retries = runs.filter(({ name, retried }) => retried && name === job.name).length;
    return payloads.job(subject, pipelineFacts(world, pipeline), jobFacts(world, job), retries);
  },
});

export function deploymentEvent(world: World, job: Job, pipeline: Pipeline): ProjectEvent | undefined {
  const [, environment] = /^deploy:([\w-]+)$/.exec(job.name) ?? [];
  if (environment === undefined || !/^(running|success|failed|canceled)$/.test(job.status)) return undefined;
  const facts = {
    deployment_id: job.id,
    deployable_id: job.id,
    status: job.status,
    status_changed_at: job['finished_at'] ?? job['started_at'],
    environment,
    environment_external_url: `https://${environment}.example.com`,
  };
  return {
    kind: 'deployment_events',
    project_id: job.project_id,
    user_id: job.user_id,
    payload: (subject) => payloads.deployment(subject, pipelineFacts(world, pipeline), facts),
  };
}
