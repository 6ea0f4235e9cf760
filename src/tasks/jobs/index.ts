/** The tasks of `svc jobs`. Their code is loaded when one of them runs. */
import { pipelineCalls } from '../../api/jobs.ts';
import { project } from '../../api/scopes.ts';
import { taskCommand } from '../context.ts';
import { failedJobs, pipelineTimeline, summary } from './outputs.ts';

const of = pipelineCalls.jobs.slots;

const waitCommand = taskCommand({
  name: 'wait',
  effect: 'read',
  args: '<pipeline-id>',
  of,
  summary: 'Wait until every job of a pipeline has ended; exit 9 if one failed',
  doc: 'Includes the jobs of child pipelines; a pipeline of another project counts as its trigger job. Failures of jobs that are allowed to fail do not count, nor do earlier runs of retried jobs. Manual jobs are not waited for. The job that runs the command (CI_JOB_ID) is left out. The service documents a job token for `jobs current` and `jobs allowed-agents` only: use an access token with the scope read_api.',
  exits: ['unsuccessful'],
  flags: {
    'fail-fast': { doc: 'Stop waiting after the first failed job' },
    'wait-timeout': {
      kind: 'number',
      unit: 'seconds',
      min: 0,
      max: 9_999_999,
      doc: 'Time to wait for the jobs to end (default: 3600)',
    },
    interval: {
      kind: 'number',
      unit: 'seconds',
      min: 0.1,
      max: 9_999,
      doc: 'Longest time between two checks (default: 10)',
    },
  },
  shared: ['output', 'json', 'csv', 'fields', 'jq', 'raw-strings', 'no-header', 'dry-run', 'curl'],
  prints: summary,
  tool: {
    flags: ['fail-fast', 'wait-timeout', 'interval'],
    summary: 'Wait until every job of a pipeline has ended',
    doc: 'Includes the jobs of child pipelines. The result says whether the pipeline succeeded, failed, is blocked by a manual job, or is not finished (timed_out). Failures of jobs that are allowed to fail do not count.',
    wait: 50,
  },
  scopes: [project],
  examples: [
    { does: 'Wait for a pipeline', run: 'jobs wait 1005 --project acme/rocket' },
    {
      does: 'Stop at the first failure, and print the outcome for a script',
      run: 'jobs wait 1010 --fail-fast --wait-timeout 1800 --fields result -o tsv --no-header --project acme/rocket',
    },
  ],
  run: async (task, options) => (await import('./wait.ts')).waitForPipeline(task, options),
});

const digestCommand = taskCommand({
  name: 'digest',
  effect: 'read',
  args: '<pipeline-id>',
  of,
  summary: 'List the failed jobs of a pipeline, with reason and duration',
  doc: 'Includes the jobs of child pipelines. Failures of jobs that are allowed to fail are listed last. Only the latest run of a retried job counts. The exit code is 0 even if jobs failed: use `jobs wait` to check.',
  flags: {
    markdown: { doc: 'Print Markdown for a comment on a merge request' },
  },
  shared: [
    ...['output', 'json', 'csv', 'fields', 'jq', 'raw-strings', 'sort-by', 'no-header', 'csv-safe', 'wrap'],
    ...['all-fields', 'dry-run', 'curl'],
  ],
  prints: failedJobs,
  tool: {
    flags: [],
    doc: 'Includes the jobs of child pipelines. Failures of jobs that are allowed to fail are listed last. Only the latest run of a retried job counts.',
  },
  scopes: [project],
  examples: [
    { does: 'Show why a pipeline failed', run: 'jobs digest 1011 --project acme/rocket' },
    {
      does: 'Write a comment for a merge request',
      run: 'jobs digest 1011 --markdown --project acme/rocket',
    },
    {
      does: 'Print the names of the jobs that failed the pipeline',
      run: `jobs digest 1011 --jq '.[] | select(.allow_failure | not) | .name' -r --project acme/rocket`,
    },
  ],
  run: async (task, options) => (await import('./digest.ts')).digestJobs(task, options),
});

const timelineCommand = taskCommand({
  name: 'timeline',
  effect: 'read',
  args: '<pipeline-id>',
  of,
  summary: 'Draw when the jobs of a pipeline waited and ran, with the critical path',
  doc: 'Shaded is the time in the queue, solid the time of the run. The API does not list dependencies: a job is taken to wait for the job that ended last before it was created or ready to run. `*` marks the critical path: the job that ended last, the one that it waited for, and so on. The durations on it and the gaps between them add up to the time of the pipeline. Includes earlier runs of retried jobs and the jobs of child pipelines.',
  flags: {
    typical: {
      kind: 'int',
      min: 1,
      max: 1000,
      doc: 'Instead: durations per job in the last finished pipelines of the same ref, and the jobs whose shortening saves most',
    },
    svg: { kind: 'text', placeholder: 'file', doc: 'Also save the picture as a file for pages' },
  },
  shared: ['output', 'json', 'csv', 'fields', 'jq', 'raw-strings', 'sort-by', 'no-header', 'dry-run', 'curl'],
  prints: pipelineTimeline,
  tool: { flags: ['typical'] },
  scopes: [project],
  examples: [
    { does: 'Draw a pipeline', run: 'jobs timeline 1012 --project acme/rocket' },
    {
      does: 'Find the jobs that are worth shortening',
      run: 'jobs timeline 1012 --typical 5 --project acme/rocket',
    },
    { does: 'Save a picture for a page', run: 'jobs timeline 1012 --svg timeline.svg --project acme/rocket' },
  ],
  run: async (task, options) => (await import('./timeline.ts')).showTimeline(task, options),
});

export const commands = [waitCommand, digestCommand, timelineCommand];
