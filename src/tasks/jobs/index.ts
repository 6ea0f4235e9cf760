/** The tasks of `svc jobs`. Their code is loaded when one of them runs. */
import { getLog, pipelineCalls } from '../../api/jobs.ts';
import { project } from '../../api/scopes.ts';
import type { Endpoint } from '../../spec/endpoint.ts';
import { int } from '../../spec/field.ts';
import { type FlagSpecs, intFlag, momentFlag, numberFlag, secondsFlag, textFlag } from '../../spec/flag.ts';
import { sharedByRows, taskCommand } from '../context.ts';
import { waitTimeout } from '../engine/flags.ts';
import { failedJobs, flakyJobs, jobCapacity, pipelineTimeline, summary } from './outputs.ts';

const of = pipelineCalls.jobs.slots;

const waitCommand = taskCommand({
  name: 'wait',
  polls: true,
  args: '<pipeline-id>',
  of,
  summary: 'Wait until every job of a pipeline has ended; exit 9 if one failed',
  doc: 'Includes the jobs of child pipelines; a pipeline of another project counts as its trigger job. Failures of jobs that are allowed to fail do not count, nor do earlier runs of retried jobs. Manual jobs are not waited for. A pipeline without jobs counts as failed. The job that runs the command (CI_JOB_ID) is left out. The service does not document a job token for it: use an access token with the scope read_api.',
  exits: ['unsuccessful'],
  flags: {
    'fail-fast': { doc: 'Stop waiting after the first failed job' },
    'wait-timeout': waitTimeout('Time to wait for the jobs to end'),
    interval: secondsFlag('Longest time between two checks', { default: 10, min: 0.1, max: 9_999 }),
  },
  prints: summary,
  tool: {
    flags: ['fail-fast', 'wait-timeout', 'interval'],
    summary: 'Wait until every job of a pipeline has ended',
    doc: 'Includes the jobs of child pipelines. The result says whether the pipeline succeeded, failed, is blocked by a manual job, or is not finished (timed_out). Failures of jobs that are allowed to fail do not count.',
    wait: 50,
  },
  scopes: [project],
  examples: {
    'Wait for a pipeline': '1005',
    'Stop at the first failure, and print the outcome for a script':
      '1010 --fail-fast --wait-timeout 1800 --fields result -o tsv --no-header',
  },
  run: async (task, options) => (await import('./wait.ts')).waitForPipeline(task, options),
});

const digestCommand = taskCommand({
  name: 'digest',
  args: '<pipeline-id>',
  of,
  summary: 'List the failed jobs of a pipeline, with reason and duration',
  doc: 'Includes the jobs of child pipelines. Failures of jobs that are allowed to fail are listed after the others, and canceled jobs last. Only the latest run of a retried job counts. Says since when each job fails and whether it is flaky, by the last 20 pipelines of the branch, and prints the end of its log. The exit code is 0 even if jobs failed: use `jobs wait` to check.',
  flags: {
    markdown: { doc: 'Print Markdown for a comment on a merge request' },
    lines: intFlag('Last lines of the log of each job', { default: 5, min: 0, max: 1000 }),
  },
  prints: failedJobs,
  tool: {
    flags: [],
    doc: 'Includes the jobs of child pipelines. Failures of jobs that are allowed to fail are listed after the others, and canceled jobs last. Only the latest run of a retried job counts.',
  },
  scopes: [project],
  examples: {
    'Show why a pipeline failed': '1011',
    'Write a comment for a merge request': '1011 --markdown',
    'Print the names of the jobs that failed the pipeline': `1011 --jq '.[] | select(.allow_failure | not) | .name' -r`,
  },
  run: async (task, options) => (await import('./digest.ts')).digestJobs(task, options),
});

const watchCommand = taskCommand({
  name: 'watch',
  polls: true,
  effect: 'read',
  args: '[pipeline-id]',
  of,
  summary: 'Watch the jobs of a pipeline until it ends; exit 9 if one failed',
  doc: 'Without an argument, watches the newest pipeline of the default branch. On a terminal, draws a mark per job in place: arrows select a job, r retries and c cancels it after a question, l shows its log, o opens its page, q leaves. Without a terminal, prints a line per change of a job, and ends when only a manual job can continue. Includes child pipelines.',
  exits: ['unsuccessful'],
  shared: ['output', 'dry-run', 'curl', 'notify'],
  formats: ['text', 'ndjson'],
  scopes: [project],
  notInEach: 'it watches one pipeline on the terminal',
  examples: {
    'Watch a pipeline': '1005',
    'Print each change as an object': '1005 -o ndjson',
  },
  run: async (task) => (await import('./watch.ts')).watchPipeline(task),
});

const timelineCommand = taskCommand({
  name: 'timeline',
  args: '<pipeline-id>',
  of,
  summary: 'Draw when the jobs of a pipeline waited and ran, with the critical path',
  doc: 'Shaded is the time in the queue, solid the time of the run. The API does not list dependencies: a job is taken to wait for the job that ended last before it was created or ready to run. `*` marks the critical path: the job that ended last, the one that it waited for, and so on. The durations on it and the gaps between them add up to the time of the pipeline. Includes earlier runs of retried jobs and the jobs of child pipelines. With `--typical`, the rows have the fields name, runs, median, min, max, critical, shorter and saves.',
  flags: {
    typical: intFlag(
      'Instead: durations per job in the last finished pipelines of the same ref, and the jobs whose shortening saves most',
      { min: 1, max: 1000 },
    ),
    svg: textFlag('Also save the picture in this file', { suggest: 'path', writes: true, besides: true }),
  },
  shared: sharedByRows,
  prints: pipelineTimeline,
  tool: { flags: ['typical'] },
  scopes: [project],
  examples: {
    'Draw a pipeline': '1012',
    'Find the jobs that are worth shortening': '1012 --typical 5',
    'Save a picture for a page': '1012 --svg timeline.svg',
  },
  run: async (task, options) => (await import('./timeline.ts')).showTimeline(task, options),
});

/** Limits of the history that is read. */
const periodFlags = {
  last: intFlag('Read the last n pipelines (default: 50, without --since)', { min: 1, max: 100_000 }),
  since: momentFlag('Read the jobs created from this time on: 7d, 2026-11-01 or a time'),
} as const satisfies FlagSpecs;

const flakyCommand = taskCommand({
  name: 'flaky',
  summary: 'List jobs that fail without a change of the code',
  doc: 'A job is flaky at a commit if it both succeeded and failed there, over all pipelines and retries. Canceled and skipped runs count as none. Jobs with the same name count as one job, also in child pipelines.',
  exits: ['unsuccessful'],
  flags: {
    ...periodFlags,
    ref: textFlag('Only pipelines of this branch or tag'),
    'fail-over': numberFlag('Exit 9 if a job is flaky at more than this percentage of its commits', {
      unit: 'percent',
      min: 0,
      max: 100,
    }),
  },
  prints: flakyJobs,
  tool: { flags: ['last', 'since', 'ref'] },
  scopes: [project],
  examples: {
    'List flaky jobs of the last 50 pipelines': '',
    'List flaky jobs of one branch in the last month': '--ref main --since 30d',
  },
  run: async (task, options) => (await import('./flaky.ts')).listFlakyJobs(task, options),
});

const capacityCommand = taskCommand({
  name: 'capacity',
  summary: 'Show how long jobs wait for runners, and how many runners are enough',
  doc: 'For each set of runner tags: the time in the queue, the most jobs that ran at the same time, and, with --target, how many at once would keep the 95th percentile of the time in the queue within it. Percentiles are nearest ranks. Only jobs of this project are visible.',
  flags: {
    ...periodFlags,
    target: secondsFlag('Longest time in the queue for 95% of the jobs, such as 30s', { min: 0 }),
  },
  prints: jobCapacity,
  tool: { flags: ['last', 'since', 'target'] },
  scopes: [project],
  examples: {
    'Show the waiting times of the last 50 pipelines': '',
    'Count the runners that are enough': '--since 7d --target 30s',
  },
  run: async (task, options) => (await import('./capacity.ts')).describeCapacity(task, options),
});

const logCommand = taskCommand({
  name: 'log',
  args: '<job-id>',
  of: { job_id: int('Job id from `jobs list`', { suggest: 'jobs/list/id' }) },
  summary: 'Print the log of a job',
  doc: 'Prints the log unchanged. On a terminal, colors are kept, other control sequences are removed, and sections show their names. With --follow, prints what the service adds until the job has ended; exit code 9 if it failed or was canceled, unless it is allowed to fail. Undocumented endpoint: the request is modeled on similar services.',
  exits: ['unsuccessful'],
  flags: {
    follow: { short: 'f', doc: 'Print the log as it grows, until the job has ended' },
    tail: intFlag('Number of lines at the end of the log to begin with', { min: 0, max: 1_000_000 }),
    timestamps: { doc: 'Print before each line the time that the log states, of the line or of its section' },
  },
  shared: ['output', 'json', 'output-file', 'force', 'dry-run', 'curl'],
  prints: getLog,
  tool: {
    flags: ['tail'],
    doc: 'Without control sequences. Undocumented endpoint: the request is modeled on similar services.',
  },
  scopes: [project],
  examples: {
    'Show the end of a log': '5268 --tail 5',
    'Follow the log of a running job': '5245 --follow',
  },
  run: async (task, options) => (await import('./log.ts')).printLog(task, options),
});

/** The log is a task. */
export const present = (one: Endpoint): readonly Endpoint[] => (one === getLog ? [] : [one]);

export const commands = [
  waitCommand,
  watchCommand,
  digestCommand,
  timelineCommand,
  flakyCommand,
  capacityCommand,
  logCommand,
];
