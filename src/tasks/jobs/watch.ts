/** `jobs watch`: a live view of a pipeline, or a line per change of a job. */
import { cancelJob, getLog, pipelineCalls, retryJob } from '../../api/jobs.ts';
import { Failure, isFromSignal } from '../../errors.ts';
import { counted } from '../../spec/names.ts';
import type { Call } from '../../spec/request.ts';
import { done, type Result, stopped } from '../../spec/result.ts';
import { jsonText } from '../../support/json.ts';
import type { TaskContext, View } from '../context.ts';
import { endOfLog } from './causes.ts';
import { frameOf, listed, placeOf, type WatchState } from './frame.ts';
import { callsOf, failureText, hasEnded, type Id, type PipelineJob, readJobs } from './pipeline.ts';

/** Milliseconds between two reads of the pipeline. */
const interval = 3_000;
const logLines = 100;

/** A line per job whose status differs from before. */
export function changesOf(before: readonly PipelineJob[], after: readonly PipelineJob[], at: number) {
  const known = new Map(before.map(({ id, status }) => [id, status]));
  return after.flatMap(({ id, name, stage, status, failure_reason = null }) => {
    const from = known.get(id) ?? null;
    if (from === status) return [];
    const job = { id, name, stage };
    return [{ at: new Date(at).toISOString(), job, from, to: status, failure_reason }];
  });
}

const isOver = (jobs: readonly PipelineJob[]) => jobs.every(hasEnded);

function outcome(task: TaskContext, id: string, jobs: readonly PipelineJob[]): Result {
  const message = failureText(id, jobs);
  if (message === undefined) return done({ notes: [{ how: 'done', text: `Pipeline ${id} has ended` }] });
  const hint = `for details: ${task.resumeCommand(['jobs', 'digest', id], 'scoped')}`;
  return done({ failure: new Failure('unsuccessful', message, { hint }) });
}

/** Print each change on a line until the pipeline has ended. */
async function printChanges(task: TaskContext, root: Call, id: string): Promise<Result> {
  const elsewhere = new Set<Id>();
  let jobs = await readJobs(task, root, id, elsewhere);
  task.note(`Pipeline ${id}: ${jobs.filter(hasEnded).length} of ${counted(jobs.length, 'job')} ended`);
  while (!isOver(jobs)) {
    await task.pause(interval);
    const now = await readJobs(task, root, id, elsewhere);
    for (const change of changesOf(jobs, now, task.now())) {
      const { job, from, to, failure_reason } = change;
      const clock = new Date(change.at).toTimeString().slice(0, 8);
      const states = [from, to].filter((state) => state !== null).join(' -> ');
      const reason = failure_reason === null || to !== 'failed' ? '' : `  ${failure_reason}`;
      const line = `${clock}  ${job.stage}  ${job.name}  ${states}${reason}`;
      task.write(`${task.format === 'ndjson' ? jsonText(change) : line}\n`);
    }
    jobs = now;
  }
  return outcome(task, id, jobs);
}

const actions = { r: retryJob, c: cancelJob } as const;

/** Redraw the pipeline until it has ended or the user leaves. @returns undefined if the terminal cannot redraw */
async function showLive(task: TaskContext, root: Call, id: string): Promise<Result | undefined> {
  const elsewhere = new Set<Id>();
  let state: WatchState = { id, jobs: [], message: '' };
  const change = (part: Partial<WatchState>) => {
    state = { ...state, ...part };
  };
  let asked: { readonly key: keyof typeof actions; readonly job: PipelineJob } | undefined;
  let wake = () => {};
  let stop = (_: unknown) => {};
  let hasLeft = false;
  let view: View | undefined;
  let isRead = false;
  const draw = () => isRead && view?.draw((pen, height) => frameOf(pen, height, state, task.now()));
  const callOf = (endpoint: Call['endpoint'], job: PipelineJob): Call => {
    return { endpoint, slots: { id: root.slots['id'] ?? '', job_id: String(job.id) }, values: {} };
  };
  const attempt = async (action: () => Promise<string>) => {
    const message = await action().catch((error: unknown) => {
      if (!(error instanceof Failure)) throw error;
      return error.message;
    });
    change({ message });
    draw();
  };
  const act = (key: keyof typeof actions, job: PipelineJob) =>
    attempt(async () => {
      await task.call(callOf(actions[key], job));
      wake();
      return `${key === 'r' ? 'Retried' : 'Canceled'} ${job.name}`;
    });
  const onKey = async (key: string): Promise<void> => {
    const all = listed(state.jobs);
    const at = placeOf(state);
    const job = all[at];
    if (key === 'interrupt') return stop(new Failure('interrupted', 'interrupted'));
    const question = asked;
    asked = undefined;
    change({ message: '' });
    if (question) {
      if (key === 'y') return act(question.key, question.job);
    } else if (state.log) {
      if (key === 'q' || key === 'escape') change({ log: undefined });
    } else if (key === 'q') {
      hasLeft = true;
      wake();
    } else if (key === 'up') change({ selected: all[Math.max(0, at - 1)]?.id });
    else if (key === 'down') change({ selected: all[Math.min(all.length - 1, at + 1)]?.id });
    else if (job && (key === 'r' || key === 'c'))
      return attempt(async () => {
        task.requireWrite();
        asked = { key, job };
        return `${key === 'r' ? 'Retry' : 'Cancel'} ${job.name} (${job.id})? [y/N]`;
      });
    else if (job && key === 'l')
      return attempt(async () => {
        change({ log: await endOfLog(task, callOf(getLog, job), logLines) });
        return `Log of ${job.name}; q goes back`;
      });
    else if (job && key === 'o') return attempt(() => task.browse(String(job['web_url'])));
    draw();
  };
  view = await task.openView(draw, (key) => void onKey(key).catch((error: unknown) => stop(error)));
  if (!view) return undefined;
  try {
    change({ jobs: await readJobs(task, root, id, elsewhere) });
    isRead = true;
    while (!isOver(state.jobs) && !hasLeft) {
      draw();
      const waken = new Promise<void>((...settle) => {
        [wake, stop] = settle;
      });
      await Promise.race([task.pause(interval), waken]);
      if (!hasLeft) change({ jobs: await readJobs(task, root, id, elsewhere) });
    }
    draw();
  } finally {
    view.end();
  }
  return hasLeft ? done() : outcome(task, id, state.jobs);
}

export async function watchPipeline(task: TaskContext): Promise<Result> {
  const line = { ...task.line, args: { pipeline_id: 'latest', ...task.line.args } };
  const root = await task.prepare({ endpoints: [pipelineCalls.jobs], line });
  const id = root.slots['pipeline_id'] ?? '';
  if (task.dryRun) return task.requests(callsOf(root, id));
  try {
    const live = task.format === undefined ? await showLive(task, root, id) : undefined;
    return live ?? (await printChanges(task, root, id));
  } catch (error) {
    if (!isFromSignal(error)) throw error;
    return stopped(error, `Stopped. Pipeline ${id} continues.`);
  }
}
