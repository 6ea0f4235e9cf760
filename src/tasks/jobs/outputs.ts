/** The outputs of the tasks of `svc jobs`. */
import { jobFields, pipelineCalls } from '../../api/jobs.ts';
import { computedObject, computedRows } from '../../spec/compose.ts';
import { type Endpoint, wholeListOf } from '../../spec/endpoint.ts';
import { bool, choice, int, list, number, object, pick, rows, text, url } from '../../spec/field.ts';

const web_url = url('Web page of the job', { nullable: true });

/** The outcome of `jobs wait`. */
export const summary = computedObject({
  pipeline_id: int('Pipeline id'),
  result: choice(['success', 'failed', 'blocked', 'timed_out'], 'Outcome'),
  jobs: int('Number of jobs'),
  ended: int('Number of jobs that have ended'),
  statuses: object('Number of jobs by status'),
  allowed_failures: int('Number of failed jobs that are allowed to fail'),
  failures: rows('Failed jobs that are not allowed to fail', {
    ...pick(jobFields, 'id', 'name', 'stage', 'status', 'failure_reason'),
    web_url,
  }),
});

export const failedJobs: Endpoint = {
  ...pipelineCalls.jobs,
  noun: 'failed job',
  returns: wholeListOf({
    ...pick(jobFields, 'id'),
    pipeline_id: int('Id of the pipeline or child pipeline'),
    ...pick(jobFields, 'name', 'stage'),
    status: text('Status: failed or canceled'),
    ...pick(jobFields, 'allow_failure', 'failure_reason', 'duration', 'queued_duration'),
    web_url,
    passed_in: text('The last pipelines of the same branch, up to this one, in which it passed: 1005–1010', {
      nullable: true,
    }),
    flaky: bool('It both succeeded and failed at one commit; null if its earlier runs are not known', {
      nullable: true,
    }),
    log: list(text('Line'), 'The last lines of its log'),
  }),
  columns: [
    'id',
    'status',
    { path: 'allow_failure', label: 'ALLOWED' },
    'name',
    // The reason must stay on a narrow terminal.
    { path: 'failure_reason', label: 'REASON', kind: 'name' },
    'duration',
    { path: 'queued_duration', label: 'QUEUED', kind: 'duration' },
    'stage',
    { path: 'web_url', label: 'URL' },
  ],
};

/** The object of `jobs timeline`. Times are in seconds from the creation of the pipeline. */
export const pipelineTimeline = computedObject(
  {
    pipeline: object('Pipeline, as `pipelines get` prints it'),
    duration: number('Seconds from the creation of the pipeline to its end'),
    jobs: rows('Jobs that started, in order of start', {
      ...pick(jobFields, 'id', 'name', 'stage', 'status'),
      start: number('Start'),
      queued: number('Seconds in the queue before the start'),
      duration: number('Seconds from the start to the end'),
      critical: bool('On the critical path'),
      after: list(int('Job id'), 'Jobs that it waited for'),
    }),
  },
  [{ path: 'pipeline.id', label: 'PIPELINE' }, 'pipeline.ref', 'pipeline.status', 'duration'],
);

const duration = { kind: 'duration' } as const;

/** The rows of `jobs timeline --typical`. */
export const jobTimes = computedRows(
  'job',
  {
    name: text('Name of the job'),
    runs: int('Number of runs'),
    median: number('Median duration in seconds'),
    min: number('Shortest duration in seconds'),
    max: number('Longest duration in seconds'),
    critical: int('Pipelines in which the job was on the critical path'),
    shorter: number('Half of the median duration'),
    saves: number('Median of the seconds that a pipeline saves if the job takes half of its median less'),
  },
  {
    ...{ median: duration, min: duration, max: duration },
    shorter: null,
    saves: { ...duration, keep: true },
  },
);

export const flakyJobs = computedRows(
  'flaky job',
  {
    job: text('Name of the job'),
    runs: int('Runs that succeeded or failed'),
    failed: int('Runs that failed'),
    commits: int('Commits with such runs'),
    flaky: int('Commits at which the job both succeeded and failed'),
    rate: number('Flaky commits divided by all commits'),
    minutes_lost: number('Minutes of the failed runs at flaky commits'),
    cause: choice(
      ['script', 'infrastructure'],
      'Cause of most of these failures: script for script_failure and job_execution_timeout',
      { nullable: true },
    ),
  },
  { rate: { kind: 'share', keep: true } },
);

const waits = {
  median: number('Median time in the queue in seconds', { nullable: true }),
  p95: number('95th percentile of the time in the queue in seconds', { nullable: true }),
};

const hourly = { hour: int('Hour'), jobs: int('Jobs that started'), ...waits };

export const jobCapacity = computedRows(
  'runner tag set',
  {
    tags: text('Runner tags, separated by commas'),
    jobs: int('Jobs that started'),
    ...waits,
    most_at_once: int('Most jobs that ran at the same time'),
    needed: int('Runners that keep the 95th percentile within --target'),
    hours: rows('By hour of the start in local time', hourly),
    week: rows('By weekday and hour of the start', { day: text('Weekday, such as Mon'), ...hourly }),
  },
  { median: duration, p95: duration, needed: { keep: true } },
);
