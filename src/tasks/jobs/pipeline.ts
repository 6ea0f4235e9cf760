/** The jobs of a pipeline and of its child pipelines, for `jobs wait` and `jobs digest`. */
import { pipelineCalls } from '../../api/jobs.ts';
import { Failure, forPerson } from '../../errors.ts';
import { counted } from '../../spec/names.ts';
import type { Call } from '../../spec/request.ts';
import type { Row } from '../../spec/resource.ts';
import { groupBy, isRecord } from '../../support/record.ts';
import { shortList } from '../../support/text/list.ts';
import type { TaskContext, TaskLine } from '../context.ts';
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
  /** The pipeline of the project that a trigger job started. */
  readonly downstream?: Id | undefined;
}

/** Whether a job will not run by itself any more. */
export const hasEnded = ({ status }: Row): boolean =>
  ['success', 'failed', 'canceled', 'skipped', 'manual'].includes(String(status));

/** Whether a job occupies a runner. */
export const isRunning = (status: unknown): boolean => status === 'running' || status === 'canceling';

/** Whether a job waits for a runner. A job after it does not yet. */
export const isWaiting = (status: unknown): boolean =>
  ['pending', 'waiting_for_resource', 'preparing'].includes(String(status));

export const hasFailed = ({ status }: PipelineJob): boolean => status === 'failed' || status === 'canceled';

export const idIn = (value: unknown): Id | undefined => {
  const id = isRecord(value) ? value['id'] : undefined;
  return typeof id === 'number' || typeof id === 'bigint' ? id : undefined;
};

/** Milliseconds since the epoch; undefined for no time. */
export const timeOf = (value: unknown): number | undefined => {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
};

/** Whether the service says that a trigger job and the pipeline that it started are of the same project. */
function isOfOneProject({ pipeline, downstream_pipeline: child }: Row): boolean {
  const own = isRecord(pipeline) ? pipeline['project_id'] : undefined;
  return own !== undefined && isRecord(child) && child['project_id'] === own;
}

export function idFrom(digits: string): Id {
  const id = Number(digits);
  return Number.isSafeInteger(id) ? id : BigInt(digits);
}

export const byId = (a: { readonly id: Id }, b: { readonly id: Id }): number =>
  a.id < b.id ? -1 : a.id > b.id ? 1 : 0;

/**
 * Validate the command line, and return the pipeline that it names.
 * @param values of the calls for the jobs
 * @throws Failure `usage`
 */
export async function openPipeline(task: TaskContext, values: Call['values'] = {}, line?: Partial<TaskLine>) {
  const { slots } = await task.prepare({ endpoints: [pipelineCalls.jobs], ...(line && { line }) });
  const id = slots['pipeline_id'] ?? '';
  const jobsOf = (pipeline_id: string): Call => {
    return { endpoint: pipelineCalls.jobs, slots: { ...slots, pipeline_id }, values };
  };
  const bridgesOf = (pipeline_id: string): Call => {
    return { endpoint: pipelineCalls.bridges, slots: { ...slots, pipeline_id }, values: {} };
  };
  /** The pipelines that are known to belong to other projects. */
  const elsewhere = new Set<Id>();

  async function runs(of: string): Promise<PipelineJob[]> {
    const found = new Map<Id | undefined, Row>();
    const read = async (call: Call) => {
      const rows = await allRows(task.rows(call, { mayChange: true }));
      for (const row of rows) {
        if (idIn(row) === undefined)
          throw new Failure('server_error', 'the response contains a job without an id');
        found.set(idIn(row), row);
      }
      return rows;
    };
    await read(jobsOf(of));
    // Before the first request, a check of the command line has the name of a pipeline in place of its id.
    const rootId = idFrom(of);
    const isListed = (pipeline: Id) => [...found.values()].some((row) => idIn(row['pipeline']) === pipeline);
    /** Whether failures are allowed, by pipeline. Pipelines that it contains are read. */
    const pipelines = new Map<Id, boolean>([[rootId, false]]);
    for (const [pipeline, isAllowed] of pipelines) {
      for (const bridge of await read(bridgesOf(String(pipeline)))) {
        const child = idIn(bridge['downstream_pipeline']);
        if (child === undefined || pipelines.has(child) || elsewhere.has(child)) continue;
        try {
          if (!isListed(child)) await read(jobsOf(String(child)));
          pipelines.set(child, isAllowed || bridge['allow_failure'] === true);
        } catch (error) {
          if (!(error instanceof Failure && error.kind === 'not_found') || isOfOneProject(bridge))
            throw error;
          elsewhere.add(child);
        }
      }
    }
    const jobs = [...found.values()].map((row): PipelineJob => {
      const pipeline_id = idIn(row['pipeline']) ?? rootId;
      const child = idIn(row['downstream_pipeline']);
      const { name = '', stage = '', status = '' } = row;
      return {
        ...row,
        ...{ id: idIn(row) ?? 0, pipeline_id, name: String(name), stage, status: String(status) },
        allow_failure: row['allow_failure'] === true || pipelines.get(pipeline_id) === true,
        downstream: child !== undefined && pipelines.has(child) ? child : undefined,
      };
    });
    return jobs.sort(byId);
  }

  return {
    id,
    slots,
    /** The calls that read it, for a dry run. */
    calls: [jobsOf(id), bridgesOf(id)],
    /**
     * Read the jobs and trigger jobs of a pipeline of the project and of its child pipelines. A pipeline in another project counts as its
     * trigger job only.
     */
    runs,
    /** Read the latest run of each job of the pipeline. */
    async jobs(): Promise<PipelineJob[]> {
      // The latest run of a job has the highest id.
      const latest = (await runs(id)).map(
        (job) => [`${job.pipeline_id} ${job['stage']} ${job.name}`, job] as const,
      );
      return [...new Map(latest).values()].sort(byId);
    },
  };
}

export type Pipeline = Awaited<ReturnType<typeof openPipeline>>;

/** The jobs that failed or were canceled, without those that are allowed to. */
export const failuresIn = (jobs: readonly PipelineJob[]): PipelineJob[] =>
  jobs.filter((job) => hasFailed(job) && !job.allow_failure);

/** The failure of a pipeline that has ended, with the command for details; undefined if it succeeded. */
export function failureOf(task: TaskContext, id: string, jobs: readonly PipelineJob[]): Failure | undefined {
  if (jobs.length === 0) return new Failure('unsuccessful', `pipeline ${id} has no jobs to wait for`);
  const failed = failuresIn(jobs);
  if (failed.length === 0) return undefined;
  const isCanceled = failed.some(({ status }) => status === 'canceled');
  const outcome = isCanceled ? `did not succeed: ${countText(failed)}` : 'failed';
  return new Failure('unsuccessful', `${counted(failed.length, 'job')} of pipeline ${id} ${outcome}`, {
    details: [shortList(failed.map(({ name }) => name))],
    hint: forPerson(`for details: ${task.resumeCommand(['jobs', 'digest', id])}`),
  });
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
