/** The jobs of a pipeline and of its child pipelines, for `jobs wait` and `jobs digest`. */
import { pipelineCalls } from '../../api/jobs.ts';
import { Failure } from '../../errors.ts';
import type { Call } from '../../spec/request.ts';
import type { Row } from '../../spec/resource.ts';
import { isRecord } from '../../support/record.ts';
import type { TaskContext } from '../context.ts';

/** An id beyond 2^53 is a bigint. */
export type Id = number | bigint;

export interface PipelineJob {
  readonly id: Id;
  readonly pipeline_id: Id;
  readonly name: string;
  readonly stage: string;
  readonly status: string;
  /** Its failure does not fail the pipeline: the job, or the trigger job of its pipeline, is allowed to fail. */
  readonly allow_failure: boolean;
  readonly failure_reason: string | null;
  readonly duration: number | null;
  readonly queued_duration: number | null;
  readonly web_url: string | null;
}

/** Statuses of jobs that will not run by themselves. */
const endStatuses = new Set(['success', 'failed', 'canceled', 'skipped', 'manual']);
export const hasEnded = ({ status }: PipelineJob): boolean => endStatuses.has(status);

export const hasFailed = ({ status }: PipelineJob): boolean => status === 'failed' || status === 'canceled';

/** Validate the command line. @throws Failure `usage` */
export function prepareJobs(task: TaskContext): Promise<Call> {
  return task.prepare({ endpoints: [pipelineCalls.jobs] });
}

export const idOf = (root: Call): string => root.slots['pipeline_id'] ?? '';

/** The calls that read one pipeline. */
export function callsOf(root: Call, id = idOf(root)): { readonly jobs: Call; readonly bridges: Call } {
  const call = { slots: { ...root.slots, pipeline_id: id }, values: {} };
  return {
    jobs: { ...call, endpoint: pipelineCalls.jobs },
    bridges: { ...call, endpoint: pipelineCalls.bridges },
  };
}

const idIn = (value: unknown): Id | undefined => {
  const id = isRecord(value) ? value['id'] : undefined;
  return typeof id === 'number' || typeof id === 'bigint' ? id : undefined;
};

export function idFrom(digits: string): Id {
  const id = Number(digits);
  return Number.isSafeInteger(id) ? id : BigInt(digits);
}

export const byId = (a: { readonly id: Id }, b: { readonly id: Id }): number =>
  a.id < b.id ? -1 : a.id > b.id ? 1 : 0;

const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');
const numberIn = (value: unknown): number | null => (typeof value === 'number' ? value : null);

async function readAll(task: TaskContext, call: Call): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const row of task.rows(call)) rows.push(row);
  return rows;
}

/**
 * Read the jobs and trigger jobs of a pipeline and of its child pipelines. A pipeline in another project counts as its trigger job only.
 * @param elsewhere the pipelines that are known to belong to other projects; extended
 */
export async function readJobs(
  task: TaskContext,
  root: Call,
  elsewhere: Set<Id> = new Set(),
): Promise<PipelineJob[]> {
  const found = new Map<Id | undefined, Row>();
  const add = (rows: readonly Row[]) => {
    for (const row of rows) found.set(idIn(row), row);
  };
  add(await readAll(task, callsOf(root).jobs));
  const isListed = (id: Id) => [...found.values()].some((row) => idIn(row['pipeline']) === id);
  /** Whether failures are allowed, by pipeline. Pipelines that it contains are read. */
  const pipelines = new Map<Id, boolean>([[idFrom(idOf(root)), false]]);
  for (const [id, isAllowed] of pipelines) {
    const bridges = await readAll(task, callsOf(root, String(id)).bridges);
    add(bridges);
    for (const bridge of bridges) {
      const child = idIn(bridge['downstream_pipeline']);
      if (child === undefined || pipelines.has(child) || elsewhere.has(child)) continue;
      if (!isListed(child)) {
        const rows = await readChild(task, callsOf(root, String(child)).jobs);
        if (rows === undefined) {
          elsewhere.add(child);
          continue;
        }
        add(rows);
      }
      pipelines.set(child, isAllowed || bridge['allow_failure'] === true);
    }
  }
  const jobs = [...found.values()].map((row) => jobOf(row, idFrom(idOf(root)), pipelines));
  return latest(jobs).sort(byId);
}

/** Read the jobs of a pipeline that a trigger job started; undefined if it does not belong to the project. */
async function readChild(task: TaskContext, call: Call): Promise<Row[] | undefined> {
  try {
    return await readAll(task, call);
  } catch (error) {
    if (error instanceof Failure && error.kind === 'not_found') return undefined;
    throw error;
  }
}

function jobOf(row: Row, root: Id, pipelines: ReadonlyMap<Id, boolean>): PipelineJob {
  const pipeline_id = idIn(row['pipeline']) ?? root;
  const { failure_reason, web_url } = row;
  return {
    id: idIn(row) ?? 0,
    pipeline_id,
    name: textIn(row['name']),
    stage: textIn(row['stage']),
    status: textIn(row['status']),
    allow_failure: row['allow_failure'] === true || pipelines.get(pipeline_id) === true,
    failure_reason: typeof failure_reason === 'string' ? failure_reason : null,
    duration: numberIn(row['duration']),
    queued_duration: numberIn(row['queued_duration']),
    web_url: typeof web_url === 'string' ? web_url : null,
  };
}

/** Keep the latest run of each job. */
function latest(jobs: readonly PipelineJob[]): PipelineJob[] {
  const byName = new Map<string, PipelineJob>();
  for (const job of jobs) {
    const key = `${job.pipeline_id} ${job.name}`;
    const known = byName.get(key);
    if (!known || known.id < job.id) byName.set(key, job);
  }
  return [...byName.values()];
}

/** Count jobs by status, for people: `20 success, 1 failed, 2 failed (allowed)`. */
export function countText(jobs: readonly PipelineJob[]): string {
  const counts = new Map<string, number>();
  for (const job of jobs) {
    const state = hasFailed(job) && job.allow_failure ? `${job.status} (allowed)` : job.status;
    counts.set(state, (counts.get(state) ?? 0) + 1);
  }
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([state, count]) => `${count} ${state}`)
    .join(', ');
}
