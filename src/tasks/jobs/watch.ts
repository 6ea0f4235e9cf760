/** `jobs watch`: a live view of a pipeline, or a line per change of a job. */
import { cancelJob, getLog, retryJob } from '../../api/jobs.ts';
import { Failure, isFromSignal } from '../../errors.ts';
import { counted } from '../../spec/names.ts';
import type { Call } from '../../spec/request.ts';
import { done, type Result, stopped } from '../../spec/result.ts';
import { jsonText } from '../../support/json.ts';
import { showDuration } from '../../support/number.ts';
import { groupBy } from '../../support/record.ts';
import type { Pen } from '../../support/text/pen.ts';
import type { TaskContext, View } from '../context.ts';
import { endOfLog } from './log.ts';
import {
  countText,
  failureOf,
  failuresIn,
  hasEnded,
  hasFailed,
  type Id,
  idIn,
  isRunning,
  openPipeline,
  type Pipeline,
  type PipelineJob,
  timeOf,
} from './pipeline.ts';
import { isBlocked } from './wait.ts';

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
  const failure = failureOf(task, id, jobs);
  const manual = jobs.filter(({ status }) => status === 'manual').map(({ name }) => name);
  const state = isOver(jobs) ? 'has ended' : `waits for a manual job: ${manual.join(', ')}`;
  const text = `Pipeline ${id} ${state}`;
  return done(failure ? { failure } : { notes: [{ how: 'done', text }] });
}

/** Print each change on a line until the pipeline has ended, or only a manual job can continue it. */
async function printChanges(task: TaskContext, { id, ...pipeline }: Pipeline): Promise<Result> {
  let jobs = await pipeline.jobs();
  task.note(`Pipeline ${id}: ${jobs.filter(hasEnded).length} of ${counted(jobs.length, 'job')} ended`);
  // A job that is about to start looks blocked, but only for a moment.
  for (let blocked = 0; !isOver(jobs); ) {
    blocked = isBlocked(jobs) ? blocked + 1 : 0;
    if (blocked === 2) break;
    await task.pause(interval);
    const now = await pipeline.jobs();
    for (const change of changesOf(jobs, now, task.now())) {
      const { job, from, to, failure_reason } = change;
      const clock = new Date(change.at).toTimeString().slice(0, 8);
      const states = [from, to].filter((state) => state !== null).join(' -> ');
      const reason = failure_reason === null || to !== 'failed' ? '' : `  ${failure_reason}`;
      const line = `${clock}  ${job.stage}  ${job.name}  ${states}${reason}`;
      await task.write(`${task.format === 'ndjson' ? jsonText(change) : line}\n`);
    }
    jobs = now;
  }
  return outcome(task, id, jobs);
}

const actions = { r: retryJob, c: cancelJob } as const;

/** Redraw the pipeline until it has ended or the user leaves. @returns undefined if the terminal cannot redraw */
async function showLive(task: TaskContext, { id, ...pipeline }: Pipeline): Promise<Result | undefined> {
  let state: WatchState = { id, jobs: [], message: '' };
  const change = (part: Partial<WatchState>) => {
    state = { ...state, ...part };
  };
  let asked: { readonly key: keyof typeof actions; readonly job: PipelineJob } | undefined;
  let wake = () => {};
  let leave = (_: 'left') => {};
  let stop = (_: unknown) => {};
  // Keys count also while a request runs.
  const end = new Promise<'left'>((...settle) => {
    [leave, stop] = settle;
  });
  let view: View | undefined;
  let isRead = false;
  const draw = () => isRead && view?.draw((pen, height) => frameOf(pen, height, state, task.now()));
  const callOf = (endpoint: Call['endpoint'], job: PipelineJob): Call => {
    return { endpoint, slots: { id: pipeline.slots['id'] ?? '', job_id: String(job.id) }, values: {} };
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
      const { value } = await task.call(callOf(actions[key], job));
      // A retry is another job.
      change({ selected: idIn(value) ?? job.id });
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
    } else if (key === 'q') return leave('left');
    else if (key === 'up') change({ selected: all[Math.max(0, at - 1)]?.id });
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
    else if (job && key === 'o')
      return attempt(async () => {
        const url = String(job['web_url']);
        return `${url}  ${await task.browse(url)}`;
      });
    draw();
  };
  view = await task.openView(draw, (key) => void onKey(key).catch((error: unknown) => stop(error)));
  if (!view) return undefined;
  try {
    for (;;) {
      const jobs = await Promise.race([end, pipeline.jobs()]);
      if (jobs === 'left') return done();
      change({ jobs });
      isRead = true;
      draw();
      if (isOver(jobs)) return outcome(task, id, jobs);
      const waken = new Promise<void>((settle) => {
        wake = settle;
      });
      if ((await Promise.race([end, task.pause(interval), waken])) === 'left') return done();
    }
  } finally {
    view.end();
  }
}

export async function watchPipeline(task: TaskContext): Promise<Result> {
  const line = { args: { pipeline_id: 'latest', ...task.line.args } };
  const pipeline = await openPipeline(task, {}, line);
  if (task.dryRun) return task.requests(pipeline.calls);
  try {
    const live = task.format === undefined ? await showLive(task, pipeline) : undefined;
    return live ?? (await printChanges(task, pipeline));
  } catch (error) {
    if (!isFromSignal(error)) throw error;
    return stopped(error, `Stopped. Pipeline ${pipeline.id} continues.`);
  }
}

interface WatchState {
  readonly id: string;
  readonly jobs: readonly PipelineJob[];
  /** The id of the selected job; by default the first of `listed`. */
  readonly selected?: Id | undefined;
  /** A question, an answer or a refusal, in place of the keys. */
  readonly message: string;
  /** The end of a log, in place of the jobs. */
  readonly log?: readonly string[] | undefined;
}

const order = [
  'running',
  'canceling',
  'failed',
  'canceled',
  'pending',
  'waiting_for_resource',
  'created',
  'manual',
];
const rank = ({ status }: PipelineJob): number => {
  const at = order.indexOf(status);
  return at < 0 ? order.length : at;
};

/** The jobs in the order of the list: those that run, those that failed, those that wait, the others. */
export function listed(jobs: readonly PipelineJob[]): PipelineJob[] {
  return jobs.toSorted((a, b) => rank(a) - rank(b));
}

/** The place of the selected job in `listed`. */
export function placeOf({ jobs, selected }: Pick<WatchState, 'jobs' | 'selected'>): number {
  const at = listed(jobs).findIndex(({ id }) => id === selected);
  return Math.max(0, at);
}

/** One line about a job: `✗ e2e  failed  script_failure  4m10s`. */
function jobLine(pen: Pen, job: PipelineJob, now: number): string {
  const { name, status, duration, started_at, failure_reason } = job;
  const start = isRunning(status) ? timeOf(started_at) : undefined;
  const seconds = start === undefined ? duration : Math.max(0, (now - start) / 1000);
  const reason = status === 'failed' ? failure_reason : undefined;
  const time = typeof seconds === 'number' ? showDuration(seconds) : undefined;
  return [`${pen.mark(status)} ${name}`, status, reason, time].filter(Boolean).join('  ');
}

const keys = 'r retry  c cancel  l log  o open  q quit';

/** Draw the state in at most `height` lines. @param now milliseconds since the epoch */
export function frameOf(pen: Pen, height: number, { id, jobs, ...state }: WatchState, now: number): string[] {
  const ended = jobs.filter(hasEnded).length;
  const failures = failuresIn(jobs);
  const states = failures.length > 0 ? `, ${countText(failures)}` : '';
  const cut = (text: string) => pen.fit(text, pen.width).trimEnd();
  const head = [
    cut(`Pipeline ${id}  ${ended} of ${jobs.length} jobs ended${states}`),
    pen.bar(
      [
        { from: 0, to: ended, kind: 'running' },
        { from: ended, to: jobs.length, kind: 'waiting' },
      ],
      jobs.length,
      Math.min(60, pen.width),
    ),
  ];
  const foot = pen.wrap(state.message || keys);
  const room = Math.max(0, height - head.length - foot.length);
  if (state.log) return [...head, ...state.log.slice(-room).map(cut), ...foot].slice(-height);
  const stageOf = ({ pipeline_id, stage }: PipelineJob) =>
    String(pipeline_id) === id ? String(stage) : `${pipeline_id} ${stage}`;
  const stages = [...groupBy(jobs, stageOf)];
  const nameWidth = Math.min(Math.floor(pen.width / 3), pen.widest(stages.map(([name]) => name)));
  // A short terminal shows the jobs rather than the stages.
  const stageLines = stages.slice(0, Math.max(0, room - 3)).map(([name, own]) => {
    const marks = own.map(({ status }) => pen.mark(status)).join('');
    return cut(`${pen.fit(name, nameWidth)}  ${marks}`);
  });
  const most = room - stageLines.length;
  const all = listed(jobs);
  const selected = placeOf({ jobs, selected: state.selected });
  const first = Math.max(0, Math.min(selected - Math.floor(most / 2), all.length - most));
  const lines = all.slice(first, first + most).map((job, at) => {
    const cursor = first + at === selected ? '>' : ' ';
    const tone = hasFailed(job) ? 'removed' : isRunning(job.status) ? 'changed' : 'plain';
    return pen.paint(tone, cut(`${cursor} ${jobLine(pen, job, now)}`));
  });
  return [...head, ...stageLines, ...lines, ...foot].slice(-height);
}
