/** `jobs log`: bytes as sent, colors on a terminal, and logs that grow, are interrupted or change while they are read. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { endOfLog, lastLines } from '../../src/tasks/jobs/log.ts';
import { chunked } from '../output/print.ts';
import { openWorld } from '../support/sandbox.ts';
import { json, serve } from '../support/service.ts';
import { type Setting, svc } from '../support/svc.ts';

/** Send a log, or the part of it that the request asks for if `ranges` is set. */
function sendLog(req: IncomingMessage, res: ServerResponse, state: State, ranges: boolean) {
  const { log, cut = Infinity, most, isBare } = state;
  const all = Buffer.from(log);
  const from = ranges ? Number(/^bytes=(\d+)-$/.exec(req.headers.range ?? '')?.[1] ?? 0) : 0;
  const headers = { 'content-type': log.startsWith('<html') ? 'text/html' : 'text/plain' };
  if (from > 0 && from >= all.length)
    return void res
      .writeHead(416, { ...headers, ...(isBare ? {} : { 'content-range': `bytes */${all.length}` }) })
      .end();
  const part = all.subarray(from).subarray(0, from > 0 ? most : undefined);
  const range = { 'content-range': `bytes ${from}-${from + part.length - 1}/${all.length}` };
  res.writeHead(from > 0 ? 206 : 200, {
    ...headers,
    ...(from > 0 ? range : {}),
    'content-length': part.length,
  });
  if (part.length > cut) res.write(part.subarray(0, cut), () => setTimeout(() => res.destroy(), 20));
  else res.write(part.subarray(0, -1), () => setTimeout(() => res.end(part.subarray(-1)), 5));
}

interface State {
  readonly log: string;
  /** Bytes after which the connection breaks. */
  readonly cut?: number;
  /** Bytes of a part that is requested, at most. */
  readonly most?: number;
  /** The response to a request for what follows the end has no `Content-Range`. */
  readonly isBare?: boolean;
  readonly job?: object;
}

/** Run `svc jobs log 7` against a service whose log and job have these states, one after another; the last one stays. */
async function print(states: readonly State[], flags = '', setting: Setting & { ranges?: boolean } = {}) {
  let state = -1;
  const at = () => states[Math.min(Math.max(state, 0), states.length - 1)] as State;
  const follows = flags.includes('--follow');
  const asked: unknown[] = [];
  const SVC_BASE_URL = await serve((req, res) => {
    const isJob = req.url === '/api/v4/projects/1/jobs/7';
    if (isJob || !follows) state += 1;
    if (isJob) return json(res, { id: 7, name: 'unit', status: 'running', ...at().job });
    const { cut } = at();
    asked.push(req.headers.range);
    sendLog(req, res, at(), setting.ranges ?? false);
    if (cut !== undefined && follows) state += 1;
  });
  const env = { SVC_BASE_URL, SVC_TOKEN: 'token-of-mia', SVC_RETRIES: '2', LANG: 'C.UTF-8' };
  return { ...(await svc(`jobs log 7 -p 1 ${flags}`, { ...setting, env })), asked };
}

const marked = (side: string, at: number, name: string) => `section_${side}:${at}:${name}\r\u001b[0K`;
const start = Date.parse('2026-04-01T12:00:00Z') / 1000;
const log = [
  '\u001b[0KRunning\n',
  `${marked('start', start, 'build_it[collapsed=true]')}\u001b[36;1mBuilding\u001b[0;m\n`,
  'one\rtwo \u001b]0;title\u0007\u001b[2J\u001b[31mred \u009b5m\u0007\u202eend\n',
  `${marked('end', start + 9, 'build_it')}last ünit`,
].join('');

describe('one read', () => {
  test('prints the bytes as sent in a pipe', async () => {
    const ran = await print([{ log }]);
    expect([ran.code, ran.out, ran.err]).toEqual([0, log, '']);
  });

  test('keeps colors and names sections on a terminal, and removes other control sequences', async () => {
    const { out } = await print([{ log }], '--color always', { terminal: 80 });
    expect(out).toBe(
      'Running\n\u001b[1m▸ build_it\u001b[0m  \u001b[36;1mBuilding\u001b[0;m\none two \u001b[31mred end\nlast ünit\u001b[0m',
    );
    const plain = await print([{ log }], '--color never', { terminal: 80 });
    expect(plain.out).toBe('Running\n▸ build_it  Building\none two red end\nlast ünit');
  });

  test.each([
    ['--tail 0', ''],
    ['--tail 1', 'd'],
    ['--tail 2', 'c\nd'],
    ['--tail 9', 'a\nb\nc\nd'],
  ])('%s prints the last lines', async (flags, expected) => {
    expect((await print([{ log: 'a\nb\nc\nd' }], flags)).out).toBe(expected);
    expect((await print([{ log: 'a\nb\nc\nd\n' }], flags)).out).toBe(expected && `${expected}\n`);
  });

  test('the last lines are the same however the log is divided', async () => {
    const log = 'one\ntwo\n\nthree\nfour\n';
    for (const size of [1, 2, 3, 5, 7, 100])
      for (const count of [1, 2, 3, 4]) {
        const parts: Uint8Array[] = [];
        for await (const part of lastLines(chunked(log, size), count)) parts.push(part);
        const expected = log
          .split('\n')
          .slice(-1 - count)
          .join('\n');
        expect(Buffer.concat(parts).toString(), `${count} of parts of ${size}`).toBe(expected);
      }
  });

  test('the end of a log has the last lines that are not empty', async () => {
    const task = { appended: () => () => chunked('one\ntwo\n\n\n\u001b[0;m\n \n', 5) };
    expect(await endOfLog(task as never, {} as never, 1)).toEqual(['two']);
  });

  test('--timestamps prints the time of each line, or of its section', async () => {
    const own = '2026-04-01T12:00:30.123456Z 00O own\n';
    const { out } = await print([{ log: `a\n${marked('start', start, 's')}b\nc\n${own}` }], '--timestamps');
    const lines = ['a', `${marked('start', start, 's')}b`, 'c', 'own'];
    const times = [' '.repeat(20), '2026-04-01T12:00:00Z', '2026-04-01T12:00:00Z', '2026-04-01T12:00:30Z'];
    expect(out).toBe(lines.map((line, at) => `${times[at]} ${line}\n`).join(''));
  });

  test.each([true, false])('continues a log that was cut (ranges: %s)', async (ranges) => {
    const states = [
      { log: 'one two three', cut: 4 },
      { log: 'one two three', cut: 9 },
      { log: 'one two three' },
    ];
    const ran = await print(states, '', { ranges });
    expect([ran.code, ran.out]).toEqual([0, 'one two three']);
    expect(ran.asked.slice(0, 2)).toEqual([undefined, 'bytes=4-']);
    expect(ran.err).toContain('the connection was lost after 4 bytes; continuing');
  });

  test('continues after a part that ends before the log does', async () => {
    const log = 'one two three';
    const ran = await print([{ log, cut: 4 }, { log, most: 5 }, { log }], '', { ranges: true });
    expect([ran.code, ran.out]).toEqual([0, log]);
    expect(ran.asked).toEqual([undefined, 'bytes=4-', 'bytes=9-']);
  });

  test('a 416 to a request without a range is an error', async () => {
    const SVC_BASE_URL = await serve((_, res) => void res.writeHead(416).end());
    const ran = await svc('jobs log 7 -p 1', { env: { SVC_BASE_URL, SVC_TOKEN: 'token-of-mia' } });
    expect([ran.code, ran.out]).toEqual([6, '']);
  });

  test('fails with exit code 3 if the log is cut again and again, and with 8 for a login page', async () => {
    const ran = await print([{ log: 'one two three', cut: 4 }]);
    expect([ran.code, ran.out]).toEqual([3, 'one ']);
    const page = await print([{ log: '<html>login</html>' }]);
    expect([page.code, page.out]).toEqual([8, '']);
  });

  test.each([
    ['--follow --output-file x', '--output-file cannot be used with --follow'],
    ['--tail -1', '--tail'],
  ])('rejects %s before sending', async (flags, message) => {
    const { code, out, err } = await print([{ log }], flags);
    expect([code, out, err]).toEqual([2, '', expect.stringContaining(message)]);
  });
});

describe.each([true, false])('--follow (ranges: %s)', (ranges) => {
  const follow = (states: readonly State[], flags = '') => print(states, `--follow ${flags}`, { ranges });
  const ends = (status: string, more: object = {}) => ({ job: { status, ...more } });

  test('prints each byte once until the job has ended', async () => {
    const states = [
      { log: '', ...ends('pending') },
      { log: 'a\nb' },
      { log: 'a\nb' },
      { log: 'a\nb\nc\n', cut: 5 },
      { log: 'a\nb\nc\nd\n' },
      { log: 'a\nb\nc\nd\nend\n', ...ends('success') },
    ];
    const ran = await follow(states);
    expect([ran.code, ran.out]).toEqual([0, 'a\nb\nc\nd\nend\n']);
    expect(ran.err).toContain('Finished job 7 (unit): success');
    expect((await follow(states, '--tail 1')).out).toBe('a\nb\nc\nd\nend\n');
    expect((await follow(states.slice(4), '--tail 1')).out).toBe('d\nend\n');
    expect((await print(states)).err).toContain('the log is empty; ');
  });

  test('needs no Content-Range where the log ends', async () => {
    const state = { log: 'a\nb\n', isBare: true };
    const ran = await follow([state, { ...state, ...ends('success') }]);
    expect([ran.code, ran.out]).toEqual([0, 'a\nb\n']);
  });

  test.each([
    ['failed', {}, 9],
    ['failed', { allow_failure: true }, 0],
    ['canceled', {}, 9],
    ['skipped', {}, 0],
    ['manual', {}, 0],
  ])('a job that is %s %o ends with exit code %i', async (status, more, code) => {
    const ran = await follow([{ log: 'a\n', ...ends(status, more) }]);
    expect([ran.code, ran.out]).toEqual([code, 'a\n']);
  });

  test.each([['shorter', 'ab'], ['shorter by a byte', 'abc'], ...(ranges ? [] : [['another', 'abX\ne']])])(
    'fails if the log becomes %s',
    async (_, next) => {
      const ran = await follow([{ log: 'abc\n' }, { log: next as string }]);
      expect([ran.code, ran.out]).toEqual([8, 'abc\n']);
    },
  );
});

test('in the sandbox, a followed log is the log of the job, and a job token does not fit', async () => {
  const { run, sandbox } = await openWorld({ now: () => Date.parse('2026-04-01T12:00:00Z') });
  await run('jobs play 5262 -p acme/rocket');
  const env = { SVC_TOKEN: '', SVC_AUTH: 'job' };
  expect((await run('jobs log 5280 -p acme/rocket', { env })).code).toBe(4);
  expect((await run('jobs log 5262 -p acme/rocket')).out).toBe('');
  sandbox.control.clock.advance('60s');
  const whole = (await run('jobs log 5262 -p acme/rocket')).out;
  expect(whole).toMatch(/Job succeeded/);
  expect((await run('jobs log 5262 --follow -p acme/rocket')).out).toBe(whole);
});
