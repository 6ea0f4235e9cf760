/** `jobs digest`: what failed in a pipeline, and why. */
import { usage } from '../../errors.ts';
import { counted } from '../../spec/names.ts';
import { type Result, rowsResult, sayNote } from '../../spec/result.ts';
import { showDuration } from '../../support/number.ts';
import { parseUrl } from '../../support/url.ts';
import type { TaskContext } from '../context.ts';
import { causesOf, drawCauses } from './causes.ts';
import { failedJobs } from './outputs.ts';
import {
  byId,
  callsOf,
  countText,
  hasFailed,
  type PipelineJob,
  preparePipeline,
  readJobs,
} from './pipeline.ts';

/** Failures first, then canceled jobs, then those that are allowed to fail. */
const rank = ({ status, allow_failure }: PipelineJob): number =>
  (allow_failure ? 2 : 0) + (status === 'failed' ? 0 : 1);

/** The attributes of `failedJobs`. */
function digestRow({ id, pipeline_id, name, stage, status, allow_failure, ...job }: PipelineJob) {
  const { failure_reason = null, duration = null, queued_duration = null, web_url = null } = job;
  return {
    id,
    pipeline_id,
    name,
    stage,
    status,
    allow_failure,
    failure_reason,
    duration,
    queued_duration,
    web_url,
  };
}

/** `21 jobs: 20 success, 1 failed` */
function statesText(jobs: readonly PipelineJob[]): string {
  const states = countText(jobs);
  return `${counted(jobs.length, 'job')}${states === '' ? '' : `: ${states}`}`;
}

/** List the failed jobs. @throws Failure `usage` for Markdown in another format */
export async function digestJobs(
  task: TaskContext,
  { markdown, lines }: { readonly markdown?: true | undefined; readonly lines?: number | undefined },
): Promise<Result> {
  const { output, json, csv, fields, sortBy, jq } = task.line.options;
  for (const [flag, value] of Object.entries({ output, json, csv, fields, 'sort-by': sortBy, jq, lines }))
    if (markdown && value !== undefined) throw usage(`--markdown and --${flag} cannot be used together`);
  const { id, root } = await preparePipeline(task);
  if (task.dryRun) return task.requests(callsOf(root, id));
  const jobs = await readJobs(task, root, id);
  const failed = jobs.filter(hasFailed).sort((a, b) => rank(a) - rank(b) || byId(a, b));
  if (markdown) return { kind: 'text', text: digestMarkdown(id, jobs, failed) };
  const notes = [sayNote(`Pipeline ${id}: ${statesText(jobs)}`)];
  if (failed.length === 0) return rowsResult([], failedJobs, { notes });
  const { causes, notes: others } = await causesOf(task, root, failed, lines ?? 5);
  const rows = failed.map((job) => ({ ...digestRow(job), ...causes.get(job.id) }));
  const command = (words: readonly string[]) => task.resumeCommand(words, 'scoped');
  return rowsResult(rows, failedJobs, {
    notes: [...notes, ...others],
    picture: (pen) => drawCauses(pen, id, failed, causes, command),
  });
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
): string {
  const counting = failed.filter((job) => !job.allow_failure);
  const allowed = failed.filter((job) => job.allow_failure);
  const isCanceled = counting.some(({ status }) => status === 'canceled');
  const failures = isCanceled ? countText(counting) : counted(counting.length, 'failed job');
  return [
    `### Pipeline ${id}: ${counting.length === 0 ? 'no failed jobs' : failures}`,
    '',
    statesText(jobs).replace(/[^\w(),: -]/g, ''),
    '',
    ...(counting.length > 0 ? table(counting) : []),
    ...(allowed.length > 0 ? ['#### Allowed failures', '', ...table(allowed)] : []),
  ].join('\n');
}
