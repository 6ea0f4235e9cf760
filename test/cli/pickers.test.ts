/** Missing arguments are chosen on a terminal, from the values that completion offers. */
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import type { Sink } from '../../src/cli/context.ts';
import { run } from '../../src/cli/run.ts';
import type { Request } from '../../src/http/transport.ts';
import { Screen } from '../interface/service.ts';
import { type Canned, canned, contextWith, recording, svc, words } from '../support/svc.ts';

const env = { SVC_BASE_URL: 'https://host.example', SVC_TOKEN: 'svcpat-Zq81LmPw', TERM: 'xterm' };
const rowOf = (id: number, more: object = {}) => ({ id, name: `test ${id}`, status: 'failed', ...more });
const jobs = (count: number) => Array.from({ length: count }, (_, at) => rowOf(5000 - at));
const get = words('jobs get -p acme/rocket --json');

/** Run a command on a terminal. @param keys each is typed when a list or a question was drawn; a number is a new width */
async function picking(
  argv: readonly string[],
  keys: readonly (string | number)[],
  answer: (request: Request) => Canned,
  more: Readonly<Record<string, string>> = {},
  columns = 80,
) {
  const requests: Request[] = [];
  const transport = recording(canned(answer), requests);
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const left = [...keys];
  const stderr = new Screen(columns, (chunk) => {
    const key = /❯|text to find/.test(chunk) ? left.shift() : undefined;
    if (typeof key === 'number') setTimeout(() => resize(key), 20);
    else if (key !== undefined) setTimeout(() => stdin.write(key), 20);
  });
  let changedAt = 0;
  const resize = (columns: number) => {
    changedAt = stderr.text.length;
    Object.assign(stderr, { columns }).emit('resize');
  };
  const stdout = new PassThrough();
  const streams = { stdin, stdout: stdout as Sink, stderr: stderr as unknown as Sink };
  const onSuspend = (before: () => void, after: () => void) => ({
    suspend() {
      changedAt = stderr.text.length;
      before();
      setImmediate(after);
    },
    end() {},
  });
  const code = await run(argv, contextWith({ ...streams, transport, onSuspend, env: { ...env, ...more } }));
  const err = stderr.text;
  const shown = err
    .replace(/\u001b\[[?\d;]*[A-Za-z]/g, '\n')
    .trimEnd()
    .split('\n');
  return {
    code,
    out: String(stdout.read() ?? ''),
    err,
    shown,
    requests,
    afterChange: err.slice(changedAt),
  };
}

/** A list in pages of 100, and a resource for any other path. */
const service =
  (rows: readonly object[]) =>
  ({ url }: Request): Canned => {
    const { pathname, searchParams, origin } = new URL(url);
    const id = /\/jobs\/(\d+)$/.exec(pathname)?.[1];
    if (id) return { body: JSON.stringify(rowOf(Number(id))) };
    const page = Number(searchParams.get('page') ?? 1);
    const next = `<${origin}${pathname}?per_page=100&page=${page + 1}>; rel="next"`;
    return {
      body: JSON.stringify(rows.slice((page - 1) * 100, page * 100)),
      headers: page * 100 < rows.length ? [['link', next]] : [],
    };
  };

test('the list is drawn again after a suspension; a variable with several scopes is chosen with its scope', async () => {
  const ran = await picking(get, ['\u001a', '\u001b[B', '\r'], service(jobs(3)));
  expect(ran.afterChange).toContain('❯ 5000');
  expect([ran.code, JSON.parse(ran.out).id]).toEqual([0, 4999]);
  const rows = ['production', 'staging'].map((environment_scope) => ({ key: 'URL', environment_scope }));
  const { shown } = await picking(words('variables get -p 1'), ['\u001b[B', '\r'], service(rows));
  expect(shown).toContain('svc variables get URL --environment-scope staging -p 1');
});

test('the list is drawn again in the new width after a resize, for what was typed', async () => {
  const rows = [5000, 4999].map((id) => rowOf(id, { name: `test ${'wide '.repeat(20)}` }));
  const { code, out, afterChange } = await picking(get, ['4999', 40, '\r'], service(rows));
  expect([code, JSON.parse(out).id]).toEqual([0, 4999]);
  expect(afterChange).toMatch(/❯ 4999 {2}test wide [^\n]{0,25}…/);
  expect(afterChange).not.toContain('5000');
});

test('the chosen value is used, and the whole command is printed on standard error', async () => {
  const { code, out, shown } = await picking(get, ['\r'], service(jobs(3)));
  expect([code, JSON.parse(out).id]).toEqual([0, 5000]);
  expect(shown.at(-1)).toBe('svc jobs get 5000 -p acme/rocket --json');
});

test('filters by value and description, over pages that were not drawn', async () => {
  const { code, out, requests } = await picking(get, ['st 12', '\r'], service(jobs(5000)));
  expect([code, JSON.parse(out).id]).toEqual([0, 1299]);
  expect(requests.length).toBeLessThan(52);
});

test('fits 40 columns, and shows no control characters of values', async () => {
  const hostile = [rowOf(7, { name: `\u001b[2J\u001b]0;title\u0007${'wide '.repeat(20)}` })];
  const { code, err, shown } = await picking(get, ['\u001b'], service(hostile), {}, 40);
  expect(code).toBe(130);
  expect(err).not.toContain('\u001b[2J');
  expect(err).not.toContain('\u0007');
  expect(err).toMatch(/7 {2}wide wide [^\n]{0,30}…/);
  expect(shown.at(-1)).toContain('interrupted');
});

test.each([
  ['Esc', '\u001b'],
  ['Ctrl-C', '\u0003'],
  ['Ctrl-D', '\u0004'],
])('%s ends with 130 and sends nothing else', async (_, key) => {
  const { code, out, requests } = await picking(words('jobs retry -p acme/rocket'), [key], service(jobs(3)));
  expect([code, out, requests.length]).toEqual([130, '', 1]);
});

test('several arguments are chosen one after the other', async () => {
  const answer = ({ url, method }: Request): Canned => {
    if (method === 'POST') return { body: '{"response_status":200}' };
    const rows = /\/events/.test(url)
      ? [{ id: 44, trigger: 'push_hooks' }]
      : [{ id: 12, url: 'https://a.example' }];
    return { body: JSON.stringify(rows) };
  };
  const { shown, requests } = await picking(words('hooks resend -g acme'), ['\r', '\r'], answer);
  expect(shown).toContain('svc hooks resend 12 44 -g acme');
  expect(requests.at(-1)?.url).toMatch(/\/hooks\/12\/events\/44\/resend$/);
});

test('in accessible mode, the values are a numbered list', async () => {
  const { code, out, err } = await picking(get, ['2\r'], service(jobs(3)), { SVC_ACCESSIBLE: '1' });
  expect([code, JSON.parse(out).id]).toEqual([0, 4999]);
  expect(err).toContain('1. 5000  test 5000');
});

test('in accessible mode, Esc ends the question', async () => {
  const { code, out } = await picking(get, ['\u001b'], service(jobs(3)), { SVC_ACCESSIBLE: '1' });
  expect([code, out]).toEqual([130, '']);
});

test.each<[string, Canned, string]>([
  ['an empty list', { body: '[]' }, 'the list is empty'],
  ['a 403', { status: 403, body: '{"message":"403 Forbidden"}' }, '403 Forbidden'],
])('%s is the usage error with the reason', async (_, answer, reason) => {
  const { code, err } = await picking(get, [], () => answer);
  expect(code).toBe(2);
  expect(err).toContain('<job-id> is missing');
  expect(err).toContain(`no values to choose from: ${reason}`);
});

test.each([
  ['CI', get, { CI: '1' }],
  ['--no-input', [...get, '--no-input'], {}],
  ['--dry-run', [...get, '--dry-run'], {}],
  ['an argument without a list', words('epics create -g acme'), {}],
  ['another error', [...get, '--nonsense'], {}],
])('no list with %s', async (_, argv, more) => {
  const { code, requests } = await picking(argv, [], service(jobs(3)), more as Record<string, string>);
  expect([code, requests]).toEqual([2, []]);
});

test('without a terminal, nothing is sent', async () => {
  const { code, err } = await svc('jobs get -p acme/rocket', { env });
  expect(code).toBe(2);
  expect(err).toContain('<job-id> is missing');
});

test('secrets are not printed with the command', async () => {
  const argv = words('hooks update --token s3cret-word -g acme');
  const answer = ({ method }: Request): Canned => ({
    body: method === 'GET' ? '[{"id":12,"url":"https://a.example"}]' : '{"id":12}',
  });
  const { err, shown } = await picking(argv, ['\r'], answer);
  expect(err).not.toContain('s3cret-word');
  expect(shown).toContain("svc hooks update 12 --token '***' -g acme");
});
