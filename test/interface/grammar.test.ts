/** One test for each promise. */

import { describe, expect, test } from 'vitest';
import { presented } from '../support/endpoints.ts';
import { exampleFiles } from '../support/sandbox.ts';
import { bodyText, words } from '../support/svc.ts';
import { routes, rowsOf } from '../support/table.ts';
import { ask, folderWith, planned, plannedInClear, refused, root, workProfile } from './service.ts';

const project = { env: { SVC_PROJECT: 'acme/rocket' } };

/** Query pairs of a URL, decoded. */
const pairs = (url: string): string[][] => [...new URL(url).searchParams];

describe('routes.txt lists the name of every command and its request', async () => {
  const examples = presented.flatMap(({ endpoint }) => endpoint.examples.map(({ run }) => run));

  test.each(routes)('$command: $route', async ({ command, route }) => {
    const [method, path = ''] = route.split(' ');
    const name = command.replace(/ [-<[].*/, '');
    const place = /^\/(project|group)s\/:id\//.exec(path)?.[1];
    const line = examples.find(
      (run) =>
        `${run} `.startsWith(`${name} `) &&
        / --(project|group) /.exec(run)?.[1] === place &&
        (!name.endsWith('license get') || /get \d/.test(run) === path.includes(':id')),
    );
    expect(line, 'an example of it').toBeDefined();
    const cwd = await folderWith(exampleFiles);
    const ran = await ask([...words(line as string), '--dry-run'], undefined, {
      cwd,
      env: { SVC_JOB_TOKEN: 'job' },
    });
    expect(ran.code, ran.err).toBe(0);
    const request = JSON.parse(ran.out.split('\n')[0] as string);
    expect(request.method).toBe(method);
    const pattern = path.replace(/[.]/g, '\\.').replace(/:[a-z_]+/g, '[^/]+');
    expect(request.url.slice(root.length)).toMatch(new RegExp(`^${pattern}(\\?.*)?$`));
  });
});

describe('the scope of a command', () => {
  test.each([
    ['jobs list -p acme/rocket', {}, 'projects/acme%2Frocket/jobs'],
    ['jobs list --project acme/rocket', {}, 'projects/acme%2Frocket/jobs'],
    ['jobs list --project=acme/rocket', {}, 'projects/acme%2Frocket/jobs'],
    ['jobs list -p 100', {}, 'projects/100/jobs'],
    ['hooks list -g acme/labs', {}, 'groups/acme%2Flabs/hooks'],
    ['hooks list --group acme/labs', {}, 'groups/acme%2Flabs/hooks'],
    ['hooks list --group=acme/labs', {}, 'groups/acme%2Flabs/hooks'],
    // The project if both are defaults.
    ['badges list --quiet', { SVC_PROJECT: '1', SVC_GROUP: '2' }, 'projects/1/badges'],
    // A flag has precedence over a setting for the other scope.
    ['badges list -g 2', { SVC_PROJECT: '1' }, 'groups/2/badges'],
    // The setting with higher precedence decides between scopes.
    ['badges list', { SVC_GROUP: '2', CI_PROJECT_ID: '3' }, 'groups/2/badges'],
  ] as [string, Record<string, string>, string][])('%s with %j', async (line, env, path) => {
    expect((await planned(line, { env })).url).toBe(`${root}/${path}`);
  });
  test('that of a profile has a lower precedence than a variable, and a higher one than a pipeline', async () => {
    const file = await workProfile({ group: 2 });
    const ofProject = { env: { ...file, SVC_PROJECT: '1' } };
    expect((await planned('badges list', ofProject)).url).toBe(`${root}/projects/1/badges`);
    const ofProfile = { env: { ...file, CI_PROJECT_ID: '3' } };
    expect((await planned('badges list', ofProfile)).url).toBe(`${root}/groups/2/badges`);
  });
  test('rejects both scopes', () => refused('badges list -p 1 -g 2', [/--project/, /--group/]));
  test('a missing scope: names the flag, the variable and the profile setting', async () => {
    await refused('jobs list', [/--project/, /SVC_PROJECT/, /svc profiles set project/]);
    await refused('hooks list', [/--group/, /SVC_GROUP/, /svc profiles set group/]);
    await refused('badges list', [/--project/, /--group/, /SVC_PROJECT/, /SVC_GROUP/]);
  });
  test('settings do not count if the command also exists without a scope', async () => {
    const env = { SVC_PROJECT: '1', SVC_GROUP: '2', CI_PROJECT_ID: '3' };
    expect((await planned('notifications get', { env })).url).toBe(`${root}/notification_settings`);
    const { url } = await planned('notifications get -g 2', { env });
    expect(url).toBe(`${root}/groups/2/notification_settings`);
  });
});

describe('other slots are arguments, in path order', () => {
  test('hooks resend <hook-id> <hook-event-id>', async () => {
    const { url } = await planned('hooks resend 301 402 -g 10');
    expect(url).toBe(`${root}/groups/10/hooks/301/events/402/resend`);
  });
  test('each is one segment, encoded', async () => {
    const { url } = await planned('snippets raw-file 52 feature/x "lib/a b?.py" -p 1');
    expect(url).toBe(`${root}/projects/1/snippets/52/files/feature%2Fx/lib%2Fa%20b%3F.py/raw`);
  });
  test('rejects missing, empty and excess arguments', async () => {
    await refused('hooks resend 301 -g 10', [/hook-event-id/]);
    await refused('branches get "" -p 1', [/branch/]);
    await refused('jobs for-pipeline 1 2 -p 1', [/argument/]);
  });
  test('rejects . and .. before sending', async () => {
    await refused('branches delete .. -p 1 --yes', [/branch/]);
    await refused('jobs list -p .', [/--project/]);
  });
});

test('everything else is a flag, named after the parameter in kebab-case', async () => {
  const rows = rowsOf(new URL('../parameters.csv', import.meta.url), 'method', 'path', 'param', 'in');
  const helps = new Map<string, string>();
  const missing: string[] = [];
  for (const { method, path, param, in: place } of rows) {
    // Credentials come from the settings; a name in brackets is a key of a flag.
    if (param === '' || place === 'path' || /\[|^(ci_)?job_token$/i.test(param)) continue;
    const command = routes.find(({ route }) => route === `${method} ${path}`)?.command;
    if (command === undefined) continue;
    const name = command.replace(/ [-<[].*/, '');
    if (!helps.has(name)) helps.set(name, (await ask(`${name} --help --all`)).out);
    const kebab = param.replaceAll('_', '-').toLowerCase();
    const flag = new RegExp(`--(\\[no-\\])?${kebab}\\b|[<[]${kebab}[>\\]]`);
    if (!flag.test(helps.get(name) as string)) missing.push(`${name} --${kebab}`);
  }
  expect(missing).toEqual([]);
});

describe('flags of each kind', () => {
  test.each([
    // Text, numbers and times: --name value and --name=value.
    ['broadcasts update 61 --ends-at 2030-01-01T00:00:00Z', { ends_at: '2030-01-01T00:00:00Z' }],
    ['broadcasts update 61 --ends-at=2030-01-01T00:00:00Z', { ends_at: '2030-01-01T00:00:00Z' }],
    ['approval-rules update 41 -g 1 --approvals-required=3', { approvals_required: 3 }],
    // "" is a value.
    ['appearance update --header-message ""', { header_message: '' }],
    ['epics update 1 -g 1 --labels=', { labels: '' }],
    ['epics update 1 -g 1 --due-date-fixed= --parent-id ""', { due_date_fixed: '', parent_id: '' }],
    ['broadcasts update 61 --ends-at=', { ends_at: '' }],
    // A value may begin with a dash, and with @ if the parameter is not read from files.
    ['appearance update --title=--x', { title: '--x' }],
    ['appearance update --title @home', { title: '@home' }],
    // A boolean that is omitted is not sent.
    ['variables update KEY v -p 1 --masked', { value: 'v', masked: true }],
    ['variables update KEY v -p 1 --no-masked', { value: 'v', masked: false }],
    ['variables update KEY v -p 1 --masked=false', { value: 'v', masked: false }],
    ['variables update KEY v -p 1 --masked=true', { value: 'v', masked: true }],
    ['variables update KEY v -p 1', { value: 'v' }],
    // Lists: repeated, or with commas if values cannot contain one.
    ['approval-rules update 1 -g 1 --user-ids 2,3 --user-ids 4', { user_ids: [2, 3, 4] }],
    [
      'context-commits add 7 -p 1 --commits 72bc266c,6681fc75 --commits 1828fbca',
      { commits: ['72bc266c', '6681fc75', '1828fbca'] },
    ],
    // null clears a nullable value, and is a word in any other text.
    ['epics update 1 -g 1 --title null', { title: 'null' }],
    ['variables update K v -p 1 --description null', { value: 'v', description: 'null' }],
  ])('%s', async (line, body) => expect((await plannedInClear(line)).body).toEqual(body));
  test.each([
    ['jobs list --per-page=', /--per-page/],
    ['approval-rules create -g 1 --name x --approvals-required=', /--approvals-required/],
    ['variables update KEY v --masked=perhaps', /--masked/],
    ['approval-rules update 1 -g 1 --approvals-required null', /--approvals-required/],
  ])('rejects %s', (line, says) => refused(line, [says], project));
  test('array: repeated, or with commas if values cannot contain one', async () => {
    for (const one of ['--scope failed --scope running', '--scope failed,running', '--scope=failed,running'])
      expect(pairs((await planned(`jobs list ${one}`, project)).url)).toEqual([
        ['scope[]', 'failed'],
        ['scope[]', 'running'],
      ]);
  });
  test('hash: repeated key=value', async () => {
    const { url } = await planned('epics list -g 1 --not labels=bug --not author_id=4');
    expect(pairs(url).sort()).toEqual([
      ['not[author_id]', '4'],
      ['not[labels]', 'bug'],
    ]);
    await refused('epics list -g 1 --not labels', [/--not/, /key=value/]);
  });
  test('a value of a hash may contain = and ,', async () => {
    expect(pairs((await planned('variables get K --filter environment_scope=a=b,c', project)).url)).toEqual([
      ['filter[environment_scope]', 'a=b,c'],
    ]);
  });
  test('array of hashes: repeated rows', async () => {
    const cwd = await folderWith({ 'a.txt': 'one, two=2\n' });
    const line =
      'snippets update 52 --file action=update,file_path=a.txt,content=@a.txt --file action=delete,file_path=b.txt';
    expect((await planned(line, { ...project, cwd })).body).toEqual({
      files: [
        { action: 'update', file_path: 'a.txt', content: 'one, two=2\n' },
        { action: 'delete', file_path: 'b.txt' },
      ],
    });
  });
  test('array of hashes: the list as JSON', async () => {
    const rows = [{ action: 'move', file_path: 'b', previous_path: 'a' }];
    const cwd = await folderWith({ 'files.json': JSON.stringify(rows) });
    const line = 'snippets update 52 --files @files.json';
    expect((await planned(line, { ...project, cwd })).body).toEqual({ files: rows });
    const stdin = { ...project, stdin: JSON.stringify(rows) };
    expect((await planned('snippets update 52 --files -', stdin)).body).toEqual({ files: rows });
    const literal = ['snippets', 'update', '52', '--files', JSON.stringify(rows)];
    expect((await planned(literal, project)).body).toEqual({ files: rows });
  });
  test('long text: @path reads a file, - reads standard input, @@x is the text @x', async () => {
    const cwd = await folderWith({ 'page.md': '# Über\n' });
    const body = async (content: string, stdin = '') =>
      (await planned(`wikis update home -g 1 --content ${content}`, { cwd, stdin })).body.content;
    expect(await body('@page.md')).toBe('# Über\n');
    expect(await body('-', 'from a pipe\n')).toBe('from a pipe\n');
    expect(await body('@@page.md')).toBe('@page.md');
    expect(await body('plain')).toBe('plain');
    await refused('wikis update home -g 1 --content @absent.md', [/--content/, /absent\.md/], { cwd });
  });
  test('only one value can be standard input', async () => {
    const line = 'appearance update --description - --header-message x --new-project-guidelines -';
    await refused(line, [/standard input/], { stdin: 'x' });
  });
  describe('text read from @path or -: a secret of a single line loses its line terminator, all else is exact', () => {
    const read = [
      ['one line\n', 'one line'],
      ['one line\r\n', 'one line'],
      ['one line', 'one line'],
      ['\n', ''],
      ['', ''],
      ['trailing space \n', 'trailing space '],
      ['two\nlines\n', 'two\nlines\n'],
      ['two\r\nlines\r\n', 'two\r\nlines\r\n'],
      ['two\nlines', 'two\nlines'],
      ['one line\n\n', 'one line\n\n'],
      ['\nsecond line\n', '\nsecond line\n'],
    ] as const;
    const lines = [
      ['variables update K', 'value'],
      ['variables set K', 'value'],
      ['hooks create -g 1 --url https://x.example --token', 'token'],
    ] as const;
    const exact = [
      ['wikis update home -g 1 --content', 'content'],
      ['appearance update --member-guidelines', 'member_guidelines'],
      ['license add --license', 'license'],
      ['snippets update 52 --description', 'description'],
      ['files create a.txt --branch main --content x --commit-message', 'commit_message'],
      ['files create a.txt --branch main --commit-message x --content', 'content'],
      ['files update a.txt --branch main --commit-message x --content', 'content'],
      ['snippets update 52 --content', 'content'],
    ] as const;
    const bodies = async (line: string, name: string, text: string) => {
      const cwd = await folderWith({ 'in.txt': text });
      const sent = async (word: string) => {
        const { out } = await ask(`${line} ${word} --dry-run --show-secrets`, undefined, {
          ...(line.includes('-g 1') ? {} : project),
          cwd,
          stdin: text,
        });
        return JSON.parse(out.split('\n')[0] as string).body[name];
      };
      // An empty standard input is a mistake.
      return [await sent('@in.txt'), text === '' ? text : await sent('-')];
    };
    test.each(read)('%j', async (text, value) => {
      expect(await bodies('variables create K', 'value', text)).toEqual([value, value]);
      expect(await bodies('epics update 1 -g 1 --description', 'description', text)).toEqual([text, text]);
    });
    test.each(lines)('%s', async (line, name) => {
      expect(await bodies(line, name, 'one line\n')).toEqual(['one line', 'one line']);
    });
    test.each(exact)('%s is not a short secret: exact', async (line, name) => {
      expect(await bodies(line, name, 'one line\n')).toEqual(['one line\n', 'one line\n']);
    });
    test('the files of a snippet are exact too', async () => {
      const cwd = await folderWith({ 'a.txt': 'one line\n' });
      const file = { action: 'update', file_path: 'a.txt', content: 'one line\n' };
      for (const flag of ['--file action=update,file_path=a.txt,content=@a.txt', '--from-file a.txt'])
        expect((await planned(`snippets update 52 ${flag}`, { ...project, cwd })).body.files).toEqual([file]);
    });
  });
  test('file upload: a path argument or flag', async () => {
    const cwd = await folderWith({ 'logo.png': new Uint8Array([1, 2, 3]) });
    expect((await planned('uploads create logo.png', { ...project, cwd })).body).toEqual({
      file: { file: 'logo.png', size: 3 },
    });
    const request = await planned('appearance update --logo logo.png --title Acme', { cwd });
    expect(request.body).toEqual({ logo: { file: 'logo.png', size: 3 }, title: 'Acme' });
    expect(request.headers['content-type']).toMatch(/^multipart\/form-data/);
    await refused('uploads create absent.png', [/absent\.png/], { ...project, cwd });
  });
  test('file upload: - with --filename', async () => {
    const setting = { ...project, stdin: 'bytes' };
    expect((await planned('uploads create - --filename x.bin', setting)).body.file.file).toBe('x.bin');
    await refused('uploads create -', [/--filename/], setting);
  });
});

describe('values that the service would reject are rejected before sending: exit 2, naming the flag', () => {
  test.each([
    ['a missing required value', 'jobs for-pipeline', /pipeline/],
    ['a missing required value of a body', 'branches create x', /--ref/],
    ['a missing choice of two values', 'wikis update home -g 1', /--content or --title|--title or --content/],
    ['an unknown choice', 'jobs list --scope nonsense', /--scope.*nonsense/],
    ['one unknown choice of several', 'jobs list --scope failed,nonsense', /--scope.*nonsense/],
    ['an unknown choice in a row', 'snippets update 52 --file action=burn,file_path=a', /--files?.*action/],
    ['a repeated key of a row', 'snippets update 52 --file content=a,content=b', /content.* twice/],
    ['a mistyped key of a row', 'snippets update 52 --file content=a,contnet=b', /no key "contnet"/],
    ['a missing key of a row', 'snippets update 52 --file file_path=a', /--files?.*action/],
    ['an unknown key of a row', 'snippets update 52 --file action=update,path=a', /--files?/],
    ['an unknown key of a hash', 'variables get K --filter scope=x', /--filter/],
    ['a variable key with a dash', 'variables create MY-KEY v', /key/],
    ['a file path that leaves a folder', 'files raw a/../b', /<file-path> must be a path without/],
    ['--per-page 0', 'jobs list --per-page 0', /--per-page/],
    ['an invalid number', 'jobs list --page two', /--page/],
    ['an invalid number in a slot', 'hooks get x -g 1', /hook-id/],
    ['an invalid time', 'users list --created-after yesterday', /--created-after/],
    ['an invalid date', 'epics create -g 1 --title x --due-date-fixed 2026-02-30', /--due-date-fixed/],
    ['an invalid number for --limit', 'jobs list --limit many', /--limit/],
  ])('%s', async (_, line, says) => {
    await refused(line, [says], project);
  });

  test('rules that an instance can change are left to the service', async () => {
    // Section 8: an instance can change the highest page, the longest description and the themes.
    expect(pairs((await planned('jobs list --page 1000000', project)).url)).toEqual([['page', '1000000']]);
    const long = await planned(['snippets', 'update', '1', '--title', 'x'.repeat(5000)], project);
    expect(long.body.title).toHaveLength(5000);
  });
});

test.each(['variables create', 'hooks create', 'license add'])(
  'a secret parameter: the help of %s explains why @file and - are safer than a literal',
  async (command) => {
    const { out } = await ask(`${command} --help`);
    expect(out).toMatch(/@file/);
    expect(out.replace(/\s+/g, ' ')).toMatch(/(process|shell|history|others|seen)/i);
  },
);

describe('--data gives the request body as JSON', () => {
  const data = '{"value":"v","protected":true}';
  test.each([
    ['as text', data, ''],
    ['@file', '@body.json', ''],
    ['-', '-', data],
  ])('%s', async (_, word, stdin) => {
    const cwd = await folderWith({ 'body.json': data });
    const argv = ['variables', 'update', 'KEY', '--data', word, '--show-secrets'];
    expect((await planned(argv, { ...project, cwd, stdin })).body).toEqual(JSON.parse(data));
  });
  test('may contain an argument, which is otherwise required', async () => {
    const whole = '{"key":"Q","value":"z"}';
    const argv = ['variables', 'create', '--show-secrets', '--data'];
    expect((await planned([...argv, whole], project)).body).toEqual(JSON.parse(whole));
    await refused([...argv, '{"value":"z"}'], [/^error: <key> is missing/], project);
    await refused(['variables', 'update', '--data', whole], [/^error: <key> is missing/], project);
  });
  test('is overridden by flags', async () => {
    const argv = ['variables', 'update', 'KEY', '--data', data, '--no-protected', '--show-secrets'];
    expect((await planned(argv, project)).body).toEqual({ value: 'v', protected: false });
  });
  test('may contain unknown members', async () => {
    const argv = ['appearance', 'update', '--data', '{"brand_new":[1,{"a":null}]}'];
    expect((await planned(argv)).body).toEqual({ brand_new: [1, { a: null }] });
  });
  test('must be a valid JSON object', async () => {
    await refused(['appearance', 'update', '--data', '{'], [/--data/]);
    await refused(['appearance', 'update', '--data', '[1]'], [/--data/]);
    await refused(['notifications', 'update', '--data', '{"level":"loud"}'], [/--level/]);
    const broadcast = ['broadcasts', 'create', '--message', 'm', '--data'];
    await refused([...broadcast, '{"target_access_levels":10}'], [/--target-access-levels must be a list\n/]);
    const deep = (levels: number) => `{"x":${'['.repeat(levels)}${']'.repeat(levels)}}`;
    for (const levels of [501, 100_000])
      await refused(['appearance', 'update', '--data', deep(levels)], [/--data is nested too deeply/]);
  });
  test.each([
    ['epics update 1 -g 1', 'parent-id'],
    ['epics update 1 -g 1', 'start-date-fixed'],
    ['epics update 1 -g 1', 'due-date-fixed'],
  ])('%s --%s null sends JSON null for a nullable value that is not text', async (line, flag) => {
    expect((await planned(`${line} --${flag} null`)).body).toEqual({ [flag.replaceAll('-', '_')]: null });
    expect((await ask(`${line} --help --all`)).out).toMatch(
      new RegExp(`--${flag} (?:(?!\\n {2,6}--)[^])*null\\s+clears\\s+it`),
    );
  });
  test('null clears a value, but is invalid for booleans and required values', async () => {
    const none = { due_date_fixed: null, parent_id: null, labels: null, description: null };
    const argv = ['epics', 'update', '1', '-g', '1', '--data'];
    expect((await planned([...argv, JSON.stringify(none)])).body).toEqual(none);
    await refused([...argv, '{"confidential":null}'], [/--confidential must be true or false/]);
    await refused(['epics', 'create', '-g', '1', '--data', '{"title":null}'], [/--title/]);
    await refused(['wikis', 'update', 'home', '-g', '1', '--data', '{"title":null}'], [/--title/]);
  });
  test('keeps the digits of numbers', async () => {
    const data =
      '{"title":9007199254740993,"description":1.10,"x":[-12345678901234567890,9007199254740992,1.5e3,"1e999"]}';
    const update = ['appearance', 'update', '--data'];
    expect((await ask([...update, data])).requests.map(bodyText)).toEqual([
      '{"title":"9007199254740993","description":"1.10","x":[-12345678901234567890,9007199254740992,1.5e3,"1e999"]}',
    ]);
    await refused([...update, '{"x":1e999}'], [/--data contains a number that is too large/]);
    const broadcast = ['broadcasts', 'create', '--message', 'm', '--data'];
    await refused(
      [...broadcast, '{"target_access_levels":[9007199254740993]}'],
      [/--target-access-levels: unknown value 9007199254740993/],
    );
  });
});

describe('a destructive command', () => {
  const end = ['variables', 'delete', 'KEY', '-p', 'acme/rocket'];

  test('requires --yes without a terminal: exit 2 otherwise, with nothing sent', async () => {
    await refused(end, [/--yes/]);
    for (const flag of ['--yes', '-y']) {
      const ran = await ask([...end, flag], { status: 204 });
      expect([ran.code, ran.requests.map(({ method }) => method)]).toEqual([0, ['DELETE']]);
    }
  });
  test('is every DELETE of the specification and every command that cancels', async () => {
    const cwd = await folderWith(exampleFiles);
    const destructive = routes.filter(({ command, route }) => /^DELETE |cancel/.test(route + command));
    expect(destructive.length).toBeGreaterThan(10);
    for (const { command, route } of destructive) {
      const slots = [...command.matchAll(/<([a-z-]+)>/g)].map(([, slot]) =>
        slot === 'secret' ? '0'.repeat(32) : /path|branch|name|slug/.test(slot as string) ? 'x' : '7',
      );
      const place = /projects\/:id/.test(route) ? ['-p', '1'] : /groups\/:id/.test(route) ? ['-g', '1'] : [];
      const words = command.replace(/ [-<[].*/, '').split(' ');
      const needs = {
        files: ['--branch', 'b', '--commit-message', 'm'],
        'context-commits': ['--commits', '72bc266c'],
      };
      const more = needs[words[0] as keyof typeof needs] ?? [];
      const ran = await ask([...words, ...slots, ...place, ...more], undefined, { cwd });
      expect([ran.code, ran.requests.length], `${route}\n${ran.err}`).toEqual([2, 0]);
      expect(ran.err, route).toMatch(/--yes|--confirm/);
    }
  });
});
