/** `jobs timeline`: when the jobs of a pipeline ran, as a picture for a terminal or a page. */
import { getPipeline, listPipelines } from '../../api/pipelines.ts';
import { Failure, usage } from '../../errors.ts';
import { counted } from '../../spec/names.ts';
import type { Row } from '../../spec/resource.ts';
import { type Note, objectResult, rowsResult, sayNote } from '../../spec/result.ts';
import { showDuration } from '../../support/number.ts';
import { groupBy } from '../../support/record.ts';
import { shortList } from '../../support/text/list.ts';
import { type Pen, scaleTimes } from '../../support/text/pen.ts';
import { printable } from '../../support/text/printable.ts';
import { type TaskContext, type TaskWith, writeNew } from '../context.ts';
import { percentile } from './history.ts';
import { jobTimes } from './outputs.ts';
import {
  type Id,
  isRunning,
  isWaiting,
  openPipeline,
  type Pipeline,
  type PipelineJob,
  timeOf,
} from './pipeline.ts';

const style = `text{font:12px sans-serif;fill:#1f2328}.page{fill:#fff}.wait{fill:#afb8c1}.run{fill:#54aeff}.critical{fill:#0550ae}.failed{fill:#cf222e}.line{stroke:#d0d7de}
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.page{fill:#0d1117}.wait{fill:#57606a}.run{fill:#388bfd}.critical{fill:#a5d6ff}.failed{fill:#f85149}.line{stroke:#30363d}}`;

/** Pixels. */
const [width, left, rowHeight, top] = [900, 290, 20, 36];

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
/** Text of an XML document, which cannot contain the last two characters. */
const escaped = (text: string): string =>
  printable(text).replace(/[&<>"\ufffe\uffff]/g, (char) => entities[char] ?? '');
const label = (x: number, y: number, text: string, more = ''): string =>
  `<text x="${x}" y="${y}"${more}>${escaped(text)}</text>`;

/** The start of a text that fits a column of the page. The title of the bar has the whole name. */
function shortened(text: string, most: number): string {
  const characters = [...printable(text)];
  return characters.length > most ? `${characters.slice(0, most - 1).join('')}…` : text;
}

const isFailed = ({ status }: TimedJob): boolean => status === 'failed';

export function svgOf(title: string, { jobs, duration }: Timeline): string {
  const scale = (width - left - 20) / Math.max(duration, 1);
  const rect = (start: number, to: number, y: number, kind: string) => {
    const from = Math.max(0, start);
    return `<rect class="${kind}" x="${(left + from * scale).toFixed(1)}" y="${y}" width="${Math.max(1, (to - from) * scale).toFixed(1)}" height="12" rx="2"/>`;
  };
  const kindOf = (job: TimedJob) => (isFailed(job) ? 'failed' : job.critical ? 'critical' : 'run');
  const rows = jobs.flatMap((job, index) => {
    const y = top + index * rowHeight;
    const { stage, name, start, queued } = job;
    return [
      label(10, y + 10, shortened(stage, 12)),
      label(95, y + 10, `${shortened(name, 26)}${job.critical ? ' *' : ''}${isFailed(job) ? ' ✗' : ''}`),
      ...(queued > 0 ? [rect(start - queued, start, y, 'wait')] : []),
      `<g>${rect(start, endOf(job), y, kindOf(job))}<title>${escaped(`${name}: ${job.status}, ${showDuration(job.duration)}, queued ${showDuration(queued)}`)}</title></g>`,
    ];
  });
  const bottom = top + jobs.length * rowHeight + 6;
  const ticks = scaleTimes(duration, 5).flatMap((at) => {
    const x = left + at * scale;
    return [
      `<line class="line" x1="${x}" y1="${top - 6}" x2="${x}" y2="${bottom}"/>`,
      label(x, bottom + 14, at === 0 ? '0' : showDuration(at), ' text-anchor="middle"'),
    ];
  });
  const height = bottom + 44;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${escaped(title)}</title><style>${style}</style>`,
    `<rect class="page" width="${width}" height="${height}"/>`,
    label(10, 18, title),
    ...ticks,
    ...rows,
    label(95, bottom + 34, '* on the critical path, ✗ failed, gray: in the queue'),
    '</svg>\n',
  ].join('\n');
}

/** Draw a pipeline, or describe the last pipelines of its branch. @throws Failure `usage` for a file that cannot be written */
export const showTimeline: TaskWith<{ svg: string; typical: number }> = async (task, { svg, typical }) => {
  if (svg !== undefined && typical !== undefined)
    throw usage('--svg and --typical cannot be used together', 'a picture shows one pipeline');
  const file = svg === undefined ? undefined : { ...svgFile, path: task.path(svg), name: svg };
  if (file) await writeNew(file);
  // Earlier runs determined when later jobs could start.
  const opened = await openPipeline(task, { include_retried: true });
  const { id, slots, calls, runs } = opened;
  const get = { endpoint: getPipeline, slots, values: {} };
  if (task.dryRun) return task.requests([get, ...calls]);
  const { value: pipeline } = await task.call(get);
  if (typical !== undefined) return typicalTimes(task, pipeline, opened, typical);
  const timeline = timelineOf(pipeline, await runs(id), task.now());
  if (file) await writeNew(file, svgOf(titleOf(pipeline, timeline), timeline));
  const { jobs, duration, waiting } = timeline;
  const notes: Note[] = file ? [{ how: 'done', text: `Saved ${file.name}` }] : [];
  const queue = shortList(waiting.map(({ name, status }) => `${name} (${status})`));
  if (waiting.length > 0)
    notes.push(sayNote(`${counted(waiting.length, 'job')} waiting for a runner: ${queue}`));
  return objectResult({ pipeline, duration, jobs }, task.command.prints, {
    notes,
    picture: (pen) => draw(pen, titleOf(pipeline, timeline), timeline),
  });
};

const svgFile = {
  flag: '--svg',
  isEarlier: (start: string) => start.startsWith('<svg '),
  hints: ['name a new file or an earlier picture'],
};

/** `Pipeline 1012  main  success  12m40s (critical path 11m58s)` */
function titleOf({ id, ref, status }: Row, timeline: Timeline): string {
  const time = timeline.jobs.reduce((sum, { critical, duration }) => sum + (critical ? duration : 0), 0);
  const path = `critical path ${showDuration(time)}`;
  return `Pipeline ${id}  ${ref}  ${status}  ${showDuration(timeline.duration)} (${path})`;
}

export function draw(pen: Pen, title: string, { jobs, duration }: Timeline): string[] {
  const widthOf = (part: 'stage' | 'name', share: number) =>
    Math.min(Math.floor(pen.width / share), pen.widest(jobs.map((job) => job[part])));
  const [stageWidth, nameWidth] = [widthOf('stage', 5), widthOf('name', 3)];
  // Two spaces after the stage, and the marks of a failure and of the critical path between two spaces.
  const left = stageWidth + nameWidth + 6;
  const mark = (job: TimedJob) => (isFailed(job) ? pen.mark('failed') : ' ');
  const width = Math.max(1, pen.width - left);
  let before: string | undefined;
  const lines = jobs.map((job) => {
    const stage = pen.fit(job.stage === before ? '' : job.stage, stageWidth);
    before = job.stage;
    const tone = isFailed(job) ? 'removed' : job.critical ? 'changed' : 'plain';
    const spans = [
      { kind: 'waiting' as const, from: job.start - job.queued, to: job.start },
      { kind: 'running' as const, from: job.start, to: endOf(job) },
    ];
    const bar = pen.paint(tone, pen.bar(spans, duration, width));
    return `${stage}  ${pen.fit(job.name, nameWidth)} ${mark(job)}${job.critical ? '*' : ' '} ${bar}`.trimEnd();
  });
  const none = jobs.length === 0 ? ['No job has started.'] : [];
  const sign = pen.mark('failed');
  const legend = jobs.some(isFailed) && !sign.includes('failed') ? [`${sign} failed`] : [];
  return [
    pen.fit(title, pen.width).trimEnd(),
    ...lines,
    ...none,
    `${' '.repeat(left)}${pen.scale(duration, width)}`.trimEnd(),
    ...legend,
  ];
}

/** The jobs of the last pipelines of a branch, and those whose shortening saves most. */
async function typicalTimes(task: TaskContext, { ref }: Row, { slots, runs }: Pipeline, count: number) {
  const list = { endpoint: listPipelines, slots, values: { ref: String(ref), scope: 'finished' } };
  const timelines: Timeline[] = [];
  const progress = task.progress('reading pipelines', count);
  for await (const pipeline of task.rows(list, { mayChange: true })) {
    if (timelines.length === count) break;
    progress.step(String(pipeline['id']));
    timelines.push(timelineOf(pipeline, await runs(String(pipeline['id'])), task.now()));
  }
  progress.end();
  const rows = timesByName(timelines);
  const notes = rows
    .filter(({ saves }) => saves > 0)
    .sort((a, b) => b.saves - a.saves)
    .slice(0, 3)
    .map(({ name, critical, shorter, saves }) =>
      sayNote(
        `${name} is critical in ${critical} of ${timelines.length}; ${showDuration(shorter)} less saves ${showDuration(saves)}`,
      ),
    );
  const read = sayNote(`${counted(timelines.length, 'finished pipeline')} of ${ref}`);
  return rowsResult(rows, jobTimes, { notes: [read, ...notes] });
}

const median = (values: readonly number[]): number => percentile(values, 0.5) ?? 0;

/** The times of the jobs with each name, and in how many pipelines one of them was critical. */
export function timesByName(timelines: readonly Timeline[]) {
  const all = timelines.flatMap(({ jobs }) => jobs);
  return [...groupBy(all, ({ name }) => name)].map(([name, jobs]) => {
    const durations = jobs.map(({ duration }) => duration);
    const critical = timelines.filter((one) =>
      one.jobs.some((job) => job.critical && job.name === name),
    ).length;
    const shorter = median(durations) / 2;
    return {
      name,
      runs: jobs.length,
      median: median(durations),
      min: Math.min(...durations),
      max: Math.max(...durations),
      critical,
      shorter,
      saves: critical === 0 ? 0 : median(timelines.map((one) => savingOf(one, name, shorter))),
    };
  });
}

type TimedJob = NonNullable<ReturnType<typeof timedJob>>;

type Timeline = ReturnType<typeof timelineOf>;

/** Seconds by which the times of the service are rounded. */
const precision = 0.002;

export const endOf = ({ start, duration }: TimedJob): number => start + duration;
/** Sums and differences of fractions, such as 81.33699999999999, in whole milliseconds. */
const rounded = (seconds: number): number => Math.round(seconds * 1000) / 1000;
const readyAt = ({ start, queued }: TimedJob): number => start - queued;

/** The times of a job in seconds from the creation of the pipeline; undefined if it has not started. */
function timedJob(job: PipelineJob, origin: number, now: number) {
  const started = timeOf(job['started_at']);
  if (started === undefined) return undefined;
  const end = timeOf(job['finished_at']) ?? (isRunning(job.status) ? now : started);
  const { queued_duration: waited } = job;
  const start = (started - origin) / 1000;
  // A retry is created later than its pipeline, and cannot have waited before that.
  const created = ((timeOf(job['created_at']) ?? origin) - origin) / 1000;
  const queued = rounded(Math.max(0, Math.min(typeof waited === 'number' ? waited : 0, start - created)));
  const { id, name, status } = job;
  const stage = String(job['stage']);
  const duration = Math.max(0, (end - started) / 1000);
  /** The jobs that it waited for, as their times show. */
  const after: readonly Id[] = [];
  return { id, name, stage, status, start, queued, duration, critical: false, after };
}

/** Whether a trigger job lasts as long as its child pipeline, whose jobs count in its place. */
function isSpan(trigger: PipelineJob, jobs: readonly PipelineJob[]): boolean {
  const inside = jobs.filter((job) => job.pipeline_id === trigger.downstream);
  const first = Math.min(...inside.map((job) => timeOf(job['started_at']) ?? Number.POSITIVE_INFINITY));
  return inside.length > 0 && (timeOf(trigger['finished_at']) ?? Number.POSITIVE_INFINITY) > first;
}

/** The service does not list dependencies. A job counts as waiting for the jobs that ended last before it was ready to run. */
function waitedFor(job: TimedJob, jobs: readonly TimedJob[]): TimedJob[] {
  const before = jobs.filter((one) => one !== job && endOf(one) <= readyAt(job) + precision);
  const last = Math.max(...before.map(endOf));
  return before.filter((one) => endOf(one) >= last - precision);
}

/**
 * Compute when the jobs of a pipeline ran.
 * @param jobs every run of its jobs, in any order
 * @param now milliseconds since the epoch, the end of jobs that are running
 * @throws Failure `server_error` for a pipeline without a time
 */
export function timelineOf(pipeline: Row, jobs: readonly PipelineJob[], now: number) {
  const origin = timeOf(pipeline['created_at']);
  if (origin === undefined) throw new Failure('server_error', 'the pipeline has no time of creation');
  const timed = jobs
    .filter((job) => !isSpan(job, jobs))
    .flatMap((job) => timedJob(job, origin, now) ?? [])
    .map((job, _, all) => ({ ...job, after: waitedFor(job, all).map(({ id }) => id) }))
    .sort((a, b) => a.start - b.start || (a.id < b.id ? -1 : 1));
  const isOpen = jobs.some(({ status }) => isRunning(status) || isWaiting(status));
  const ended = timeOf(pipeline['finished_at']) ?? (isOpen ? now : origin);
  // The critical path: the job that ended last, the job that it waited for, and so on.
  const byId = new Map(timed.map((job) => [job.id, job]));
  const last = Math.max(...timed.map(endOf));
  for (let job = timed.find((one) => endOf(one) === last); job && !job.critical; ) {
    job.critical = true;
    const next: Id | undefined = job.after.find((id) => !byId.get(id)?.critical);
    job = next === undefined ? undefined : byId.get(next);
  }
  return {
    /** Seconds from the creation of the pipeline to its end, or until now. */
    duration: rounded(Math.max((ended - origin) / 1000, ...timed.map(endOf))),
    jobs: timed,
    /** The jobs that have not started, because they wait for a runner. */
    waiting: jobs.filter(({ status }) => isWaiting(status)),
  };
}

/**
 * Seconds that a pipeline would save if the jobs of one name took less time. Every job is taken to wait for all jobs that ended before
 * it was ready.
 */
export function savingOf({ jobs, duration }: Timeline, name: string, seconds: number): number {
  const byEnd = [...jobs].sort((a, b) => endOf(a) - endOf(b));
  const ends = new Map<TimedJob, number>();
  let [index, latest, before] = [0, 0, 0];
  for (const job of [...jobs].sort((a, b) => readyAt(a) - readyAt(b))) {
    for (let next = byEnd[index]; next && endOf(next) <= readyAt(job) + precision; next = byEnd[++index]) {
      latest = Math.max(latest, ends.get(next) ?? endOf(next));
      before = endOf(next);
    }
    const shorter = job.name === name ? Math.min(seconds, job.duration) : 0;
    ends.set(job, latest + (endOf(job) - before) - shorter);
  }
  const last = Math.max(0, ...jobs.map(endOf));
  return rounded(Math.min(duration, last - Math.max(0, ...ends.values())));
}
