/** Jobs of pipelines (section 4.1). */
import { collection } from '../../core/collection.ts';
import { type AreaHandlers, type Context, fileResponse, type Handler, one } from '../../core/context.ts';
import { forbidden, unauthorized } from '../../core/http-error.ts';
import { orNotFound } from '../../core/lookup.ts';
import { byId } from '../../core/pages.ts';
import type { Job, Pipeline, User } from '../../core/rows.ts';
import { logOf } from './log.ts';
import { cancel, cancelable, play, retry } from './progress.ts';

function jobView(ctx: Context, job: Job): object {
  const pipeline = ctx.table<Pipeline>('pipelines').get(job.pipeline_id);
  return {
    ...job,
    commit: pipeline?.commit,
    pipeline: pipeline && pipelineView(ctx, pipeline),
    user: ctx.table<User>('users').get(job.user_id),
    project: { ci_job_token_scope_enabled: false },
    downstream_pipeline: downstreamView(ctx, job.downstream_pipeline_id),
  };
}

function pipelineView(ctx: Context, row: Pipeline): object {
  const path = ctx.table('projects').get(row.project_id)?.['path_with_namespace'];
  return { ...row, web_url: `/${path}/-/pipelines/${row.id}` };
}

function downstreamView(ctx: Context, id: number | null): object | null {
  const row = ctx.table<Pipeline>('pipelines').get(id);
  return row ? pipelineView(ctx, row) : null;
}

function findPipeline(ctx: Context): Pipeline {
  const row = ctx.table<Pipeline>('pipelines').get(ctx.slots.number('pipeline_id'));
  return orNotFound(row?.project_id === ctx.project.id ? row : undefined, 'Pipeline');
}

function withChildren(ctx: Context, root: Pipeline): Set<number> {
  const ids = new Set([root.id]);
  for (const { id, parent_id } of ctx.table<Pipeline>('pipelines').all().sort(byId)) {
    if (parent_id !== null && ids.has(parent_id)) ids.add(id);
  }
  return ids;
}

const jobsWhere = (testOf: (ctx: Context) => (job: Job) => boolean): Handler =>
  collection<Job>({
    table: 'jobs',
    rows: (ctx) => ctx.table<Job>('jobs').where('project_id', ctx.project.id).filter(testOf(ctx)),
    filters: {
      scope: (value) => (job) => Array.isArray(value) && (value.length === 0 || value.includes(job.status)),
    },
    order: '-id',
    view: jobView,
  });

function tokenJob(ctx: Context): Job {
  if (!ctx.job) throw unauthorized();
  return ctx.job;
}

function findJob(ctx: Context): Job {
  const row = ctx.table<Job>('jobs').get(ctx.slots.number('job_id'));
  return orNotFound(row?.project_id === ctx.project.id ? row : undefined, 'Job');
}

/** Return a handler that changes a job with one of these statuses. */
const action =
  (statuses: readonly string[], adjective: string, change: (ctx: Context, job: Job) => Job): Handler =>
  (ctx) => {
    const job = findJob(ctx);
    const isPast = job.retried && adjective !== 'erasable';
    if (job.bridge || isPast || !statuses.includes(job.status)) throw forbidden(`Job is not ${adjective}`);
    return one(ctx, change(ctx, job), { view: jobView });
  };

/** Delete the log and the artifacts of a job that ended. */
const erase = (ctx: Context, job: Job): Job =>
  ctx.table<Job>('jobs').update(job, {
    erased_at: ctx.time(),
    artifacts: [],
    artifacts_file: undefined,
    artifacts_expire_at: null,
  });

async function artifact(ctx: Context): Promise<Response> {
  const { archiveOf, fileOf } = await import('./archive.ts');
  const archive = orNotFound(archiveOf(findJob(ctx)));
  const path = ctx.slots.text('path');
  if (path === undefined) return fileResponse(archive, 'application/zip', 'artifacts.zip');
  return fileResponse(orNotFound(fileOf(archive, path)), 'application/octet-stream');
}

export const jobs: AreaHandlers = {
  area: 'jobs',
  handlers: {
    list: jobsWhere(() => (job) => !job.bridge),

    'for-pipeline': jobsWhere((ctx) => {
      const pipelines = withChildren(ctx, findPipeline(ctx));
      const includeRetried = ctx.params.bool('include_retried') ?? false;
      return (job) => !job.bridge && pipelines.has(job.pipeline_id) && (includeRetried || !job.retried);
    }),

    bridges: jobsWhere((ctx) => {
      const { id } = findPipeline(ctx);
      return (job) => job.bridge && job.pipeline_id === id;
    }),

    current: (ctx) => one(ctx, tokenJob(ctx), { view: jobView }),

    'allowed-agents': (ctx) => {
      const job = tokenJob(ctx);
      return one(ctx, {
        allowed_agents: [{ id: 17, config_project: { id: job.project_id } }],
        job: { id: job.id },
        pipeline: { id: job.pipeline_id },
        project: { id: job.project_id },
        user: ctx.requireUser(),
      });
    },

    get: (ctx) => one(ctx, findJob(ctx), { view: jobView }),
    log: (ctx) => {
      const job = findJob(ctx);
      const pipeline = ctx.table<Pipeline>('pipelines').get(job.pipeline_id);
      return fileResponse(logOf(job, pipeline, ctx.now()), 'text/plain; charset=utf-8');
    },
    play: action(['manual'], 'playable', (ctx, job) =>
      play(ctx, job, ctx.requireUser().id, ctx.params.values['job_variables_attributes']),
    ),
    retry: action(['success', 'failed', 'canceled'], 'retryable', (ctx, job) =>
      retry(ctx, job, ctx.requireUser().id),
    ),
    cancel: action(cancelable, 'cancelable', cancel),
    erase: action(['success', 'failed', 'canceled'], 'erasable', erase),
    artifacts: artifact,
    artifact,
  },
};
