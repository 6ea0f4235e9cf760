import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse as parseCsv } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import type { Setting } from '../support/svc.ts';
import { ask, folderWith, refused } from './service.ts';

const jobs = [
  {
    id: 2,
    name: 'deploy',
    status: 'failed',
    stage: 'deploy',
    ref: 'main',
    created_at: null,
    extra: { a: [1] },
  },
  { id: 1, name: 'build', status: 'success', stage: 'build', ref: 'main', created_at: null, extra: null },
];
const list = 'jobs list -p 1';
const text = (value: unknown) => ({ body: JSON.stringify(value) });

/** The lines of an output. */
const lines = (out: string): string[] => out.replace(/\n$/, '').split('\n');

const rows = async (flags: string, values: unknown = jobs, setting: Setting = {}) => {
  const ran = await ask(`${list} ${flags}`, text(values), setting);
  expect([ran.code, ran.err]).toEqual([0, '']);
  return ran.out;
};

const terminal = (columns: number, env: Record<string, string> = {}): Setting => ({
  terminal: columns,
  env: { TERM: 'xterm-256color', ...env },
});

describe('migrations failures: "a failure record" comes as an object or as a list (section 4.3)', () => {
  const record = { relation: 'labels', exception_message: 'too long', exception_class: 'Invalid' };
  const failures = 'migrations failures 22 221';

  test.each([
    ['an object', record, [record]],
    ['a list', [record, { ...record, relation: 'boards' }], [record, { ...record, relation: 'boards' }]],
    ['a list of none', [], []],
  ])('%s', async (_, value, records) => {
    const json = await ask(`${failures} --json`, text(value));
    expect([json.code, JSON.parse(json.out)]).toEqual([0, value]);
    const relations = records.map(({ relation }) => relation);
    const tsv = await ask(`${failures} --fields relation -o tsv --no-header`, text(value));
    expect([tsv.code, lines(tsv.out).filter(Boolean)]).toEqual([0, relations]);
    const jq = await ask(
      ['migrations', 'failures', '1', '2', '--jq', '[.. | .relation? // empty]'],
      text(value),
    );
    expect([jq.code, JSON.parse(jq.out)]).toEqual([0, relations]);
    const table = await ask(failures, text(value));
    for (const relation of relations) expect(table.out).toContain(relation);
    expect(table.code).toBe(0);
  });
  test('rejects any other shape', async () => {
    for (const body of ['"x"', 'null', '7', '<html></html>'])
      expect((await ask(`${failures} --json`, { body })).code, body).toBe(8);
  });
});

describe('data to standard output, everything else to standard error', () => {
  test.each([400, 401, 403, 404, 409, 429, 500, 503])(
    'prints nothing on standard output if a command fails before its data: %s',
    async (status) => {
      for (const format of ['table', 'json', 'csv', 'ndjson', 'yaml', 'tsv', 'raw']) {
        const ran = await ask(`${list} --retries 0 -o ${format}`, { status, body: '{"message":"no"}' });
        expect([ran.out, ran.code > 0], format).toEqual(['', true]);
      }
    },
  );
});

describe('-o, --output', () => {
  test('table is the default, on a terminal and in a pipe', async () => {
    expect(await rows('')).toBe(await rows('-o table'));
    expect(await rows('', jobs, terminal(80))).toBe(await rows('-o table', jobs, terminal(80)));
    expect(lines(await rows(''))[0]).toMatch(/^id +status +name/i);
  });
  test('raw is the unchanged response', async () => {
    const body = ' [ {"id" : 1.50} ]';
    expect((await ask(`${list} -o raw`, { body })).out).toBe(body);
  });
  test('--json and --csv are short forms', async () => {
    expect(await rows('--json')).toBe(await rows('-o json'));
    expect(await rows('--csv')).toBe(await rows('-o csv'));
  });
  test.each([
    ['--json --csv', '--json and --csv'],
    ['-o yaml --json', '--output yaml and --json'],
    ['-o json --json --csv', '--output json and --csv'],
  ])('rejects two formats, named as typed: %s', (flags, named) =>
    refused(`${list} ${flags}`, [`${named} cannot be used together`]),
  );
  test('raw does not call a list empty that it cannot count', async () => {
    expect((await ask(`${list} -o raw`, { body: '[]' })).err).toContain('No jobs found.');
    expect((await ask(`${list} -o raw`, { body: '[{"id":1' })).err).toBe('');
  });

  test('a raw file is always printed byte for byte', async () => {
    const bytes = new Uint8Array([0, 255, 27, 91, 51, 49, 109, 13, 10, 200]);
    for (const setting of [{}, terminal(80), { env: { SVC_OUTPUT: 'json' } }]) {
      const cwd = await folderWith();
      const ran = await ask('files raw x -p 1 --output-file out', { body: bytes }, { cwd, ...setting });
      expect(ran.code, ran.err).toBe(0);
      expect([...(await readFile(join(cwd, 'out')))]).toEqual([...bytes]);
    }
    const ran = await ask('files raw x -p 1', { body: 'a\u001b[31mb\r\n' }, { env: { SVC_OUTPUT: 'json' } });
    expect(ran.out).toBe('a\u001b[31mb\r\n');
  });
});

describe('color', () => {
  const colored = async (flags: string, setting: Setting) =>
    (await rows(flags, jobs, setting)).includes('\u001b[');
  test.each([
    ['a terminal', true, '', terminal(80)],
    ['a pipe', false, '', {}],
    ['--color always in a pipe', true, '--color always', {}],
    ['--color never on a terminal', false, '--color never', terminal(80)],
    ['--color auto on a terminal', true, '--color auto', terminal(80)],
    ['NO_COLOR', false, '', terminal(80, { NO_COLOR: '1' })],
    ['an empty NO_COLOR', true, '', terminal(80, { NO_COLOR: '' })],
    ['CLICOLOR=0', false, '', terminal(80, { CLICOLOR: '0' })],
    ['CLICOLOR=1 in a pipe', false, '', { env: { CLICOLOR: '1' } }],
    ['CLICOLOR_FORCE in a pipe', true, '', { env: { CLICOLOR_FORCE: '1' } }],
    ['NO_COLOR beside CLICOLOR_FORCE', false, '', { env: { CLICOLOR_FORCE: '1', NO_COLOR: '1' } }],
    ['TERM=dumb', false, '', terminal(80, { TERM: 'dumb' })],
    ['--color always beside NO_COLOR', true, '--color always', { env: { NO_COLOR: '1' } }],
    ['json in a pipe', false, '--json', {}],
  ] as const)('%s: %s', async (_, expected, flags, setting) => {
    expect(await colored(flags, setting)).toBe(expected);
  });
  test('rejects an unknown --color', async () => refused(`${list} --color sometimes`, [/--color/]));
});

describe('--all-fields', () => {
  const row = { id: 1, name: 'a', vendor: 'x', commit: { id: 'c' } };
  test('prints every attribute of the catalogue and of the response as a column, the usual columns first', async () => {
    const { out } = await ask('branches list -p 1 --all-fields --csv', { body: JSON.stringify([row]) });
    const [header = [], cells = []] = parseCsv(out, {}) as string[][];
    const usual = (
      (await ask('branches list -p 1 --csv', { body: '[{"name":"a"}]' })).out.split('\r\n')[0] ?? ''
    ).split(',');
    const heads = [...new Set(usual.map((path) => path.split('.')[0]))];
    expect(header.slice(0, heads.length)).toEqual(heads);
    expect(header).toEqual(expect.arrayContaining(['name', 'commit', 'web_url', 'can_push', 'vendor']));
    expect(new Set(header).size).toBe(header.length);
    expect([cells[header.indexOf('commit')], cells[header.indexOf('vendor')]]).toEqual(['{"id":"c"}', 'x']);
  });
  test('prints the same header for an empty list, without attributes of the response', async () => {
    const header = async (body: string) =>
      (await ask('branches list -p 1 --all-fields --csv', { body })).out.split('\r\n')[0];
    expect(await header('[]')).toBe(await header('[{"name":"a"}]'));
  });
  test('omits no column on a narrow terminal', async () => {
    const setting = { terminal: 40, env: { NO_COLOR: '1' } };
    const header = async (flags: string) =>
      (await ask(`branches list -p 1 ${flags}`, { body: '[{"name":"a"}]' }, setting)).out.split('\n')[0];
    expect(await header('--all-fields')).toMatch(/NAME.*DEVELOPERS CAN PUSH.*WEB URL/);
    expect(await header('')).not.toMatch(/WEB URL/);
  });
  test('prints one object in full, as csv and on a terminal', async () => {
    const body = JSON.stringify({ ...row, web_url: null, empty: '' });
    const csv = (await ask('branches get main -p 1 --all-fields --csv', { body })).out;
    expect(parseCsv(csv, { columns: true })).toMatchObject([{ name: 'a', vendor: 'x', empty: '' }]);
    const shown = (await ask('branches get main -p 1 --all-fields --color never', { body }, { terminal: 80 }))
      .out;
    expect(shown).toMatch(/^empty: +(?:-|"")$/im);
  });
  test('prints the object of a write', async () => {
    const line = 'badges create -p 1 --link-url https://a.example --image-url https://b.example';
    expect((await ask(line, { body: '{"id":7}' })).out).toBe('');
    expect((await ask(`${line} --all-fields`, { body: '{"id":7}' })).out).toMatch(/^ID: +7$/m);
  });
  test('cannot be used with --fields', () =>
    refused('branches list -p 1 --all-fields --fields name', [
      /--fields and --all-fields cannot be used together/,
    ]));
});
