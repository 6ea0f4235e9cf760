// Conveniences: aliases, normalized projects, and what users of other programs type.
import { describe, expect, test } from 'vitest';
import { areas } from '../../src/api/index.ts';
import { findArea, loadArea } from '../../src/cli/areas.ts';
import { loadCatalogue } from '../../src/cli/catalogue.ts';
import guesses from '../../src/cli/guesses.json' with { type: 'json' };
import { flagsOf } from '../../src/docs/flags.ts';
import { commandNamed } from '../../src/spec/command.ts';
import { version } from '../../src/support/installation.ts';
import { ask, folderWith, host, planned, refusal, refused, root, workProfile } from '../interface/service.ts';
import { openWorld } from '../support/sandbox.ts';
import { svc } from '../support/svc.ts';

test('every area has its singular as a name', async () => {
  const plurals = areas.map(({ name }) => name).filter((name) => name.endsWith('s'));
  const singularOf = (name: string) => name.replace(/(?<=ch)es$|s$/, '');
  expect(plurals.filter((name) => findArea(singularOf(name))?.name !== name)).toEqual([]);
  expect((await svc('branch list --help')).out).toBe((await svc('branches list --help')).out);
});

test('help after an area is its help, and after svc login an argument', async () => {
  expect((await svc('jobs help')).out).toBe((await svc('jobs --help')).out);
  expect((await svc('job help list')).out).toBe((await svc('jobs list --help')).out);
  expect((await svc('login help')).code).toBe(2);
});

describe('aliases of commands', () => {
  const targets = { show: 'get', rm: 'delete', ls: 'list' } as const;

  test('each area with the command has the alias, unless it has a command of that name', async () => {
    const wrong: string[] = [];
    let found = 0;
    for (const entry of areas) {
      const area = await loadArea(entry);
      const names = area.commands.map(({ name }) => name);
      for (const [alias, target] of Object.entries(targets)) {
        const expected = names.includes(alias) ? alias : names.includes(target) ? target : undefined;
        if (commandNamed(area, alias)?.name !== expected) wrong.push(`${entry.name} ${alias}`);
        if (expected === target) found += 1;
      }
    }
    expect(wrong).toEqual([]);
    expect(found).toBeGreaterThan(30);
  });

  test('the commands of svc itself have them too', async () => {
    const env = { SVC_CONFIG_DIR: await folderWith() };
    expect((await svc('profiles set project a/b', { env })).code).toBe(0);
    expect((await svc('profiles ls --json', { env })).out).toContain('"default"');
    expect((await svc('profiles rm default --yes', { env })).code).toBe(0);
  });

  test.each([
    ['output xml', 'invalid output "xml": expected one of table,'],
    ['timeout abc', 'invalid timeout "abc": expected a number of seconds'],
    ['timeout 0', 'invalid timeout "0": expected a number of seconds'],
    ['retries -- -5', 'invalid retries "-5": expected a whole number from 0 to 999'],
    ['max-wait x', 'invalid max_wait "x": expected a number of seconds'],
    ['auth foo', 'invalid auth "foo": expected one of '],
    ['token_env "a b"', 'token_env must be the name of an environment variable'],
  ])('profiles set %s saves nothing, because commands would reject it', async (words, message) => {
    const env = { SVC_CONFIG_DIR: await folderWith() };
    await refused(`profiles set ${words}`, [message], { env });
    expect((await svc('profiles list --json', { env })).out).not.toContain('default');
  });

  test('profiles set names the token that it replaces', async () => {
    const env = await workProfile({ base_url: host, token: 'x' });
    const said = async (words: string) => (await svc(`profiles set ${words}`, { env })).err;
    expect(await said('token_env A')).toBe('Set token_env in profile work in place of token\n');
    expect(await said('token_env B')).toBe('Set token_env in profile work\n');
    expect(await said('project a/b')).toBe('Set project in profile work\n');
  });

  test('an invalid setting in the file is named with the command that changes it', async () => {
    const env = await workProfile({ base_url: host, output: 'xml' });
    const hint = 'hint: change it with svc profiles set output <value>';
    await refused('config explain', ['profile "work": invalid output "xml"', hint], { env });
    expect((await svc('profiles set output json', { env })).code).toBe(0);
    expect((await svc('config explain', { env })).code).toBe(0);
  });
});

test.each(['version', '--version', '-V', '-v'])('the version: svc %s', async (line) => {
  expect(await svc(line)).toMatchObject({ code: 0, out: `svc ${version}\n`, err: '' });
});

describe('--environment-scope selects a variable by its scope', () => {
  const query = 'filter%5Benvironment_scope%5D=prod';
  test.each(['get KEY', 'delete KEY --yes', 'update KEY value', 'set KEY value'])(
    'svc variables %s',
    async (command) => {
      const one = await ask(`variables ${command} -p 1 --environment-scope prod --dry-run`);
      expect(one.out.split('\n')[0], one.err).toContain(`/variables/KEY?${query}"`);
      if (command.startsWith('set')) return;
      const old = await ask(`variables ${command} -p 1 --filter environment_scope=prod --dry-run`);
      expect(old.out).toBe(one.out);
      const both = `variables ${command} -p 1 --filter environment_scope=prod --environment-scope`;
      expect((await ask(`${both} prod --dry-run`)).out).toBe(one.out);
      await refused(`${both} other`, [
        /--environment-scope and --filter environment_scope have different values/,
      ]);
    },
  );
  test('does not change the scope of the variable, as --new-environment-scope does', async () => {
    const request = await planned('variables update KEY v -p 1 --environment-scope prod');
    expect(request.body).toEqual({ value: '***' });
    const line = 'variables update KEY v -p 1 --environment-scope prod --new-environment-scope other';
    const { url, body } = await planned(line);
    expect([new URL(url).search, body.environment_scope]).toEqual([`?${query}`, 'other']);
  });
  test('is the scope of a new variable', async () => {
    const { url, body } = await planned('variables create KEY v -p 1 --environment-scope prod');
    expect([new URL(url).search, body.environment_scope]).toEqual(['', 'prod']);
  });
});

describe('svc files', () => {
  test.each(['get', 'blame', 'head', 'blame-head'])('%s reads from HEAD by default', async (command) => {
    const url = async (more: string) => new URL((await planned(`files ${command} a.txt -p 1${more}`)).url);
    expect((await url('')).searchParams.get('ref')).toBe('HEAD');
    expect((await url(' --ref v1.0.0')).searchParams.get('ref')).toBe('v1.0.0');
  });
  test('the sandbox reads the default branch from HEAD; a table contains base64 only if it is selected', async () => {
    const world = await openWorld();
    const head = await world.json('files get README.md -p acme/rocket');
    const main = await world.json('files get README.md -p acme/rocket --ref main');
    expect(head.blob_id).toBe(main.blob_id);
    for (const terminal of [80, undefined]) {
      const line = 'files get README.md -p acme/rocket --color never';
      const print = async (more: string) => (await world.run(line + more, { terminal })).out;
      expect(await print('')).toMatch(/^Blob ID: /m);
      expect(await print('')).not.toMatch(/^Content: /m);
      expect(await print(' --fields content')).toMatch(/^Content: /m);
      expect(await print(' --all-fields')).toMatch(/^Content: /m);
      expect(await print(' --json')).toContain('"content"');
    }
  });
  test.each(['create', 'update', 'delete'])('%s takes -m for --commit-message', async (command) => {
    const line = `files ${command} a.txt -p 1 --branch main${command === 'delete' ? ' --yes' : ' --content x'}`;
    const long = (await ask(`${line} --commit-message "Say more" --dry-run`)).out;
    expect(long).toContain('Say');
    for (const form of ['-m "Say more"', '"-mSay more"'])
      expect((await ask(`${line} ${form} --dry-run`)).out).toBe(long);
  });
});

test('no command has two flags with the same letter', async () => {
  const wrong: string[] = [];
  for (const entry of areas)
    for (const command of (await loadArea(entry)).commands) {
      const letters = flagsOf(command).flatMap(({ short }) => short ?? []);
      for (const letter of letters)
        if (letters.indexOf(letter) !== letters.lastIndexOf(letter))
          wrong.push(`${entry.name} ${command.name} ${letter}`);
    }
  expect(wrong).toEqual([]);
});

test('-L is short for --limit', async () => {
  const world = await openWorld();
  const list = 'jobs list -p acme/rocket --fields id -o tsv --no-header';
  const long = await world.run(`${list} --limit 3`);
  expect(long.out.trim().split('\n')).toHaveLength(3);
  for (const form of ['-L 3', '-L3', '-L=3'])
    expect((await world.run(`${list} ${form}`)).out, form).toBe(long.out);
});

describe('svc api without a method', () => {
  test.each(['api version', 'api GET version'])('svc %s sends GET', async (line) => {
    const [request] = (await ask(line)).requests;
    expect([request?.method, request?.url]).toEqual(['GET', `${root}/version`]);
  });
  test('says on a terminal that fields are not a body', async () => {
    const says = 'For a body: svc api POST projects\n';
    const on = { terminal: 80 };
    expect((await ask('api projects -f search=rocket', undefined, on)).err).toContain(says);
    for (const line of ['api GET projects -f search=rocket', 'api projects', 'api projects -H "a: b"'])
      expect((await ask(line, undefined, on)).err).not.toContain(says);
    expect((await ask('api projects -f search=rocket')).err).toBe('');
  });
  test.each([
    ['api', /<path> is missing/],
    ['api post', /<path> is missing/],
    ['api projects --input x.json', /--input requires a method/],
    ['api projects version', /unknown method "projects"/],
    ['api GET a b', /api takes 2 arguments, but got 3/],
  ])('svc %s is a usage error', (line, says) => refused(line, [says]));
});

describe('a project is normalized, whatever its source', () => {
  const url = `${root}/projects/acme%2Frocket/jobs`;
  test.each(['/acme/rocket', `${host}/acme/rocket/-/jobs/7`])('%s', async (form) => {
    expect((await planned(`jobs list --project ${form}`)).url).toBe(url);
    expect((await planned('jobs list', { env: { SVC_PROJECT: form } })).url).toBe(url);
    const env = await workProfile({ base_url: host, project: form });
    expect((await planned('jobs list', { env })).url).toBe(url);
    expect((await planned(['api', '{project}', '-p', form])).url).toBe(`${root}/acme%2Frocket`);
    const explained = JSON.parse((await ask('config explain --json', undefined, { env })).out);
    expect(explained).toContainEqual(expect.objectContaining({ setting: 'project', value: 'acme/rocket' }));
  });

  const other = 'https://other.example/acme/rocket';
  test('a URL of another host is a usage error that names the source', async () => {
    await refused(`jobs list -p ${other}`, [/--project: other\.example is not the host of the base URL/]);
    await refused('jobs list', [/SVC_PROJECT: other\.example/], { env: { SVC_PROJECT: other } });
    await refused(['api', '{project}'], [/SVC_PROJECT: other\.example/], { env: { SVC_PROJECT: other } });
    await refused(`hooks list -g ${other}`, [/--group: other\.example/]);
  });
  test('svc doctor checks it', async () => {
    const rows = async (project: string) =>
      JSON.parse((await ask('doctor --json', undefined, { env: { SVC_PROJECT: project } })).out);
    expect(await rows('acme%2Frocket')).toContainEqual(
      expect.objectContaining({ check: 'project', status: 'ok', message: 'acme/rocket (SVC_PROJECT)' }),
    );
    expect(await rows(other)).toContainEqual(expect.objectContaining({ check: 'project', status: 'fail' }));
  });
  test('does not matter to a command without a project', async () => {
    const env = { SVC_PROJECT: other };
    expect((await ask('api version', undefined, { env })).code).toBe(0);
    expect((await ask('config explain', undefined, { env })).out).toContain(other);
  });
});

test('rejects several projects or groups, of which the last one alone would be changed', async () => {
  const says = ['--project is given 2 times with different values', 'svc each --projects <file>'];
  await refused('variables set KEY x -p a/b --project c/d', says);
  expect((await ask('jobs list -p a/b --project a/b')).requests.length).toBeGreaterThan(0);
});

describe('a guess of a user of another program gets the right suggestion', () => {
  test.each([
    // First words.
    ['workflow list', 'Did you mean pipelines?'],
    ['get job', 'put the area first: svc jobs get'],
    ['delete variable KEY', 'put the area first: svc variables delete'],
    ['edit branches', 'Did you mean svc files edit?'],
    ['svc jobs list', 'leave out "svc"'],
    // Arguments.
    ['apply settings.yaml', 'Did you mean svc apply -f settings.yaml?'],
    ['jobs get unit -p a/b', '<job-id>: Job id from `jobs list`'],
    [
      'jobs digest last -p a/b',
      'latest is the newest pipeline of the default branch, latest:<ref> that of another',
    ],
    ['jobs list --pipeline 5', 'Did you mean svc jobs for-pipeline <pipeline-id>?'],
    // Commands.
    ['variables view KEY', 'Did you mean get?'],
    ['profiles remov work', 'Did you mean remove?'],
    ['config list', 'Did you mean explain?'],
    ['pipelines jobs latest', 'Did you mean svc jobs for-pipeline <pipeline-id>?'],
    // Flags.
    ['pipelines list -p a/b --scope failed', 'Did you mean --status failed?'],
    ['jobs list --repo acme/rocket', 'Did you mean --project?'],
    ['jobs list -Racme/rocket', 'Did you mean --project?'],
    ['hooks list -n acme', 'Did you mean -L?'],
    ['jobs list --ndjson', 'Did you mean -o ndjson?'],
    ['each -p a/b -- jobs list', 'Did you mean --projects?'],
    ['variables set KEY x --scope production', 'Did you mean --environment-scope?'],
  ])('svc %s', async (line, says) => {
    const lines = (await refusal(line)).split('\n');
    expect(lines.find((text) => text.endsWith(says))).toMatch(/hint: /);
  });

  test('each suggestion is a command or a flag', async () => {
    const { areas, builtins } = await loadCatalogue();
    const all = [...areas, ...builtins].flatMap((group) => group.commands);
    const names = new Set(all.map(({ name }) => name));
    const flags = new Set(all.flatMap(flagsOf).flatMap(({ name, short }) => [name, short]));
    const { commands, elsewhere, subcommands, flags: others } = guesses;
    for (const right of [...Object.values(commands).flat(), ...Object.values(elsewhere)])
      expect([right, (await svc(`${right.replace(/ [-<].*/, '')} --help`)).code]).toEqual([right, 0]);
    for (const right of Object.values(subcommands).flat()) expect(names).toContain(right);
    for (const right of Object.values(others).flat()) expect(flags).toContain(right);
  });

  test.each(['--token', '--token=', '--private-token ', '-t'])(
    'a token after %s is not repeated, and the hint names the safe ways',
    async (flag) => {
      const line = flag.endsWith('=') || flag === '-t' ? `${flag}svcpat-9f8e7d` : `${flag} svcpat-9f8e7d`;
      const err = await refusal(`jobs list -p 1 ${line}`, ['hint: set SVC_TOKEN or use --token-file <path>']);
      expect(err).not.toContain('svcpat');
    },
  );
});
