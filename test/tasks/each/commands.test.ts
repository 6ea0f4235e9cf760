/** Which commands `svc each` runs, and how it runs those that are not tasks. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { loadCatalogue } from '../../../src/cli/catalogue.ts';
import { Failure } from '../../../src/errors.ts';
import type { Request } from '../../../src/http/transport.ts';
import { sizes } from '../../../src/output/json/rows.ts';
import { pathOf } from '../../../src/spec/command.ts';
import { sharedFolder } from '../../support/folders.ts';
import { exampleFiles } from '../../support/sandbox.ts';
import { bodyText, type Canned, canned, type Ran, type Setting, svc, words } from '../../support/svc.ts';
import { exited, refused } from '../engine/world.ts';

const folder = sharedFolder();
beforeAll(async () => {
  const files = {
    ...exampleFiles,
    'settings.env': 'LOG_LEVEL=info\n',
    'settings.yaml': 'svc: 1\nproject: acme/rocket\nbadges: []\n',
    'crash.txt': 'Error: no fuel\n    at launch (rocket.js:1:2)\n',
  };
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
});

const env = {
  SVC_BASE_URL: 'http://host.example',
  SVC_TOKEN: 'token',
  XDG_STATE_HOME: join(folder, 'state'),
};
const run = (argv: string | readonly string[], setting: Setting = {}): Promise<Ran> =>
  svc(argv, { cwd: folder, ...setting, env: { ...env, ...setting.env } });

const { areas, builtins } = await loadCatalogue();
const commands = [...areas, ...builtins].flatMap((group) => group.commands);
const offline = canned(() => {
  const cause = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
  throw new Failure('network', 'connection refused', { cause });
});

describe('every command', () => {
  test.each(
    commands.flatMap((one) => (one.notInEach === undefined ? [] : [[pathOf(one), one.notInEach] as const])),
  )('svc %s is refused with the declared reason', async (path, reason) => {
    const ran = await run(`each --projects - -- ${path}`, { stdin: 'acme/rocket\n', transport: offline });
    expect(ran.code).toBe(2);
    expect(ran.err.split('\n')[0]).toBe(`error: svc each cannot run "${path}": ${reason}`);
    expect(ran.requests).toEqual([]);
  });

  test('only commands of the program and these tasks are refused', () => {
    const groups = new Set(builtins.map(({ name }) => name));
    const refused = commands.filter(({ notInEach }) => notInEach !== undefined);
    const ofAreas = refused.filter(({ area }) => !groups.has(area)).map(pathOf);
    expect(ofAreas).toEqual(['jobs watch', 'files edit', 'hooks listen']);
    const run = [...groups].filter((name) => refused.every(({ area }) => area !== name));
    expect(run).toEqual(['export', 'diff', 'apply', 'status', 'find', 'api']);
  });

  const lines = commands
    .filter((one) => one.endpoints.length === 0 && one.notInEach === undefined)
    .flatMap(({ examples }) => examples.map(({ run: line }) => line))
    .filter((line) => !line.startsWith('hooks forward') || line.includes('--once'));
  test.each(lines)('svc %s ends as it does alone', async (line) => {
    const alone = await exited(3, run(['--retries', '0', ...words(line)], { transport: offline }));
    const own = words(line).map((word) => word.replace(/[{}]/g, '$&$&'));
    const ran = await run(['each', '--rows', '-', '--retries', '0', '--', ...own], {
      transport: offline,
      stdin: 'a\n1\n',
    });
    expect([ran.code, firstError(ran)]).toEqual([alone.code, firstError(alone)]);
  });
});

test('a state file that names its project is checked before the first request', async () => {
  await writeFile(join(folder, 'wrong.yaml'), 'svc: 1\nproject: acme/rocket\nbadges: [{ nam: x }]\n');
  const ran = run('each --projects - -- diff -f wrong.yaml', { stdin: 'a/b\nc/d\n', transport: offline });
  await refused('a/b: wrong.yaml:3:12: unknown attribute "nam"', ran);
});

/** The message of the error on standard error, or of the only target. */
const firstError = ({ err, out }: Ran): string | undefined =>
  /^error: (?:(?:row 1(?: \(.*?\))?|acme(?:\/\w+)?): )?(.*)$/m.exec(err)?.[1] ??
  /"message":"([^"]*)"/.exec(out)?.[1];

describe('svc api', () => {
  const empty = canned(() => ({ body: '{}' }));
  const pathsOf = ({ requests }: Ran) =>
    requests.map(({ url }) => url.replace('http://host.example/api/v4', ''));
  /** Run `svc api` for one row. */
  const forRow = (line: string, row: object) =>
    run(`each --rows - -- api ${line}`, { stdin: JSON.stringify(row), transport: empty });

  test('fills {project} with each target, encoded', async () => {
    const targets = 'acme/rocket\n/acme/a b/\nacme%2Fc\nhttp://host.example/acme/d\n42\n';
    const line = "each --concurrency 1 --projects - -- api 'projects/{project}/jobs?ref={project}'";
    const ran = await exited(0, run(line, { stdin: targets, transport: empty }));
    const ids = ['acme%2Frocket', 'acme%2Fa%20b', 'acme%2Fc', 'acme%2Fd', '42'];
    expect(pathsOf(ran)).toEqual(ids.map((id) => `/projects/${id}/jobs?ref=${id}`));
    const groups = "each --groups - -- api 'groups/{group}/hooks'";
    const ofGroup = await run(groups, { stdin: 'acme/space\n', transport: empty });
    expect(pathsOf(ofGroup)).toEqual(['/groups/acme%2Fspace/hooks']);
  });

  test.each([
    ['--projects', 'version', 'the path does not contain {project}'],
    ['--groups', 'projects/{project}/jobs', 'the path does not contain {group}'],
    ['--projects', "'projects/{project}/jobs' -p a/b", '--project and --projects cannot be used together'],
    ['--projects', "'projects/{project}/jobs' -X PURGE", 'unknown method "PURGE"'],
    ['--projects', "POST 'projects/{project}/jobs' --all", '--all and --limit require the method GET'],
  ])('rejects %s for %s', async (flag, line, message) => {
    await refused(message, run(`each ${flag} - -- api ${line}`, { stdin: 'a/b\n', transport: offline }));
  });

  test.each([
    ['a/b', 'a%2Fb'],
    ['../../user', '..%2F..%2Fuser'],
    ['a?b=c#d', 'a%3Fb%3Dc%23d'],
    ['{project}', '%7Bproject%7D'],
    ['ü 1', '%C3%BC%201'],
  ])('fills a segment with %j', async (name, segment) => {
    const path = "'projects/1/wikis/x-{name}/{{project}}?search={name}' --project p";
    const ran = await exited(0, forRow(path, { name }));
    expect(pathsOf(ran)).toEqual([`/projects/1/wikis/x-${segment}/p?search=${segment}`]);
  });

  test('a path that is only a placeholder stays a path', async () => {
    const ran = await forRow('{path}', { path: 'projects/acme%2Frocket/jobs?scope=failed' });
    expect(pathsOf(ran)).toEqual(['/projects/acme%2Frocket/jobs?scope=failed']);
  });

  test.each([
    ['projects/{id}/jobs', { id: '' }, 'empty'],
    ['projects/{id}/jobs', { id: '..' }, 'segment ".."'],
    ['{path}', { path: 'projects/../user' }, 'segment ".."'],
    ['{path}', { path: 'http://other.example/api/v4/user' }, 'is not the origin'],
  ])('rejects the path %s with %j', async (path, row, message) => {
    await refused(message, forRow(path, row));
  });

  test('fills fields, headers and files, and reads no text as a file or a flag', async () => {
    await writeFile(join(folder, 'body.json'), '{"from":"a file"}');
    const texts = { text: '@README.md', int: '7', on: 'true', file: 'README.md', head: 'x', dash: '-' };
    const post =
      "POST 'projects/1/variables' -f a={text} -F b={text} -F c={int} -F d={on} -F e=@{file} -F f={dash}";
    const ran = await forRow(`${post} -f g=x{int} -H 'X-Name: {head}'`, texts);
    expect(ran.err).toMatch(/^Journal: \S+\n1 done\.\n$/);
    const [request] = ran.requests as [Request];
    const plain = { a: '@README.md', b: '@README.md', c: 7, d: true, f: '-', g: 'x7' };
    expect(JSON.parse(bodyText(request))).toEqual({ ...plain, e: exampleFiles['README.md'] });
    expect(request.headers).toContainEqual(['x-name', 'x']);
    const input = await forRow('{method} projects/1/x --input {body}', { body: 'body.json', method: 'put' });
    const [put] = input.requests as [Request];
    expect([put.method, JSON.parse(bodyText(put))]).toEqual(['PUT', { from: 'a file' }]);
  });

  test('prints JSON by default, and data of another type as text', async () => {
    const log: Canned = { headers: [['content-type', 'text/plain']], body: 'a log\n' };
    const rows = { body: '[{"id":12345678901234567890}]' };
    const transport = canned(({ url }) => (url.includes('/1/') ? rows : log));
    const line = "each --projects - -- api 'projects/{project}/x'";
    const json = await run(line, { stdin: '1\n2\n', transport });
    expect(json.out).toContain('{"target":"1","exit":0,"data":[\n{"id":12345678901234567890}\n]\n}');
    expect(json.out).toContain('{"target":"2","exit":0,"data":"a log\\n"}');
  });

  test('masks the secret fields of every endpoint in traces, HAR files and the audit log', async () => {
    const transport = canned(({ url }) => ({
      body: url.includes('/variables')
        ? '[{"key":"A","value":"stored-value"}]'
        : '{"id":1,"tracker_dsn":"stored-dsn","license":"stored-license"}',
    }));
    const rows = ['projects/1/variables', 'license'].map((path) => `{"path":"${path}"}\n`).join('');
    const har = join(folder, 'each.har');
    const audit = join(folder, 'audit.ndjson');
    const how = { stdin: rows, transport, env: { SVC_AUDIT_LOG: audit } };
    const read = await exited(0, run(`each --rows - --trace --har ${har} -- api {path}`, how));
    expect(read.out).toContain('stored-value');
    expect(read.err).toContain('"key":"A"');
    const post = `each --rows - --trace --har ${har}.2 -- api POST {path} -f key=A -f value=sent-value`;
    const stdin = rows.replaceAll('"}', '?value=query-value"}');
    const written = await exited(0, run(post, { ...how, stdin }));
    expect(written.err).toContain('"key":"A"');
    const files = await Promise.all([har, `${har}.2`, audit].map((file) => readFile(file, 'utf8')));
    expect([read.err, written.err, ...files].join()).not.toMatch(/(stored|sent|query)-(value|dsn|license)/);
  });

  test('asks once before DELETE, and keeps a journal for every method that writes', async () => {
    const how = { stdin: 'a/b\nc/d\n', transport: canned(() => ({ status: 204 })) };
    const line = "each --projects - -- api DELETE 'projects/{project}/x'";
    await refused(
      /\(svc api DELETE 'projects\/\{project\}\/x'\) for 2 targets on .*: a\/b, c\/d\./,
      run(line, how),
    );
    const done = await exited(0, run(`${line} --yes`, how));
    expect(done.requests).toHaveLength(2);
    expect(done.err).toMatch(/^Journal: .*\n2 done\.\n$/m);
    const read = await run("each --projects - -- api 'projects/{project}/x'", how);
    expect(read.err).toBe('2 done.\n');
  });

  test('a target whose data is too large for a record fails, and the others do not', async () => {
    const transport = canned(({ url }) => ({
      body: JSON.stringify([{ id: 1, name: 'x'.repeat(url.includes('a%2Fb') ? 150_000 : 1) }]),
    }));
    const { value } = sizes;
    sizes.value = 200_000;
    try {
      const line = 'each --projects - -o json -- jobs list';
      const ran = await run(line, { stdin: 'a/b\nc/d\n', transport });
      const message = expect.stringMatching(/^the result has more than .*, too much for one record$/);
      expect(JSON.parse(ran.out)).toEqual([
        { target: 'a/b', exit: 9, error: expect.objectContaining({ kind: 'unsuccessful', message }) },
        { target: 'c/d', exit: 0, data: [{ id: 1, name: 'x' }] },
      ]);
      const rows = await run(line.replace('json', 'csv'), { stdin: 'a/b\nc/d\n', transport });
      expect([rows.code, rows.out.length > 150_000], rows.err).toEqual([0, true]);
    } finally {
      sizes.value = value;
    }
  });

  // A write prints data only on request, or where it has a result.
  test('prints no record of a target without a result, unless a format is requested', async () => {
    const stdin = 'a/b\nc/d\n';
    const line = "each --projects - --yes -- api DELETE 'projects/{project}/x'";
    const how = { stdin, transport: canned(() => ({ status: 204 })) };
    expect((await run(line, how)).out).toBe('');
    const records = ['a/b', 'c/d'].map((target) => ({ target, exit: 0, data: null }));
    const requested = await run(`${line} -o json`, how);
    expect(JSON.parse(requested.out)).toEqual(records);
    const byEnv = await run(line, { ...how, env: { SVC_OUTPUT: 'json' } });
    expect(JSON.parse(byEnv.out)).toEqual(records);
    const partly = canned(({ url }) => (url.includes('c%2Fd') ? { body: '{"id":1}' } : { status: 204 }));
    const answered = await run(line, { stdin, transport: partly });
    expect(JSON.parse(answered.out)).toEqual([{ target: 'c/d', exit: 0, data: { id: 1 } }]);
  });
});
