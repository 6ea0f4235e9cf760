/** Several arguments of commands that act on one resource. */
import { expect, test } from 'vitest';
import type { Request } from '../../src/http/transport.ts';
import { ask, refused, typing } from '../interface/service.ts';
import { bodyText, type Canned, jsonLines, words } from '../support/svc.ts';

const jobs = (retry: string) => `jobs ${retry} -p acme/rocket`;
const last = (url: string) => decodeURIComponent(url.split('/').at(-1) ?? '');
const failures: Readonly<Record<string, Canned>> = {
  gone: { status: 404, body: '{"message":"404 Branch Not Found"}' },
  secret: { status: 403, body: '{"message":"403 Forbidden"}' },
};
const branch = ({ url }: { readonly url: string }) =>
  failures[last(url)] ?? { body: `{"name":"${last(url)}","n":12345678901234567890}` };

test('data is a list of the responses, and exit code 11 names each failure', async () => {
  const ran = await ask('branches get a gone b -p acme/rocket -o json', branch);
  expect(ran.out.replace(/\s/g, '')).toBe(
    '[{"name":"a","n":12345678901234567890},{"name":"b","n":12345678901234567890}]',
  );
  expect([ran.code, ran.requests.map(({ url }) => last(url))]).toEqual([11, ['a', 'gone', 'b']]);
  const details = ['gone: 404 Branch Not Found'];
  expect(JSON.parse(ran.err).error).toMatchObject({ kind: 'partial', details });
});

test.each([
  ['gone', 5],
  ['gone gone', 5],
  ['gone secret', 11],
  ['secret a', 11],
])('the exit code of branches get %s is %i', async (names, code) => {
  expect((await ask(`branches get ${names} -p acme/rocket`, branch)).code).toBe(code);
});

test('a write that the service may have executed is unknown; one argument prints an object, as before', async () => {
  const lost = (request: Request) => ({ status: bodyText(request).includes('"b"') ? 502 : 201, body: '{}' });
  const ran = await ask('branches protect a b -p acme/rocket', lost);
  expect(ran.code).toBe(11);
  expect(ran.err).toContain('1 of 2 unknown\n  b: 502 Bad Gateway, so it may have been done\n');
  expect((await ask('branches get a -p acme/rocket --jq .name', branch)).out).toBe('"a"\n');
});

test('a destructive command is confirmed once, by all names', async () => {
  const argv = words('branches delete a b c -p acme/rocket');
  const denied = await typing(argv, 'n\n', {}, { status: 204 });
  expect([denied.code, denied.requests.length]).toEqual([2, 0]);
  expect(denied.err).toMatch(/branch: +a, b, c\n/);
  const ran = await typing(argv, 'y\n', {}, { status: 204 });
  expect([ran.code, ran.requests.map(({ url }) => last(url))]).toEqual([0, ['a', 'b', 'c']]);
  expect(ran.err.match(/Continue\?/g)).toHaveLength(1);
  await refused('branches delete a b -p acme/rocket', [/requires --yes/, /a, b/]);
});

test('nothing is sent if a value is invalid', async () => {
  await refused(jobs('retry 1 2 x'), [/<job-id> must be a whole number, not "x"/]);
  await refused('branches get a b -p acme/rocket --web', [/--web accepts one <branch>/]);
  await refused('jobs for-pipeline 1 2 -p acme/rocket', [/takes 1 argument, but got 2/]);
});

test('the last slot repeats', async () => {
  const ran = await ask('hooks resend 5 7 8 -g acme --dry-run');
  expect(jsonLines(ran.out).map(({ url }) => url.split('/hooks/')[1])).toEqual([
    '5/events/7/resend',
    '5/events/8/resend',
  ]);
});

test('- reads one value per line of standard input, each once, and no line is a note', async () => {
  const ran = await ask(jobs('retry -'), { body: '{"id":9}' }, { stdin: '1\r\n\n 2 \n1\n' });
  expect([ran.code, ran.requests.map(({ url }) => url.split('/').at(-2))]).toEqual([0, ['1', '2']]);
  const one = await ask('branches get - -p acme/rocket -o csv --fields name', branch, { stdin: 'a\n' });
  expect(one.out).toBe('name\r\na\r\n');
  expect((await ask('branches get - -p acme/rocket --json', branch, { stdin: 'a' })).out).toMatch(/^\[\n\{/);
  const bytes = { stdin: Uint8Array.of(0x61, 0xff) };
  await refused('branches get - -p acme/rocket', [/<branch> .*not UTF-8/], bytes);
  const none = await ask(jobs('retry -'), {}, { stdin: '\n' });
  expect([none.code, none.out, none.requests.length]).toEqual([0, '', 0]);
  expect(none.err).toBe('Standard input contains no <job-id>. Nothing to do.\n');
  expect((await ask(jobs('retry - --json'), {}, { stdin: '' })).out).toBe('[]\n');
});

test('latest and the id of that pipeline are one value', async () => {
  const ran = await ask('pipelines retry latest 7 -p acme/rocket', { body: '{"id":7}' });
  const written = ran.requests.filter(({ method }) => method === 'POST').map(({ url }) => url);
  expect([ran.code, written]).toEqual([0, [expect.stringMatching(/\/pipelines\/7\/retry$/)]]);
});

test('a write prints the responses as a list on request', async () => {
  const echo = (request: Request) => ({ status: 201, body: bodyText(request) });
  const ran = await ask('branches protect a b -p acme/rocket --json', echo);
  expect(JSON.parse(ran.out)).toEqual([{ name: 'a' }, { name: 'b' }]);
});

test('a file is read once for all values', async () => {
  const line = 'wikis update home other -g acme --content -';
  const ran = await ask(line, { body: '{}' }, { stdin: 'text' });
  expect(ran.requests.map(bodyText)).toEqual(Array(2).fill('{"content":"text"}'));
  for (const both of [
    'wikis update - -g acme --content -',
    'appearance update --logo - --pwa-icon - --filename x',
  ])
    await refused(both, [/cannot both read standard input/], { stdin: 'home' });
});

test('prints a note about all of them once', async () => {
  const env = { SVC_PROJECT: 'acme/rocket', SVC_GROUP: 'acme' };
  const { err } = await ask('badges get 1 2', () => ({ body: '{"id":1}' }), { env });
  expect(err).toBe('using the project acme/rocket; for the group, use --group acme\n');
  const plan = await ask('pipelines delete latest latest:main -p acme/rocket --dry-run');
  expect(plan.err).toBe('The requests that resolve names such as latest or @me are not shown.\n');
});
