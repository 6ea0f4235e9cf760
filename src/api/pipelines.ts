import { area, inArea } from '../spec/compose.ts';
import { listOf, one } from '../spec/endpoint.ts';
import { bool, choice, datetime, int, number, object, text, url } from '../spec/field.ts';
import { person, pipelineId, runVariables } from './parts.ts';
import { project } from './scopes.ts';

const statuses = [
  'created',
  'waiting_for_resource',
  'preparing',
  'pending',
  'running',
  'success',
  'failed',
  'canceled',
  'skipped',
  'manual',
  'scheduled',
] as const;

const listed = {
  id: int('Pipeline id'),
  iid: int('Number of the pipeline in its project'),
  project_id: int('Project id'),
  sha: text('Commit SHA'),
  ref: text('Branch or tag'),
  status: choice(statuses, 'Status'),
  source: text('Cause of the pipeline: push, web, api, schedule, parent_pipeline'),
  created_at: datetime('Creation time'),
  updated_at: datetime('Time of the last change'),
  web_url: url('Web page of the pipeline'),
  name: text('Name', { nullable: true }),
};

export const pipelineFields = {
  ...listed,
  before_sha: text('Commit SHA before the push'),
  tag: bool('Runs for a tag, not for a branch'),
  yaml_errors: text('Errors of the pipeline configuration', { nullable: true }),
  user: object('User who started the pipeline', person),
  started_at: datetime('Start time', { nullable: true }),
  finished_at: datetime('End time', { nullable: true }),
  committed_at: datetime('Time of the commit', { nullable: true }),
  duration: number('Duration in seconds', { nullable: true }),
  queued_duration: number('Time in the queue, in seconds', { nullable: true }),
  coverage: text('Test coverage in percent', { nullable: true }),
};

const details = [
  ...(['id', 'status', 'ref', 'sha', 'source', 'user.username', 'created_at', 'started_at'] as const),
  ...(['finished_at', 'duration', 'queued_duration', 'coverage', 'yaml_errors', 'web_url'] as const),
] as const;

const endpoint = inArea('pipelines', {
  noun: 'pipeline',
  scope: project,
  slots: { pipeline_id: pipelineId },
  fields: pipelineFields,
  columns: ['id', 'status', 'ref', 'source', { path: 'sha', label: 'COMMIT' }, 'created_at', 'web_url'],
  details,
  sample: '1012',
});

const unspecified = true;

export const listPipelines = endpoint('GET pipelines', {
  unspecified,
  summary: 'List pipelines of a project, newest first',
  takes: {
    scope: choice(['running', 'pending', 'finished', 'branches', 'tags'], 'Only pipelines of this kind'),
    status: choice(statuses, 'Only pipelines with this status'),
    source: text('Only pipelines with this cause, such as push or schedule'),
    ref: text('Only pipelines of this branch or tag', { suggest: 'branches/list/name' }),
    sha: text('Only pipelines of this commit'),
    username: text('Only pipelines that this user started', { suggest: 'users/list/username' }),
    updated_after: datetime('Only pipelines that changed after this time'),
    updated_before: datetime('Only pipelines that changed before this time'),
    order_by: choice(['id', 'status', 'ref', 'updated_at', 'user_id'], 'Sort field', { default: 'id' }),
    sort: choice(['asc', 'desc'], 'Sort direction', { default: 'desc' }),
  },
  returns: listOf(listed),
  period: { after: 'updated_after', before: 'updated_before' },
  columns: ['id', 'status', 'ref', 'source', { path: 'sha', label: 'COMMIT' }, 'created_at', 'updated_at'],
  examples: {
    'List failed pipelines of the default branch': '--status failed --ref main',
    'Print the id of the newest pipeline for a script': '--limit 1 --fields id -o tsv --no-header',
  },
});

export const latestPipeline = endpoint('GET pipelines/latest', {
  unspecified,
  command: 'latest',
  summary: 'Show the newest pipeline of a branch or tag',
  takes: {
    ref: text('Branch or tag; by default the default branch', { suggest: 'branches/list/name' }),
  },
  returns: one(pipelineFields),
  examples: { 'Show the newest pipeline of the default branch': '' },
  nextSteps: {
    403: 'the newest commit of the branch may have no pipeline: svc pipelines list --ref <branch>',
    404: 'the project or the branch may have no pipeline',
  },
});

export const getPipeline = endpoint('GET pipelines/:pipeline_id', { unspecified });

export default area([
  listPipelines,
  getPipeline,
  latestPipeline,
  endpoint('POST pipeline', {
    unspecified,
    command: 'run <ref>',
    summary: 'Start a pipeline for a branch or tag',
    takes: {
      ref: text('Branch or tag', { required: true, suggest: 'branches/list/name' }),
      variables: runVariables('Variables of the pipeline'),
    },
    done: 'Started pipeline {id} for {ref}',
    examples: { 'Start a pipeline with a variable': 'main --variable key=DEPLOY,value=yes' },
  }),
  endpoint('POST pipelines/:pipeline_id/retry', {
    unspecified,
    summary: 'Retry the failed and canceled jobs of a pipeline',
    done: 'Retried pipeline {id}',
    examples: { 'Retry failed jobs': '1011' },
  }),
  endpoint('POST pipelines/:pipeline_id/cancel', {
    unspecified,
    summary: 'Cancel the jobs of a pipeline that have not ended',
    done: 'Canceled pipeline {id}',
  }),
  endpoint('DELETE pipelines/:pipeline_id', {
    unspecified,
    lossWarning: 'Its jobs, logs and artifacts are deleted too',
    access: { role: 'owner' },
  }),
]);
