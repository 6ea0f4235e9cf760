import { PassThrough, Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import type { Context } from '../../src/cli/context.ts';
import { run } from '../../src/cli/run.ts';
import { calls } from '../support/catalogue.ts';
import { exampleFiles } from '../support/sandbox.ts';
import { type Canned, canned, contextWith, svc, words } from '../support/svc.ts';
import { ask, folderWith, host, refused, token } from './service.ts';

const get = 'appearance get --retries 0';

const failing = (error: unknown): NonNullable<Context['transport']> =>
  canned(() => {
    throw error;
  });
const env = { SVC_BASE_URL: host, SVC_TOKEN: token };

test('0: success', async () => {
  expect((await ask(get)).code).toBe(0);
  expect((await ask('variables delete K -p 1 --yes', { status: 204 })).code).toBe(0);
});

test('8: a response that is not the documented object', async () => {
  const cwd = await folderWith(exampleFiles);
  const env = { SVC_JOB_TOKEN: 'svcjob-1234567' };
  const taken: string[] = [];
  for (const { endpoint } of calls) {
    const { run = '' } = endpoint.examples.find((one) => !/--(dry-run|curl|output-file)/.test(one.run)) ?? {};
    if (endpoint.returns.kind !== 'object' || run === '') continue;
    for (const body of ['null', '[]', '"x"']) {
      const { code, out, requests } = await ask([...words(run), '--retries', '0'], { body }, { cwd, env });
      if (code !== 8 || out !== '' || requests.length === 0) taken.push(`${run} <- ${body}: ${code} ${out}`);
    }
  }
  expect(taken).toEqual([]);
});

test('8: an HTML page, or an empty body instead of an object', async () => {
  // A login page returns 200 for every request, so nothing was deleted.
  const page: Canned = {
    headers: [['content-type', 'text/html; charset=utf-8']],
    body: '<html>Sign in</html>',
  };
  const deleted = await ask('variables delete K -p 1 --yes', page);
  expect([deleted.code, deleted.err]).toEqual([8, expect.stringContaining('an HTML or XML page')]);
  // The error names the request.
  const made = await ask(['variables', 'create', 'K', 'v', '-p', '1'], page);
  expect([made.code, made.err]).toEqual([8, expect.stringContaining(`POST ${host}/`)]);
  const report = await ask('license usage', page);
  expect([report.code, report.out, report.err]).toEqual([8, '', expect.stringContaining('not text/csv')]);
  expect((await ask('variables get K -p 1', { status: 204 })).code).toBe(8);
  const head = await ask('files head x --ref main -p 1', page);
  expect([head.code, head.out]).toEqual([8, '']);
  expect(head.err).toContain('lacks the documented headers');
  expect((await ask('jobs list -p 1', { body: '[]' })).code).toBe(0);
});

test('1: anything else; a bug in svc prints how to report it', async () => {
  const bug = new TypeError('x is not a function');
  const ran = await svc(get, { env, transport: failing(bug) });
  expect(ran.code).toBe(1);
  expect(ran.err).toMatch(/bug in svc/);
  expect(ran.err).toMatch(/report/);
  expect(ran.err).not.toContain(token);
});

test('1: an error of the operating system', async () => {
  const cwd = await folderWith({ there: 'x' });
  const ran = await ask('files raw x -p 1 --output-file there', { body: 'y' }, { cwd });
  expect([ran.code, ran.requests.length]).toEqual([1, 0]);
  expect(ran.err).toMatch(/--force/);
});

test.each([
  'jobs list',
  'jobs list -p 1 --scope x',
  'jobs list -p 1 --timeout soon',
  'nothing',
  'jobs nothing',
  'jobs list -p 1 --base-url ftp://x',
  'variables delete K -p 1',
])('2: an invalid command line or setting, before sending: svc %s', (line) => refused(line));

const statuses: readonly (readonly [code: number, statuses: readonly number[]])[] = [
  [4, [401, 403]],
  [5, [404, 410]],
  [6, [400, 405, 409, 412, 413, 414, 415, 422]],
  [7, [429]],
  [8, [500, 502, 503, 504, 599]],
];
describe.each(statuses)('%i', (code, all) => {
  test.each(all)('%i for a read, a list, a write and a file', async (status) => {
    const answer: Canned = { status, body: '{"message":"no"}' };
    for (const line of [
      get,
      'jobs list -p 1 --retries 0',
      'variables create K v -p 1 --retries 0',
      'variables delete K -p 1 --yes --retries 0',
      'files raw x -p 1 --retries 0',
      'files head x --ref main -p 1 --retries 0',
    ])
      expect((await ask(line, answer)).code, line).toBe(code);
  });
});

test('4: a missing token that the endpoint requires', async () => {
  for (const line of ['variables create K v -p 1', 'jobs current', 'api POST x']) {
    const ran = await svc(line, { env: { SVC_BASE_URL: host }, transport: canned(() => ({ body: '{}' })) });
    expect([ran.code, ran.requests.length], line).toEqual([4, 0]);
  }
});

test('0: a closed pipe is not an error', async () => {
  const gone = () =>
    new Writable({
      write: (_chunk, _encoding, done) =>
        done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE', errno: -32 })),
    });
  for (const format of ['table', 'json', 'csv', 'ndjson', 'yaml', 'raw']) {
    const stdout = gone();
    stdout.on('error', () => {});
    const stderr = new PassThrough();
    const rows = JSON.stringify(Array.from({ length: 2000 }, (_, id) => ({ id, name: 'x'.repeat(100) })));
    const context = contextWith({ env, stdout, stderr, transport: canned(() => ({ body: rows })) });
    const code = await run(['jobs', 'list', '-p', '1', '-o', format], context);
    expect([format, code, stderr.read()]).toEqual([format, 0, null]);
  }
});
