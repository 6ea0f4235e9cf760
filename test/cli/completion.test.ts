/** `svc completion`, and the values that only the service knows (issue 5, item 1). */
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { areas } from '../../src/api/index.ts';
import { completionTable } from '../../src/docs/completion/table.ts';
import type { Request } from '../../src/http/transport.ts';
import { commandName } from '../../src/spec/command.ts';
import { type Fields, fieldOf, keysOf } from '../../src/spec/field.ts';
import { loadManual } from '../docs/catalogue.ts';
import { openWorld, type World } from '../support/sandbox.ts';
import { type Canned, canned, svc } from '../support/svc.ts';

const env = { SVC_BASE_URL: 'https://host.example', SVC_TOKEN: 'svcpat-Zq81LmPw' };

let world: World;
beforeAll(async () => {
  world = await openWorld();
  // Loading the module does not count toward the deadline.
  await import('../../src/cli/builtin/completion/complete.ts');
  await world.run('branches list -p acme/rocket');
});

async function homeFolder(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'svc-completion-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  return home;
}

test.each([
  ['bash', /^complete -F _svc svc$/m],
  ['zsh', /^#compdef svc\n/],
  ['fish', /^complete -c svc /m],
  ['powershell', /Register-ArgumentCompleter/],
])('svc completion %s prints the script with commands and flags', async (shell, says) => {
  const { code, out, err } = await svc(`completion ${shell}`);
  expect([code, err]).toEqual([0, '']);
  expect(out).toMatch(says);
  for (const word of ['doctor', 'api', 'completion', 'jobs', 'exclude-locked', 'error-tracking'].filter(
    (one) => one !== 'exclude-locked',
  ))
    expect(out).toContain(word);
  expect(out).not.toMatch(/'__complete'/);
});

test.each([
  ['bash', '.local/share/bash-completion/completions/svc'],
  ['zsh', '.local/share/zsh/site-functions/_svc'],
  ['fish', '.config/fish/completions/svc.fish'],
  ['powershell', '.config/powershell/svc-completion.ps1'],
])('svc completion install %s writes the same script and no other file', async (shell, path) => {
  const home = await homeFolder();
  const more = { env: { HOME: home } };
  const { code, out, err } = await svc(`completion install ${shell} --yes`, more);
  expect([code, out]).toEqual([0, '']);
  expect(err).toContain(join(home, path));
  const text = await readFile(join(home, path), 'utf8');
  expect(text).toBe((await svc(`completion ${shell}`)).out);
  const files = (await readdir(home, { recursive: true, withFileTypes: true })).filter((one) => one.isFile());
  expect(files).toHaveLength(1);
  expect((await svc(`completion install ${shell} --yes`, more)).err).toMatch(
    /^Up to date: the \w+ completion in /,
  );
});

test('uses the shell in SHELL and the XDG folders', async () => {
  const home = await homeFolder();
  const more = { env: { HOME: home, SHELL: '/usr/bin/fish', XDG_CONFIG_HOME: join(home, 'conf') } };
  expect((await svc('completion install --yes', more)).code).toBe(0);
  expect((await stat(join(home, 'conf/fish/completions/svc.fish'))).isFile()).toBe(true);
});

test('requires --yes without a terminal and names the file', async () => {
  const home = await homeFolder();
  const { code, err } = await svc('completion install zsh', { env: { HOME: home } });
  expect(code).toBe(2);
  expect(err).toContain(join(home, '.local/share/zsh/site-functions/_svc'));
  expect(await readdir(home)).toEqual([]);
});

test('does not replace a file that svc did not write', async () => {
  const home = await homeFolder();
  const folder = join(home, '.config/fish/completions');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'svc.fish'), '# mine\n');
  const { code } = await svc('completion install fish --yes', { env: { HOME: home } });
  expect(code).toBe(1);
  expect(await readFile(join(folder, 'svc.fish'), 'utf8')).toBe('# mine\n');
});

test('rejects an unknown shell', async () => {
  for (const line of ['completion install tcsh', 'completion install --yes', 'completion tcsh'])
    expect((await svc(line, { env: { SHELL: '/bin/tcsh' } })).code).toBe(2);
});

const at = '-- variables get --project acme/rocket';

test.each([
  ['approval-rules/list/id', 'approval-rules get -p acme/rocket', /^32\tAll Members \(any_approver\)$/m],
  ['badges/list/id', 'badges get -g acme', /^91\tquality/m],
  ['branches/list/name', 'branches get -p acme/rocket', /^main\t/m],
  ['branches/protections/name', 'branches unprotect -p acme/rocket', /^main$/m],
  ['epics/list/iid', 'epics get -g acme', /^\d+\t\S/m],
  ['hooks/list/id', 'hooks get -g acme', /^301\tBuilder \(http:\/\/127/m],
  ['hooks/events/id', 'hooks resend -g acme 301', /^\d+\t/m],
  ['jobs/list/id', 'api GET x -p acme/rocket', /^5280\ttest:load \(.*running.*main\)$/m],
  ['jobs/list/pipeline.id', 'jobs for-pipeline -p acme/rocket', /^1012\tmain \(.*running\)$/m],
  ['migrations/entities/id', 'migrations entity -o json 21', /^\d+\t/m],
  ['snippets/list/id', 'snippets get -p acme/rocket', /^51\t\S/m],
  ['users/list/id', 'users get', /^31\ttala\.reyes/m],
  ['variables/list/key', 'variables get --project acme/rocket', /^DEPLOY_USER\t/m],
  ['variables/list/environment_scope', 'variables get --project=acme/rocket K --filter', /^production\t/m],
  ['wikis/list/slug', 'wikis get -g acme', /^guides\/release\t/m],
])('offers %s with descriptions', async (source, words, says) => {
  const { code, out, err } = await world.run(`__complete ${source} -- ${words} ""`);
  expect([code, err]).toEqual([0, '']);
  expect(out).toMatch(says);
  expect(new Set(out.split('\n')).size).toBe(out.split('\n').length);
  for (const line of out.split('\n')) expect((line.split('\t')[1] ?? '').length).toBeLessThanOrEqual(60);
});

function has(fields: Fields, [first = '', ...rest]: readonly string[]): boolean {
  const field = fieldOf(fields, first);
  return field !== undefined && (rest.length === 0 || has(keysOf(field) ?? {}, rest));
}

test('every source of the catalogue is an attribute of a list', async () => {
  const { paths, values, special } = completionTable(await loadManual());
  const codes = [
    ...paths.flatMap(({ args }) => args),
    ...values.map(([, code]) => code),
    ...special.map(([, , code]) => code),
  ];
  const sources = [...new Set(codes)].flatMap((code) => (/^\?.*\//.test(code) ? code.slice(1) : []));
  expect(sources.length).toBeGreaterThan(20);
  for (const source of sources) {
    const [area, list, attribute = ''] = source.split('/');
    const loaded = await areas.find(({ name }) => name === area)?.load();
    const found = loaded?.default.endpoints.filter((one) => commandName(one) === list) ?? [];
    expect(found, source).not.toEqual([]);
    for (const { method, returns } of found) {
      expect([method, returns.kind], source).toEqual(['GET', 'list']);
      expect('fields' in returns && has(returns.fields, attribute.split('.')), source).toBe(true);
    }
  }
});

test('offers each value once', async () => {
  const { out } = await world.run(`__complete variables/list/key ${at} ""`);
  expect(out.match(/^DATABASE_URL\t/gm)).toHaveLength(1);
});

test('uses the project of the settings if the line names none', async () => {
  const { out } = await world.run('__complete branches/list/name -- branches get ""', {
    env: { SVC_PROJECT: 'acme/rocket' },
  });
  expect(out).toMatch(/^main\t/m);
});

test('offers the profiles of the profile file', async () => {
  const folder = await homeFolder();
  const text = JSON.stringify({
    profiles: { work: { base_url: 'https://w.example', token: 'hush' }, home: {} },
  });
  await writeFile(join(folder, 'profiles.json'), text, { mode: 0o600 });
  const { out } = await svc('__complete profile -- jobs list --profile ""', {
    env: { SVC_CONFIG_DIR: folder },
  });
  expect(out).toBe('work\thttps://w.example\nhome\n');
});

const rows = { body: '[{"name":"main"}]' };
const ask = (
  line: string,
  answer: (request: Request) => Canned | Promise<Canned>,
  more: Readonly<Record<string, string>> = {},
) => svc(line, { transport: canned(answer), env: { ...env, ...more } });

test.each([
  ['an error of the service', () => ({ status: 500, body: '{"message":"no"}' })],
  ['invalid JSON', () => ({ body: '<html>' })],
  ['an object instead of a list', () => ({ body: '{}' })],
  ['a throttled service', () => ({ status: 429, headers: [['retry-after', '1']] as const })],
])('prints nothing after %s, exits with 0 and does not retry', async (_, answer) => {
  const { code, out, err, requests } = await ask(
    '__complete branches/list/name -- branches get -p 1 ""',
    answer,
  );
  expect([code, out, err]).toEqual([0, '', '']);
  expect(requests.length).toBeLessThan(2);
});

test.each([
  '__complete',
  '__complete branches/list/name',
  '__complete nonsense -- x',
  '__complete branches/list/name -- branches get -p ""',
  '__complete branches/list/name -- --profile unknown x',
])('prints nothing and exits with 0: %s', async (line) => {
  const { code, out, err } = await svc(line, { env: { SVC_BASE_URL: 'not a url' } });
  expect([code, out, err]).toEqual([0, '', '']);
});

test('offers values whatever fraction of a millisecond has passed', async () => {
  // 130 ms less this leaves 92.87654400000001 ms.
  const { out } = await svc('__complete branches/list/name -- branches get -p 1 ""', {
    transport: canned(() => rows),
    env,
    elapsed: () => 37.123456,
  });
  expect(out).toBe('main\n');
});

test('prints nothing after 150 ms without a response', async () => {
  const start = performance.now();
  const { code, out, err } = await svc('__complete branches/list/name -- branches get -p 1 ""', {
    transport: canned(() => new Promise(() => {})),
    env,
    elapsed: () => 60,
  });
  expect([code, out, err]).toEqual([0, '', '']);
  // The limit is 130 ms from the start of the process; the rest is time of a busy machine.
  expect(performance.now() - start).toBeLessThan(1_000);
});

test('does not run a token command', async () => {
  const folder = await homeFolder();
  const marker = join(folder, 'ran');
  const text = JSON.stringify({
    current: 'w',
    profiles: { w: { base_url: 'https://host.example', token_command: `touch ${marker}` } },
  });
  await writeFile(join(folder, 'profiles.json'), text, { mode: 0o600 });
  const { code, out, requests } = await svc('__complete branches/list/name -- branches get -p 1 ""', {
    transport: canned(() => rows),
    env: { SVC_CONFIG_DIR: folder },
  });
  expect([code, out, requests.length]).toEqual([0, '', 0]);
  await expect(stat(marker)).rejects.toThrow(/ENOENT/);
});

test('caches a response for a minute in a private file', async () => {
  const home = await homeFolder();
  const more = { HOME: home, XDG_CACHE_HOME: join(home, 'cache') };
  const line = '__complete branches/list/name -- branches get -p 1 ""';
  expect((await ask(line, () => rows, more)).out).toBe('main\n');
  const again = await ask(line, () => ({ status: 500 }), more);
  expect([again.out, again.requests.length]).toEqual(['main\n', 0]);
  const folder = join(home, 'cache/svc/completion');
  const [name = ''] = await readdir(folder);
  expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
  expect((await readFile(join(folder, name), 'utf8')) + name).not.toContain(env.SVC_TOKEN);
  const other = await ask(
    '__complete branches/list/name -- branches get -p 2 ""',
    () => ({ body: '[{"name":"two"}]' }),
    more,
  );
  expect(other.out).toBe('two\n');
  const token = { SVC_TOKEN: 'svcpat-of-another' };
  const someone = await ask(line, () => ({ body: '[{"name":"theirs"}]' }), { ...more, ...token });
  expect(someone.out).toBe('theirs\n');
  const later = await svc(line, {
    transport: canned(() => ({ body: '[{"name":"later"}]' })),
    env: { ...env, ...more },
    now: () => Date.now() + 61_000,
  });
  expect(later.out).toBe('later\n');
});

test('offers earlier values if the service fails or does not respond in time, for a day', async () => {
  const home = await homeFolder();
  const more = { ...env, HOME: home, XDG_CACHE_HOME: join(home, 'cache') };
  const line = '__complete branches/list/name -- branches get -p 1 ""';
  const after = (ms: number, reply: () => Canned | Promise<Canned>) =>
    svc(line, {
      transport: canned(reply),
      env: more,
      now: () => Date.now() + ms,
      elapsed: () => 100,
    });
  expect((await ask(line, () => rows, more)).out).toBe('main\n');
  const hour = 3_600_000;
  expect((await after(hour, () => new Promise(() => {}))).out).toBe('main\n');
  expect((await after(hour, () => ({ status: 500 }))).out).toBe('main\n');
  expect((await after(25 * hour, () => ({ status: 500 }))).out).toBe('');
});

test('does not offer a name that looks like a flag', async () => {
  const body = '[{"name":"--yes"},{"name":"main"}]';
  expect((await ask('__complete branches/list/name -- branches get -p 1 ""', () => ({ body }))).out).toBe(
    'main\n',
  );
});

test('offers the projects and groups that were used on a terminal, by server', async () => {
  const home = await homeFolder();
  const more = { HOME: home, XDG_STATE_HOME: join(home, 'state') };
  const run = (line: string, terminal?: number, base = env.SVC_BASE_URL) =>
    svc(line, {
      transport: canned(() => ({ body: '[]' })),
      env: { ...env, ...more, SVC_BASE_URL: base },
      ...(terminal === undefined ? {} : { terminal }),
    });
  await run('jobs list -p in/a-pipe');
  await run('jobs list -p acme/rocket', 80);
  await run('jobs list -p 100', 80);
  await run('jobs list -p acme/website', 80);
  await run('epics list -g acme', 80);
  expect((await run('__complete project -- jobs list -p ""')).out).toBe('acme/website\nacme/rocket\n');
  expect((await run('__complete group -- epics list -g ""')).out).toBe('acme\n');
  expect((await run('__complete project -- jobs list -p ""', undefined, 'https://other.example')).out).toBe(
    '',
  );
  expect((await stat(join(home, 'state/svc/seen.json'))).mode & 0o777).toBe(0o600);
});
