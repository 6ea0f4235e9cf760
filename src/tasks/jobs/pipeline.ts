/** The jobs of a pipeline and of its child pipelines, for `jobs wait` and `jobs digest`. */
import { pipelineCalls } from '../../api/jobs.ts';
import { Failure } from '../../errors.ts';
import { counted } from '../../spec/names.ts';
import type { Call } from '../../spec/request.ts';
import type { Row } from '../../spec/resource.ts';
import { groupBy, isRecord } from '../../support/record.ts';
import type { TaskContext } from '../context.ts';
import { allRows } from '../engine/codecs.ts';

/** An id beyond 2^53 is a bigint. */
export type Id = number | bigint;

export interface PipelineJob extends Row {
  readonly id: Id;
  readonly pipeline_id: Id;
  readonly name: string;
  readonly status: string;
  /** Its failure does not fail the pipeline: the job, or the trigger job of its pipeline, is allowed to fail. */
  readonly allow_failure: boolean;
  /** The pipeline that a trigger job started. */
  readonly downstream?: Id | undefined;
}

/** Whether a job will not run by itself any more. */
export const hasEnded = ({ status }: PipelineJob): boolean =>
  ['success', 'failed', 'canceled', 'skipped', 'manual'].includes(status);

export const hasFailed = ({ status }: PipelineJob): boolean => status === 'failed' || status === 'canceled';

/** Validate the command line. @returns the id of the pipeline, and the call for its jobs @throws Failure `usage` */
export async function preparePipeline(
  task: TaskContext,
): Promise<{ readonly id: string; readonly root: Call }> {
  const root = await task.prepare({ endpoints: [pipelineCalls.jobs] });
  return { id: root.slots['pipeline_id'] ?? '', root };
}

/** The calls for the jobs and the trigger jobs of a pipeline. @param values of the call for the jobs */
export function callsOf(
  { slots }: Call,
  id: string,
  values: Call['values'] = {},
): [jobs: Call, bridges: Call] {
  const call = { slots: { ...slots, pipeline_id: id }, values: {} };
  return [
    { ...call, endpoint: pipelineCalls.jobs, values },
    { ...call, endpoint: pipelineCalls.bridges },
  ];
}

export const idIn = (value: unknown): Id | undefined => {
  const id = isRecord(value) ? value['id'] : undefined;
  return typeof id === 'number' || typeof id === 'bigint' ? id : undefined;
};

/** Milliseconds since the epoch; undefined for no time. */
export const timeOf = (value: unknown): number | undefined => {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
};

export function idFrom(digits: string): Id {
  const id = Number(digits);
  return Number.isSafeInteger(id) ? id : BigInt(digits);
}

export const byId = (a: { readonly id: Id }, b: { readonly id: Id }): number =>
  a.id < b.id ? -1 : a.id > b.id ? 1 : 0;

/** Read the latest run of each job, as `readRuns` does. */
export async function readJobs(
  task: TaskContext,
  root: Call,
  id: string,
  elsewhere?: Set<Id>,
): Promise<PipelineJob[]> {
  return latest(await readRuns(task, root, id, {}, elsewhere));
}

/**
 * Read the jobs and trigger jobs of a pipeline and of its child pipelines. A pipeline in another project counts as its trigger job only.
 * @param values of the calls for the jobs
 * @param elsewhere the pipelines that are known to belong to other projects; extended
 */
export async function readRuns(
  task: TaskContext,
  root: Call,
  id: string,
  values: Call['values'],
  elsewhere: Set<Id> = new Set(),
): Promise<PipelineJob[]> {
  const found = new Map<Id | undefined, Row>();
  const read = async (call: Call) => {
    const rows = await allRows(task.rows(call));
    for (const row of rows) found.set(idIn(row), row);
    return rows;
  };
  await read(callsOf(root, id, values)[0]);
  // Before the first request, a check of the command line has the name of a pipeline in place of its id.
  const rootId = idFrom(id);
  const isListed = (pipeline: Id) => [...found.values()].some((row) => idIn(row['pipeline']) === pipeline);
  /** Whether failures are allowed, by pipeline. Pipelines that it contains are read. */
  const pipelines = new Map<Id, boolean>([[rootId, false]]);
  for (const [pipeline, isAllowed] of pipelines) {
    for (const bridge of await read(callsOf(root, String(pipeline))[1])) {
      const child = idIn(bridge['downstream_pipeline']);
      if (child === undefined || pipelines.has(child) || elsewhere.has(child)) continue;
      try {
        if (!isListed(child)) await read(callsOf(root, String(child), values)[0]);
        pipelines.set(child, isAllowed || bridge['allow_failure'] === true);
      } catch (error) {
        if (!(error instanceof Failure && error.kind === 'not_found')) throw error;
        elsewhere.add(child);
      }
    }
  }
  return [...found.values()].map((row) => jobOf(row, rootId, pipelines)).sort(byId);
}

function jobOf(row: Row, root: Id, pipelines: ReadonlyMap<Id, boolean>): PipelineJob {
  const pipeline_id = idIn(row['pipeline']) ?? root;
  const { name = '', stage = '', status = '' } = row;
  return {
    ...row,
    id: idIn(row) ?? 0,
    pipeline_id,
    name: String(name),
    stage,
    status: String(status),
    allow_failure: row['allow_failure'] === true || pipelines.get(pipeline_id) === true,
    downstream: idIn(row['downstream_pipeline']),
  };
}

export function latest(jobs: readonly PipelineJob[]): PipelineJob[] {
  const byName = new Map<string, PipelineJob>();
  for (const job of jobs) {
    const key = `${job.pipeline_id} ${job.name}`;
    const known = byName.get(key);
    if (!known || known.id < job.id) byName.set(key, job);
  }
  return [...byName.values()].sort(byId);
}

/** The jobs that failed or were canceled, without those that are allowed to. */
export const failuresIn = (jobs: readonly PipelineJob[]): PipelineJob[] =>
  jobs.filter((job) => hasFailed(job) && !job.allow_failure);

/** Why a pipeline that has ended did not succeed; undefined if it did. */
export function failureText(id: string, jobs: readonly PipelineJob[]): string | undefined {
  if (jobs.length === 0) return `pipeline ${id} has no jobs`;
  const failed = failuresIn(jobs);
  if (failed.length === 0) return undefined;
  const isCanceled = failed.some(({ status }) => status === 'canceled');
  const outcome = isCanceled ? `did not succeed: ${countText(failed)}` : 'failed';
  return `${counted(failed.length, 'job')} of pipeline ${id} ${outcome}`;
}

/** Count jobs by status, for people: `20 success, 1 failed, 2 failed (allowed)`. */
export function countText(jobs: readonly PipelineJob[]): string {
  const stateOf = (job: PipelineJob) =>
    hasFailed(job) && job.allow_failure ? `${job.status} (allowed)` : job.status;
  return [...groupBy(jobs, stateOf)]
    .sort(([, a], [, b]) => b.length - a.length)
    .map(([state, own]) => `${own.length} ${state}`)
    .join(', ');
}
