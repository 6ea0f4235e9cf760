/** The picture of `jobs watch`: stages with a mark per job, and the jobs that one looks at. */
import type { Row } from '../../spec/resource.ts';
import { showDuration } from '../../support/number.ts';
import { groupBy } from '../../support/record.ts';
import type { Pen } from '../../support/text/pen.ts';
import { hasEnded, hasFailed, type Id, type PipelineJob, timeOf } from './pipeline.ts';

export interface WatchState {
  readonly id: string;
  readonly jobs: readonly PipelineJob[];
  /** The id of the selected job; by default the first of `listed`. */
  readonly selected?: Id | undefined;
  /** A question, an answer or a refusal, in place of the keys. */
  readonly message: string;
  /** The end of a log, in place of the jobs. */
  readonly log?: readonly string[] | undefined;
}

const order = ['running', 'failed', 'canceled', 'pending', 'waiting_for_resource', 'created', 'manual'];
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
  return Math.max(
    0,
    listed(jobs).findIndex(({ id }) => id === selected),
  );
}

function stagesOf(id: string, jobs: readonly PipelineJob[]): Map<string, PipelineJob[]> {
  return groupBy(jobs, ({ pipeline_id, stage }) =>
    String(pipeline_id) === id ? String(stage) : `${pipeline_id} ${stage}`,
  );
}

function secondsOf({ duration, started_at, status }: Row, now: number): number | undefined {
  const start = timeOf(started_at);
  if (status === 'running' && start !== undefined) return Math.max(0, (now - start) / 1000);
  return typeof duration === 'number' ? duration : undefined;
}

/** One line about a job: `✗ e2e  failed  script_failure  4m10s`. */
function jobLine(pen: Pen, job: PipelineJob, now: number): string {
  const seconds = secondsOf(job, now);
  const reason = job.status === 'failed' ? job['failure_reason'] : undefined;
  const time = seconds === undefined ? undefined : showDuration(seconds);
  return [`${pen.mark(job.status)} ${job.name}`, job.status, reason, time].filter(Boolean).join('  ');
}

const toneOf = (job: PipelineJob) =>
  hasFailed(job) ? 'removed' : job.status === 'running' ? 'changed' : 'plain';

const keys = 'r retry  c cancel  l log  o open  q quit';

/** Draw the state in at most `height` lines. @param now milliseconds since the epoch */
export function frameOf(pen: Pen, height: number, { id, jobs, ...state }: WatchState, now: number): string[] {
  const ended = jobs.filter(hasEnded).length;
  const failed = jobs.filter((job) => hasFailed(job) && !job.allow_failure).length;
  const cut = (text: string) => pen.fit(text, pen.width).trimEnd();
  const head = [
    cut(`Pipeline ${id}  ${ended} of ${jobs.length} jobs ended${failed > 0 ? `, ${failed} failed` : ''}`),
    pen.bar(
      [
        { from: 0, to: ended, kind: 'running' },
        { from: ended, to: jobs.length, kind: 'waiting' },
      ],
      jobs.length,
      Math.min(60, pen.width),
    ),
  ];
  const foot = [cut(state.message || keys)];
  const room = Math.max(0, height - head.length - foot.length);
  if (state.log) return [...head, ...state.log.slice(-room).map(cut), ...foot].slice(-height);
  const stages = [...stagesOf(id, jobs)];
  const nameWidth = Math.min(
    Math.floor(pen.width / 3),
    Math.max(0, ...stages.map(([name]) => [...name].length)),
  );
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
    return pen.paint(toneOf(job), cut(`${cursor} ${jobLine(pen, job, now)}`));
  });
  return [...head, ...stageLines, ...lines, ...foot].slice(-height);
}
