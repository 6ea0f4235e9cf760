/** New pipelines. */
import { byId } from '../../core/pages.ts';
import type { Job, Pipeline } from '../../core/rows.ts';
import type { World } from '../../core/world.ts';
import { jobsOf } from '../jobs/events.ts';
import { startNextStage, waiting, webUrl } from '../jobs/progress.ts';

/** What a new pipeline is for. */
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
export function startPipeline(world: World, { variables, ...draft }: Draft): Pipeline | undefined {
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
      web_url: webUrl(model, id),
      created_at: time,
      manual: model.status === 'manual',
      variables,
    } as Job);
  }
  startNextStage(world, pipeline);
  return pipeline;
}
