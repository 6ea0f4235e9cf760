/** The parts of pictures, and the pictures that are made of them, are never wider than a terminal of 20 to 200 columns. */
import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { createPen } from '../../../src/output/pen.ts';
import type { Pen } from '../../../src/support/text/pen.ts';
import { draw as drawCapacity } from '../../../src/tasks/jobs/capacity.ts';
import type { PipelineJob } from '../../../src/tasks/jobs/pipeline.ts';
import { frameOf } from '../../../src/tasks/jobs/watch.ts';
import { drawUsage } from '../../../src/tasks/license.ts';
import { draw as drawStatus } from '../../../src/tasks/status.ts';

const hours = 3600;
const loads = Array.from({ length: 200 }, (_, at) => ({ ready: at * 5 * hours, queued: at, duration: 60 }));

const usage = Array.from({ length: 300 }, (_, at) => ({
  date: new Date(at * 24 * hours * 1000).toISOString(),
  billable_users: at,
}));

const pipeline = {
  id: 1,
  ref: 'a-branch-with-a-long-name/'.repeat(8),
  status: 'failed',
  created_at: '2026-01-02T03:04:05Z',
};
const status = {
  branches: [pipeline],
  // The terminal wraps the command.
  last_failure: { ...pipeline, next: '' },
  hooks: [{ id: 1, alert_status: 'disabled', url: `https://host.example/${'x'.repeat(300)}` }],
  migrations: [{ id: 1, status: 'started' }],
  license_days: 3,
};

const jobs = Array.from(
  { length: 60 },
  (_, at): PipelineJob => ({
    ...{
      id: at,
      pipeline_id: 7,
      name: `构建 job ${at} with a name of some length`,
      stage: `stage ${at % 3}`,
    },
    ...{ status: 'failed', failure_reason: 'script_failure', duration: 61, allow_failure: false },
  }),
);

const pictures: Readonly<Record<string, (pen: Pen) => readonly string[]>> = {
  'a bar': (pen) => [
    pen.bar([{ from: 0, to: 9, kind: 'waiting' }], 9, pen.width),
    pen.bar([{ from: 8.999, to: 9, kind: 'running' }], 9, pen.width),
  ],
  'a scale': (pen) => [1, 59, 3600, 1e7].map((seconds) => pen.scale(seconds, pen.width)),
  'a text': (pen) => [pen.fit('构建 '.repeat(100), pen.width), pen.fit('', pen.width)],
  'a sparkline': (pen) => [pen.sparkline(Array.from({ length: pen.width }, (_, at) => at))],
  'the usage of a license': (pen) => drawUsage(pen, usage, 123_456),
  'the hours of runners': (pen) => drawCapacity(pen, loads),
  'the state of a project': (pen) => drawStatus(pen, status),
  'a live pipeline': (pen) => frameOf(pen, 24, { id: '7', jobs, message: '' }, 0),
  'a live log': (pen) =>
    frameOf(pen, 24, { id: '7', jobs, message: '构建 xxxxxx'.repeat(30), log: ['y'.repeat(300)] }, 0),
};

// Every width of a narrow terminal, and some of the wider ones.
const widths = Array.from({ length: 181 }, (_, at) => 20 + at).filter(
  (width) => width <= 60 || width % 7 === 0,
);

test.each(Object.entries(pictures))('%s', async (_, draw) => {
  const tooWide: string[] = [];
  for (const unicode of [true, false])
    for (const width of widths) {
      const pen = await createPen(width, { unicode, color: false, accessible: false });
      for (const line of draw(pen)) if (stringWidth(line) > width) tooWide.push(`${width}: ${line}`);
    }
  expect(tooWide).toEqual([]);
});
