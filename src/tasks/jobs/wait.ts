/** `jobs wait`: wait until every job of a pipeline and of its child pipelines has ended. */
import { counted } from '../../spec/names.ts';
import { type Note, objectResult } from '../../spec/result.ts';
import { part } from '../../support/record.ts';
import type { TaskWith } from '../context.ts';
import { fetchUntilEnd, timeoutOf } from '../engine/wait.ts';
import {
  countText,
  failureOf,
  failuresIn,
  hasEnded,
  hasFailed,
  idFrom,
  isRunning,
  openPipeline,
  type PipelineJob,
} from './pipeline.ts';

const defaultSeconds = 3600;

type Outcome = 'success' | 'failed' | 'blocked' | 'timed_out';

/** Whether the jobs that remain were not started and a manual job of their pipeline, which must succeed, was not either. */
export function isBlocked(jobs: readonly PipelineJob[]): boolean {
  const remaining = jobs.filter((job) => !hasEnded(job));
  const blocking = new Set(
    jobs.flatMap((job) => (job.status === 'manual' && !job.allow_failure ? [job.pipeline_id] : [])),
  );
  const isBlockedTrigger = ({ status, downstream }: PipelineJob) =>
    isRunning(status) && downstream !== undefined && blocking.has(downstream);
  // A trigger job that waits for a blocked child pipeline blocks its own one. The triggers of children have higher ids.
  for (const job of remaining.toReversed()) if (isBlockedTrigger(job)) blocking.add(job.pipeline_id);
  return remaining.every(
    (job) => isBlockedTrigger(job) || (job.status === 'created' && blocking.has(job.pipeline_id)),
  );
}

/** `26 of 38 jobs ended (1 failed, 5 pending)` */
function progressText(jobs: readonly PipelineJob[]): string {
  const open = jobs.filter((job) => !hasEnded(job));
  const text = `${jobs.length - open.length} of ${counted(jobs.length, 'job')} ended`;
  const rest = countText([...failuresIn(jobs), ...open]);
  return rest === '' ? text : `${text} (${rest})`;
}

const failureNames = ['id', 'name', 'stage', 'status', 'failure_reason', 'web_url'];

function summaryOf(id: string, result: Outcome, jobs: readonly PipelineJob[]) {
  const statuses: Record<string, number> = {};
  for (const { status } of jobs) statuses[status] = (statuses[status] ?? 0) + 1;
  return {
    pipeline_id: idFrom(id),
    result,
    jobs: jobs.length,
    ended: jobs.filter(hasEnded).length,
    statuses,
    allowed_failures: jobs.filter((job) => hasFailed(job) && job.allow_failure).length,
    failures: failuresIn(jobs).map((job) => part(job, failureNames)),
  };
}

/** Wait until the end, the timeout or, with `--fail-fast`, a failure. The result has a failure if a job failed. */
export const waitForPipeline: TaskWith<{ failFast: true; interval: number }> = async (task, options) => {
  const { id, ...pipeline } = await openPipeline(task);
  if (task.dryRun) return task.requests(pipeline.calls);
  // The job that runs this command cannot end before the command does.
  const own = task.env('CI_JOB_ID');
  let blockedBefore = false;
  let result = 'timed_out' as Outcome;
  const longest = options.interval === undefined ? undefined : options.interval * 1000;
  const polled = {
    name: `pipeline ${id}`,
    resume: task.resumeCommand(['jobs', 'wait', id]),
    fetch: async () => (await pipeline.jobs()).filter((job) => String(job.id) !== own),
    stateOf(current: readonly PipelineJob[]) {
      const failed = failuresIn(current).length > 0;
      const hasAllEnded = current.every(hasEnded);
      // A job that is about to start looks the same, but only for a moment.
      const isBlockedNow = !hasAllEnded && isBlocked(current);
      if (hasAllEnded || (failed && options.failFast)) result = failed ? 'failed' : 'success';
      else if (isBlockedNow && blockedBefore) result = failed ? 'failed' : 'blocked';
      blockedBefore = isBlockedNow;
      return { status: progressText(current), ended: result !== 'timed_out' };
    },
  };
  const { value: jobs, late } = await fetchUntilEnd(task, polled, timeoutOf(task, defaultSeconds), longest);
  const failure = late ?? failureOf(task, id, jobs);
  const value = summaryOf(id, failure && result === 'success' ? 'failed' : result, jobs);
  if (failure) return objectResult(value, task.command.prints, { failure });
  const notes: Note[] = [{ how: 'done', text: `Finished pipeline ${id}: ${countText(jobs)}` }];
  if (result === 'blocked') {
    const manual = jobs.filter(({ status }) => status === 'manual').map(({ name }) => name);
    notes.unshift({ how: 'say', text: `the remaining jobs wait for a manual job: ${manual.join(', ')}` });
  }
  return objectResult(value, task.command.prints, { notes });
};
