/** Events of jobs, pipelines and deployments. The specification has no payloads for them; these follow similar services (section 6.1). */
import type { GroupEvent, World } from '../../core/behavior.ts';
import { defined } from '../../core/lookup.ts';
import type { Job, Pipeline, Project } from '../../core/rows.ts';
import { userView } from '../hooks/group-events.ts';
import { projectView, repositoryView } from '../hooks/payload.ts';

const zeroSha = '0'.repeat(40);

/** Seconds from one time to another; null unless both are known. */
function seconds(from: unknown, to: unknown): number | null {
  if (typeof from !== 'string' || typeof to !== 'string') return null;
  return (Date.parse(to) - Date.parse(from)) / 1_000;
}

/** The latest run of each job of a pipeline. */
export const jobsOf = (world: World, pipeline: Pipeline): Job[] =>
  world
    .table<Job>('jobs')
    .where('pipeline_id', pipeline.id)
    .filter(({ bridge, retried }) => !bridge && !retried);

function finishedAt(jobs: readonly Job[]): string | null {
  const times = jobs.map((job) => job['finished_at']).filter((time) => typeof time === 'string');
  return times.sort().at(-1) ?? null;
}

const hasEnded = ({ status }: Pipeline): boolean => /^(success|failed|canceled|skipped)$/.test(status);

function runnerView({ runner, tag_list: tags }: Job): object | null {
  const { id, description, active, is_shared, runner_type } = (runner ?? {}) as Record<string, unknown>;
  return runner ? { id, description, active, is_shared, runner_type, tags } : null;
}

function commitView(world: World, pipeline: Pipeline, project: Project): object {
  const { commit, sha } = pipeline;
  return {
    id: sha,
    message: commit['message'],
    title: commit['title'],
    timestamp: commit['created_at'],
    url: `${world.origin}/${project.path_with_namespace}/-/commit/${sha}`,
    author: { name: commit['author_name'], email: commit['author_email'] },
  };
}

function buildView(world: World, job: Job): object {
  return {
    id: job.id,
    stage: job['stage'],
    name: job.name,
    status: job.status,
    created_at: job['created_at'],
    started_at: job['started_at'],
    finished_at: job['finished_at'],
    duration: job['duration'],
    queued_duration: job['queued_duration'],
    failure_reason: job['failure_reason'],
    when: job.status === 'manual' ? 'manual' : 'on_success',
    manual: job.status === 'manual',
    allow_failure: job['allow_failure'],
    user: userView(world, job.user_id),
    runner: runnerView(job),
    artifacts_file: job['artifacts_file'] ?? { filename: null, size: null },
    environment: null,
  };
}

const projectOf = (world: World, { project_id }: Job | Pipeline): Project =>
  defined(world.table<Project>('projects').get(project_id));

const eventOf = (
  world: World,
  kind: GroupEvent['kind'],
  row: Job | Pipeline,
  payload: (project: Project) => object,
): GroupEvent => {
  const project = projectOf(world, row);
  const body = payload(project);
  return { kind, group_id: project.group_id, payload: () => body };
};

/** Return the event of a pipeline whose status changed. */
export function pipelineEvent(world: World, pipeline: Pipeline): GroupEvent {
  return eventOf(world, 'pipeline_events', pipeline, (project) => {
    const jobs = jobsOf(world, pipeline);
    const all = world.table<Pipeline>('pipelines').filter((row) => row.project_id === project.id);
    const finished_at = hasEnded(pipeline) ? finishedAt(jobs) : null;
    return {
      object_kind: 'pipeline',
      object_attributes: {
        id: pipeline.id,
        iid: all.filter(({ id }) => id <= pipeline.id).length,
        name: null,
        ref: pipeline.ref,
        tag: pipeline.tag,
        sha: pipeline.sha,
        before_sha: zeroSha,
        source: pipeline.parent_id === null ? 'push' : 'parent_pipeline',
        status: pipeline.status,
        detailed_status: pipeline.status === 'success' ? 'passed' : pipeline.status,
        stages: [...new Set(jobs.map((job) => job['stage']))],
        created_at: pipeline.created_at,
        finished_at,
        duration: seconds(pipeline.created_at, finished_at),
        queued_duration: null,
        variables: [],
        url: `${world.origin}/${project.path_with_namespace}/-/pipelines/${pipeline.id}`,
      },
      merge_request: null,
      user: userView(world, pipeline.user_id),
      project: projectView(world, project),
      commit: commitView(world, pipeline, project),
      builds: jobs.map((job) => buildView(world, job)),
    };
  });
}

/** Return the event of a job whose status changed. */
export function jobEvent(world: World, job: Job, pipeline: Pipeline): GroupEvent {
  return eventOf(world, 'job_events', job, (project) => {
    const runs = world.table<Job>('jobs').where('pipeline_id', pipeline.id);
    const { commit } = pipeline;
    const finished_at = hasEnded(pipeline) ? finishedAt(jobsOf(world, pipeline)) : null;
    return {
      object_kind: 'build',
      ref: pipeline.ref,
      tag: pipeline.tag,
      before_sha: zeroSha,
      sha: pipeline.sha,
      build_id: job.id,
      build_name: job.name,
      build_stage: job['stage'],
      build_status: job.status,
      build_created_at: job['created_at'],
      build_started_at: job['started_at'],
      build_finished_at: job['finished_at'],
      build_duration: job['duration'],
      build_queued_duration: job['queued_duration'],
      build_allow_failure: job['allow_failure'],
      build_failure_reason: job['failure_reason'],
      retries_count: runs.filter(({ name, retried }) => retried && name === job.name).length,
      pipeline_id: pipeline.id,
      project_id: project.id,
      project_name: project.path_with_namespace.replaceAll('/', ' / '),
      user: userView(world, job.user_id),
      commit: {
        id: pipeline.id,
        name: null,
        sha: pipeline.sha,
        message: commit['message'],
        author_name: commit['author_name'],
        author_email: commit['author_email'],
        status: pipeline.status,
        duration: seconds(pipeline.created_at, finished_at),
        started_at: pipeline.created_at,
        finished_at,
      },
      repository: repositoryView(world, project),
      project: projectView(world, project),
      runner: runnerView(job),
      environment: null,
    };
  });
}

/** Return the event of a deployment: a job named `deploy:production` deploys to the environment `production`. */
export function deploymentEvent(world: World, job: Job, pipeline: Pipeline): GroupEvent | undefined {
  const [, environment] = /^deploy:([\w-]+)$/.exec(job.name) ?? [];
  if (environment === undefined || !/^(running|success|failed|canceled)$/.test(job.status)) return undefined;
  return eventOf(world, 'deployment_events', job, (project) => {
    const home = `${world.origin}/${project.path_with_namespace}`;
    const user = userView(world, job.user_id);
    return {
      object_kind: 'deployment',
      status: job.status,
      status_changed_at: job['finished_at'] ?? job['started_at'],
      deployment_id: job.id,
      deployable_id: job.id,
      deployable_url: `${home}/-/jobs/${job.id}`,
      environment,
      environment_tier: environment,
      environment_slug: environment,
      environment_external_url: `https://${environment}.example.com`,
      project: projectView(world, project),
      ref: pipeline.ref,
      short_sha: pipeline.sha.slice(0, 8),
      user,
      user_url: `${world.origin}/${user.username}`,
      commit_url: `${home}/-/commit/${pipeline.sha}`,
      commit_title: pipeline.commit['title'],
    };
  });
}
