/** `--har`: an HTTP Archive 1.2 of the run, with secrets masked. */
import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Failure } from '../../src/errors.ts';
import { ask, folderWith, token } from '../interface/service.ts';
import type { Canned } from '../support/svc.ts';

interface Entry {
  readonly request: Record<string, unknown> & { readonly headers: { name: string; value: string }[] };
  readonly response: Record<string, unknown> & { readonly content: Record<string, unknown> };
  readonly startedDateTime: string;
  readonly time: number;
  readonly timings: Record<string, number>;
}

async function run(line: string, answer: Parameters<typeof ask>[1]) {
  const cwd = await folderWith({ 'old.har': 'old' });
  const ran = await ask(`${line} --har run.har`, answer, { cwd });
  const file = join(cwd, 'run.har');
  const text = await readFile(file, 'utf8');
  const { log } = JSON.parse(text) as { log: { version: string; creator: unknown; entries: Entry[] } };
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(text).not.toContain(token);
  return { ran, text, log };
}

const secret = 's3cret-word';
const echo: Canned = {
  status: 201,
  headers: [['x-echo', `${secret} ${token}`]],
  body: JSON.stringify({ key: 'KEY', value: secret, note: `set to ${secret} by ${token}` }),
};

test('has the required members of HAR 1.2, without secrets', async () => {
  const { ran, log, text } = await run(`variables create KEY ${secret} -p acme/rocket`, echo);
  expect(ran.code, ran.err).toBe(0);
  expect(log).toMatchObject({ version: '1.2', creator: { name: 'svc', version: expect.any(String) } });
  expect(log.entries).toHaveLength(1);
  const [entry] = log.entries;
  const content = { mimeType: 'application/json', size: (echo.body as string).length };
  expect(entry).toMatchObject({
    startedDateTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    time: expect.any(Number),
    request: {
      method: 'POST',
      url: 'https://host.example/api/v4/projects/acme%2Frocket/variables',
      httpVersion: 'HTTP/1.1',
      cookies: [],
      queryString: [],
      headersSize: -1,
      postData: { mimeType: 'application/json', text: '{"key":"KEY","value":"***"}' },
    },
    response: {
      status: 201,
      statusText: 'Created',
      httpVersion: 'HTTP/1.1',
      cookies: [],
      redirectURL: '',
      content,
    },
    cache: {},
    timings: { send: expect.any(Number), wait: expect.any(Number), receive: expect.any(Number) },
  });
  expect(entry?.request.headers).toContainEqual({ name: 'private-token', value: '***' });
  expect(text).not.toContain(secret);
});

test('records a failure, each retry and each page', async () => {
  const failed = await run('jobs list -p 1', () => {
    throw new Failure('network', 'connection refused');
  });
  expect(failed.ran.code).toBe(3);
  expect(failed.log.entries).toHaveLength(1);
  expect(failed.log.entries[0]?.response).toMatchObject({ status: 0, comment: 'connection refused' });
  const busy = await run('jobs list -p 1 --retries 2', { status: 503 });
  expect(busy.log.entries.map(({ response }) => response['status'])).toEqual([503, 503, 503]);
  // The first response is over before the next request.
  const [first, second] = busy.log.entries as [Entry, Entry];
  const end = Date.parse(first.startedDateTime) + first.time;
  expect(end).toBeLessThanOrEqual(Date.parse(second.startedDateTime));
  const missing = await run('wikis get home -g 1', { status: 404, body: '{"message":"404 Not found"}' });
  expect(missing.ran.code).toBe(5);
  const content = { text: '{"message":"404 Not found"}' };
  expect(missing.log.entries[0]?.response).toMatchObject({ status: 404, content });
  const url = 'https://host.example/api/v4/projects/1/jobs';
  const pages = await run('jobs list -p 1 --all', (_request, page) => ({
    headers: page === 0 ? [['link', `<${url}?page=2>; rel="next"`]] : [],
    body: '[{"id":1}]',
  }));
  expect(pages.log.entries.map(({ request }) => request['queryString'])).toEqual([
    expect.arrayContaining([{ name: 'per_page', value: '100' }]),
    [{ name: 'page', value: '2' }],
  ]);
});

test('records only JSON bodies, because secrets in other text are unknown', async () => {
  const { text, log } = await run('snippets raw 51 -p 1', {
    headers: [['content-type', 'text/plain']],
    body: 'password: hunter2',
  });
  expect(log.entries).toHaveLength(1);
  expect(text).not.toContain('hunter2');
  const body = JSON.stringify([{ id: 1, name: 'x'.repeat(2 ** 20) }]);
  const long = await run('jobs list -p 1', { body });
  expect(long.log.entries[0]?.response.content).toEqual({
    size: body.length,
    mimeType: 'application/json',
    comment: 'longer than 1048576 bytes, not recorded',
  });
});

test.each<[string, string, (path: string) => Promise<unknown>]>([
  ['a folder that does not exist', 'none/run.har', async () => {}],
  ['a folder', 'run.har', (path) => mkdir(path)],
  ['a file that is not an archive', 'run.har', (path) => writeFile(path, '{ "log": "of my ship" }')],
  ['a link to a file', 'run.har', (path) => symlink('precious', path)],
  ['a link to nothing', 'run.har', (path) => symlink('nothing', path)],
])('rejects %s before a request is sent', async (_name, name, make) => {
  const cwd = await folderWith({ precious: '' });
  const path = join(cwd, name);
  await make(path);
  const inode = (await lstat(path).catch(() => undefined))?.ino;
  const ran = await ask(`jobs list -p 1 --har ${name}`, { body: '[]' }, { cwd });
  expect([ran.code, ran.requests]).toEqual([2, []]);
  expect(ran.err).toContain(`error: --har: cannot write ${name}: `);
  expect((await lstat(path).catch(() => undefined))?.ino).toBe(inode);
  expect(await readFile(join(cwd, 'precious'), 'utf8')).toBe('');
});

test('replaces an empty file and an earlier archive', async () => {
  const cwd = await folderWith({ 'run.har': '' });
  for (const project of ['1', '2'])
    expect((await ask(`jobs list -p ${project} --har run.har`, { body: '[]' }, { cwd })).code).toBe(0);
  expect(await readFile(join(cwd, 'run.har'), 'utf8')).toContain('/projects/2/jobs');
  expect(await readdir(cwd)).toEqual(['run.har']);
});

test.runIf(process.getuid?.() === 0)('writes to a device such as /dev/null in place', async () => {
  const cwd = await folderWith();
  const device = join(cwd, 'null');
  execFileSync('mknod', [device, 'c', '1', '3']);
  const ran = await ask('jobs list -p 1 --har null', { body: '[]' }, { cwd });
  expect([ran.code, ran.requests.length]).toEqual([0, 1]);
  expect((await lstat(device)).isCharacterDevice()).toBe(true);
});

test('writes the entries of a long list before its end, and the file appears as a whole', async () => {
  const cwd = await folderWith();
  const url = 'https://host.example/api/v4/projects/1/jobs';
  const name = 'x'.repeat(500_000);
  const pages = 30;
  const drafts: number[] = [];
  const ran = await ask(
    'jobs list -p 1 --all --jq .[].id --har run.har',
    (_request, page) => {
      const files = readdirSync(cwd);
      expect(files).not.toContain('run.har');
      drafts.push(files.reduce((sum, file) => sum + statSync(join(cwd, file)).size, 0));
      return {
        headers: page < pages - 1 ? [['link', `<${url}?page=${page + 2}>; rel="next"`]] : [],
        body: JSON.stringify([{ id: page, name }]),
      };
    },
    { cwd },
  );
  expect(ran.code, ran.err).toBe(0);
  // At most 8 MiB are in memory. Pages that are requested in advance are not written yet.
  expect(drafts[20]).toBeGreaterThan(1_000_000);
  expect(drafts[29]).toBeGreaterThan(5_000_000);
  const { log } = JSON.parse(await readFile(join(cwd, 'run.har'), 'utf8'));
  const ids = log.entries.map((entry: Entry) => JSON.parse(String(entry.response.content['text']))[0].id);
  expect(ids).toEqual(Array.from({ length: pages }, (_, page) => page));
  expect(await readdir(cwd)).toEqual(['run.har']);
});
