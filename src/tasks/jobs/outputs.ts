/** What the tasks of `svc jobs` print. */
import { pipelineCalls } from '../../api/jobs.ts';
import { type Endpoint, one, wholeListOf } from '../../spec/endpoint.ts';
import { bool, choice, int, number, object, rows, text, url } from '../../spec/field.ts';

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
      id: int('Job id'),
      name: text('Name'),
      stage: text('Stage'),
      status: text('Status'),
      failure_reason: text('Reason for the failure', { nullable: true }),
      web_url: url('Web page of the job', { nullable: true }),
    }),
  }),
  columns: [],
};

/** The rows of `jobs digest`. */
export const failedJobs: Endpoint = {
  ...pipelineCalls.jobs,
  noun: 'failed job',
  returns: wholeListOf({
    id: int('Job id'),
    pipeline_id: int('Id of the pipeline or child pipeline'),
    name: text('Name'),
    stage: text('Stage'),
    status: text('Status: failed or canceled'),
    allow_failure: bool('Allowed to fail without failing the pipeline'),
    failure_reason: text('Reason for the failure', { nullable: true }),
    duration: number('Duration in seconds', { nullable: true }),
    queued_duration: number('Time in the queue, in seconds', { nullable: true }),
    web_url: url('Web page of the job', { nullable: true }),
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
