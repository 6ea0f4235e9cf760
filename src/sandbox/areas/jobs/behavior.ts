/** Jobs of pipelines (section 4.1). */
import { jobFields } from '../../../api/jobs.ts';
import { one } from '../../../spec/endpoint.ts';
import { behaviors, type ExtraRoute, type RequestContext } from '../../core/behavior.ts';
import { byId, orNotFound } from '../../core/lookup.ts';
import type { Job, Pipeline, User } from '../../core/rows.ts';
import { cancel, play, retry } from './progress.ts';

/** Return a job with its commit, pipeline and user. */
function jobView(ctx: RequestContext, job: Job): object {
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

function pipelineView(ctx: RequestContext, row: Pipeline): object {
  const path = ctx.table('projects').get(row.project_id)?.['path_with_namespace'];
  return { ...row, web_url: `/${path}/-/pipelines/${row.id}` };
}

function downstreamView(ctx: RequestContext, id: number | null): object | null {
  const row = ctx.table<Pipeline>('pipelines').get(id);
  return row ? pipelineView(ctx, row) : null;
}

/** Return the jobs of the project that pass the test and the `scope` filter, newest first. */
function jobsWhere(ctx: RequestContext, test: (job: Job) => boolean): Job[] {
  const scope = ctx.params.list('scope') ?? [];
  const wanted = (job: Job) => scope.length === 0 || scope.includes(job.status);
  return ctx
    .table<Job>('jobs')
    .where('project_id', ctx.project.id)
    .filter((job) => wanted(job) && test(job))
    .sort((a, b) => b.id - a.id);
}

function findPipeline(ctx: RequestContext): Pipeline {
  const row = ctx.table<Pipeline>('pipelines').get(ctx.slots.number('pipeline_id'));
  return orNotFound(row?.project_id === ctx.project.id ? row : undefined, 'Pipeline');
}

/** Return the ids of a pipeline and of its child pipelines. */
function withChildren(ctx: RequestContext, root: Pipeline): Set<number> {
  const ids = new Set([root.id]);
  for (const { id, parent_id } of ctx.table<Pipeline>('pipelines').all().sort(byId)) {
    if (parent_id !== null && ids.has(parent_id)) ids.add(id);
  }
  return ids;
}

function tokenJob(ctx: RequestContext): Job {
  if (!ctx.job) throw ctx.httpError(401, '401 Unauthorized');
  return ctx.job;
}

/** Return a route that changes a job with one of these statuses. */
const action = (
  name: string,
  statuses: readonly string[],
  adjective: string,
  change: (ctx: RequestContext, job: Job) => Job,
): ExtraRoute => ({
  route: `POST /projects/:id/jobs/:job_id/${name}`,
  returns: one(jobFields),
  behavior: (ctx) => {
    const row = ctx.table<Job>('jobs').get(Number(ctx.slots.text('job_id')));
    const job = orNotFound(row?.project_id === ctx.project.id ? row : undefined, 'Job');
    if (job.bridge || job.retried || !statuses.includes(job.status))
      throw ctx.forbidden(`Job is not ${adjective}`);
    return ctx.one(jobView(ctx, change(ctx, job)));
  },
});

/** The specification only shows jobs. These routes make the changes that hooks can subscribe to. */
const actions: readonly ExtraRoute[] = [
  action('play', ['manual'], 'playable', (ctx, job) => play(ctx, job, ctx.requireUser().id)),
  action('retry', ['success', 'failed', 'canceled'], 'retryable', (ctx, job) =>
    retry(ctx, job, ctx.requireUser().id),
  ),
  action('cancel', ['created', 'pending', 'running', 'waiting_for_resource'], 'cancelable', cancel),
];

export const jobs = behaviors(
  'jobs',
  {
    list: (ctx) =>
      ctx.list(
        jobsWhere(ctx, (job) => !job.bridge),
        { view: (job) => jobView(ctx, job), keyset: { by: 'id', sort: 'desc' } },
      ),

    'for-pipeline': (ctx) => {
      const pipelines = withChildren(ctx, findPipeline(ctx));
      const includeRetried = ctx.params.bool('include_retried') ?? false;
      const rows = jobsWhere(
        ctx,
        (job) => !job.bridge && pipelines.has(job.pipeline_id) && (includeRetried || !job.retried),
      );
      return ctx.list(rows, { view: (job) => jobView(ctx, job) });
    },

    bridges: (ctx) => {
      const { id } = findPipeline(ctx);
      const rows = jobsWhere(ctx, (job) => job.bridge && job.pipeline_id === id);
      return ctx.list(rows, { view: (job) => jobView(ctx, job) });
    },

    current: (ctx) => ctx.one(jobView(ctx, tokenJob(ctx))),

    'allowed-agents': (ctx) => {
      const job = tokenJob(ctx);
      return ctx.one({
        allowed_agents: [{ id: 17, config_project: { id: job.project_id } }],
        job: { id: job.id },
        pipeline: { id: job.pipeline_id },
        project: { id: job.project_id },
        user: ctx.requireUser(),
      });
    },
  },
  { extras: actions },
);
