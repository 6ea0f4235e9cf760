/** `jobs flaky`: jobs that both succeeded and failed at one commit. */
import { Failure } from '../../errors.ts';
import type { Row } from '../../spec/resource.ts';
import { rowsResult } from '../../spec/result.ts';
import { isRecord } from '../../support/record.ts';
import { listOf } from '../../support/text/list.ts';
import type { TaskWith } from '../context.ts';
import { openHistory, type Period } from './history.ts';

interface AtCommit {
  succeeded: number;
  failed: number;
  /** Seconds of the failed runs. */
  lost: number;
  /** Failed runs whose script failed. */
  script: number;
}

/** The runs of each job at each commit. Canceled and skipped runs, and those that have not ended, count as none. */
export class Outcomes {
  readonly #jobs = new Map<string, Map<string, AtCommit>>();

  add({ name, status, commit, duration, failure_reason, pipeline }: Row): void {
    if (status !== 'success' && status !== 'failed') return;
    const sha = String((isRecord(commit) && commit['id']) || (isRecord(pipeline) && pipeline['sha']));
    const commits = this.#jobs.get(String(name)) ?? new Map<string, AtCommit>();
    this.#jobs.set(String(name), commits);
    const at = commits.get(sha) ?? { succeeded: 0, failed: 0, lost: 0, script: 0 };
    commits.set(sha, at);
    if (status === 'success') at.succeeded += 1;
    else {
      at.failed += 1;
      at.lost += typeof duration === 'number' ? duration : 0;
      if (failure_reason === 'script_failure') at.script += 1;
    }
  }

  /** The jobs that are flaky, those with the highest rate first. */
  rows() {
    return [...this.#jobs].flatMap(([job, commits]) => rowOf(job, [...commits.values()]) ?? []).sort(byRate);
  }
}

const sum = (commits: readonly AtCommit[], of: (at: AtCommit) => number): number =>
  commits.reduce((total, at) => total + of(at), 0);

function rowOf(job: string, commits: readonly AtCommit[]) {
  const flaky = commits.filter(({ succeeded, failed }) => succeeded > 0 && failed > 0);
  if (flaky.length === 0) return undefined;
  const failures = sum(flaky, ({ failed }) => failed);
  return {
    job,
    runs: sum(commits, ({ succeeded, failed }) => succeeded + failed),
    failed: sum(commits, ({ failed }) => failed),
    commits: commits.length,
    flaky: flaky.length,
    rate: flaky.length / commits.length,
    minutes_lost: Math.round(sum(flaky, ({ lost }) => lost) / 6) / 10,
    cause: sum(flaky, ({ script }) => script) * 2 >= failures ? 'script' : 'infrastructure',
  };
}

type FlakyJob = NonNullable<ReturnType<typeof rowOf>>;

const byRate = (a: FlakyJob, b: FlakyJob): number =>
  b.rate - a.rate || b.flaky - a.flaky || (a.job < b.job ? -1 : 1);

/** List the flaky jobs, with a failure if the rate of one is above `--fail-over` percent. */
export const listFlakyJobs: TaskWith<Period & { failOver: number }> = async (
  task,
  { failOver, ...period },
) => {
  const history = await openHistory(task, period);
  if (task.dryRun) return task.requests(history.calls);
  const outcomes = new Outcomes();
  for await (const job of history.jobs) outcomes.add(job);
  const rows = outcomes.rows();
  const above = rows.filter(({ rate }) => failOver !== undefined && rate * 100 > failOver);
  const names = listOf(above.map(({ job }) => job));
  const message = `flaky at more than ${failOver}% of their commits: ${names}`;
  const failure = above.length > 0 ? new Failure('unsuccessful', message) : undefined;
  return rowsResult(rows, task.command.prints, { notes: [history.note()], failure });
};
