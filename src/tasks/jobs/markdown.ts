/** `jobs digest --markdown`. Names come from the service: they must neither change the table nor add links, mentions or HTML. */
import { counted } from '../../spec/names.ts';
import { parseUrl } from '../../support/url.ts';
import { countText, type PipelineJob } from './pipeline.ts';

/** Text as a code span in a cell of a table. Within it, no other markup has a meaning. */
export function codeCell(text: string): string {
  const line = text
    // Control and format characters can hide or reorder text.
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    // The escape of a bar would not work after a backslash.
    .replace(/(?<!\\)(\\*)\|/g, (_, slashes: string) => (slashes === '' ? '\\|' : `${slashes}¦`));
  if (line === '') return '';
  const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  const space = /^`|`$/.test(line) ? ' ' : '';
  return `${fence}${space}${line}${space}${fence}`;
}

/** A link to the page of a job, or its id alone if the address is not a web page. */
function linkTo({ id, web_url }: PipelineJob): string {
  if (web_url === null || !parseUrl(web_url)) return String(id);
  const { protocol, href } = new URL(web_url);
  if (protocol !== 'https:' && protocol !== 'http:') return String(id);
  const encoded = href.replace(/[^\w.~:/?#[@!$&'*+,;=%-]/g, (one) => encodeURIComponent(one));
  return `[${id}](<${encoded.replace(/[[\]'*!]/g, (one) => `%${one.charCodeAt(0).toString(16)}`)}>)`;
}

/** Seconds for people: `4m 5s`. */
export function durationText(seconds: number | null): string {
  if (seconds === null) return '';
  const whole = Math.round(seconds);
  const parts = [
    [Math.floor(whole / 3600), 'h'],
    [Math.floor((whole % 3600) / 60), 'm'],
    [whole % 60, 's'],
  ] as const;
  const shown = parts.filter(([amount]) => amount > 0).map(([amount, unit]) => `${amount}${unit}`);
  return shown.join(' ') || '0s';
}

function table(jobs: readonly PipelineJob[]): string[] {
  const rows = jobs.map((job) => [
    linkTo(job),
    codeCell(job.name),
    codeCell(job.stage),
    codeCell(job.failure_reason ?? job.status),
    durationText(job.duration),
    durationText(job.queued_duration),
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
  const title = counting.length === 0 ? 'no failed jobs' : counted(counting.length, 'failed job');
  const states = countText(jobs).replace(/[^\w(), -]/g, '');
  return [
    `### Pipeline ${id}: ${title}`,
    '',
    `${counted(jobs.length, 'job')}${states === '' ? '' : `: ${states}`}`,
    '',
    ...(counting.length > 0 ? table(counting) : []),
    ...(allowed.length > 0 ? ['#### Allowed failures', '', ...table(allowed)] : []),
  ].join('\n');
}
