/** `jobs digest`: what failed in a pipeline, and why. */

import { getLog } from '../../api/jobs.ts';
import { getPipeline } from '../../api/pipelines.ts';
import { Failure, isFromSignal, usage } from '../../errors.ts';
import { returnedFields } from '../../spec/endpoint.ts';
import { counted } from '../../spec/names.ts';
import type { Call } from '../../spec/request.ts';
import type { Row } from '../../spec/resource.ts';
import { type Note, rowsResult, sayNote } from '../../spec/result.ts';
import { showDuration } from '../../support/number.ts';
import { part, scalarText } from '../../support/record.ts';
import { shortList } from '../../support/text/list.ts';
import type { Pen } from '../../support/text/pen.ts';
import { parseUrl } from '../../support/url.ts';
import type { TaskContext, TaskWith } from '../context.ts';
import { ifAvailable } from '../engine/codecs.ts';
import { flakyIn, runOf } from './flaky.ts';
import { openHistory } from './history.ts';
import { endOfLog } from './log.ts';
import { failedJobs } from './outputs.ts';
import {
  byId,
  countText,
  hasFailed,
  type Id,
  idFrom,
  idIn,
  openPipeline,
  type PipelineJob,
} from './pipeline.ts';

/** Failures first, then those that are allowed, then canceled jobs, which no log explains. */
const rank = ({ status, allow_failure }: PipelineJob): number =>
  (status === 'failed' ? 0 : 2) + (allow_failure ? 1 : 0);

/** `21 jobs: 20 success, 1 failed` */
function statesText(jobs: readonly PipelineJob[]): string {
  const states = countText(jobs);
  return `${counted(jobs.length, 'job')}${states === '' ? '' : `: ${states}`}`;
}

/** List the failed jobs. @throws Failure `usage` for Markdown in another format */
export const digestJobs: TaskWith<{ markdown: true; lines: number }> = async (task, { markdown, lines }) => {
  const { output, json, csv, fields, sortBy, jq } = task.line.options;
  for (const [flag, value] of Object.entries({ output, json, csv, fields, 'sort-by': sortBy, jq, lines }))
    if (markdown && value !== undefined) throw usage(`--markdown and --${flag} cannot be used together`);
  const { id, slots, ...pipeline } = await openPipeline(task);
  if (task.dryRun) return task.requests(pipeline.calls);
  const jobs = await pipeline.jobs();
  const failed = jobs.filter(hasFailed).sort((a, b) => rank(a) - rank(b) || byId(a, b));
  const reason = failed.length === 0 ? await ownFailure(task, slots) : undefined;
  if (markdown) return { kind: 'text', text: digestMarkdown(id, jobs, failed, reason) };
  const notes = [sayNote(`Pipeline ${id}: ${statesText(jobs)}`)];
  if (reason !== undefined) notes.push({ how: 'warn', text: reason });
  if (failed.length === 0) return rowsResult([], failedJobs, { notes });
  const { causes, notes: others } = await causesOf(task, slots, failed, {
    lines: lines ?? 5,
    upTo: idFrom(id),
  });
  const names = Object.keys(returnedFields(failedJobs));
  const rows = failed.map((job) => ({ ...part(job, names), ...causes.get(job.id) }));
  return rowsResult(rows, failedJobs, {
    notes: [...notes, ...others],
    picture: (pen) => drawCauses(pen, id, failed, causes, (words) => task.resumeCommand(words)),
  });
};

/** Why a pipeline failed that has no failed job, such as an error in its configuration. */
async function ownFailure(task: TaskContext, slots: Call['slots']): Promise<string | undefined> {
  try {
    const { value } = await task.call({ endpoint: getPipeline, slots, values: {} });
    const errors = scalarText(value['yaml_errors'])?.trim();
    if (value['status'] !== 'failed') return undefined;
    return `the pipeline failed without a failed job${errors ? `: ${errors}` : ''}`;
  } catch (error) {
    if (!(error instanceof Failure) || isFromSignal(error)) throw error;
    return `the state of the pipeline was not read: ${error.message}`;
  }
}

// Markdown. Names come from the service: they must neither change the table nor add links, mentions or HTML.

/** Text as a code span in a cell of a table. Within it, no other markup has a meaning. */
export function codeCell(text: string): string {
  const line = text
    // Control and format characters can hide or reorder text.
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    // The escape of a bar would not work after a backslash.
    .replace(/(?<!\\)\\*\|/g, '\\|');
  if (line === '') return '';
  const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  const space = /^`|`$/.test(line) ? ' ' : '';
  return `${fence}${space}${line}${space}${fence}`;
}

/** A link to the page of a job, or its id alone if the address is not a web page. */
function linkTo({ id, web_url }: PipelineJob): string {
  const { protocol, href = '' } = parseUrl(String(web_url)) ?? {};
  if (protocol !== 'https:' && protocol !== 'http:') return String(id);
  // A parsed URL contains no angle bracket. A bar would end the cell.
  return `[${id}](<${href.replace(/[|\\]/g, encodeURIComponent)}>)`;
}

const durationText = (seconds: unknown): string => (typeof seconds === 'number' ? showDuration(seconds) : '');

function table(jobs: readonly PipelineJob[]): string[] {
  const rows = jobs.map((job) => [
    linkTo(job),
    codeCell(job.name),
    codeCell(String(job['stage'])),
    codeCell(String(job['failure_reason'] ?? job.status)),
    durationText(job['duration']),
    durationText(job['queued_duration']),
  ]);
  return [
    '| Job | Name | Stage | Reason | Duration | Queued |',
    '| --- | --- | --- | --- | --- | --- |',
    ...rows.map((cells) => `| ${cells.join(' | ')} |`),
    '',
  ];
}

export function digestMarkdown(
  id: string,
  jobs: readonly PipelineJob[],
  failed: readonly PipelineJob[],
  reason?: string,
) {
  const counting = failed.filter((job) => !job.allow_failure);
  const allowed = failed.filter((job) => job.allow_failure);
  const isCanceled = counting.some(({ status }) => status === 'canceled');
  const failures = isCanceled ? countText(counting) : counted(counting.length, 'failed job');
  return [
    `### Pipeline ${id}: ${counting.length === 0 ? 'no failed jobs' : failures}`,
    '',
    statesText(jobs).replace(/[^\w(),: -]/g, ''),
    '',
    ...(reason === undefined ? [] : [codeCell(reason), '']),
    ...(counting.length > 0 ? table(counting) : []),
    ...(allowed.length > 0 ? ['#### Allowed failures', '', ...table(allowed)] : []),
  ].join('\n');
}

/** The pipelines of the branch that are compared: the newest up to the one that is explained. */
const comparedPipelines = 20;
/** The failed jobs whose logs are read. */
const maxLogs = 10;

export interface Cause {
  /** Pipelines of the same branch: `1005–1010`. */
  readonly passed_in: string | null;
  /** Null if the earlier runs are not known. */
  readonly flaky: boolean | null;
  readonly log: readonly string[];
}

/** The last consecutive pipelines before another one in which a job passed. @param runs the runs of the job */
export function passedIn(runs: readonly Row[], before: number | bigint): string | null {
  const passed = new Map<number | bigint, boolean>();
  for (const { pipeline, status } of runs) {
    const id = idIn(pipeline);
    if (id === undefined || id >= before || (status !== 'success' && status !== 'failed')) continue;
    passed.set(id, passed.get(id) === true || status === 'success');
  }
  const newest = [...passed].sort(([a], [b]) => (a < b ? 1 : -1));
  const start = newest.findIndex(([, isPassed]) => isPassed);
  if (start < 0) return null;
  const end = newest.findIndex(([, isPassed], at) => at > start && !isPassed);
  const [to, from] = [newest[start], newest.at(end < 0 ? -1 : end - 1)].map((one) => String(one?.[0]));
  return from === to ? String(to) : `${from}–${to}`;
}

const isTrigger = (job: PipelineJob): boolean => 'downstream_pipeline' in job;

/** Explain failed jobs. @param lines of each log @param upTo the pipeline */
async function causesOf(
  task: TaskContext,
  slots: Call['slots'],
  failed: readonly PipelineJob[],
  { lines, upTo }: { readonly lines: number; readonly upTo?: Id },
) {
  const ref = failed[0]?.['ref'];
  const period = { last: comparedPipelines, upTo, ...(typeof ref === 'string' && { ref }) };
  const history = await openHistory(task, period, slots['id']);
  const names = new Set(failed.map(({ name }) => name));
  const runs: Row[] = [];
  const readHistory = async () => {
    for await (const job of history.jobs) if (names.has(String(job['name']))) runs.push(job);
    return history.note();
  };
  const notes: Note[] = [];
  const note = await ifAvailable(readHistory());
  if (note) notes.push(note);
  const flaky = new Set(flakyIn(runs.flatMap((run) => runOf(run) ?? [])).map(({ job }) => job));
  const causes = new Map<unknown, Cause>();
  const unread: string[] = [];
  for (const [at, job] of failed.entries()) {
    const { id, name, pipeline_id } = job;
    const call = { endpoint: getLog, slots: { ...slots, job_id: String(id) }, values: {} };
    const isRead = lines > 0 && at < maxLogs;
    const reading = isRead ? endOfLog(task, call, lines) : undefined;
    const log =
      (await reading?.catch((error: unknown) => {
        if (!(error instanceof Failure) || isFromSignal(error)) throw error;
        unread.push(`${id} (${error.message})`);
        return undefined;
      })) ?? [];
    const own = runs.filter((run) => run['name'] === name);
    // The list of jobs does not contain the runs of trigger jobs.
    const isKnown = note !== undefined && !isTrigger(job);
    const past = isKnown ? { passed_in: passedIn(own, pipeline_id), flaky: flaky.has(name) } : unknownPast;
    causes.set(id, { ...past, log });
  }
  if (unread.length > 0) notes.push({ how: 'warn', text: `logs of jobs not read: ${shortList(unread)}` });
  if (lines > 0 && failed.length > maxLogs)
    notes.push(sayNote(`logs of the first ${maxLogs} of ${failed.length} jobs read`));
  return { causes, notes };
}

const unknownPast = { passed_in: null, flaky: null };

/** Draw the causes below the table, each with the next commands. */
function drawCauses(
  pen: Pen,
  pipeline: string,
  failed: readonly PipelineJob[],
  causes: ReadonlyMap<unknown, Cause>,
  command: (words: readonly string[]) => string,
): string[] {
  const lines = failed.slice(0, maxLogs).flatMap((job) => {
    const { id, name, pipeline_id, downstream } = job;
    const { passed_in, flaky, log } = causes.get(id) ?? { ...unknownPast, log: [] };
    const passed = passed_in === null ? 'never passed in the last pipelines' : `passed in ${passed_in}`;
    const past = flaky === null ? '' : `: ${passed}, ${flaky ? 'flaky' : 'not flaky'}`;
    const words = isTrigger(job) ? ['digest'] : ['log', 'retry'];
    const of = isTrigger(job) ? downstream : id;
    const next = of === undefined ? [] : words.map((word) => command(['jobs', word, String(of)]));
    const place = String(pipeline_id) === pipeline ? '' : ` (pipeline ${pipeline_id})`;
    const cut = (line: string) => pen.fit(line, pen.width).trimEnd();
    return [
      '',
      ...pen.wrap(`${name}${place}${past}`).map((line) => pen.paint('removed', line)),
      ...log.map((line) => cut(`  ${line}`)),
      ...next.map((line) => `  ${pen.paint('changed', line)}`),
    ];
  });
  const more = failed.length - maxLogs;
  return more > 0 ? [...lines, '', `${counted(more, 'other failed job')} not explained here`] : lines;
}
