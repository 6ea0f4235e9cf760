/** `svc completion`, and what `svc __complete` offers. */
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { areas } from '../../src/api/index.ts';
import { sourceOf } from '../../src/docs/completion/sources.ts';
import { flagsOf } from '../../src/docs/flags.ts';
import type { Request } from '../../src/http/transport.ts';
import { commandName } from '../../src/spec/command.ts';
import { type Field, type Fields, fieldOf, itemOf, keysOf } from '../../src/spec/field.ts';
import { loadManual } from '../docs/catalogue.ts';
import { folderWith, profileFile, workProfile } from '../interface/service.ts';
import { filesIn } from '../support/folders.ts';
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

test.each([
  ['bash', /^complete -F _svc svc$/m],
  ['zsh', /^#compdef svc\n/],
  ['fish', /^complete -c svc /m],
  ['powershell', /Register-ArgumentCompleter/],
])('svc completion %s prints a script that asks svc', async (shell, says) => {
  const { code, out, err } = await svc(`completion ${shell}`);
  expect([code, err]).toEqual([0, '']);
  expect(out).toMatch(says);
  expect(out).toContain('__complete -- ');
});

test.each([
  ['bash', '.local/share/bash-completion/completions/svc'],
  ['zsh', '.local/share/zsh/site-functions/_svc'],
  ['fish', '.config/fish/completions/svc.fish'],
  ['powershell', '.config/powershell/svc-completion.ps1'],
])('svc completion install %s writes the same script and no other file', async (shell, path) => {
  const home = await folderWith();
  const more = { env: { HOME: home } };
  const { code, out, err } = await svc(`completion install ${shell} --yes`, more);
  expect([code, out]).toEqual([0, '']);
  expect(err).toContain(join(home, path));
  expect(await filesIn(home)).toEqual([join(home, path)]);
  expect(await readFile(join(home, path), 'utf8')).toBe((await svc(`completion ${shell}`)).out);
  const again = await svc(`completion install ${shell} --yes`, more);
  expect(again.err).toMatch(/^Up to date: the \w+ completion in /);
});

test('quotes the file for ~/.bashrc if the home has an apostrophe', async () => {
  const home = join(await folderWith(), "o'hara");
  const { err } = await svc('completion install bash --yes', { env: { HOME: home } });
  const file = join(home, '.local/share/bash-completion/completions/svc').replace("'", "'\\''");
  expect(err).toContain(`add to ~/.bashrc: source '${file}'\n`);
});

test('uses the shell in SHELL and the XDG folders', async () => {
  const home = await folderWith();
  const more = { env: { HOME: home, SHELL: '/usr/bin/fish', XDG_CONFIG_HOME: join(home, 'conf') } };
  expect((await svc('completion install --yes', more)).code).toBe(0);
  expect((await stat(join(home, 'conf/fish/completions/svc.fish'))).isFile()).toBe(true);
});

test('requires --yes without a terminal and names the file', async () => {
  const home = await folderWith();
  const { code, err } = await svc('completion install zsh', { env: { HOME: home } });
  expect(code).toBe(2);
  expect(err).toContain(join(home, '.local/share/zsh/site-functions/_svc'));
  expect(await readdir(home)).toEqual([]);
});

test('does not replace a file that svc did not write', async () => {
  const home = await folderWith();
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

/** Complete the last word of a line. @returns the first line, and the values with their descriptions */
async function complete(line: string, run: typeof svc = svc) {
  const { code, out, err } = await run(`__complete -- ${line}`);
  expect([code, err]).toEqual([0, '']);
  const [head = '', ...lines] = out.split('\n').slice(0, -1);
  const [kind = '', lead = ''] = head.split('\t');
  const values = lines.map((one) => one.split('\t')[0] ?? '');
  return { kind, lead, values, lines };
}

test.each<[line: string, lead: string, values: readonly string[]]>([
  ['profiles u', '', ['use']],
  ['vars cop', '', ['copy']],
  ['help jobs li', '', ['list']],
  ['help exi', '', ['exit-codes']],
  ['each --projects x -- jobs list --scope fai', '', ['failed']],
  ['variables create --mask', '', ['--masked', '--masked-and-hidden']],
  ['sandbox start --spam ""', '', ['off', 'reject', 'captcha']],
  ['jobs list --scope=f', '--scope=', ['failed']],
  ['jobs list --scope failed,r', 'failed,', ['running']],
  ['--sandbox -o nd', '', ['ndjson']],
  ['jobs list -ond', '-o', ['ndjson']],
  ['-pacme/rocket jobs list --sco', '', ['--scope']],
  ['variables create KEY value --variable-type ""', '', ['env_var', 'file']],
  ['variables get KEY --filter env', '', ['environment_scope=']],
  [
    'migrations create --entity destination_slug=a,source_type=',
    'destination_slug=a,source_type=',
    ['group_entity', 'project_entity'],
  ],
  ['jobs list --fields id,pipeline.s', 'id,', ['pipeline.sha', 'pipeline.status']],
  ['jobs list --sort-by pipeline.sh', '', ['pipeline.sha']],
  ['profiles set token', '', ['token_command', 'token_env']],
  ['profiles set output j', '', ['json']],
  ['profiles set auth ""', '', ['access', 'job', 'bearer']],
  ['profiles set read_only ""', '', ['true', 'false']],
  ['hooks trigger pi', '', ['pipeline']],
  ['sandbox emit tag', '', ['tag-push']],
  ['schema broad', '', ['broadcasts']],
  ['mcp --areas jobs,bran', 'jobs,', ['branches']],
  ['api P', '', ['POST', 'PUT', 'PATCH']],
  ['api GET broad', '', ['broadcast_messages']],
  ['api GET projects/{project}/badges/', '', ['projects/{project}/badges/render']],
  ['branches create x --ref -h --proj', '', ['--project']],
])('completes: svc %s', async (line, lead, values) => {
  const found = await complete(line);
  expect([found.kind, found.lead]).toEqual(['values', lead]);
  expect([...found.values].sort()).toEqual([...values].sort());
});

test('offers all areas and commands of the program, with their summaries', async () => {
  const { areas: groups, builtins } = await loadManual();
  const { lines } = await complete('""');
  expect(lines).toEqual([...groups, ...builtins].map(({ name, summary }) => `${name}\t${summary}`));
});

test('offers the flags of a command, but none of other commands', async () => {
  const { values } = await complete('jobs list --');
  for (const flag of ['--scope', '--project', '--all', '--output']) expect(values).toContain(flag);
  for (const flag of ['--masked', '--no-masked', '--group', '--yes']) expect(values).not.toContain(flag);
});

test.each([
  ['jobs list --ca-file no', 'files', ''],
  ['jobs list --ca-file=no', 'files', '--ca-file='],
  ['variables create KEY @no', 'files', '@'],
  ['files create a.txt --content=@no', 'files', '--content=@'],
  ['sandbox start --data ""', 'folders', ''],
])('offers files: svc %s', async (line, kind, lead) => {
  const found = await complete(line);
  expect(found).toMatchObject({ kind, lead, lines: [] });
});

test.each([
  'variables create KEY no',
  'nonsense ""',
  'each --projects x -- nonsense ""',
  'files raw ""',
  'variables exec -- pri',
  'jobs list -- --sc',
])('offers nothing: svc %s', async (line) => {
  expect((await svc(`__complete -- ${line}`)).out).toBe('');
});

test.each([
  ['approval-rules get -p acme/rocket', /^32\tAll Members \(any_approver\)$/m],
  ['badges get -g acme', /^91\tquality/m],
  ['branches get -p acme/rocket', /^main\t/m],
  ['branches unprotect -p acme/rocket', /^main$/m],
  ['epics get -g acme', /^\d+\t\S/m],
  ['hooks get -g acme', /^301\tBuilder \(http:\/\/127/m],
  ['hooks show -gacme', /^301\tBuilder \(http:\/\/127/m],
  ['hooks resend -g acme 301', /^\d+\t/m],
  ['jobs for-pipeline -p acme/rocket', /^1012\tmain \(.*running\)$/m],
  ['migrations entity -o json 21', /^\d+\t/m],
  ['snippets get -p acme/rocket', /^51\t\S/m],
  ['users get', /^31\ttala\.reyes/m],
  ['variables get --project acme/rocket', /^DEPLOY_USER\t/m],
  ['variables get --project=acme/rocket K --filter environment_scope=pro', /^production\t/m],
  ['wikis get -g acme', /^guides\/release\t/m],
])('offers values of the service with descriptions: svc %s', async (line, says) => {
  const last = line.endsWith('=pro') ? '' : ' ""';
  const { lines, values } = await complete(`${line}${last}`, world.run);
  expect(lines.join('\n')).toMatch(says);
  expect(new Set(values).size).toBe(values.length);
});

test.each([
  ['retry', ['failed', 'canceled']],
  ['cancel', ['running', 'pending', 'waiting_for_resource', 'created']],
  ['play', ['manual']],
])('offers only jobs in a state that allows it: svc jobs %s', async (command, states) => {
  const { lines } = await complete(`jobs ${command} -p acme/rocket ""`, world.run);
  expect(lines.length).toBeGreaterThan(0);
  const offered = new Set(lines.map((line) => /, (\w+)\)$/.exec(line)?.[1]));
  expect(states).toEqual(expect.arrayContaining([...offered]));
});

test('offers numbers as numbers, the newest first; offers a variable of two scopes once, with both', async () => {
  const { values } = await complete('jobs for-pipeline -p acme/rocket ""', world.run);
  expect(values.length).toBeGreaterThan(3);
  expect(values).toEqual([...values].sort((a, b) => Number(b) - Number(a)));
  const { lines } = await complete('variables get -p acme/rocket DATA', world.run);
  expect(lines).toEqual(['DATABASE_URL\tproduction (env_var); staging (env_var)']);
});

function has(fields: Fields, [first = '', ...rest]: readonly string[]): boolean {
  const field = fieldOf(fields, first);
  return field !== undefined && (rest.length === 0 || has(keysOf(field) ?? {}, rest));
}

function nested(field: Field): Field[] {
  const inner = Object.values(keysOf(field) ?? {}).flatMap(nested);
  return [field, ...(itemOf(field) === field ? [] : [itemOf(field)]), ...inner];
}

test('an id that a task takes has the values of a list', async () => {
  const { areas: groups } = await loadManual();
  const tasks = groups.flatMap(({ commands }) => commands.filter(({ endpoints }) => endpoints.length === 0));
  const without = tasks.flatMap(({ area, name, arguments: all }) =>
    all
      .filter((one) => /(^|-)id$/.test(one.name) && !one.of.suggest)
      .map((one) => `${area} ${name} ${one.name}`),
  );
  expect(without).toEqual([]);
});

test('every source of the catalogue is an attribute of a list', async () => {
  const { areas: groups, builtins } = await loadManual();
  const sources = new Set(
    [...groups, ...builtins].flatMap(({ commands }) =>
      commands.flatMap((command) => {
        const siblings = groups.find(({ name }) => name === command.area)?.commands ?? [];
        const endpoints = siblings.flatMap((one) => one.endpoints);
        const fields = [
          ...command.arguments.map(({ of }) => of),
          ...flagsOf(command).map(({ field }) => field),
        ];
        return [
          ...command.arguments.map((argument) => sourceOf(argument, command, endpoints)),
          ...fields.flatMap((field) => (field ? nested(field) : [])).map(({ suggest }) => suggest),
        ];
      }),
    ),
  );
  const lists = [...sources].filter((source) => source?.includes('/'));
  expect(lists.length).toBeGreaterThan(20);
  for (const source of lists) {
    const [area, list, attribute = ''] = source?.split('/') ?? [];
    const loaded = await areas.find(({ name }) => name === area)?.load();
    const found = loaded?.default.endpoints.filter((one) => commandName(one) === list) ?? [];
    expect(found, source).not.toEqual([]);
    for (const { method, returns } of found) {
      expect([method, returns.kind], source).toEqual(['GET', 'list']);
      expect('fields' in returns && has(returns.fields, attribute.split('.')), source).toBe(true);
    }
  }
});

test('uses the project of the settings if the line names none', async () => {
  const env = { SVC_PROJECT: 'acme/rocket' };
  const { out } = await world.run('__complete -- branches get ""', { env });
  expect(out).toMatch(/^main\t/m);
});

test('offers the profiles of the profile file', async () => {
  const env = await profileFile({
    profiles: { work: { base_url: 'https://w.example', token: 'hush' }, home: {} },
  });
  const { out } = await svc('__complete -- jobs list --profile ""', { env });
  expect(out).toBe('values\t\nwork\thttps://w.example\nhome\n');
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
  const { code, out, err, requests } = await ask('__complete -- branches get -p 1 ""', answer);
  expect([code, out, err]).toEqual([0, '', '']);
  expect(requests.length).toBeLessThan(2);
});

test.each([
  '__complete',
  '__complete -- x',
  '__complete -- branches get -p ""',
  '__complete -- --profile unknown x',
])('prints nothing and exits with 0: %s', async (line) => {
  const { code, out, err } = await svc(line, { env: { SVC_BASE_URL: 'not a url' } });
  expect([code, out, err]).toEqual([0, '', '']);
});

test('offers values whatever fraction of a millisecond has passed', async () => {
  const { out } = await svc('__complete -- branches get -p 1 ""', {
    transport: canned(() => rows),
    env,
    elapsed: () => 707.123456,
  });
  expect(out).toBe('values\t\nmain\n');
});

test('prints nothing after 800 ms without a response', async () => {
  const start = performance.now();
  const { code, out, err } = await svc('__complete -- branches get -p 1 ""', {
    transport: canned(() => new Promise(() => {})),
    env,
    elapsed: () => 700,
  });
  expect([code, out, err]).toEqual([0, '', '']);
  // 100 ms are left; the rest is time of a busy machine.
  expect(performance.now() - start).toBeLessThan(5_000);
});

test('does not run a token command', async () => {
  const marker = join(await folderWith(), 'ran');
  const profile = await workProfile({ base_url: 'https://host.example', token_command: `touch ${marker}` });
  const line = '__complete -- branches get -p 1 ""';
  const { code, out, requests } = await svc(line, { transport: canned(() => rows), env: profile });
  expect([code, out, requests.length]).toEqual([0, '', 0]);
  await expect(stat(marker)).rejects.toThrow(/ENOENT/);
});

test('caches a response in a private file, and refreshes it in the background after a minute', async () => {
  const home = await folderWith();
  const more = { HOME: home, XDG_CACHE_HOME: join(home, 'cache') };
  const line = '__complete -- branches get -p 1 ""';
  expect((await ask(line, () => rows, more)).out).toBe('values\t\nmain\n');
  const again = await ask(line, () => ({ status: 500 }), more);
  expect([again.out, again.requests.length]).toEqual(['values\t\nmain\n', 0]);
  const folder = join(home, 'cache/svc/completion');
  const [name = ''] = await readdir(folder);
  expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
  expect((await readFile(join(folder, name), 'utf8')) + name).not.toContain(env.SVC_TOKEN);
  const other = await ask('__complete -- branches get -p 2 ""', () => ({ body: '[{"name":"two"}]' }), more);
  expect(other.out).toBe('values\t\ntwo\n');
  const token = { SVC_TOKEN: 'svcpat-of-another' };
  const someone = await ask(line, () => ({ body: '[{"name":"theirs"}]' }), { ...more, ...token });
  expect(someone.out).toBe('values\t\ntheirs\n');
  const after = (words: string, ms: number) =>
    svc(words, {
      transport: canned(() => ({ body: '[{"name":"later"}]' })),
      env: { ...env, ...more },
      now: () => Date.now() + ms,
    });
  const old = await after(line, 61_000);
  expect([old.out, old.requests.length]).toEqual(['values\t\nmain\n', 0]);
  // A process in the background, which nothing waits for, fetches new values.
  await after(line.replace('--', '--background --'), 61_000);
  expect((await after(line, 0)).out).toBe('values\t\nlater\n');
});

test('offers earlier values at once, for a day', async () => {
  const home = await folderWith();
  const more = { ...env, HOME: home, XDG_CACHE_HOME: join(home, 'cache') };
  const line = '__complete -- branches get -p 1 ""';
  const after = (ms: number, reply: () => Canned | Promise<Canned>) =>
    svc(line, {
      transport: canned(reply),
      env: more,
      now: () => Date.now() + ms,
      elapsed: () => 100,
    });
  expect((await ask(line, () => rows, more)).out).toBe('values\t\nmain\n');
  const hour = 3_600_000;
  expect((await after(hour, () => new Promise(() => {}))).out).toBe('values\t\nmain\n');
  expect((await after(hour, () => ({ status: 500 }))).out).toBe('values\t\nmain\n');
  expect((await after(25 * hour, () => ({ status: 500 }))).out).toBe('');
});

test('does not offer a name that looks like a flag', async () => {
  const body = '[{"name":"--yes"},{"name":"main"}]';
  expect((await ask('__complete -- branches get -p 1 ""', () => ({ body }))).out).toBe('values\t\nmain\n');
});

/** A home in which svc keeps what was used, and a command line in it. */
async function usedHome() {
  const home = await folderWith();
  const own = { ...env, HOME: home, XDG_STATE_HOME: join(home, 'state') };
  const run = (line: string, terminal?: number, base = env.SVC_BASE_URL) =>
    svc(line, { transport: canned(() => ({ body: '[]' })), env: { ...own, SVC_BASE_URL: base }, terminal });
  return { run, file: join(home, 'state/svc/seen.json') };
}

test('offers the projects and groups that were used on a terminal, by server', async () => {
  const { run, file } = await usedHome();
  await run('jobs list -p in/a-pipe');
  await run('jobs list -p acme/rocket', 80);
  await run('jobs list -p 100', 80);
  await run('jobs list -p acme/website', 80);
  await run('epics list -g acme', 80);
  expect((await run('__complete -- jobs list -p ""')).out).toBe('values\t\nacme/website\nacme/rocket\n');
  expect((await run('__complete -- epics list -g ""')).out).toBe('values\t\nacme\n');
  expect((await run('__complete -- jobs list -p ""', undefined, 'https://other.example')).out).toBe('');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test('keeps the 100 projects that were used last', async () => {
  const { run, file } = await usedHome();
  const use = (project: string) => run(`jobs list -p ${project}`, 80);
  await use('acme/daily');
  const others = Array.from({ length: 99 }, (_, at) => `acme/other-${at}`);
  const seen = { [env.SVC_BASE_URL]: { project: [...others, 'acme/daily'] } };
  await writeFile(file, JSON.stringify(seen), { mode: 0o600 });
  await use('acme/daily');
  const { ino } = await stat(file);
  await use('acme/daily');
  expect((await stat(file)).ino).toBe(ino);
  await use('acme/new');
  const offered = (await run('__complete -- jobs list -p ""')).out.trim().split('\n').slice(1);
  expect(offered).toHaveLength(100);
  expect(offered.slice(0, 2)).toEqual(['acme/new', 'acme/daily']);
  expect(offered).not.toContain('acme/other-98');
});
