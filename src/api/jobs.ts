import { area, inArea, paging } from '../spec/compose.ts';
import { listOf, one, raw } from '../spec/endpoint.ts';
import {
  bool,
  choice,
  datetime,
  int,
  list,
  number,
  object,
  pick,
  rows,
  secret,
  text,
  url,
} from '../spec/field.ts';
import { commit, person, pipelineId, profile, runVariables } from './parts.ts';
import { project } from './scopes.ts';

const statuses = [
  'created',
  'pending',
  'running',
  'failed',
  'success',
  'canceled',
  'skipped',
  'waiting_for_resource',
  'manual',
] as const;

const pipeline = {
  id: int('Pipeline id'),
  project_id: int('Project id'),
  ref: text('Branch or tag'),
  sha: text('Commit SHA'),
  status: text('Status of the pipeline'),
};

const common = {
  id: int('Job id'),
  name: text('Name in the pipeline configuration'),
  stage: text('Stage'),
  status: choice(statuses, 'Status'),
  ref: text('Branch or tag'),
  failure_reason: text('Reason for the failure', { nullable: true }),
  tag: bool('Runs for a tag, not for a branch'),
  web_url: url('Web page of the job'),
  coverage: number('Test coverage in percent', { nullable: true }),
  archived: bool('Archived; cannot be retried'),
  allow_failure: bool('Allowed to fail without failing the pipeline'),
  created_at: datetime('Creation time'),
  started_at: datetime('Start time', { nullable: true }),
  finished_at: datetime('End time', { nullable: true }),
  erased_at: datetime('Time when the log was erased', { nullable: true }),
  duration: number('Duration in seconds', { nullable: true }),
  queued_duration: number('Time in the queue, in seconds', { nullable: true }),
  commit: object(
    'Commit of the pipeline',
    pick(commit, 'id', 'short_id', 'title', 'message', 'author_name', 'author_email', 'created_at'),
  ),
  user: object('User who started the job', {
    ...pick(person, 'id', 'name', 'username', 'state', 'avatar_url', 'web_url'),
    ...profile,
  }),
  project: object('Project settings that affect the job', {
    ci_job_token_scope_enabled: bool('Job token limited to allowed projects'),
  }),
};

export const jobFields = {
  ...common,
  artifacts_expire_at: datetime('Expiry time of the artifacts', { nullable: true }),
  tag_list: list(text('Runner tag'), 'Runner tags that the job requires'),
  pipeline: object('Pipeline of the job', pipeline),
  runner: object(
    'Runner that ran the job',
    {
      id: int('Runner id'),
      description: text('Description'),
      ip_address: text('Address', { nullable: true }),
      active: bool('Active'),
      paused: bool('Paused'),
      is_shared: bool('Available to all projects of the instance'),
      runner_type: text('Type of the runner'),
      name: text('Name', { nullable: true }),
      online: bool('Online'),
      status: text('Status'),
    },
    { nullable: true },
  ),
  runner_manager: object(
    'Machine that hosts the runner',
    {
      id: int('Runner manager id'),
      system_id: text('System id'),
      version: text('Version'),
      revision: text('Revision'),
      platform: text('Operating system'),
      architecture: text('Processor architecture'),
      created_at: datetime('Time of the first contact'),
      contacted_at: datetime('Time of the latest contact'),
      ip_address: text('IP address'),
      status: text('Status'),
    },
    { nullable: true },
  ),
  artifacts: rows('Artifacts of the job', {
    file_type: text('Type of the file: archive, metadata, trace or junit'),
    size: int('Size in bytes'),
    filename: text('File name'),
    file_format: text('Format of the file: zip, gzip or raw', { nullable: true }),
  }),
  artifacts_file: object('Archive of the artifacts, if it exists', {
    filename: text('File name'),
    size: int('Size in bytes'),
  }),
};

const linkedPipeline = {
  ...pipeline,
  created_at: datetime('Creation time'),
  updated_at: datetime('Time of the last change'),
  web_url: url('Web page of the pipeline'),
};

const bridge = {
  ...common,
  pipeline: object('Pipeline of the job', linkedPipeline),
  downstream_pipeline: object(
    'Pipeline that the job started',
    pick(linkedPipeline, 'id', 'sha', 'ref', 'status', 'created_at', 'updated_at', 'web_url'),
    {
      nullable: true,
    },
  ),
};

const scope = list(choice(statuses, 'Status', { placeholder: 'status' }), 'Only jobs with this status');
const endpoint = inArea('jobs', {
  noun: 'job',
  scope: project,
  fields: jobFields,
  columns: [
    'id',
    'status',
    'name',
    'stage',
    // A text, so that a narrow terminal shows the name instead.
    { path: 'pipeline.id', label: 'PIPELINE', kind: 'text' },
    'ref',
    'duration',
    'finished_at',
  ],
  details: [
    ...(['id', 'status', 'name', 'stage', 'failure_reason', 'allow_failure', 'ref', 'pipeline.id'] as const),
    ...(['user.username', 'created_at', 'started_at', 'finished_at', 'duration', 'queued_duration'] as const),
    ...(['coverage', 'tag_list', 'runner.description', 'web_url'] as const),
  ],
  sample: '5268',
  slots: { pipeline_id: pipelineId },
});

const listPipelineJobs = endpoint('GET pipelines/:pipeline_id/jobs', {
  command: 'for-pipeline',
  summary: 'List jobs of a pipeline and its child pipelines',
  doc: 'Only the latest run of a retried job is listed, unless --include-retried is given.',
  takes: {
    include_retried: bool('Include earlier runs of retried jobs', { default: false }),
    scope,
  },
  returns: listOf(jobFields),
  examples: { 'Print all runs as JSON, including retries': '1012 --include-retried --json' },
});

const listBridges = endpoint('GET pipelines/:pipeline_id/bridges', {
  summary: 'List trigger jobs of a pipeline and their downstream pipelines',
  takes: { scope },
  noun: 'trigger job',
  returns: listOf(bridge),
  columns: [
    'id',
    'status',
    'name',
    'stage',
    { path: 'downstream_pipeline.id', label: 'DOWNSTREAM' },
    { path: 'downstream_pipeline.status', label: 'RESULT' },
  ],
  examples: { 'List only failed trigger jobs': '1011 --scope failed' },
});

export const pipelineCalls = { jobs: listPipelineJobs, bridges: listBridges };

/** Calls about the job of the job token. */
const ofToken = inArea('jobs', { noun: 'job', access: { jobToken: 'only' } });
const requiresJobToken = 'Requires a job token: SVC_JOB_TOKEN, or CI_JOB_TOKEN inside a pipeline.';

/** Calls that similar services have. */
const unspecified = true;
/** The service rejects a job in another state like a token without the right. */
const nextSteps = { 403: 'the job may be in a state that does not allow this: svc jobs get <job-id>' };

export const getJob = endpoint('GET jobs/:job_id', {
  unspecified,
  examples: {
    'Show why a job failed': '5268',
    'Print the status for a script': '5268 --fields status -o tsv --no-header',
  },
});

export const getLog = endpoint('GET jobs/:job_id/trace', {
  unspecified,
  command: 'log',
  summary: 'Print the log of a job',
  returns: raw('text/plain'),
  examples: { 'Save the log of a job': '5268 --output-file job.log' },
});

export const retryJob = endpoint('POST jobs/:job_id/retry', {
  unspecified,
  nextSteps,
  offers: { scope: ['failed', 'canceled'] },
  summary: 'Retry a job',
  doc: 'A new job takes its place. A job that succeeded can be retried too.',
  done: 'Retried job as {id} ({name})',
  examples: { 'Retry a failed job': '5268' },
});

export const cancelJob = endpoint('POST jobs/:job_id/cancel', {
  unspecified,
  nextSteps,
  offers: { scope: ['running', 'pending', 'waiting_for_resource', 'created'] },
  summary: 'Cancel a job that has not ended',
  done: 'Canceled job {id} ({name})',
  examples: { 'Cancel a job': '5280' },
});

const actions = [
  getJob,
  getLog,
  retryJob,
  cancelJob,
  endpoint('POST jobs/:job_id/play', {
    unspecified,
    nextSteps,
    offers: { scope: ['manual'] },
    summary: 'Start a manual job',
    takes: { job_variables_attributes: runVariables('Variables of the job') },
    flags: { variable: { sets: ['job_variables_attributes'], doc: 'Variable of the job' } },
    done: 'Started job {id} ({name})',
    examples: { 'Start a job with a variable': '5262 --variable key=REGION,value=eu' },
  }),
  endpoint('POST jobs/:job_id/erase', {
    unspecified,
    nextSteps,
    confirm: 'yes',
    summary: 'Delete the log and the artifacts of a job',
    lossWarning: 'The log and the artifacts cannot be restored',
    done: 'Erased job {id} ({name})',
    examples: { 'Delete the log and the artifacts': '5268 --yes' },
  }),
  endpoint('GET jobs/:job_id/artifacts', {
    unspecified,
    summary: 'Download the artifacts of a job',
    access: { jobToken: 'also' },
    returns: raw('application/zip'),
    examples: { 'Save the archive': '5245 --output-file artifacts.zip' },
  }),
  endpoint('GET jobs/:job_id/artifacts/:path', {
    unspecified,
    command: 'artifact',
    summary: 'Download one file of the artifacts of a job',
    slots: { path: text('Path of the file in the archive', { segments: true }) },
    access: { jobToken: 'also' },
    returns: raw(),
    examples: { 'Print a file': '5245 report/summary.txt' },
  }),
];

export const listJobs = endpoint('GET jobs', {
  summary: 'List jobs of a project, newest first',
  takes: {
    scope,
    ...paging,
    pagination: choice(
      ['keyset'],
      'Pagination method; several pages are read with keyset if the order allows it',
    ),
    order_by: choice(['id'], 'Sort field for keyset pagination'),
    sort: choice(['desc'], 'Sort direction for keyset pagination'),
  },
  keyset: { order_by: ['id'], sort: ['desc'] },
  period: { attributes: ['created_at'] },
  examples: {
    'List all failed jobs': '--scope failed --all',
    'List the jobs of the last two days': '--since 2d',
    'Print ids and names for a script': '--limit 50 --fields id,name -o tsv --no-header',
  },
});

export default area([
  listJobs,
  listPipelineJobs,
  listBridges,
  ofToken('GET job', {
    command: 'current',
    summary: 'Show the job that the job token belongs to',
    doc: requiresJobToken,
    takes: {
      job_token: secret('Job token, read from the settings and sent as a header', { in: 'credential' }),
    },
    returns: one(jobFields),
    columns: ['id', 'status', 'name', 'stage', 'ref', 'pipeline.id', 'user.username', 'started_at'],
    examples: {
      'Print only the pipeline id for a script': '--auth job --fields pipeline.id -o tsv --no-header',
    },
  }),
  ofToken('GET job/allowed_agents', {
    command: 'allowed-agents',
    summary: 'Show the job of the job token and the agents that the job can use',
    doc: requiresJobToken,
    takes: {
      CI_JOB_TOKEN: secret('Job token, read from the settings and sent as a header', {
        in: 'credential',
        required: true,
      }),
      job_token: secret('Alternative name of CI_JOB_TOKEN', { in: 'credential' }),
    },
    returns: one({
      allowed_agents: rows('Agents that the job can use', {
        id: int('Agent id'),
        config_project: object('Project that configures the agent', { id: int('Project id') }),
      }),
      job: object('Job that the job token belongs to', { id: int('Job id') }),
      pipeline: object('Pipeline of the job', { id: int('Pipeline id') }),
      project: object('Project of the job', { id: int('Project id') }),
      user: object('User who started the job', { id: int('User id'), username: text('Username') }),
    }),
    columns: ['job.id', 'pipeline.id', 'project.id', 'user.username', 'allowed_agents'],
    examples: { 'List the agents that the current job can use': '--auth job' },
  }),
  ...actions,
]);
