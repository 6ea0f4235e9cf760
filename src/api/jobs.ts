import { area, paging, under } from '../spec/compose.ts';
import { endpoint, listOf, one } from '../spec/endpoint.ts';
import { bool, choice, datetime, int, list, number, object, rows, secret, text, url } from '../spec/field.ts';
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

const commit = object('Commit that it ran for', {
  id: text('Commit SHA'),
  short_id: text('Short commit SHA'),
  title: text('First line of the commit message'),
  message: text('Commit message'),
  author_name: text('Author'),
  author_email: text('Address of the author'),
  created_at: datetime('When it was committed'),
});

const pipeline = {
  id: int('Pipeline id'),
  project_id: int('Project id'),
  ref: text('Branch or tag'),
  sha: text('Commit SHA'),
  status: text('Status of the pipeline'),
};

const common = {
  id: int('Job id'),
  name: text('Name, as in the pipeline configuration'),
  stage: text('Stage'),
  status: choice(statuses, 'Status'),
  ref: text('Branch or tag'),
  failure_reason: text('Why it failed', { nullable: true }),
  tag: bool('Ran for a tag'),
  web_url: url('Page of the job'),
  coverage: number('Test coverage in percent', { nullable: true }),
  archived: bool('Archived: can no longer be run again'),
  allow_failure: bool('May fail without failing the pipeline'),
  created_at: datetime('When it was created'),
  started_at: datetime('When it started', { nullable: true }),
  finished_at: datetime('When it ended', { nullable: true }),
  erased_at: datetime('When its log was erased', { nullable: true }),
  duration: number('Seconds it ran', { nullable: true }),
  queued_duration: number('Seconds it waited for a runner', { nullable: true }),
  commit,
  user: object('Who started it', {
    id: int('User id'),
    name: text('Name'),
    username: text('User name'),
    state: text('State of the account'),
    avatar_url: url('Picture', { nullable: true }),
    web_url: url('Profile page'),
    created_at: datetime('When the account was created'),
    bio: text('About the user', { nullable: true }),
    location: text('Place', { nullable: true }),
    public_email: text('Public address'),
    social_1: text('First social account'),
    social_2: text('Second social account'),
    social_3: text('Third social account'),
    website_url: url('Web site'),
    organization: text('Organization'),
  }),
  project: object('Settings of the project that bear on the job', {
    ci_job_token_scope_enabled: bool('The job token reaches listed projects only'),
  }),
};

const job = {
  ...common,
  artifacts_expire_at: datetime('When its artifacts are removed', { nullable: true }),
  tag_list: list(text('Runner tag'), 'Runner tags that it asks for'),
  pipeline: object('Pipeline that it belongs to', pipeline),
  runner: object(
    'Runner that took it',
    {
      id: int('Runner id'),
      description: text('Description'),
      ip_address: text('Address', { nullable: true }),
      active: bool('Active'),
      paused: bool('Takes no jobs'),
      is_shared: bool('Shared by the instance'),
      runner_type: text('Kind of runner'),
      name: text('Name', { nullable: true }),
      online: bool('Online'),
      status: text('Status'),
    },
    { nullable: true },
  ),
  runner_manager: object(
    'Machine behind the runner',
    {
      id: int('Runner manager id'),
      system_id: text('System id'),
      version: text('Version'),
      revision: text('Revision'),
      platform: text('Operating system'),
      architecture: text('Processor'),
      created_at: datetime('When it was first seen'),
      contacted_at: datetime('When it was last seen'),
      ip_address: text('Address'),
      status: text('Status'),
    },
    { nullable: true },
  ),
  artifacts: rows('Files that the job left', {
    file_type: text('archive, metadata, trace or junit'),
    size: int('Bytes'),
    filename: text('File name'),
    file_format: text('zip, gzip or raw', { nullable: true }),
  }),
  artifacts_file: object('Archive of the artifacts, where there is one', {
    filename: text('File name'),
    size: int('Bytes'),
  }),
};

const bridge = {
  ...common,
  pipeline: object('Pipeline that it belongs to', {
    ...pipeline,
    created_at: datetime('When it was created'),
    updated_at: datetime('When it last changed'),
    web_url: url('Page of the pipeline'),
  }),
  downstream_pipeline: object(
    'Pipeline that it started',
    {
      id: int('Pipeline id'),
      sha: text('Commit SHA'),
      ref: text('Branch or tag'),
      status: text('Status'),
      created_at: datetime('When it was created'),
      updated_at: datetime('When it last changed'),
      web_url: url('Page of the pipeline'),
    },
    { nullable: true },
  ),
};

const scope = list(choice(statuses, 'Status'), 'Only jobs with this status');
const ofPipeline = { pipeline_id: int('Pipeline id') };
const columns = ['id', 'status', 'name', 'stage', 'ref', 'duration', 'finished_at'] as const;

export default area([
  ...under(project, [
    endpoint('GET jobs', {
      section: '4.1',
      command: 'list',
      summary: 'List jobs of a project, newest first',
      takes: {
        scope,
        ...paging,
        pagination: choice(
          ['keyset'],
          'Pagination method; --all and --limit use keyset where the order allows it',
        ),
        order_by: choice(['id'], 'Order with keyset pagination'),
        sort: choice(['desc'], 'Direction with keyset pagination'),
      },
      returns: listOf(job),
      columns,
      keyset: { order_by: ['id'], sort: ['desc'] },
      examples: [
        { does: 'The latest twenty jobs', run: 'jobs list --project acme/rocket' },
        {
          does: 'What failed, whatever the age',
          run: 'jobs list --project acme/rocket --scope failed --all',
        },
        {
          does: 'Ids and names for a script',
          run: 'jobs list --project acme/rocket --limit 50 --fields id,name -o tsv --no-header',
        },
      ],
    }),
    endpoint('GET pipelines/:pipeline_id/jobs', {
      section: '4.1',
      command: 'for-pipeline <pipeline-id>',
      summary: 'List jobs of one pipeline, with its child pipelines',
      doc: 'A job that was retried is shown once, in its latest run, unless --include-retried is given.',
      slots: ofPipeline,
      takes: { include_retried: bool('Show the earlier runs too', { default: false }), scope, ...paging },
      returns: listOf(job),
      columns,
      examples: [
        { does: 'Jobs of a pipeline', run: 'jobs for-pipeline 1012 --project acme/rocket' },
        {
          does: 'With every retry, as JSON',
          run: 'jobs for-pipeline 1012 --project acme/rocket --include-retried --json',
        },
      ],
    }),
    endpoint('GET pipelines/:pipeline_id/bridges', {
      section: '4.1',
      command: 'bridges <pipeline-id>',
      summary: 'List trigger jobs of a pipeline and what they started',
      slots: ofPipeline,
      takes: { scope, ...paging },
      returns: listOf(bridge),
      columns: ['id', 'status', 'name', 'stage', 'downstream_pipeline.id', 'downstream_pipeline.status'],
      examples: [
        { does: 'Trigger jobs of a pipeline', run: 'jobs bridges 1012 --project acme/rocket' },
        {
          does: 'Only those that failed',
          run: 'jobs bridges 1011 --project acme/rocket --scope failed',
        },
      ],
    }),
  ]),
  endpoint('GET job', {
    section: '4.1',
    command: 'current',
    summary: 'Show the job that the job token belongs to',
    doc: 'Only a job token answers this: SVC_JOB_TOKEN, or CI_JOB_TOKEN inside a pipeline.',
    takes: {
      job_token: secret('Job token; taken from the settings and sent as a header', { in: 'credential' }),
    },
    returns: one(job),
    columns: ['id', 'status', 'name', 'stage', 'ref', 'pipeline.id', 'user.username', 'started_at'],
    access: { jobToken: 'only' },
    examples: [
      { does: 'The job that this step runs in', run: 'jobs current --auth job' },
      {
        does: 'Its pipeline, for a script',
        run: 'jobs current --auth job --fields pipeline.id -o tsv --no-header',
      },
    ],
  }),
  endpoint('GET job/allowed_agents', {
    section: '4.1',
    command: 'allowed-agents',
    summary: 'Show the job of the token and the agents that it may use',
    doc: 'Only a job token answers this: SVC_JOB_TOKEN, or CI_JOB_TOKEN inside a pipeline.',
    takes: {
      CI_JOB_TOKEN: secret('Job token; taken from the settings and sent as a header', {
        in: 'credential',
        required: true,
      }),
      job_token: secret('The same, as servers also call it', { in: 'credential' }),
    },
    returns: one({
      allowed_agents: rows('Agents that the job may use', {
        id: int('Agent id'),
        config_project: object('Project that configures the agent', { id: int('Project id') }),
      }),
      job: object('Job of the token', { id: int('Job id') }),
      pipeline: object('Its pipeline', { id: int('Pipeline id') }),
      project: object('Its project', { id: int('Project id') }),
      user: object('Its user', { id: int('User id'), username: text('User name') }),
    }),
    columns: ['job.id', 'pipeline.id', 'project.id', 'user.username', 'allowed_agents'],
    access: { jobToken: 'only' },
    examples: [
      { does: 'Agents that this step may use', run: 'jobs allowed-agents --auth job' },
      { does: 'The same, as JSON', run: 'jobs allowed-agents --auth job --json' },
    ],
  }),
]);
