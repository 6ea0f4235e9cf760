/** `jobs flaky`: jobs that both succeeded and failed at one commit. */
import { Failure } from '../../errors.ts';
import type { Row } from '../../spec/resource.ts';
import { rowsResult } from '../../spec/result.ts';
import { groupBy, isRecord } from '../../support/record.ts';
import { shortList } from '../../support/text/list.ts';
import type { TaskWith } from '../context.ts';
import { openHistory, type Period } from './history.ts';

type Run = NonNullable<ReturnType<typeof runOf>>;

const scriptReasons: readonly unknown[] = ['script_failure', 'job_execution_timeout'];

/** The cause of a failure, if the service knows it. */
function causeOf(reason: unknown): 'script' | 'infrastructure' | undefined {
  if ((reason ?? 'unknown_failure') === 'unknown_failure') return undefined;
  return scriptReasons.includes(reason) ? 'script' : 'infrastructure';
}

/** Read a run that succeeded or failed; undefined if it counts as none, because it was canceled or skipped or has not ended. */
export function runOf(job: Row) {
  const { name, status, commit, duration, failure_reason, pipeline } = job;
  if (status !== 'success' && status !== 'failed') return undefined;
  const sha = (isRecord(commit) && commit['id']) || (isRecord(pipeline) && pipeline['sha']);
  return {
    ...{ job: String(name), sha: String(sha), isFailed: status === 'failed' },
    cause: causeOf(failure_reason),
    seconds: typeof duration === 'number' ? duration : 0,
  };
}

/** The jobs that are flaky, those with the highest rate first. */
export function flakyIn(runs: readonly Run[]) {
  const jobs = [...groupBy(runs, ({ job }) => job)];
  return jobs
    .flatMap(([job, own]) => rowOf(job, own) ?? [])
    .sort((a, b) => b.rate - a.rate || b.flaky - a.flaky || (a.job < b.job ? -1 : 1));
}

function rowOf(job: string, runs: readonly Run[]) {
  const commits = [...groupBy(runs, ({ sha }) => sha).values()];
  const flaky = commits.filter((own) => new Set(own.map(({ isFailed }) => isFailed)).size > 1);
  if (flaky.length === 0) return undefined;
  const failures = flaky.flat().filter(({ isFailed }) => isFailed);
  const causes = failures.flatMap(({ cause }) => cause ?? []);
  const script = causes.filter((cause) => cause === 'script');
  const lost = failures.reduce((sum, { seconds }) => sum + seconds, 0);
  return {
    ...{ job, runs: runs.length, failed: runs.filter(({ isFailed }) => isFailed).length },
    ...{ commits: commits.length, flaky: flaky.length, rate: flaky.length / commits.length },
    minutes_lost: Math.round(lost / 6) / 10,
    cause: causes.length === 0 ? null : script.length * 2 >= causes.length ? 'script' : 'infrastructure',
  };
}

/** List the flaky jobs, with a failure if the rate of one is above `--fail-over` percent. */
export const listFlakyJobs: TaskWith<Period & { failOver: number }> = async (task, options) => {
  const { failOver } = options;
  const history = await openHistory(task, options);
  if (task.dryRun) return task.requests(history.calls);
  const runs: Run[] = [];
  for await (const job of history.jobs) {
    const run = runOf(job);
    if (run) runs.push(run);
  }
  const rows = flakyIn(runs);
  const above = rows.filter(
    ({ flaky, commits }) =>
      // Whole numbers avoid the error of 18.4 * 375.
      failOver !== undefined && flaky * 100_000 > Math.round(failOver * 1000) * commits,
  );
  const names = shortList(above.map(({ job }) => job));
  const message = `flaky at more than ${failOver}% of their commits: ${names}`;
  const failure = above.length > 0 ? new Failure('unsuccessful', message) : undefined;
  return rowsResult(rows, task.command.prints, { notes: [history.note()], failure });
};
