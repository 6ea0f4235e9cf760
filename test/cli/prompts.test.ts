import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { Context, Source } from '../../src/cli/context.ts';
import { canPrompt, ask as prompt } from '../../src/cli/terminal/prompt.ts';
import type { Request } from '../../src/http/transport.ts';
import { ask, bodyOf, host, refused, typing as typed, workProfile } from '../interface/service.ts';
import { type Canned, contextWith, type Setting, svc, words } from '../support/svc.ts';

/** The escape sequences with which readline draws a line. */
const drawing = /\u001b\[\d*[A-Za-z]/g;

type Answer = Canned | ((request: Request) => Canned);

async function typing(argv: readonly string[], lines: string, setting: Setting = {}, answer?: Answer) {
  const ran = await typed(argv, lines, { ...setting, env: { NO_COLOR: '1', ...setting.env } }, answer);
  return { ...ran, err: ran.err.replace(drawing, '').replaceAll('\r\n', '\n') };
}

const del = words('variables delete LOG --filter environment_scope=prod --project acme/rocket');
const merged = words('branches delete-merged --project acme/rocket');
const scoped = { key: 'LOG', value: 's3cret-word', environment_scope: 'prod', variable_type: 'file' };
const variable = { ...scoped, masked: true, hidden: false, description: null };
const branch = (name: string, merged: boolean, more: object = {}) => {
  return { name, merged, protected: false, default: false, ...more };
};
const branches = [
  branch('old/one', true),
  branch('main', true, { default: true, protected: true }),
  branch('open', false),
  branch('old/two', true),
  branch('release', true, { protected: true }),
];

/** The resource to a GET, and 204 to a DELETE. */
const gone = ({ method, url }: Request): Canned =>
  method === 'GET' ? { body: JSON.stringify(/branches/.test(url) ? branches : variable) } : { status: 204 };

const writes = (requests: readonly Request[]) => requests.filter(({ method }) => method !== 'GET');

test('no prompt is possible once the user has ended standard input', async () => {
  const stdin: Source = Object.assign(new PassThrough().end('acme/rocket\n'), { isTTY: true });
  const stderr = Object.assign(new PassThrough(), { isTTY: true });
  const context = { env: {}, stdin, stderr } as unknown as Context;
  expect(canPrompt(context, {})).toBe(true);
  for await (const _ of stdin);
  expect(canPrompt(context, {})).toBe(false);
});

describe('a confirmation', () => {
  test('shows the URL of a webhook without user information and query values', async () => {
    const url = 'https://mia:p4ss@hooks.example/in?token=t0ken&room=r00m#frag';
    const ran = await typing(words('hooks delete 7 --group acme'), 'n\n', {}, () => ({
      body: JSON.stringify({ id: 7, name: 'Chat', url }),
    }));
    expect(ran.err).toContain('https://***@hooks.example/in?token=***&room=***\n');
    expect(ran.err).not.toMatch(/mia|p4ss|t0ken|r00m/);
  });

  test('shows the resource and the host, one fact per line, then the result', async () => {
    const ran = await typing(del, 'y\n', {}, gone);
    expect(ran.code).toBe(0);
    expect(ran.requests.map(({ method, url }) => `${method} ${url.split('/').at(-1)}`)).toEqual([
      'GET LOG?filter%5Benvironment_scope%5D=prod',
      'DELETE LOG?filter%5Benvironment_scope%5D=prod',
    ]);
    expect(ran.err).toContain(
      [
        'Delete a variable',
        '  key:     LOG',
        '  scope:   prod',
        '  type:    file',
        '  masked:  yes',
        '  hidden:  no',
        '  filter:  environment_scope=prod',
        '  project: acme/rocket',
        '  on:      host.example',
        'The value cannot be recovered',
        'Continue? [y/N] ',
      ].join('\n'),
    );
    expect(ran.err).toContain('✓ Deleted variable LOG (scope prod) in acme/rocket\n');
  });

  test.each([
    ['n', 'n\n'],
    ['an empty line', '\n'],
    ['the wrong word', 'nope\n'],
    ['Ctrl-D', '\u0004'],
  ])('%s cancels', async (_, typed) => {
    for (const argv of [del, merged]) {
      const ran = await typing(argv, typed, {}, gone);
      expect([ran.code, writes(ran.requests).length]).toEqual([2, 0]);
      expect(ran.err).toMatch(/\nerror: canceled; request not sent\n$/);
    }
  });

  test('Ctrl-C exits with 130', async () => {
    const ran = await typing(del, '\u0003', {}, gone);
    expect([ran.code, writes(ran.requests).length]).toEqual([130, 0]);
    expect(ran.err).toMatch(/\nerror: interrupted\n$/);
  });

  test('names the sandbox or the profile in effect', async () => {
    const profile = await workProfile({ base_url: host, token: 'x' });
    const env = { ...profile, XDG_STATE_HOME: profile.SVC_CONFIG_DIR };
    const line = 'variables delete LOG -p acme/rocket';
    expect((await svc(`--sandbox ${line}`, { env })).err).toMatch(
      /LOG, project acme\/rocket, on the sandbox \(127/,
    );
    expect((await svc(line, { env })).err).toContain('on host.example (profile work)\n');
    const other = { ...env, SVC_BASE_URL: 'https://other.example', SVC_TOKEN: 'y' };
    expect((await svc(line, { env: other })).err).toContain('on other.example\n');
  });

  test('lists the branches that delete-merged would delete', async () => {
    const ran = await typing(merged, 'no\n', {}, gone);
    expect(ran.err).toContain('2 merged branches:\n  old/one\n  old/two\n');
    const many = Array.from({ length: 30 }, (_, at) => branch(`b${at}`, true));
    const long = await typing(merged, 'no\n', {}, () => ({ body: JSON.stringify(many) }));
    expect(long.err).toContain('30 merged branches:\n  b0\n');
    expect(long.err).toContain('  b19\n  and 10 more\n');
    const none = await typing(merged, 'no\n', {}, () => ({ body: '[]' }));
    expect(none.err).toContain('No merged branches found\n');
    const headers = [['x-total', '950']] as const;
    const cut = await typing(merged, 'no\n', {}, () => ({ body: JSON.stringify(many.slice(0, 2)), headers }));
    expect(cut.err).toContain('2 merged branches among the first 2:\n  b0\n');
    const empty = await typing(merged, 'no\n', {}, () => ({ body: '[]', headers }));
    expect(empty.err).toContain('No merged branches found among the first 0\n');
  });

  test('does not depend on a list whose ids have no text', async () => {
    const upload = words('uploads delete 5 --project acme/rocket');
    const rows = '[{"id":{"toString":1},"filename":"a"},{"id":5,"filename":"b.txt"}]';
    const ran = await typing(upload, 'y\n', {}, ({ method }) =>
      method === 'GET' ? { body: rows } : { status: 204 },
    );
    expect([ran.code, writes(ran.requests).length], ran.err).toEqual([0, 1]);
    expect(ran.err).toContain('b.txt');
  });

  test('does not depend on the details', async () => {
    const notFound = { status: 404, body: '{"message":"404 Not Found"}' };
    for (const answer of [notFound, { status: 403 }, { body: '<html>' }]) {
      const ran = await typing(del, 'y\n', {}, ({ method }) => (method === 'GET' ? answer : { status: 204 }));
      expect([ran.code, writes(ran.requests).length]).toEqual([0, 1]);
      expect(ran.err).toContain('\nCannot show details: ');
      expect(ran.err).toContain('✓ Deleted variable LOG');
    }
  });

  test('reads nothing with --yes or without a terminal; does not prompt without a token', async () => {
    const { requests } = await typing([...del, '--yes'], '', {}, gone);
    expect(requests.map(({ method }) => method)).toEqual(['DELETE']);
    expect((await ask(del, gone)).requests).toEqual([]);
    const ran = await typing(del, 'y\n', { env: { SVC_TOKEN: '' } }, gone);
    expect([ran.code, ran.requests.length]).toEqual([4, 0]);
    expect(ran.err).not.toContain('Continue?');
  });

  test('comes before the warning about a job token', async () => {
    const env = { SVC_TOKEN: '', CI_JOB_TOKEN: 'job-token-123', CI_SERVER_URL: host };
    const unconfirmed = await ask(del, gone, { env });
    expect([unconfirmed.code, unconfirmed.err.includes('sending the request')]).toEqual([2, false]);
    expect((await ask([...del, '--yes'], gone, { env })).err).toContain('sending the request anyway');
  });

  test('of a severe command requires the name', async () => {
    expect(writes((await typing(merged, 'acme/rocket\n', {}, gone)).requests)).toHaveLength(1);
    expect(writes((await typing(merged, 'y\n', {}, gone)).requests)).toHaveLength(0);
    expect((await ask([...merged, '--confirm', 'acme/rocket'], gone)).code).toBe(0);
    const says = '--confirm must be "acme/rocket", not "acme/other"';
    await refused([...merged, '--confirm', 'acme/other'], [says]);
    await refused(merged, ['requires --confirm acme/rocket or', 'project acme/rocket, on host.example']);
  });

  test.each([
    ['--no-input', ['--no-input'], {}],
    ['CI', [], { CI: 'true' }],
    ['SVC_NO_INPUT', [], { SVC_NO_INPUT: '1' }],
  ] as const)('is never requested with %s', async (_, flags, env) => {
    for (const argv of [del, merged]) {
      const ran = await typing([...argv, ...flags], 'acme/rocket\n', { env }, gone);
      expect([ran.code, ran.requests.length]).toEqual([2, 0]);
      expect(ran.err.replace(/\s+/g, ' ')).toMatch(
        /^error: this command requires --(yes|confirm acme\/rocket or --yes), because svc cannot prompt here/,
      );
    }
  });
});

describe('a missing secret', () => {
  const create = words('variables create KEY --project acme/rocket');
  const made = { status: 201, body: '{"key":"KEY","value":"s3cret-word"}' };

  test('is requested by name and hidden in the prompt and in the response', async () => {
    const ran = await typing([...create, '-o', 'table'], 's3cret-word\n', {}, made);
    expect(ran.code).toBe(0);
    expect(ran.err).toContain('Value (hidden): \u001b[?2004l\n');
    expect(ran.shown).not.toContain('s3cret');
    expect(ran.out).toBe('Key:   KEY\nValue: ***\n');
    expect(bodyOf(ran.requests[0])).toMatchObject({ key: 'KEY', value: 's3cret-word' });
  });

  test.each([
    ['an empty line', '\n', 2, /no value entered; request not sent\n.*<value> ""/],
    ['Ctrl-D', '\u0004', 2, /error: no value entered\n/],
    ['Ctrl-C', 'abc\u0003', 130, /error: interrupted\n/],
  ])('%s sends nothing', async (_, typed, code, says) => {
    const ran = await typing(create, typed, {}, made);
    expect([ran.code, ran.requests.length]).toEqual([code, 0]);
    expect(ran.err).toMatch(says);
    expect(stripVTControlCharacters(ran.err)).toMatch(/^Value \(hidden\): \nerror: /);
  });

  const paste = (text: string) => `\u001b[200~${text}\u001b[201~`;
  test.each([
    ['one line and its end', paste('s3cret-word\n'), 's3cret-word'],
    ['one line', `${paste('s3cret-word')}\n`, 's3cret-word'],
    ['several lines', paste('one\ntwo\nthree'), undefined],
    ['several lines, unmarked', 'one\ntwo\n', undefined],
  ])('can be pasted as one line only: %s', async (_, typed, value) => {
    const ran = await typing(create, typed, {}, made);
    expect(ran.requests.map(bodyOf)).toMatchObject(value === undefined ? [] : [{ value }]);
    if (value === undefined) expect(ran.err).toContain('several lines were pasted; nothing was sent\n');
  });

  test('is not requested without a service', async () => {
    const ran = await typing(create, 's3cret-word\n', { env: { SVC_BASE_URL: '' } }, made);
    expect(ran.err).toMatch(/^error: no base URL is set\n/);
  });

  test('turns the echo off before it prints the prompt', async () => {
    const events: string[] = [];
    const stdin: Source = Object.assign(new PassThrough(), {
      isTTY: true,
      setRawMode: (on: boolean) => events.push(on ? 'raw mode on' : 'raw mode off'),
    });
    const stderr = new PassThrough().on('data', (text) => events.push(String(text)));
    const context = contextWith({ stdin, stderr, env: { TERM: 'dumb' } });
    const typed = prompt(context, 'Value: ', { hidden: true });
    setImmediate(() => stdin.push('word\n'));
    expect(await typed).toBe('word');
    expect(events.slice(0, 2)).toEqual(['raw mode on', 'Value: ']);
    expect(events).toContain('raw mode off');
  });
});
