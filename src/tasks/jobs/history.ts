/** The jobs of the last pipelines of a project, for questions about many runs. */
import { listJobs } from '../../api/jobs.ts';
import { listPipelines } from '../../api/pipelines.ts';
import { momentOf } from '../../spec/flag.ts';
import { counted } from '../../spec/names.ts';
import type { Row } from '../../spec/resource.ts';
import { type Note, sayNote } from '../../spec/result.ts';
import { isRecord } from '../../support/record.ts';
import type { TaskContext } from '../context.ts';
import { type Id, idIn, timeOf } from './pipeline.ts';

export interface Period {
  /** The newest pipelines. */
  readonly last?: number | undefined;
  /** The oldest jobs, as `momentOf` reads it. */
  readonly since?: string | undefined;
  readonly ref?: string | undefined;
  /** The newest pipeline that `last` counts. The jobs of later ones are read too. */
  readonly upTo?: Id | undefined;
}

const defaultLast = 50;
/** Jobs before the period after which no others are expected. */
const maxOlder = 20;

/**
 * Open the history of a project. Jobs are read while they are taken, in pages.
 * @param id the project; by default that of the command line
 */
export async function openHistory(task: TaskContext, { last, since, ref, upTo }: Period, id?: string) {
  const list =
    id === undefined
      ? await task.prepare({ endpoints: [listJobs] })
      : { endpoint: listJobs, slots: { id }, values: {} };
  const values = ref === undefined ? {} : { ref };
  const pipelines = { endpoint: listPipelines, slots: list.slots, values };
  const most = last ?? (since === undefined ? defaultLast : undefined);
  const start = momentOf(since, task.now(), 'since') ?? 0;
  let isCut = false;
  let [count, from, to]: [number, unknown, unknown] = [0, undefined, undefined];

  /** The id and the creation time of the oldest pipeline to read, before which its jobs can be created by a moment. */
  async function oldest(): Promise<[id: Id, time: number]> {
    if (most === undefined) return [0, start];
    let [kept, found]: [Row | undefined, number] = [undefined, 0];
    for await (const pipeline of task.rows(pipelines, { mayChange: true })) {
      if (upTo !== undefined && (idIn(pipeline) ?? 0) > upTo) continue;
      if (++found > most) {
        isCut = (timeOf(pipeline['created_at']) ?? start) >= start;
        break;
      }
      kept = pipeline;
    }
    return [idIn(kept) ?? 0, Math.max(start, timeOf(kept?.['created_at']) ?? 0)];
  }

  async function* jobs() {
    const progress = task.progress('reading jobs');
    // Rows move to a later page if jobs are created while the pages are read.
    const seen = new Set<unknown>();
    try {
      const [first, end] = await oldest();
      let older = 0;
      for await (const job of task.rows(list, { mayChange: true })) {
        const { id, pipeline, created_at } = job;
        const time = timeOf(created_at) ?? end;
        // The list is in the order of ids, and times can differ from it a little.
        if (time < end && ++older > maxOlder) break;
        if (time < start || (idIn(pipeline) ?? 0) < first || seen.size === seen.add(id).size) continue;
        if (ref !== undefined && isRecord(pipeline) && pipeline['ref'] !== ref) continue;
        progress.step();
        count += 1;
        from = created_at;
        to ??= created_at;
        yield job;
      }
    } finally {
      progress.end();
    }
  }

  return {
    /** Every run of every job, the newest first. Runs of child pipelines count for the pipelines around them. */
    jobs: jobs(),
    /** The calls that read it, for a dry run. */
    calls: most === undefined ? [list] : [pipelines, list],
    /** The number of jobs that were read, and their period. */
    note(): Note {
      const subject = ref === undefined ? 'jobs' : `jobs of ${ref}`;
      // A check of a mistyped branch would always succeed.
      if (count === 0) return { how: 'warn', text: `no ${subject} found` };
      const days = `, ${String(from).slice(0, 10)} to ${String(to).slice(0, 10)}`;
      const flag = upTo === undefined ? ` (--last ${most})` : '';
      const limit = isCut ? `; older pipelines were not read${flag}` : '';
      return sayNote(`${counted(count, 'job')} read${days}${limit}`);
    },
  };
}

/** The smallest value that is at least as large as this share of the values (nearest rank); null for no values. */
export function percentile(values: readonly number[], share: number): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null;
}
