import { behaviors, type RequestContext } from '../../core/behavior.ts';
import type { Job, Pipeline, User } from '../../core/rows.ts';

/** A job with what it refers to. */
function jobView(ctx: RequestContext, job: Job): object {
  const pipeline = ctx.table<Pipeline>('pipelines').get(job.pipeline_id);
  return {
    ...job,
    commit: pipeline?.commit,
    pipeline: pipeline && pipelineView(ctx, pipeline),
    user: ctx.table<User>('users').get(job.user_id),
    project: { ci_job_token_scope_enabled: false },
    downstream_pipeline: shownPipeline(ctx, job.downstream_pipeline_id),
  };
}

function pipelineView(ctx: RequestContext, row: Pipeline): object {
  const path = ctx.table('projects').get(row.project_id)?.['path_with_namespace'];
  return { ...row, web_url: `/${path}/-/pipelines/${row.id}` };
}

function shownPipeline(ctx: RequestContext, id: number | null): object | null {
  const row = ctx.table<Pipeline>('pipelines').get(id);
  return row ? pipelineView(ctx, row) : null;
}

/** The newest first, and only those of the statuses that are asked for. */
function chosen(ctx: RequestContext, test: (job: Job) => boolean): Job[] {
  const scope = ctx.params.list('scope') ?? [];
  const wanted = (job: Job) => scope.length === 0 || scope.includes(job.status);
  return ctx
    .table<Job>('jobs')
    .filter((job) => job.project_id === ctx.project.id && wanted(job) && test(job))
    .sort((a, b) => b.id - a.id);
}

function pipelineOf(ctx: RequestContext): Pipeline {
  const row = ctx.table<Pipeline>('pipelines').get(ctx.slots.number('pipeline_id'));
  if (row?.project_id !== ctx.project.id) throw ctx.notFound('Pipeline');
  return row;
}

/** A pipeline and all that its bridges started within the project. */
function family(ctx: RequestContext, root: Pipeline): Set<number> {
  const ids = new Set([root.id]);
  for (const { id, parent_id } of ctx
    .table<Pipeline>('pipelines')
    .all()
    .sort((a, b) => a.id - b.id)) {
    if (parent_id !== null && ids.has(parent_id)) ids.add(id);
  }
  return ids;
}

function ownJob(ctx: RequestContext): Job {
  if (!ctx.job) throw ctx.httpError(401, '401 Unauthorized');
  return ctx.job;
}

export const jobs = behaviors('jobs', {
  list: (ctx) =>
    ctx.list(
      chosen(ctx, (job) => !job.bridge),
      { view: (job) => jobView(ctx, job), keyset: { by: 'id', sort: 'desc' } },
    ),

  'for-pipeline': (ctx) => {
    const pipelines = family(ctx, pipelineOf(ctx));
    const retriedToo = ctx.params.bool('include_retried') ?? false;
    const rows = chosen(
      ctx,
      (job) => !job.bridge && pipelines.has(job.pipeline_id) && (retriedToo || !job.retried),
    );
    return ctx.list(rows, { view: (job) => jobView(ctx, job) });
  },

  bridges: (ctx) => {
    const { id } = pipelineOf(ctx);
    const rows = chosen(ctx, (job) => job.bridge && job.pipeline_id === id);
    return ctx.list(rows, { view: (job) => jobView(ctx, job) });
  },

  current: (ctx) => ctx.one(jobView(ctx, ownJob(ctx))),

  'allowed-agents': (ctx) => {
    const job = ownJob(ctx);
    return ctx.one({
      allowed_agents: [{ id: 17, config_project: { id: job.project_id } }],
      job: { id: job.id },
      pipeline: { id: job.pipeline_id },
      project: { id: job.project_id },
      user: ctx.requireUser(),
    });
  },
});
