/** `--jq` (interface section 3; issue 5, item 4). */
import { beforeAll, expect, test } from 'vitest';
import type { Request } from '../../src/http/transport.ts';
import { openWorld, type World } from '../support/sandbox.ts';
import { type Canned, canned, svc } from '../support/svc.ts';

const env = { SVC_BASE_URL: 'https://host.example', SVC_TOKEN: 'svcpat-Zq81LmPw' };
const ask = (
  argv: readonly string[],
  answer: Canned | ((request: Request) => Canned),
  setting: { terminal?: number } = {},
) => svc(argv, { env, carrier: canned(typeof answer === 'function' ? answer : () => answer), ...setting });

const license = (body: string, program: string, more: readonly string[] = [], terminal?: number) =>
  ask(
    ['license', 'get', '2', '--jq', program, ...more],
    { body },
    terminal === undefined ? {} : { terminal },
  );

let world: World;
beforeAll(async () => {
  world = await openWorld();
});

test('a program runs over the joined result of all pages', async () => {
  const { out, err, code } = await world.run('jobs list -p acme/rocket --all --jq length');
  expect([code, out, err]).toEqual([0, '280\n', '']);
});

test('one result a line, compact in a pipe, indented on a terminal', async () => {
  const body = '{"a":[1,{"b":"x y"}],"c":"t"}';
  expect((await license(body, '.a[], .c')).out).toBe('1\n{"b":"x y"}\n"t"\n');
  expect((await license(body, '.a', [], 80)).out).toBe('[\n  1,\n  {\n    "b": "x y"\n  }\n]\n');
  expect((await license(body, 'empty')).out).toBe('');
});

test('-r prints strings without quotes, to the letter', async () => {
  const body = JSON.stringify({ a: '  "é\n\tx  \n', n: 1, o: { s: 's' } });
  expect((await license(body, '.a, .n, .o', ['-r'])).out).toBe('  "é\n\tx  \n\n1\n{"s":"s"}\n');
});

test('with -r on a terminal, control characters stay out', async () => {
  const body = JSON.stringify({ a: 'x\u001b]0;t\u0007y\u009bz' });
  expect((await license(body, '.a', ['-r'], 80)).out).toBe('xy\n');
});

test('numbers keep their digits where the program only passes them on', async () => {
  const body = '{"n":9007199254740993,"d":1.10}';
  expect((await license(body, '.n, .d, .n + 1')).out).toBe('9007199254740993\n1.10\n9007199254740992\n');
});

test('--fields choose before the program sees them', async () => {
  const { out } = await license('{"id":1,"plan":"x"}', 'keys', ['--fields', 'id']);
  expect(out).toBe('["id"]\n');
});

test('a program that does not compile is refused before anything is sent, and the place is told', async () => {
  const { code, out, err, requests } = await license('{}', '.a |\n .b | nope(1)');
  expect([code, out, requests.length]).toEqual([2, '', 0]);
  expect(err).toMatch(/^svc: --jq: nope\/1 is not defined \(line 2, column 7\)$/m);
  expect(err).toContain('^^^^');
});

test('a program may begin with a dash', async () => {
  expect((await ask(['license', 'get', '2', '--jq=-.id'], { body: '{"id":2}' })).out).toBe('-2\n');
});

test('an error while it runs: what came before is printed, and the exit code is 1', async () => {
  const { code, out, err } = await license('{"id":2}', '.id, .id.x, .id');
  expect([code, out]).toEqual([1, '2\n']);
  expect(err).toMatch(/^svc: --jq: Cannot index number with string \("x"\)$/m);
  const own = await license('{"id":2}', 'error("mine")');
  expect([own.code, own.out]).toEqual([1, '']);
  expect(own.err).toMatch(/^svc: --jq: mine$/m);
});

test('debug goes to standard error', async () => {
  const { out, err } = await license('{"id":2}', '.id | debug');
  expect(out).toBe('2\n');
  expect(err).toBe('svc: jq: ["DEBUG:",2]\n');
});

test("the environment of svc is not the program's to read", async () => {
  const { out } = await license('{}', '[env, $ENV | has("SVC_TOKEN")] | any');
  expect(out).toBe('false\n');
});

test.each([
  [['--csv'], /--jq prints JSON/],
  [['-o', 'table'], /--jq prints JSON/],
])('with %j it is refused', async (flags, says) => {
  const { code, err, requests } = await license('{}', '.', flags);
  expect([code, requests.length]).toEqual([2, 0]);
  expect(err).toMatch(says);
});

test('-r alone is refused', async () => {
  const { code, requests } = await ask(['license', 'get', '2', '-r'], { body: '{}' });
  expect([code, requests.length]).toEqual([2, 0]);
});

test('a page that fails: nothing was printed, and the code is its own', async () => {
  const pages = ({ url }: Request): Canned =>
    url.includes('page=2')
      ? { status: 404, body: '{"message":"gone"}' }
      : { body: '[{"id":1}]', headers: [['link', '<https://host.example/api/v4/x?page=2>; rel="next"']] };
  const { code, out, err } = await ask(['jobs', 'list', '-p', '1', '--all', '--jq', 'length'], pages);
  expect([code, out]).toEqual([5, '']);
  expect(err).not.toMatch(/rows were printed/);
});

test('built-in commands have it too', async () => {
  const { code, out } = await svc(
    ['config', 'explain', '--jq', '.[] | select(.setting=="base_url") | .value', '-r'],
    { env },
  );
  expect([code, out]).toEqual([0, 'https://host.example\n']);
  expect((await svc(['config', 'explain', '--jq', '.['], { env })).code).toBe(2);
});
