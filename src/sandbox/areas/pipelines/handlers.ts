/** Pipelines. The specification shows them only as a part of jobs. */
import { collection, removeRow } from '../../core/collection.ts';
import { type AreaHandlers, type Context, noContent, one } from '../../core/context.ts';
import { badRequest } from '../../core/http-error.ts';
import { orNotFound, removeWhere } from '../../core/lookup.ts';
import { byId } from '../../core/pages.ts';
import type { Job, Pipeline, Row, User } from '../../core/rows.ts';
import type { World } from '../../core/world.ts';
import { findPipeline, jobsOf, pipelineFacts, secondsBetween, sourceOf } from '../jobs/events.ts';
import { cancel, cancelable, retry, startNextStage, waiting } from '../jobs/progress.ts';

type Draft = Pick<Pipeline, 'project_id' | 'ref' | 'sha' | 'commit' | 'user_id'> & {
  readonly variables: unknown;
};

/** The jobs of the newest pipeline of a project, one of each name, in the order of their stages. */
function modelJobs(world: World, project_id: number): Job[] {
  const [model] = world
    .table<Pipeline>('pipelines')
    .where('project_id', project_id)
    .filter(({ parent_id }) => parent_id === null)
    .sort((a, b) => b.id - a.id);
  const jobs = model ? jobsOf(world, model).sort(byId) : [];
  const byName = [...new Map(jobs.map((job) => [job.name, job])).values()];
  const stages = [...new Set(byName.map((job) => job['stage']))];
  return stages.flatMap((stage) => byName.filter((job) => job['stage'] === stage));
}

/**
 * Create a pipeline with the jobs of the newest one of the project, and start its first stage.
 * @returns undefined if the project has no jobs to copy
 */
function startPipeline(world: World, { variables, ...draft }: Draft): Pipeline | undefined {
  const models = modelJobs(world, draft.project_id);
  if (models.length === 0) return undefined;
  const time = world.time();
  const pipeline = world.table<Pipeline>('pipelines').insert({
    ...draft,
    parent_id: null,
    tag: false,
    status: 'created',
    source: 'api',
    staged: true,
    created_at: time,
    updated_at: time,
  });
  const jobs = world.table<Job>('jobs');
  for (const model of models) {
    const { id: _, ...same } = model;
    const id = jobs.last + 1;
    jobs.insert({
      ...same,
      ...waiting,
      status: 'created',
      id,
      pipeline_id: pipeline.id,
      user_id: draft.user_id,
      ref: draft.ref,
      created_at: time,
      manual: model.status === 'manual',
      variables,
    } as Job);
  }
  startNextStage(world, pipeline);
  return pipeline;
}

const pipelinesOf = (ctx: Context): Pipeline[] =>
  ctx.table<Pipeline>('pipelines').where('project_id', ctx.project.id);

function pipelineView(ctx: Context, pipeline: Pipeline): object {
  const times = jobsOf(ctx, pipeline).flatMap(({ started_at }) =>
    typeof started_at === 'string' ? [started_at] : [],
  );
  const facts = pipelineFacts(ctx, pipeline);
  const started_at = times.sort()[0] ?? null;
  return {
    ...pipeline,
    ...facts,
    user: ctx.table<User>('users').get(pipeline.user_id),
    committed_at: pipeline.commit.created_at,
    started_at,
    queued_duration: secondsBetween(pipeline.created_at, started_at),
    web_url: `/${ctx.project.path_with_namespace}/-/pipelines/${pipeline.id}`,
  };
}

const scopes: Readonly<Record<string, (pipeline: Pipeline) => boolean>> = {
  running: ({ status }) => status === 'running',
  pending: ({ status }) => status === 'pending',
  finished: ({ status }) => ['success', 'failed', 'canceled', 'skipped'].includes(status),
  branches: ({ tag }) => !tag,
  tags: ({ tag }) => tag,
};

const pipelines = collection<Pipeline>({
  table: 'pipelines',
  title: 'Pipeline',
  // Child pipelines are listed only by their source.
  rows: (ctx) =>
    pipelinesOf(ctx).filter(
      (row) => row.parent_id === null || ctx.endpoint.returns.kind !== 'list' || ctx.params.has('source'),
    ),
  filters: {
    scope: (value) => scopes[String(value)] ?? (() => true),
    source: (value) => (pipeline) => sourceOf(pipeline) === value,
    username: (value, ctx) => {
      const user = ctx.table<User>('users').find(({ username }) => username === value);
      return ({ user_id }) => user_id === user?.id;
    },
  },
  order: '-id',
  view: pipelineView,
});

const changeJobs =
  (test: (job: Job) => boolean, change: (ctx: Context, job: Job) => void) => (ctx: Context) => {
    const pipeline = findPipeline(ctx);
    for (const job of jobsOf(ctx, pipeline).filter(test)) change(ctx, job);
    return one(ctx, pipeline, { view: pipelineView });
  };

async function latest(ctx: Context): Promise<Response> {
  const ref = ctx.params.text('ref') ?? ctx.project.default_branch;
  const found = pipelinesOf(ctx).filter((row) => row.ref === ref && row.parent_id === null);
  return one(ctx, orNotFound(found.sort(byId).at(-1), 'Pipeline'), { view: pipelineView });
}

async function run(ctx: Context): Promise<Response> {
  const ref = ctx.params.text('ref') ?? '';
  const repository = await ctx.repository(ctx.project.id);
  const commit = await repository.commit(ref);
  if (!commit) throw badRequest({ base: ['Reference not found'] });
  const pipeline = startPipeline(ctx, {
    ref,
    sha: commit.id,
    commit,
    project_id: ctx.project.id,
    user_id: ctx.requireUser().id,
    variables: ctx.params.values['variables'],
  });
  if (!pipeline) throw badRequest({ base: ['The project has no pipeline whose jobs could run'] });
  return one(ctx, pipeline, { view: pipelineView });
}

function removeContents(ctx: Context, { id }: Pipeline): void {
  const children = pipelinesOf(ctx).filter(({ parent_id }) => parent_id === id);
  const jobs = ctx.table<Job>('jobs').where('pipeline_id', id);
  const ids = new Set(jobs.map((job) => job.id));
  removeWhere(ctx.table<Row>('job_runs'), (row) => ids.has(row.id));
  removeWhere(ctx.table<Job>('jobs'), ({ pipeline_id }) => pipeline_id === id);
  removeWhere(ctx.table<Pipeline>('pipelines'), ({ parent_id }) => parent_id === id);
  for (const child of children) removeContents(ctx, child);
}

export const pipelineArea: AreaHandlers = {
  area: 'pipelines',
  collection: pipelines,
  handlers: {
    latest,
    run,
    retry: changeJobs(
      ({ status }) => status === 'failed' || status === 'canceled',
      (ctx, job) => retry(ctx, job, ctx.requireUser().id),
    ),
    cancel: changeJobs(({ status }) => cancelable.includes(status), cancel),
    delete: (ctx) => {
      const pipeline = findPipeline(ctx);
      removeRow(ctx, 'pipelines', pipeline);
      removeContents(ctx, pipeline);
      return noContent();
    },
  },
};
