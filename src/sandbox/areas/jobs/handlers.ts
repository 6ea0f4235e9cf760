/** Jobs of pipelines (section 4.1). */
import { collection } from '../../core/collection.ts';
import { type AreaHandlers, type Context, fileResponse, type Handler, one } from '../../core/context.ts';
import { forbidden, unauthorized } from '../../core/http-error.ts';
import { orNotFound } from '../../core/lookup.ts';
import { byId } from '../../core/pages.ts';
import type { Job, Pipeline, Project, User } from '../../core/rows.ts';
import { artifactsOf, findPipeline, runnerOf } from './events.ts';
import { cancel, cancelable, play, retry } from './progress.ts';

const green = '\u001b[32;1m';
const red = '\u001b[31;1m';
const cyan = '\u001b[36;1m';
const reset = '\u001b[0;m';
const clear = '\r\u001b[0K';

/** Seconds between two lines of the script. */
const pace = 2;
/** Seconds before the script begins. */
const preparation = 3;
/** Lines of a script that runs for longer than all of them take. */
const maxLines = 2_000;

/** Reasons of failures, with the last lines of the log. */
const endings: Readonly<Record<string, string>> = {
  script_failure: 'ERROR: Job failed: exit code 1',
  job_execution_timeout: 'ERROR: Job failed: execution took longer than 1h0m0s seconds',
  stuck_or_timeout_failure: 'ERROR: Job failed: the job was stuck',
  runner_system_failure: 'ERROR: Job failed (system failure): lost the connection to the runner',
};

/** A section with its heading, as runners mark it. */
function section(name: string, from: number, to: number | undefined, lines: readonly string[]): string {
  const [heading = '', ...rest] = lines;
  const start = `section_start:${Math.round(from)}:${name}${clear}${cyan}${heading}${reset}\n`;
  const body = rest.map((line) => `${line}\n`).join('');
  return to === undefined ? start + body : `${start}${body}section_end:${Math.round(to)}:${name}${clear}`;
}

function step(job: Job, number: number): string {
  const subjects = ['parser', 'launch', 'orbit', 'landing', 'telemetry', 'fuel', 'cli'];
  const subject = subjects[(job.id + number * 3) % subjects.length];
  return `ok ${number} - ${subject}: case ${((job.id * 7 + number * 13) % 40) + 1} (${(job.id + number) % 9}0 ms)`;
}

const failure = (job: Job, number: number): string[] => [
  `${red}not ok ${number} - ${job.name}: lands within 3 m of the target${reset}`,
  '  expected: 3',
  '  received: 4.2',
  `  at src/main.ts:${10 + (job.id % 80)}`,
];

/**
 * Return the log of a job.
 * @param now milliseconds since the epoch; the log of a running job has the lines until then
 */
function logOf(job: Job, pipeline: Pipeline | undefined, now: number): string {
  const { started_at, finished_at, erased_at } = job;
  if (typeof started_at !== 'string' || erased_at) return '';
  const start = Date.parse(started_at) / 1000;
  const end = typeof finished_at === 'string' ? Date.parse(finished_at) / 1000 : undefined;
  const seconds = (end ?? now / 1000) - start;
  const { runner, runner_manager: manager } = runnerOf(job);
  const head = [
    `Running with runner ${manager?.version} (${manager?.revision})`,
    `  on ${runner?.description}, system ID: ${manager?.system_id}`,
  ].map((line) => `${line}\n`);
  const executor = section('prepare_executor', start, start + 1, [
    'Preparing the environment',
    'Using the image alpine:3.22',
  ]);
  if (seconds < preparation) return head.join('') + executor;
  const sources = section('get_sources', start + 1, start + preparation, [
    'Getting source from Git repository',
    `Checking out ${pipeline?.sha.slice(0, 8)} as detached HEAD (ref is ${pipeline?.ref})...`,
  ]);
  const count = Math.min(maxLines, Math.floor((seconds - preparation) / pace));
  const variables = (job['variables'] as { key: string }[] | undefined) ?? [];
  const isFailed = job.status === 'failed';
  const lines = [
    'Executing the script of the job',
    ...(variables.length > 0 ? [`Variables of this run: ${variables.map(({ key }) => key).join(', ')}`] : []),
    `$ make ${job.name.split(/[ :]/, 1)[0]} JOB="${job.name}"`,
    ...Array.from({ length: count }, (_, at) => step(job, at + 1)),
    ...(isFailed && job['failure_reason'] === 'script_failure' ? failure(job, count + 1) : []),
  ];
  const script = section('step_script', start + preparation, end, lines);
  const body = [...head, executor, sources, script].join('');
  if (end === undefined) return body;
  if (isFailed) {
    const text = endings[String(job['failure_reason'])] ?? `ERROR: Job failed: ${job['failure_reason']}`;
    return `${body}${red}${text}${reset}\n`;
  }
  return job.status === 'canceled'
    ? `${body}${red}ERROR: Job failed: canceled${reset}\n`
    : `${body}${green}Job succeeded${reset}\n`;
}

function jobView(ctx: Context, job: Job): object {
  const pipelines = ctx.table<Pipeline>('pipelines');
  const pipeline = pipelines.get(job.pipeline_id);
  const downstream = pipelines.get(job.downstream_pipeline_id);
  return {
    ...job,
    ...runnerOf(job),
    ...artifactsOf(job),
    web_url: `/${pathOf(ctx, job)}/-/jobs/${job.id}`,
    commit: pipeline?.commit,
    pipeline: pipeline && pipelineView(ctx, pipeline),
    user: ctx.table<User>('users').get(job.user_id),
    project: { ci_job_token_scope_enabled: false },
    downstream_pipeline: downstream ? pipelineView(ctx, downstream) : null,
  };
}

const pathOf = (ctx: Context, { project_id }: Job | Pipeline): string | undefined =>
  ctx.table<Project>('projects').get(project_id)?.path_with_namespace;

function pipelineView(ctx: Context, row: Pipeline): object {
  return { ...row, web_url: `/${pathOf(ctx, row)}/-/pipelines/${row.id}` };
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

const erase = (ctx: Context, job: Job): Job =>
  ctx.table<Job>('jobs').update(job, {
    erased_at: ctx.time(),
    artifacts_size: null,
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
