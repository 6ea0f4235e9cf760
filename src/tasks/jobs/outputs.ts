/** What the tasks of `svc jobs` print. */
import { jobFields, pipelineCalls } from '../../api/jobs.ts';
import { type Endpoint, one, wholeListOf } from '../../spec/endpoint.ts';
import { choice, int, object, pick, rows, text, url } from '../../spec/field.ts';

const web_url = url('Web page of the job', { nullable: true });

/** The outcome of `jobs wait`. */
export const summary: Endpoint = {
  ...pipelineCalls.jobs,
  returns: one({
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
  }),
  columns: [],
};

/** The rows of `jobs digest`. */
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
