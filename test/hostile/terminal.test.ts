// Control characters of the service never reach a terminal, and are kept in output for programs.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse as parseCsv } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { folderWith, typing } from '../interface/service.ts';
import { type Canned, canned, svc } from '../support/svc.ts';
import { exited } from '../tasks/engine/world.ts';

/** Every C0 and C1 control character, DEL, and sequences that terminals interpret. */
const controls = Array.from({ length: 0xa0 }, (_, code) => String.fromCharCode(code)).filter(
  (char) => char < ' ' || char >= '\u007f',
);
const hostile = [
  controls.join('x'),
  '\u001b]0;owned\u0007',
  '\u001b]8;;https://evil.example\u001b\\click\u001b]8;;\u001b\\',
  '\u009d52;c;ZXZpbA==\u009c',
  '\u001b[2J\u001b[1;1H\u009b31mred',
  '\u001bP1$r0m\u001b\\',
  '\u001b[?1049h\u001b=\u001bc',
  'line\r\u001b[Kother line\b\b\b',
  '\u000e\u000f\u0085\u2028\u202e',
].join(' ');

const noNul = hostile.replaceAll('\u0000', '');

const row = (id: number) => ({
  id,
  key: hostile,
  value: hostile,
  name: hostile,
  status: hostile,
  ref: hostile,
  stage: hostile,
  environment_scope: hostile,
  description: hostile,
  user: { username: hostile, name: hostile },
  commit: { short_id: hostile, title: hostile, author_email: hostile },
  tag_list: [hostile, { [hostile]: hostile }],
  [hostile]: hostile,
});

/** Characters that a terminal interprets, except the line feed at the end of our own lines. */
const interpreted = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/;

const run = (argv: readonly string[], answer: () => Canned, terminal?: number, more: object = {}) =>
  svc([...argv, '--base-url', 'https://host.example', '--retries', '0'], {
    env: { SVC_TOKEN: 'svcpat-9QmX4kTzR2', NO_COLOR: '1', TERM: 'xterm', HOME: '/dev/null', ...more },
    transport: canned(answer),
    ...(terminal === undefined ? {} : { terminal }),
  });

const list = ['jobs', 'list', '-p', '1'];
const file = ['files', 'raw', 'a', '--ref', 'main', '-p', '1'];
const one = ['variables', 'get', 'KEY', '-p', '1'];
const rows = () => ({ body: JSON.stringify([row(1), row(2)]) });
const object = () => ({ body: JSON.stringify(row(1)) });

describe('removes control characters on a terminal', () => {
  it.each([40, 80, 200])('in a table of %d columns', async (width) => {
    const { out, err } = await exited(0, run(list, rows, width));
    expect(out).toContain('xxx');
    expect(out + err).not.toMatch(interpreted);
    // A header and two rows: line breaks in values add no line.
    expect(out.trimEnd().split('\n')).toHaveLength(3);
  });

  it.each([40, 80, 200])('in the details of one object, %d columns', async (width) => {
    const { out, err } = await exited(0, run(one, object, width));
    expect(out).toContain('line');
    expect(out + err).not.toMatch(interpreted);
  });

  it.each([
    ...['json', 'ndjson', 'csv', 'tsv', 'yaml'].flatMap((format) => [
      [[...list, '-o', format]],
      [[...list, '-o', format, '--fields', 'id,name,user,tag_list']],
      [[...one, '-o', format]],
    ]),
    [[...list, '--jq', '.']],
    [[...list, '--jq', '.[].name', '-r']],
    [['api', 'GET', 'jobs', '-o', 'raw']],
    [file],
  ])('in the output of %j', async (argv) => {
    const body = argv.includes('raw') ? hostile.replace('\u0000', '') : undefined;
    const answer = body === undefined ? (argv[0] === 'jobs' ? rows : object) : () => ({ body });
    const { code, out, err } = await run(argv, answer, 80);
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain('line');
    expect(out.replace(/[\t\n]|\r\n/g, '') + err).not.toMatch(interpreted);
    expect(out).not.toMatch(/[\u2028\u2029\u202a-\u202e]/);
  });

  it('rejects binary data with exit code 1 and suggests --output-file', async () => {
    const { code, out, err } = await run(file, () => ({ body: 'PK\u0003\u0004\u0000' }), 80);
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain('--output-file');
  });

  it('in columns of --fields', async () => {
    const { out } = await run([...list, '--fields', 'id,name,tag_list,user,commit.title'], rows, 80);
    expect(out).toContain('xxx');
    expect(out).not.toMatch(interpreted);
  });

  it('with SVC_ACCESSIBLE=1', async () => {
    const { out } = await run(list, rows, 80, { SVC_ACCESSIBLE: '1' });
    expect(out).toContain('line');
    expect(out).not.toMatch(interpreted);
  });

  it('in values of response headers', async () => {
    const latin1 = Buffer.from(hostile.replace(/[^\u0000-\u00ff]|[\r\n\u0000]/g, '')).toString('latin1');
    const names = ['x-vendor-file-name', 'x-vendor-file-path', 'x-vendor-size'];
    const headers = names.map((name) => [name, latin1] as const);
    const head = ['files', 'head', 'a', '--ref', 'main', '-p', '1'];
    const { out, err } = await exited(
      0,
      run(head, () => ({ headers }), 80),
    );
    expect(out).toContain('line');
    expect(out + err).not.toMatch(interpreted);
  });

  const captcha = { spam_log_id: hostile, captcha_site_key: hostile };
  const headers = ['x-request-id', 'x-odd'].map((name) => [name, 'id\u009b31m a\u009b2J'] as const);
  it.each([
    ['a message', { message: hostile }],
    ['a list', { message: [hostile, hostile] }],
    ['a map', { message: { [hostile]: [hostile] } }],
    ['an error with its description', { error: hostile, error_description: hostile, scope: hostile }],
    ['a CAPTCHA', { needs_captcha_response: true, ...captcha, message: { error: hostile } }],
    ['text', hostile],
  ])('in an error: %s', async (_, value) => {
    const body = typeof value === 'string' ? value : JSON.stringify(value);
    for (const status of [400, 404, 500]) {
      for (const flags of [[], ['--verbose'], ['--trace'], ['--json']]) {
        const { code, out, err } = await run([...one, ...flags], () => ({ status, headers, body }), 80);
        expect(code).toBeGreaterThan(3);
        expect(err).not.toBe('');
        expect(out + err).not.toMatch(interpreted);
      }
    }
  });

  it.each([
    ['a redirect', { status: 302, headers: [['location', 'https://else.example/\u009b31m']] as const }],
    ['a link', { headers: [['link', '<https://else\u009b31m.example/>; rel="next"']] as const, body: '[]' }],
    ['a waiting time', { status: 429, headers: [['retry-after', '999999\u009b']] as const }],
    ['a content type', { headers: [['content-type', 'text/\u009b31mhtml']] as const, body: '\u009b31m' }],
    ['an encoding', { headers: [['content-encoding', '\u009b31m']] as const, body: 'x' }],
    ['broken JSON', { body: '[{"id":1},{"\u001b[31m' }],
  ])('in a message about %s', async (_, answer) => {
    for (const flags of [[], ['--trace']]) {
      const { out, err } = await run([...list, '--all', ...flags], () => answer, 80);
      expect(out + err).not.toBe('');
      expect(out + err).not.toMatch(interpreted);
    }
  });

  it('in values for shell completion, one per line', async () => {
    const setting = { env: { SVC_TOKEN: 'svcpat-9QmX4kTzR2', SVC_BASE_URL: 'https://host.example' } };
    const argv = ['__complete', '--', 'branches', 'get', '-p', '1', ''];
    const complete = (body: string) =>
      svc(argv, { ...setting, transport: canned(() => ({ body })), terminal: 80 });
    // A shell would take two values that are shown alike for one with a description.
    const { out } = await complete(
      JSON.stringify([{ name: 'main' }, { name: 'main\u202e' }, { name: hostile }]),
    );
    expect(out).toBe('values\t\nmain\n');
  });

  it('in errors about the command line', async () => {
    for (const argv of [
      [hostile],
      ['jobs', hostile],
      ['jobs', 'list', `--${hostile}`],
      ['jobs', 'list', '-p', hostile, '--scope', hostile],
      ['variables', 'get', hostile, '-p', '1'],
      ['jobs', 'list', '--output', hostile],
      ['files', 'raw', 'a', '-p', '1', '--output-file', `/nonexistent/${noNul}/a`],
    ]) {
      const { code, out, err } = await run(argv, rows, 80);
      expect(code).toBeGreaterThan(0);
      expect(out + err).not.toMatch(interpreted);
    }
  });

  it('in the note of svc api about its method', async () => {
    const { err } = await run(['api', hostile, '-f', 'a=b'], rows, 80);
    expect(err).toContain('Sending fields as query parameters of GET');
    expect(err).not.toMatch(interpreted);
  });

  it('in the question of a prompt', async () => {
    const folder = join(await folderWith(), noNul.replaceAll('/', '').slice(0, 60));
    const env = { NO_COLOR: '1', XDG_DATA_HOME: folder };
    const { shown } = await typing(['completion', 'install', 'zsh'], 'n\n', { env });
    expect(shown).toContain('Continue?');
    // The line editor of Node moves the cursor itself.
    expect(shown.replace(/\u001b\[\d*[GJ]/g, '').replaceAll('\r\n', '\n')).not.toMatch(interpreted);
  });

  it('in the warning about a token file', async () => {
    const folder = await folderWith();
    const file = join(folder, `token${noNul.replaceAll('/', '')}`.slice(0, 60));
    await writeFile(file, 'svcpat-9QmX4kTzR2', { mode: 0o644 });
    const { err } = await run(['login', '--token-file', file], () => ({ body: '{}' }), 80);
    expect(err).toContain('other users can access');
    expect(err).not.toMatch(interpreted);
  });
});

describe('keeps every character for programs', () => {
  it.each([[undefined], [80]])('in JSON (terminal: %s)', async (terminal) => {
    const body = `[${JSON.stringify(row(1))}]`;
    expect(body).toMatch(/[\u007f-\u009f]/);
    const { out } = await run([...list, '--json'], () => ({ body }), terminal);
    expect(JSON.parse(out)).toEqual([row(1)]);
    // A terminal gets indented JSON with escaped control characters.
    if (terminal === undefined) expect(out).toContain(JSON.stringify(hostile));
  });

  it('in csv, read by another parser', async () => {
    const { out } = await run([...list, '--csv', '--fields', 'id,name,commit.title'], rows);
    const texts = { name: hostile, 'commit.title': hostile };
    expect(parseCsv(out, { columns: true })).toEqual(['1', '2'].map((id) => ({ id, ...texts })));
  });

  it('in raw output; in the body of a JSON error', async () => {
    const { out } = await run(file, () => ({ body: hostile }));
    expect(out).toBe(hostile);
    const body = JSON.stringify({ message: hostile });
    const { err } = await run([...one, '--json'], () => ({ status: 400, body }));
    expect(JSON.parse(err).error.body).toEqual({ message: hostile });
  });
});
