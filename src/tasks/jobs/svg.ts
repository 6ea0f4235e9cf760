/** A timeline as a picture for pages. It contains no script and follows the colors of the page that shows it. */
import { showDuration } from '../../support/number.ts';
import { scaleTimes } from '../../support/text/pen.ts';
import { printable } from '../../support/text/printable.ts';
import { endOf, type TimedJob, type Timeline } from './path.ts';

const style = `text{font:12px sans-serif;fill:#1f2328}.page{fill:#fff}.wait{fill:#afb8c1}.run{fill:#54aeff}.critical{fill:#0550ae}.failed{fill:#cf222e}.line{stroke:#d0d7de}
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.page{fill:#0d1117}.wait{fill:#57606a}.run{fill:#388bfd}.critical{fill:#a5d6ff}.failed{fill:#f85149}.line{stroke:#30363d}}`;

/** Pixels. */
const [width, left, rowHeight, top] = [900, 250, 20, 36];

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string => printable(text).replace(/[&<>"]/g, (char) => entities[char] ?? '');
const label = (x: number, y: number, text: string, more = ''): string =>
  `<text x="${x}" y="${y}"${more}>${escaped(text)}</text>`;

/** Draw a timeline. */
export function svgOf(title: string, { jobs, duration }: Timeline): string {
  const scale = (width - left - 20) / Math.max(duration, 1);
  const rect = (from: number, to: number, y: number, kind: string) =>
    `<rect class="${kind}" x="${(left + from * scale).toFixed(1)}" y="${y}" width="${Math.max(1, (to - from) * scale).toFixed(1)}" height="12" rx="2"/>`;
  const kindOf = ({ status, critical }: TimedJob) =>
    status === 'failed' ? 'failed' : critical ? 'critical' : 'run';
  const rows = jobs.flatMap((job, index) => {
    const y = top + index * rowHeight;
    const { stage, name, start, queued } = job;
    return [
      label(10, y + 10, stage),
      label(100, y + 10, `${name}${job.critical ? ' *' : ''}`),
      ...(queued > 0 ? [rect(start - queued, start, y, 'wait')] : []),
      `<g>${rect(start, endOf(job), y, kindOf(job))}<title>${escaped(`${name}: ${showDuration(job.duration)}, queued ${showDuration(queued)}`)}</title></g>`,
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
  const height = bottom + 24;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${escaped(title)}</title><style>${style}</style>`,
    `<rect class="page" width="${width}" height="${height}"/>`,
    label(10, 18, title),
    ...ticks,
    ...rows,
    '</svg>\n',
  ].join('\n');
}
