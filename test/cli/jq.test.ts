import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { isRowWise } from '../../src/cli/call/jq/engine.ts';
import type { Request } from '../../src/http/transport.ts';
import { ask, refused } from '../interface/service.ts';
import { openWorld } from '../support/sandbox.ts';
import type { Canned } from '../support/svc.ts';

const get = ['license', 'get', '2', '--jq'];
const license = (body: string, program: string, more: readonly string[] = [], terminal?: number) =>
  ask([...get, program, ...more], { body }, { terminal });

const world = await openWorld();

test('runs a program over the combined result of all pages', async () => {
  const { out, err, code } = await world.run('jobs list -p acme/rocket --all --jq length');
  expect([code, out, err]).toEqual([0, '280\n', '']);
});

test('prints one result per line, compact in a pipe and indented on a terminal', async () => {
  const body = '{"a":[1,{"b":"x y"}],"c":"t"}';
  expect((await license(body, '.a[], .c')).out).toBe('1\n{"b":"x y"}\n"t"\n');
  expect((await license(body, '.a', [], 80)).out).toBe('[\n  1,\n  {\n    "b": "x y"\n  }\n]\n');
  expect((await license(body, 'empty')).out).toBe('');
});

test('prints strings unquoted and unchanged with -r', async () => {
  const body = JSON.stringify({ a: '  "é\n\tx  \n', n: 1, o: { s: 's' } });
  expect((await license(body, '.a, .n, .o', ['-r'])).out).toBe('  "é\n\tx  \n\n1\n{"s":"s"}\n');
});

test('rejects a program that does not compile before sending, with line and column', () =>
  refused(
    [...get, '.a |\n .b | nope(1)'],
    [/^error: --jq: nope\/1 is not defined \(line 2, column 7\)$/m, '^^^^'],
  ));

test('accepts a program that begins with a dash', async () => {
  expect((await ask(['license', 'get', '2', '--jq=-.id'], { body: '{"id":2}' })).out).toBe('-2\n');
});

test('prints the results before a run-time error and exits with 1', async () => {
  const { code, out, err } = await license('{"id":2}', '.id, .id.x, .id');
  expect([code, out]).toEqual([1, '2\n']);
  expect(err).toMatch(/^error: --jq: Cannot index number with string \("x"\)$/m);
  const own = await license('{"id":2}', 'error("mine")');
  expect([own.code, own.out]).toEqual([1, '']);
  expect((await license('{"id":2}', 'error("mine")', ['-o', 'yaml'])).out).toBe('');
  expect(own.err).toMatch(/^error: --jq: mine$/m);
});

describe.each(['text', 'json'])('masks the token in a run-time error with SVC_ERRORS=%s', (format) => {
  const token = 'svcpat-Zq81LmPwABCDEFGHIJKLMNOPQRSTUVWXYZ';
  test.each([
    ['.value | error', 'x *** y'],
    ['.value + 1', 'string and number (1) cannot be added'],
    ['.value[2:] | tonumber', 'string cannot be parsed as a number'],
    ['{a: .value} | tonumber', 'object cannot be parsed as a number'],
    ['[.value] + 1', 'array and number (1) cannot be added'],
  ])('%s', async (program, says) => {
    const body = JSON.stringify({ id: 2, value: `x ${token} y` });
    const env = { SVC_TOKEN: token, SVC_ERRORS: format };
    const { code, err } = await ask([...get, program], { body }, { env });
    expect(code).toBe(1);
    expect(err).toContain(`--jq: ${says}`);
    expect(err).not.toContain('svcpat');
  });
});

test('prints debug messages on standard error', async () => {
  const { out, err } = await license('{"id":2}', '.id | debug');
  expect(out).toBe('2\n');
  expect(err).toBe('jq: ["DEBUG:",2]\n');
});

test('hides the environment of svc from the program', async () => {
  const { out } = await license('{}', '[env, $ENV | has("SVC_TOKEN")] | any');
  expect(out).toBe('false\n');
});

test.each([
  [['-o', 'raw'], /--jq and --output raw cannot be used together/],
  [['--csv', '-r'], /--raw-strings \(-r\) and \S+ csv cannot be used together/],
])('rejects --jq with %j', (flags, says) => refused([...get, '.', ...flags], [says]));

describe('another output format', () => {
  const jobs = '[{"id":9007199254740993,"name":"a","x":[1]},{"id":2,"name":"b,c","x":null}]';
  const list = (program: string, ...flags: string[]) =>
    ask(['jobs', 'list', '-p', '1', '--jq', program, ...flags], { body: jobs });

  test.each([
    ['a stream of objects', '.[] | {job: .name, id}'],
    ['an array of objects', 'map({job: .name, id})'],
  ])('prints %s', async (_, program) => {
    expect((await list(program, '--csv')).out).toBe('job,id\r\na,9007199254740993\r\n"b,c",2\r\n');
    expect((await list(program, '-o', 'tsv')).out).toBe('job\tid\na\t9007199254740993\nb,c\t2\n');
    expect((await list(program, '-o', 'yaml')).out).toBe(
      '- job: a\n  id: 9007199254740993\n- job: b,c\n  id: 2\n',
    );
    expect((await list(program, '-o', 'table')).out).toMatch(/^JOB +ID\na +9007199254740993\nb,c +2\n$/);
  });

  test('prints a single object like any other object', async () => {
    const body = '{"id":2,"plan":"x","licensee":{"Name":"A"},"expires_at":null}';
    const one = (format: string) => license(body, '{id, plan, expires_at}', ['-o', format]);
    expect((await one('yaml')).out).toBe('id: 2\nplan: x\nexpires_at: null\n');
    expect((await one('table')).out).toMatch(/^ID: +2\nPlan: +x\nExpires: +null\n$/);
    expect((await one('csv')).out).toBe('id,plan,expires_at\r\n2,x,\r\n');
  });

  test('prints any result as yaml', async () => {
    expect((await list('map(.name)', '-o', 'yaml')).out).toBe('- a\n- b,c\n');
    expect((await list('.[0].name, {a: [1]}', '-o', 'yaml')).out).toBe('- a\n- a:\n    - 1\n');
  });

  test('takes the columns of all first results, in order', async () => {
    const program = 'map(if .id == 2 then {name, x} else {id, name} end)';
    expect((await list(program, '--csv')).out).toBe('id,name,x\r\n9007199254740993,a,\r\n,"b,c",\r\n');
    expect((await list(program, '-o', 'table')).out).toMatch(/^ID +NAME +X\n\S+ +a +-\n- +b,c +-\n$/);
    expect((await list(program, '-o', 'yaml')).out).toBe(
      '- id: 9007199254740993\n  name: a\n- name: b,c\n  x: null\n',
    );
  });

  test('warns once about keys that appear only on later pages', async () => {
    const pages = ({ url }: Request): Canned => {
      const n = Number(new URL(url).searchParams.get('page') ?? 1);
      const link = `<https://host.example/api/v4/x?page=${n + 1}>; rel="next"`;
      return {
        body: JSON.stringify([n === 1 ? { id: 1, a: 1 } : { id: n, [`b${n}`]: 1 }]),
        headers: n < 4 ? [['link', link]] : [],
      };
    };
    const { code, out, err } = await ask(['jobs', 'list', '-p', '1', '--all', '--jq', '.[]', '--csv'], pages);
    expect([code, out]).toEqual([0, 'id,a\r\n1,1\r\n2,\r\n3,\r\n4,\r\n']);
    expect(err).toBe('warning: later rows have keys that are not printed: "b2"\n');
  });

  test.each([['map(.id)'], ['.[].name'], ['.[] | [.id, .name]'], ['.[0], .[0].id']])(
    'rejects %s with exit code 1 and names a format that prints it',
    async (program) => {
      const { code, out, err } = await list(program, '--csv');
      expect([code, out]).toEqual([1, '']);
      expect(err).toContain('-o csv prints objects only');
      expect(err).toContain('-o json prints any result');
    },
  );

  test('is not chosen by a setting: --jq prints JSON in scripts', async () => {
    const { out } = await ask([...get, '.id'], { body: '{"id":2}' }, { env: { SVC_OUTPUT: 'csv' } });
    expect(out).toBe('2\n');
  });
});

describe('a list of any length', () => {
  const rows = Array.from({ length: 4000 }, (_, id) => ({ id, text: 'x'.repeat(500), n: [id % 3] }));
  const list = (program: string, body: string) =>
    ask(['jobs', 'list', '-p', '1', '--all', '--jq', program], { body });

  test.each([
    ['.[]', true],
    ['.[].id', true],
    [' .[] | .id, .n[0]', true],
    ['.[].n[] | select(. > 1)', true],
    ['.[] | .id as $x | $x + 1', true],
    ['.[] | limit(1; .n[])', true],
    ['.[] | def f: .id; f', true],
    ['.[] | .n |= map(. + 1) | .n', true],
    ['.[] |= .id', false],
    ['.[].id |= 1', false],
    ['.[].id, length', false],
    ['.[] as $x | $x.id', false],
    ['.[] + {}', false],
    ['.[] // 1', false],
    ['.[], .[0]', false],
    ['.[] | input', false],
    ['[.[] | .id]', false],
    ['first(.[] | .id)', false],
    ['limit(2; .[])', false],
    ['.[] | halt', false],
    ['.[] | $__loc__', false],
    ['reduce .[] as $x (0; . + $x.id)', false],
    ['map(.id)', false],
    ['.[0] | .id', false],
  ])('detects whether %s processes items one by one: %s', (program, is) =>
    expect(isRowWise(program)).toBe(is),
  );

  test.each([
    ['.[]'],
    ['.[].n[] | select(. > 1)'],
    ['.[] | .id, .n[0]'],
    ['.[] | limit(1; .n[]), (.id as $x | $x + 1)'],
    ['.[] | if .id == 3000 then error("own") else .id end'],
  ])('prints the same results item by item as for the whole list: %s', async (program) => {
    const body = JSON.stringify(rows);
    expect(body.length).toBeGreaterThan(2 ** 21);
    // In parentheses, the program is not recognized as one that processes items one by one.
    const whole = await list(`(${program})`, body);
    const byRow = await list(program, body);
    expect([byRow.code, byRow.out]).toEqual([whole.code, whole.out]);
    expect(byRow.out).not.toBe('');
  });

  // The engine has 256 MiB of memory, and each of these empty objects takes about 400 bytes.
  const many = `[${'{},'.repeat(999_999)}{}]`;

  test('is processed by a program that handles items one by one', async () => {
    const { code, out } = await list('.[] | length', many);
    expect([code, out === '0\n'.repeat(1_000_000)]).toEqual([0, true]);
  });

  test('is processed in another format too', async () => {
    const { code, out } = await ask(
      ['jobs', 'list', '-p', '1', '--jq', '.[] | select(length > 0)', '--csv'],
      { body: many.replace(/\{\}\]$/, '{"id":1}]') },
    );
    expect([code, out]).toEqual([0, 'id\r\n1\r\n']);
  });

  test.each([
    ['a list that exceeds the memory of the engine', () => many],
    ['a list that exceeds the input limit', () => `[${`{"a":"${'x'.repeat(2 ** 20)}"},`.repeat(70)}{}]`],
  ])('reports %s in any other program with exit code 2 and suggests a pipeline', async (_, body) => {
    const bare = vi.spyOn(console, 'error').mockImplementation(() => {});
    onTestFinished(() => bare.mockRestore());
    const { code, out, err } = await list('map(.a) | length', body());
    expect([code, out, bare.mock.calls]).toEqual([2, '', []]);
    expect(err).toContain('the result is too large for the built-in jq engine');
    expect(err).toContain("-o ndjson | jq -c --slurp 'map(.a) | length'");
  });

  test('suggests a pipeline without --slurp for one large object', async () => {
    const { code, err } = await license(`{"a":"${'x'.repeat(70 * 2 ** 20)}"}`, '.a | length');
    expect(code).toBe(2);
    expect(err).toContain("-o json | jq -c '.a | length'");
  });
});

test('prints nothing if a page fails, and exits with the code of the failure', async () => {
  const pages = ({ url }: Request): Canned =>
    url.includes('page=2')
      ? { status: 404, body: '{"message":"gone"}' }
      : { body: '[{"id":1}]', headers: [['link', '<https://host.example/api/v4/x?page=2>; rel="next"']] };
  const { code, out, err } = await ask(['jobs', 'list', '-p', '1', '--all', '--jq', 'length'], pages);
  expect([code, out]).toEqual([5, '']);
  expect(err).not.toMatch(/rows were printed/);
});
