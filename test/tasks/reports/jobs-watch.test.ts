/** `svc jobs watch`: the picture fits every terminal, and changes are printed once. */
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import type { Sink } from '../../../src/cli/context.ts';
import { run } from '../../../src/cli/run.ts';
import { createTerminal } from '../../../src/cli/terminal/terminal.ts';
import { openView } from '../../../src/cli/terminal/view.ts';
import { createPen } from '../../../src/output/pen.ts';
import { pause } from '../../../src/support/waiting/pause.ts';
import type { PipelineJob } from '../../../src/tasks/jobs/pipeline.ts';
import { changesOf, frameOf } from '../../../src/tasks/jobs/watch.ts';
import { ask, Screen } from '../../interface/service.ts';
import { openWorld } from '../../support/sandbox.ts';
import { canned, contextWith, words } from '../../support/svc.ts';

const statuses = ['success', 'running', 'failed', 'pending', 'created', 'manual', 'canceled'];
const jobs = Array.from(
  { length: 300 },
  (_, at): PipelineJob => ({
    id: at + 1,
    pipeline_id: at > 250 ? 8 : 7,
    name: `job ${at} with a name of some length`,
    stage: `stage-${at % 12}`,
    status: statuses[at % statuses.length] ?? '',
    allow_failure: false,
    failure_reason: at % statuses.length === 2 ? 'script_failure' : null,
    started_at: '2026-01-01T00:00:00Z',
    duration: at % 2 === 0 ? 61 : null,
  }),
);
const now = Date.parse('2026-01-01T00:02:00Z');

test.each([20, 80, 200])('never exceeds %i columns or any height', async (width) => {
  const message = 'read-only mode is on and refuses to retry the job';
  for (const unicode of [true, false]) {
    const pen = await createPen(width, { unicode, color: false, accessible: false });
    for (const height of [1, 3, 10, 24, 60])
      for (const selected of [undefined, 1, 150, 300]) {
        const lines = frameOf(pen, height, { id: '7', jobs, selected, message: '' }, now);
        expect(lines.length).toBeLessThanOrEqual(height);
        for (const line of lines) expect([...line].length).toBeLessThanOrEqual(width);
        const refused = frameOf(pen, height, { id: '7', jobs, selected, message }, now).slice(-3);
        if (height > 2) expect(refused.join(' ')).toContain(message);
      }
  }
});

test('shows what runs and what failed before the rest, with time and reason, and the selected job', async () => {
  const pen = await createPen(80, { unicode: false, color: false, accessible: false });
  const some = jobs.slice(0, 5);
  const lines = frameOf(pen, 24, { id: '7', jobs: some, selected: 3, message: '' }, now);
  expect(lines[0]).toBe('Pipeline 7  2 of 5 jobs ended, 1 failed');
  expect(lines[2]).toBe('stage-0  +');
  const canceled = some.map((job) => ({ ...job, status: 'canceled' }));
  const [head] = frameOf(pen, 24, { id: '7', jobs: canceled, message: '' }, now);
  expect(head).toBe('Pipeline 7  5 of 5 jobs ended, 5 canceled');
  const list = lines.filter((line) => line.includes('job '));
  expect(list.slice(0, 2)).toEqual([
    '  * job 1 with a name of some length  running  2m',
    '> x job 2 with a name of some length  failed  script_failure  1m1s',
  ]);
});

test('arrow keys that arrive together count each, and other keys only alone', async () => {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const context = contextWith({ stdin });
  const keys: string[] = [];
  const view = await openView(
    context,
    createTerminal({}, context),
    () => {},
    (key) => keys.push(key),
  );
  for (const chunk of ['\u001b[B\u001b[B\u001bOA', 'r', 'ry', '\u001b']) {
    stdin.write(chunk);
    await new Promise(setImmediate);
  }
  view.end();
  expect(keys).toEqual(['down', 'down', 'up', 'r', 'ry', 'escape']);
});

test('after a retry, the new job is selected', async () => {
  const [success, running, failed] = jobs.slice(0, 3);
  const retried = { ...failed, id: 1000, status: 'pending' };
  const lists = [[success, running, failed], [], retried, [success, running, failed, retried], []];
  const keys = ['\u001b[B', 'r', 'y'];
  const { text } = await watching(
    async (number) => lists[number] ?? [],
    (drawn, type) => drawn.includes('Pipeline') && type(/> ○ job 2/.test(drawn) ? 'q' : (keys.shift() ?? '')),
  );
  expect(text).toContain('Retried job 2');
  expect(text).toContain('> ○ job 2');
});

test('a line about a retry is above the picture, which is drawn again below it', async () => {
  const screen = new Screen();
  const sink = screen as unknown as Sink;
  const context = contextWith({ stdout: sink, stderr: sink });
  const draw = () => view.draw(() => ['one', 'two']);
  const view = await openView(context, createTerminal({}, context), draw);
  draw();
  sink.write('retrying\n');
  view.end();
  sink.write('Stopped\n');
  const picture = '\rone\u001b[K\ntwo\u001b[K\n\u001b[J';
  expect(screen.text).toBe(
    `\u001b[?25l${picture}\u001b[2A\r\u001b[Jretrying\n${picture}\u001b[?25hStopped\n`,
  );
});

test('a change has the states before and after', () => {
  const [first] = jobs as [PipelineJob];
  const after = [{ ...first, status: 'failed', failure_reason: 'script_failure' }];
  expect(changesOf([first], [first], now)).toEqual([]);
  expect(changesOf([first], after, now)).toEqual([
    {
      at: '2026-01-01T00:02:00.000Z',
      job: { id: 1, name: first.name, stage: 'stage-0' },
      ...{ from: 'success', to: 'failed', failure_reason: 'script_failure' },
    },
  ]);
});

/** Watch a pipeline on a terminal. @param respond returns the body of a request @param onText receives the drawn text */
async function watching(
  respond: (number: number, type: (keys: string) => void) => Promise<object>,
  onText: (text: string, type: (keys: string) => void) => void = () => {},
) {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const type = (keys: string) => void setImmediate(() => stdin.write(keys));
  const stdout = new Screen(80, (text) => onText(text, type));
  const transport = canned(async (_, number) => ({ body: JSON.stringify(await respond(number, type)) }));
  const context = contextWith({
    ...{ stdin, stdout: stdout as unknown as Sink, transport },
    sleep: (milliseconds, signal) => pause(milliseconds / 100, signal),
    env: { SVC_BASE_URL: 'https://host.example', SVC_TOKEN: 'svcpat-Zq81LmPw', TERM: 'xterm' },
  });
  return { code: await run(words('jobs watch 7 -p 1'), context), text: stdout.text };
}

test.each([
  ['q', 'the first read', 0, 0],
  ['q', 'a later read', 2, 0],
  ['\u0003', 'the first read', 0, 130],
  ['\u0003', 'a later read', 2, 130],
])('%j ends the picture during %s', async (key, _, reads, code) => {
  const ran = await watching(async (number, type) => {
    if (number < reads) return number === 0 ? jobs.slice(1, 2) : [];
    type(key);
    return new Promise(() => {});
  });
  expect(ran.code).toBe(code);
  expect(ran.text).toMatch(/\u001b\[\?25h$/);
});

test('o shows the URL of the page, which it may not be able to open', async () => {
  const page = 'https://host.example/acme/rocket/-/jobs/2';
  const { text } = await watching(
    async (number) => (number % 2 === 0 ? [{ ...jobs[1], web_url: page }] : []),
    (drawn, type) => type(drawn.includes('No browser') ? 'q' : 'o'),
  );
  expect(text).toMatch(new RegExp(`${page} +No browser found\\.`));
});

test('ends without a terminal when only a manual job can continue, which two reads show', async () => {
  const manual = { ...jobs[0], status: 'manual' };
  const rows = JSON.stringify([manual, { ...manual, id: 2, name: 'next', status: 'created' }]);
  const ran = await ask('jobs watch 7 -p 1', ({ url }) => ({ body: url.includes('/jobs') ? rows : '[]' }));
  expect([ran.code, ran.requests.filter(({ url }) => url.includes('/jobs')).length]).toEqual([0, 2]);
  expect(ran.err).toContain('Pipeline 7 waits for a manual job: job 0');
});

test('ends with the outcome of a pipeline that has ended', async () => {
  const world = await openWorld();
  const failed = await world.run('jobs watch 1011 -p acme/rocket');
  expect(failed.code).toBe(9);
  expect(failed.err).toContain('2 jobs of pipeline 1011 failed');
  expect((await world.run('jobs watch 1010 -p acme/rocket -o ndjson')).code).toBe(0);
  for (const command of ['watch', 'wait']) {
    const empty = await world.run(`jobs ${command} latest -p acme/website`);
    expect([command, empty.code]).toEqual([command, 9]);
    expect(empty.err).toContain('pipeline 1101 has no jobs');
    const canceled = await world.run(`jobs ${command} 1008 -p acme/rocket`);
    expect(canceled.err).toContain('11 jobs of pipeline 1008 did not succeed: 11 canceled');
  }
});
