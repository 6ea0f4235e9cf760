/** `svc each` against a sandbox, in this process. */
import { execFileSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import { areas } from '../../../src/api/index.ts';
import { loadArea } from '../../../src/cli/areas.ts';
import { Failure } from '../../../src/errors.ts';
import type { Request } from '../../../src/http/transport.ts';
import { effectOf, pathOf } from '../../../src/spec/command.ts';
import { presented } from '../../support/endpoints.ts';
import { folderWith, sharedFolder } from '../../support/folders.ts';
import { baseUrl, exampleFiles, fastClock, type How, openWorld } from '../../support/sandbox.ts';
import { bodyText, canned, jsonLines, words } from '../../support/svc.ts';
import {
  changing,
  exited,
  expectCode,
  intercepted,
  isWrite,
  refused,
  writes,
  wroteNothing,
} from '../engine/world.ts';

const world = await openWorld();
const folder = sharedFolder();
let number = 0;
/** The journal of a test. */
let journal: string;
beforeEach(() => {
  number += 1;
  journal = join(folder, `${number}.ndjson`);
});

/** Run `svc each` with this standard input. */
const each = (line: string, stdin = '', how: How = {}) =>
  world.run(`each ${line}`, { cwd: folder, stdin, ...how });
const write = (name: string, text: string) => writeFile(join(folder, name), text);

const rocket = 'acme/rocket\n';
const both = 'acme/rocket\nacme/website\n';
const partly = 'acme/rocket\nacme/none\n';
const projects = 'acme/rocket\n# a comment\n\nacme/website # another\n';

describe('--save-plan', () => {
  const state = 'svc: 1\nvariables: [{ key: PLANNED, value: x }]\n';

  test('saves a plan for each target, in a file with an encoded name', async () => {
    await write('planned.yaml', state);
    await mkdir(join(folder, 'plans'));
    const line = '-- apply -f planned.yaml --save-plan plans/{target}.ndjson';
    for (const run of [1, 2])
      await wroteNothing(0, each(`--projects - --journal ${journal}-${run} ${line}`, both));
    const plans = await readdir(join(folder, 'plans'));
    expect(plans.sort()).toEqual(['acme%2Frocket.ndjson', 'acme%2Fwebsite.ndjson']);
    expect(await readFile(join(folder, 'plans/acme%2Frocket.ndjson'), 'utf8')).toContain('acme%2Frocket');
    await write('planned.yaml', state.replace('value: x', 'value: y'));
    const changed = line.replace('--save-plan', '--plan');
    const refused = await wroteNothing(
      10,
      each(`--projects - --yes -o ndjson --journal ${journal}-3 ${changed}`, rocket),
    );
    const [{ error }] = jsonLines(refused.out);
    expect(error.message).toBe('the plan is not the one in plans/acme%2Frocket.ndjson; nothing was changed');
    expect(error.details).toEqual(['changed: create variable PLANNED (scope *) of acme/rocket']);
    const own = `--projects - --yes --journal ${journal} -- apply -f planned.yaml --save-plan {target}`;
    await exited(0, each(own, rocket));
    expect(await readdir(folder)).toContain('acme%2Frocket');
  });

  test.each([
    ['a name without {target}', '--projects - -- apply -f planned.yaml --save-plan one.ndjson'],
    ['a download without {target}', '--projects - -- files raw README.md --output-file one.md --force'],
    ['rows', '--rows - -- apply -f {file} -p {project} --save-plan {{target}}.ndjson'],
    ['the same file for two rows', '--rows - -- apply -f {file} -p {project} --save-plan one.ndjson'],
    ['the same download for two rows', '--rows - -- files raw {file} -p acme/rocket --output-file x --force'],
  ])('rejects %s before anything is sent', async (_what, line) => {
    for (const name of ['planned.yaml', 'other.yaml']) await write(name, state);
    const rows = 'project,file\nacme/rocket,planned.yaml\nacme/rocket,other.yaml\n';
    const before = await readdir(folder);
    const message = /must contain \{target\}|with \{target\} requires|is also the file of row 1/;
    await refused(message, each(line, line.startsWith('--rows') ? rows : both));
    expect(await readdir(folder)).toEqual(before);
  });

  test('rejects a target whose file is not a plan before anything is sent', async () => {
    await write('planned.yaml', state);
    await write('of-acme%2Fwebsite', 'precious');
    const line = '--projects - -- apply -f planned.yaml --save-plan of-{target}';
    for (const stdin of ['acme/website\nacme/rocket\n', both]) {
      await refused('of-acme%2Fwebsite', each(line, stdin));
      expect(await readFile(join(folder, 'of-acme%2Fwebsite'), 'utf8')).toBe('precious');
    }
  });

  test('--plan reads the plan of each target, which a resumed run requires unchanged', async () => {
    await write('own.yaml', `svc: 1\nvariables: [{ key: OWN_${number}, value: x }]\n`);
    const save = '-- apply -f own.yaml --save-plan own-{target}';
    await exited(0, each(`--projects - --yes --journal ${journal}-1 ${save}`, both));
    await write('own-acme%2Fwebsite', '');
    const apply = '-- apply -f own.yaml --plan own-{target}';
    const ran = await each(`--projects - --yes --journal ${journal} ${apply}`, both);
    expect(writes(ran)).toEqual(['POST /projects/acme%2Frocket/variables']);
    await write('own-acme%2Fwebsite', '\n');
    const again = await exited(2, each(`--resume ${journal} --yes ${apply}`));
    expect(again.err).toContain('own-acme%2Fwebsite is not what the earlier run read');
    await rm(join(folder, 'own-acme%2Fwebsite'));
    await refused('own-acme%2Fwebsite', each(`--projects - --yes ${apply}`, both));
    expect((await exited(2, each(`--in-group acme --yes ${apply}`))).err).toContain('/own-acme%2F');
    const rows = each('--rows - -- apply -f {file} -p a/b --plan {{target}}', 'file\nown.yaml\n');
    await refused('--plan with {target} requires --projects', rows);
  });
});

test('a report that finds something wrong has its rows beside the error, in json as in csv', async () => {
  const ran = await exited(9, each('--projects - -o ndjson -- hooks health', rocket));
  const [record] = jsonLines(ran.out);
  expect(record).toMatchObject({
    exit: 9,
    error: { kind: 'unsuccessful' },
    data: [{ id: 300, broken: true }],
  });
  const rows = await exited(9, each('--projects - -o csv -- hooks health', rocket));
  expect(rows.out).toMatch(/^acme\/rocket,300,true,/m);
});

describe('targets', () => {
  test('runs for each line of a file, once for a duplicate', async () => {
    await write('p.txt', `${projects}acme/rocket\n`);
    const ran = await exited(0, each('--projects p.txt --json -- approvals get'));
    const members = JSON.parse(ran.out).map((one: object) => Object.keys(one).join());
    expect(members).toEqual(['target,exit,data', 'target,exit,data']);
    expect(ran.err).toBe('warning: acme/rocket is listed more than once; each runs once\n2 done.\n');
    const two = await each('--projects - -- badges create --link-url l --image-url i', 'acme/rocket\n100\n');
    expect(two.err).toContain('acme/rocket, 100 are the same target');
  });

  test.each([
    ['\ufeffa/1\r\na/2  \r\n\r\n\t a/3 # three\r\n', ['1', '2', '3']],
    ['a/1\ra/2\r', ['1', '2']],
    ['a/1\n\n\na/2', ['1', '2']],
    ['a/1#x\n#a/2\na/3\t#y\n', ['1%23x', '3']],
  ])('reads the lines of %j', async (stdin, names) => {
    const ran = await each('--projects - --dry-run -- approvals get', stdin);
    expect([...ran.out.matchAll(/a%2F([^/]+)/g)].map(([, name]) => name)).toEqual(names);
  });

  test('warns about identical rows with their numbers', async () => {
    const ran = await exited(0, each('--rows - --dry-run -- users get {id}', 'id\n1\n1\n2\n1\n'));
    const same = 'row 2 is the same as row 1, row 4 is the same as row 1; each runs once';
    expect(ran.err).toMatch(new RegExp(`^warning: .*${same}\n$`));
    expect(ran.out.trimEnd().split('\n')).toHaveLength(2);
  });

  test('runs for groups, and for the subgroups of a group', async () => {
    const ran = await exited(0, each('--groups - -o ndjson -- hooks list', 'acme\n'));
    expect(JSON.parse(ran.out).target).toBe('acme');
    expect((await each('--groups - --csv -- hooks list', 'acme/labs\n')).out).toMatch(/^TARGET,id,.*\r\n$/);
    const below = each("--subgroups-of acme --filter full_path='acme/l*' -o ndjson -- badges list");
    const targets = jsonLines((await exited(0, below)).out).map(({ target }) => target);
    expect(targets).toEqual(['acme/labs', 'acme/legacy']);
  });

  test('runs for the projects of a group', async () => {
    const seen: string[] = [];
    const transport = canned(({ url }) => {
      seen.push(url.replace(/^.*api.v4/, ''));
      const list = url.includes('/groups/');
      return { body: list ? '[{"id":1,"path_with_namespace":"acme/a"},{"id":2}]' : '{"approvers":[]}' };
    });
    await exited(0, each('--in-group acme --recursive -o ndjson -- approvals get', '', { transport }));
    expect(seen[0]).toMatch(/^\/groups\/acme\/projects\?(.*&)?with_shared=false&include_subgroups=true/);
    expect(seen.slice(1).sort()).toEqual(['/projects/2/approvals', '/projects/acme%2Fa/approvals']);
  });

  test.each([
    ["--in-group acme --recursive --filter path_with_namespace='acme/*'", ['acme/website', 'acme/rocket']],
    ["--in-group acme --recursive --filter path_with_namespace='acme/**'", 3],
    ['--in-group acme --recursive --filter visibility=public --filter archived=false', ['acme/rocket']],
  ])('runs for the projects that %s selects', async (flags, expected) => {
    const ran = await exited(0, each(`${flags} -o ndjson -- approvals get`));
    const targets = jsonLines(ran.out).map(({ target }) => target);
    expect(typeof expected === 'number' ? targets.length : targets).toEqual(expected);
  });

  test('names the fields of the rows if a filter has another one', async () => {
    const ran = await exited(2, each('--in-group acme --filter visiblity=private -- approvals get'));
    expect(ran.err).toMatch(/no field "visiblity".*visibility/s);
  });

  test('with --slurp, selected fields include the target', async () => {
    const line = '--projects - --slurp --json --fields key -- variables list --limit 1';
    const ran = await each(line, rocket);
    expect(JSON.parse(ran.out)).toEqual([{ target: 'acme/rocket', key: expect.any(String) }]);
  });

  test('with --slurp, a jq program gets the rows of all targets', async () => {
    const program = 'map(select(.environment_scope == "*" and .masked)) | map({target, key})';
    const line = `--projects - --slurp --jq '${program}' -o csv -- variables list`;
    const ran = await exited(11, each(line, `${both}acme/none\n`));
    expect(ran.out).toBe('target,key\r\nacme/rocket,API_TOKEN\r\nacme/rocket,HIDDEN_KEY\r\n');
    expect(ran.err).toContain('acme/none: 404');
    const documents = each('--projects - --slurp --jq length -- export protected_branches', both);
    expect((await exited(0, documents)).out).toBe('2\n');
  });

  test.each([
    ['-o csv', 'TARGET,TARGET_2,TARGET_2_2\r\na,2,1\r\n'],
    ['-o table', 'TARGET  TARGET_2  TARGET_2_2\na              2           1\n'],
    ['--slurp --json', '[\n{"target":"a","TARGET_2":2,"TARGET":1,"target_2":3}\n]\n'],
  ])('%s keeps the target, and an attribute of that name under another name', async (flags, out) => {
    const body = `{"TARGET_2":2,"TARGET":1${flags.includes('slurp') ? ',"target":3' : ''}}`;
    const line = `--projects - ${flags} -- api 'projects/{project}'`;
    const ran = await exited(0, each(line, 'a\n', { transport: canned(() => ({ body })) }));
    expect(ran.out).toBe(out);
  });

  test('a repeated error and a repeated note are printed twice, with their number', async () => {
    const stdin = 'a/1\nacme/website\na/2\nacme/labs/probe\na/3\n';
    const ran = await each('--projects - -- approvals get', stdin);
    expect(ran.err.match(/404 Project Not Found/g)).toHaveLength(2);
    expect(ran.err).toContain('a/2, a/3 (2 targets): 404 Project Not Found\n');
    const several = await each('--projects - -- branches get main x y', 'acme/rocket\nacme/labs/probe\n');
    const details = '  x: 404 Branch Not Found\n  y: 404 Branch Not Found\n';
    expect(several.err).toContain(`error: acme/labs/probe: branches get: 2 of 3 failed\n${details}`);
  });

  test.each([
    ['', 'TARGET,pipeline.id,pipeline.ref,pipeline.status,duration'],
    ['--typical 2', 'TARGET,name,runs,median,min,max,critical,saves'],
  ])('the columns are those of what jobs timeline %s prints', async (flag, columns) => {
    const { out } = await exited(0, each(`--projects - -o csv -- jobs timeline 1010 ${flag}`, rocket));
    expect(out.split('\r\n')[0]).toBe(columns);
    expect(out).not.toMatch(/[{[]"/);
  });

  test('equal plans are printed once, with their sum', async () => {
    await write('level.yaml', 'svc: 1\nvariables: [{ key: NEW_LEVEL, value: x }]\n');
    const ran = await exited(10, each('--in-group acme --recursive -- diff -f level.yaml'));
    const plan = '  + variable NEW_LEVEL (scope *)\nPlan: 3 to create, 0 to update, 0 to delete.\n';
    expect(ran.out).toBe(`3 projects: acme/labs/probe, acme/website, acme/rocket\n${plan}`);
    const rows = await each('--projects - --slurp -- diff -f level.yaml', rocket);
    expect(rows.out).toMatch(/^TARGET +ACTION .*\nacme\/rocket +create /);
    // A difference in one of them is no failure.
    await world.run('variables set NEW_LEVEL x -p acme/website');
    await exited(10, each('--in-group acme --recursive -- diff -f level.yaml'));
    await world.run('variables delete NEW_LEVEL -p acme/website --yes');
  });

  test('names a row by its project, its group or its number', async () => {
    const line = '--rows - -o ndjson -- jobs list --project {project} --limit 1';
    const named = await each(line, 'project,id\nacme/rocket,5280\n');
    expect(JSON.parse(named.out).target).toBe('acme/rocket');
    const url = `${baseUrl.replace('//', '//user:pass-word@')}/acme/rocket`;
    const [row] = jsonLines((await each(line, `project\n${url}\n`)).out);
    expect(row.target).toBe('acme/rocket');
    const unnamed = await each('--rows - -o ndjson -- users get {id}', '{"id":1}\n{"id":2}\n');
    expect(jsonLines(unnamed.out).map((line) => line.target)).toEqual(['1', '2']);
  });

  test('takes every n-th target of a shard', async () => {
    const stdin = 'a/1\na/2\na/3\na/4\na/5\n';
    const ran = await each('--projects - --shard 2/3 --dry-run -- approvals get', stdin);
    expect(ran.out.match(/a%2F\d/g)).toEqual(['a%2F2', 'a%2F5']);
  });

  test.each([
    ['-- jobs list', 'no targets given'],
    ['--projects - --groups - -- jobs list', '--projects and --groups cannot be used together'],
    ['--projects - --recursive -- jobs list', '--recursive requires --in-group'],
    ['--projects - --filter archived=false -- jobs list', '--filter requires --in-group'],
    ['--in-group acme --filter archived -- approvals get', '--filter must be like archived=false'],
    ['--projects - --concurrency 0 -- jobs list', '--concurrency must be a whole number from 1 to 100'],
    ['--projects - --shard 4/3 -- jobs list', '--shard must be like 3/10'],
    ['--projects - jobs list', 'put the command after --'],
    ['--projects "" -- jobs list', '--projects requires a value'],
    ['--projects - --journal a --resume a -- jobs list', '--journal and --resume cannot be used together'],
    ['--projects - --retry-unknown -- jobs list', '--retry-unknown requires --resume'],
    ['--projects - --shard 0/3 -- jobs list', '--shard must be like 3/10'],
    ['--projects - --', 'no command given'],
    ['--projects - -- jobs list --project x', '--project and --projects cannot be used together'],
    ['--groups - -- jobs list', 'does not accept --group'],
    ['--projects - --json -- jobs list --json', '--json is given before and after --'],
    ['--projects - -- jobs list --watch', 'does not accept --watch after --'],
    ['--projects - -- each --projects x -- jobs list', 'cannot run "each"'],
    ['--projects - -- sandbox start', 'cannot run "sandbox start"'],
    ['--in-group acme -- jobs list --scope fast', '--scope: unknown value'],
    ['--projects - -- variables exec', 'no command given'],
    ['--projects - --dry-run -- variables exec -- true', 'variables exec does not accept --dry-run'],
    ['--projects - --curl -- variables export', 'svc variables export does not accept --curl'],
    ['--projects - --jq . -- export', 'svc export does not accept --jq'],
    ['--projects - -- hooks forward 301 --to http://127.0.0.1:9/hook', 'only with --once'],
    ['--projects - -- jobs lst', 'unknown command "lst"'],
    ['--rows - -- users get {ids}', 'the rows have no column "ids"'],
    ['--projects - --wrap nope -- jobs list', '--wrap: the table has no column "nope"'],
    ['--rows - -o json -- users get {id} -o {id}', '--output'],
    ['--rows - -- users get {id} --retries {id}', '--retries cannot contain a placeholder'],
    ['--rows - -- {id} list', 'a placeholder cannot be a command'],
    ['--rows - -- users {id}', 'a placeholder cannot be a command'],
  ])('rejects %s', async (line, message) => {
    await refused(message, each(line, 'id\n1\n'));
  });

  test.each(['acme/last,not-a-key!', ',A_KEY'])('sends nothing if the last row is %j', async (last) => {
    const rows = Array.from({ length: 300 }, (_, at) => `acme/p${at},KEY_${at}`);
    const stdin = `project,key\n${rows.join('\n')}\n${last}\n`;
    await refused('row 301: ', each('--rows - -- variables set {key} x --project {project}', stdin));
  });
});

describe('placeholders', () => {
  /** The body of the request for one row. */
  const bodyOf = async (command: string, row: string) => {
    const ran = await exited(0, each(`--rows - --dry-run --show-secrets -- ${command}`, row));
    return JSON.parse(ran.out).body;
  };
  const filled = async (value: string, template = '{value}') =>
    (await bodyOf(`variables create A_KEY ${template} -p acme/rocket`, JSON.stringify({ value }))).value;

  const values = ['--masked', '-', '@p.txt', '@@x', '-p', '{value}', 'a,b', ' ', 'true'];
  test.each(values)('the text %j is a value', async (value) => {
    expect(await filled(value)).toBe(value);
    expect(await filled(value, 'x{value}')).toBe(`x${value}`);
  });

  test('a nested value of a row is an error only if a placeholder names it', async () => {
    const { out } = await world.run('jobs list -p acme/rocket --limit 2 -o ndjson');
    const get = (name: string) => each(`--rows - -o ndjson -- jobs get {${name}} -p acme/rocket`, out);
    const jobs = jsonLines((await exited(0, get('id'))).out);
    expect(jobs.map(({ data }) => data.id)).toEqual([5280, 5279]);
    await refused('row 1: no value for {commit}: it must be text, a number or a boolean', get('commit'));
  });

  test('@{column} and --from-file {column} read the file that the row names', async () => {
    await write('one.txt', 'content of one\n');
    expect(await filled('one.txt', '@{value}')).toBe('content of one');
    await write('-', 'content of a dash\n');
    expect(await filled('-', '@{value}')).toBe('content of a dash');
    await write('from.txt', 'content\n');
    const command = 'snippets create --title t --project acme/rocket --from-file {from}';
    const { files } = await bodyOf(command, '{"from":"from.txt"}\n');
    expect(files).toEqual([{ file_path: 'from.txt', content: 'content\n' }]);
  });

  const texts = ['x","masked":true,"y":"', '\\', '"', 'a\nb', '\u2028', '12'];
  test.each(texts)('the text %j stays within its string of --data', async (value) => {
    const data = '{{"key":"A_KEY","value":"a \\"{value}\\" b"}}';
    const body = await bodyOf(`variables create --data '${data}' -p acme/rocket`, JSON.stringify({ value }));
    expect(body).toEqual({ key: 'A_KEY', value: `a "${value}" b` });
  });

  test('outside a string, JSON takes numbers, booleans and null', async () => {
    const command = 'variables create --data \'{{"key":"A_KEY","value":"x","masked":{on}}}\' -p a/b';
    expect((await bodyOf(command, '{"on":true}\n')).masked).toBe(true);
    const text = '{"on":"true,\\"raw\\":true"}\n';
    await refused('outside of a JSON string', each(`--rows - --dry-run -- ${command}`, text));
  });

  const rowsOf = (...names: string[]) =>
    names.map((name) => `${JSON.stringify({ name, project: 'acme/rocket' })}\n`).join('');

  test.each([
    'files raw README.md --project acme/rocket --output-file {name}',
    'files raw README.md --project acme/rocket --output-file={name}',
    "api 'projects/{project}/jobs' --output-file {name}",
    'dependency-exports create 1 --wait --download {name}',
    'snippets raw 51 --project {project} --output-file x/{name}',
  ])('%s takes one part of a file name from a row', async (line) => {
    const folders = ['../escaped', '/tmp/svc-escaped', 'a/b', 'a\\b', 'C:x', '', '.', '..', '\0', 'x/'];
    const message = /^error: row 2: a value in --[a-z-]+ must be a part of a file name, not "/;
    for (const name of folders) await refused(message, each(`--rows - -- ${line}`, rowsOf('ok.txt', name)));
  });

  test.each([
    'files raw README.md --project acme/rocket --output-file {name}',
    'files raw README.md --project acme/rocket --output-file ./{name} --force',
    'files raw README.md --project acme/rocket --output-file in/{name}',
    'files raw README.md --project acme/rocket --output-file s{name}',
    'files raw README.md --project acme/rocket --output-file {name}/x.md',
    'files raw README.md --project acme/rocket --output-file {name}-new/',
    "api 'projects/{project}/jobs' --output-file {name}",
    'dependency-exports create 1 --wait --download {name}',
  ])('a row cannot select a folder with %s', async (line) => {
    const folders = ['sub', 'ssub', 'in/sub', 'sub-new'];
    for (const name of folders) await mkdir(join(folder, name), { recursive: true });
    await symlink('sub', join(folder, 'link')).catch(() => {});
    for (const name of ['sub', ...(/[/s]\{/.test(line) ? [] : ['link'])]) {
      const rows = /\}[-/]/.test(line) ? rowsOf(name) : rowsOf('ok-1.txt', name);
      const message = /^error: row [12]: a value in --[a-z-]+ must /;
      const ran = await refused(message, each(`--rows - -- ${line}`, rows));
      expect(ran.err).toContain('folder');
      for (const one of folders) expect(await readdir(join(folder, one))).toEqual([]);
    }
  });

  test('a folder before the placeholder is kept, and names may contain dots', async () => {
    await mkdir(join(folder, 'logs'));
    const line = '--rows - -- files raw README.md -p acme/rocket --output-file logs/{name}.{name}';
    await exited(0, each(line, rowsOf('a..b', '..c')));
    expect((await readdir(join(folder, 'logs'))).sort()).toEqual(['..c...c', 'a..b.a..b']);
  });

  test('cannot add keys to a row of a list of hashes', async () => {
    const content = 'x,content=@p.txt,action=delete';
    const command = 'snippets update 1 -p acme/rocket --file action=update,file_path=a,content={name}';
    expect((await bodyOf(command, rowsOf(content))).files).toEqual([
      { action: 'update', file_path: 'a', content },
    ]);
  });

  test('set booleans and leave other braces alone without --rows', async () => {
    const command = 'variables create A_KEY x -p acme/rocket --masked={on}';
    expect((await bodyOf(command, 'on\nfalse\n')).masked).toBe(false);
    const plain = await each("--projects - --jq '{n: length}' -- jobs list", rocket);
    expect(JSON.parse(plain.out)).toEqual({ target: 'acme/rocket', exit: 0, data: { n: 20 } });
  });
});

describe('output', () => {
  const stdin = `acme/none\n${projects}`;

  test('the last line counts the outcomes: done, then the others by number and name', async () => {
    const statuses = [422, 404, 403, 200, 404, 422, 403, 422];
    const transport = canned(({ url }) => {
      const status = Number(/ids-(\d+)/.exec(url)?.[1]);
      return { status, body: status === 200 ? '[]' : '{"message":"no"}' };
    });
    const targets = statuses.map((status, at) => `ids-${status}-${at}\n`).join('');
    const ran = await exited(11, each('--projects - --json -- variables list', targets, { transport }));
    expect(ran.err).toMatch(/^1 done, 3 rejected, 2 forbidden, 2 not found\.$/m);
  });

  test('table, csv and tsv begin with the target, errors go to standard error', async () => {
    const list = each('--projects - --csv --fields key,environment_scope -- variables list', stdin);
    const csv = await exited(11, list);
    expect(csv.out).toMatch(/^TARGET,key,environment_scope\r\nacme\/rocket,DEPLOY_USER,\*\r\n/);
    expect(csv.err).toContain('error: acme/none: 404 Project Not Found\n');
    expect(csv.err).toContain('acme/website: No variables found.\n');
    expect(csv.err).toMatch(/\n2 done, 1 not found\.\n$/);
    const table = await each('--projects - -- variables list', stdin);
    expect(table.out).toMatch(/^TARGET +KEY +SCOPE /);
    const tsv = await each('--projects - -o tsv -- approvals get', stdin);
    expect(tsv.out).toMatch(/^TARGET\t.*\nacme\/rocket\t/);
  });

  test.each(['', '--csv ', '-o ndjson '])('%s rejects an unknown field as without each', async (format) => {
    const line = `--projects - ${format}--fields key,nope`;
    const read = await each(`${line} -- variables list`, stdin);
    expect(read.out + read.err).toContain('nope');
    expect(read.out).not.toContain('DEPLOY_USER');
    expect([2, 11]).toContain(read.code);
    await refused('nope', each(`${line} -- variables set A_KEY x`, stdin));
  });

  test.each([
    ['', 'TARGET        NAME\nacme/rocket   f\nacme/website  f\n'],
    ['-o csv ', 'TARGET,name\r\nacme/rocket,f\r\nacme/website,f\r\n'],
  ])('%s--fields prints the response of a write, as of the command alone', async (format, out) => {
    const command = 'badges create --link-url https://a.example/l --image-url https://a.example/i --name f';
    const line = `${format}--projects - --journal ${journal}`;
    expect((await each(`${line} --fields name -- ${command}`, both)).out).toBe(out);
    expect((await each(`${line}.2 -- ${command} --fields name`, both)).out).toBe(out);
    expect((await each(`--projects - --journal ${journal}.3 -- ${command}`, both)).out).toBe('');
    const secret = `${line}.4 --fields key,value -- variables set FIELDS_KEY secret-value`;
    const ran = await each(secret, both);
    expect(ran.out).toContain('FIELDS_KEY');
    expect(ran.out).not.toContain('secret-value');
  });

  test.each([
    [
      '.[] | {id, name}',
      'TARGET,id,name\r\na,1,x\r\na,12345678901234567890,"y,]"\r\nb,1,x\r\nb,12345678901234567890,"y,]"\r\n',
    ],
    ['map({id})', 'TARGET,id\r\na,1\r\na,12345678901234567890\r\nb,1\r\nb,12345678901234567890\r\n'],
    ['.[0]', 'TARGET,id,name\r\na,1,x\r\nb,1,x\r\n'],
    ['length', 'TARGET,value\r\na,2\r\nb,2\r\n'],
    ['.[].name', 'TARGET,value\r\na,x\r\na,"y,]"\r\nb,x\r\nb,"y,]"\r\n'],
    ['[]', ''],
  ])('-o csv prints the results of --jq %j as rows', async (program, out) => {
    const transport = canned(() => ({
      body: '[{"id":1,"name":"x"},{"id":12345678901234567890,"name":"y,]"}]',
    }));
    const print = (flags: string) => each(`--projects - ${flags} -- jobs list`, 'a\nb\n', { transport });
    const ran = await exited(0, print(`-o csv --jq '${program}'`));
    expect(ran.out).toBe(out);
    const table = await print("-o table --jq '{n: length}'");
    expect(table.out).toBe('TARGET  N\na       2\nb       2\n');
  });

  test.each(['json', 'ndjson', 'yaml'])('-o %s has the state file of an export as an object', async (as) => {
    const website = 'acme/website\n';
    const ran = await exited(0, each(`--projects - -o ${as} -- export protected_branches`, website));
    if (as === 'yaml') return expect(ran.out).toContain('\n  data:\n    svc: 1\n');
    const alone = await world.json('export protected_branches --project acme/website');
    expect([JSON.parse(ran.out)].flat()).toEqual([{ target: 'acme/website', exit: 0, data: alone }]);
    const after = await each('--projects - -- export protected_branches --json', website);
    expect(JSON.parse(after.out)[0].data).toEqual(alone);
    const text = await each('--projects - -o ndjson -- export protected_branches -o yaml', website);
    expect(JSON.parse(text.out).data).toMatch(/^svc: 1\n/);
  });

  test.each(['--json ', '', '--csv '])(
    '%s--fields: an unknown field of a task is a warning',
    async (flag) => {
      const file = `fields-${number}.json`;
      await write(file, JSON.stringify([{ key: `FIELDS_${number}`, value: 'x' }]));
      const flags = `--projects - --journal ${journal} --yes ${flag}--fields result,nope`;
      const ran = await exited(0, each(`${flags} -- variables import ${file}`, rocket));
      expect(writes(ran)).toHaveLength(1);
      expect(ran.err).toContain(`warning: ${flag === '--json ' ? 'acme/rocket: ' : ''}--fields: unknown`);
      expect(ran.out).toContain('done');
    },
  );

  test.each([
    ['empty', '[]'],
    ['null', 'null'],
    ['.[0]', '1'],
    ['.[]', '[1,2]'],
  ])('data is the result of --jq %s, or the list of its results: %s', async (program, data) => {
    const transport = canned(() => ({ body: '[1,2]' }));
    const line = `--projects - -o ndjson --jq '${program}' -- api 'projects/{project}'`;
    const { out } = await exited(0, each(line, 'a\n', { transport }));
    expect(out.replace(/\s/g, '')).toBe(`{"target":"a","exit":0,"data":${data}}`);
  });

  test('data is what the command prints alone, byte for byte', async () => {
    const alone = await world.run('jobs list --project acme/rocket --limit 3 --json');
    const json = await each('--projects - --json -- jobs list --limit 3', rocket);
    expect(json.out).toBe(`[\n{"target":"acme/rocket","exit":0,"data":${alone.out}}\n]\n`);
    const after = await each('--projects - -- jobs list --limit 3 --json', rocket);
    expect(after.out).toBe(json.out);
  });

  test.each(['--json', '-o ndjson', '--jq length'])(
    '%s: a note says that a list is longer',
    async (format) => {
      const ran = await exited(0, each(`--projects - ${format} -- jobs list`, rocket));
      expect(ran.err).toBe(
        'acme/rocket: Showing 20 of 280 jobs. Use --all or --limit N for more.\n1 done.\n',
      );
    },
  );

  test('an error is an object like that of the command alone', async () => {
    const alone = await world.run('approvals get --project acme/none --json');
    const ran = await exited(5, each('--projects - -o ndjson -- approvals get', 'acme/none\n'));
    const line = JSON.parse(ran.out);
    const strip = ({ request_id: _, ...error }: Record<string, unknown>) => error;
    expect(strip(line.error)).toEqual(strip(JSON.parse(alone.err).error));
    expect(line.exit).toBe(5);
  });

  test('text of tasks and files has a heading, and is text in JSON', async () => {
    const text = await each('--projects - -- export protected_branches', 'acme/website\n');
    expect(text.out).toMatch(/^--- # acme\/website\nsvc: 1\n/);
    // Documents of one file must not share the secret of a project.
    const own = await each('--projects - -- export variables', rocket);
    expect(own.out).toContain('      env: SECRET_ACME__ROCKET__API_TOKEN\n');
    expect((await each('--projects - -- status', rocket)).out).toMatch(
      /^TARGET +LAST FAILURE .*LICENSE DAYS\nacme[^{}]+$/,
    );
    const raw = await each('--projects - -o ndjson -- files raw README.md', rocket);
    expect(JSON.parse(raw.out).data).toMatch(/^# /);
  });

  test('four commands run at a time by default', async () => {
    let [running, most] = [0, 0];
    const transport = canned(async () => {
      most = Math.max(most, ++running);
      await setImmediate();
      running--;
      return { body: '{}' };
    });
    await exited(0, each('--projects - -- api projects/{project}', 'a\nb\nc\nd\ne\nf\n', { transport }));
    expect(most).toBe(4);
  });

  describe('a list that fails on its third page', () => {
    const page = (id: number) => `[{"id":${id},"name":"job ${id}"},{"id":${id + 1},"name":"job ${id + 1}"}]`;
    /** The list of a/1 fails, that of a/2 has one page. */
    const transport = canned(({ url }) => {
      if (url.includes('a%2F2')) return { body: page(90) };
      const number = Number(/[?&]page=(\d)/.exec(url)?.[1] ?? 1);
      const next = `<${url.replace(/\?.*/, '')}?page=${number + 1}>; rel="next"`;
      return number < 3
        ? { body: page(number * 10), headers: [['link', next]] }
        : { status: 500, body: '{"message":"500 Internal Server Error"}' };
    });
    const line = '--projects - --concurrency 1 --retries 0';
    const list = (format: string) =>
      exited(11, each(`${line} ${format} -- jobs list --all`, 'a/1\na/2\n', { transport }));

    test.each(['--json', '-o ndjson', '-o yaml'])('%s has the error only, with a count', async (format) => {
      const ran = await list(format);
      expect(ran.out).not.toContain('job 10');
      expect(ran.out).toContain('the 4 results before it are not printed');
      expect(ran.out).not.toMatch(/incomplete|continue with/);
      expect(ran.out).toContain('job 90');
      expect(ran.err).toBe('1 done, 1 failed with a server error.\n');
      if (format === '-o yaml') return;
      const [first] = format === '--json' ? JSON.parse(ran.out) : jsonLines(ran.out);
      expect(Object.keys(first)).toEqual(['target', 'exit', 'error']);
      expect([first.exit, first.error.status]).toEqual([8, 500]);
    });

    test.each([
      ['--csv --fields id', 'TARGET,id', ','],
      ['-o tsv --fields id', 'TARGET\tid', '\t'],
      ['--fields id', 'TARGET  ID', '     '],
    ])('%s keeps the rows, and the error says that the list is incomplete', async (format, head, between) => {
      const ran = await list(format);
      const rows = ['a/1 10', 'a/1 11', 'a/1 20', 'a/1 21', 'a/2 90', 'a/2 91'];
      const lines = [head, ...rows.map((row) => row.replace(' ', between))];
      expect(ran.out.trimEnd().split(/\r?\n/)).toEqual(lines);
      expect(ran.err).toContain('error: a/1: 500 Internal Server Error (after 4 results)\n');
      expect(ran.err).toContain('the printed list is incomplete\n');
      expect(ran.err).toMatch(/^hint: continue with: svc api GET .*page=3.* --all$/m);
    });
  });

  const urls = 'link_url: "https://a.example/l", image_url: "https://a.example/i"';

  test('text that a task printed before it failed is kept', async () => {
    await write('badges.yaml', `svc: 1\nbadges: [{ name: a, ${urls} }]\n`);
    const transport = intercepted(world, (request) => {
      if (isWrite(request)) throw new Failure('internal', 'the disk is full');
    });
    const line = `--projects - --journal ${journal} -- apply -f badges.yaml --yes`;
    const ran = await exited(1, each(line, rocket, { transport }));
    expect(ran.out).toContain('+ badge a\n');
    expect(ran.err).toContain('the disk is full');
  });

  test.each(['json', 'ndjson', 'yaml'])('-o %s has the reasons of a task that failed partly', async (as) => {
    await write('partly.yaml', `svc: 1\nbadges: [{ name: good, ${urls} }, { name: bad, ${urls} }]\n`);
    const transport = canned((request) => {
      if (request.method === 'GET') return { body: '[]' };
      return bodyText(request).includes('bad')
        ? { status: 403, body: '{"message":"403 no badges"}' }
        : { status: 201, body: '{"id":1}' };
    });
    const line = `--projects - -o ${as} --journal ${journal}.${as} -- apply -f partly.yaml --yes`;
    const ran = await exited(11, each(line, rocket, { transport }));
    if (as === 'yaml') return expect(ran.out).toContain('403 no badges');
    const [record] = [JSON.parse(ran.out)].flat();
    expect(record).toMatchObject({ target: 'acme/rocket', exit: 11, error: { kind: 'partial' } });
    expect(record.error.details.join()).toContain('create badge bad: 403 no badges');
    expect(record.steps).toMatchObject([
      { step: 'create badge good', result: 'done', error: null },
      { step: 'create badge bad', result: 'failed', error: { status: 403 } },
    ]);
  });
});

describe('writes', () => {
  const badge = '-- badges create --link-url https://a.example/l --image-url https://a.example/i';

  test('confirms each write, and keeps a journal without the values', async () => {
    const line = `--projects - --journal ${journal} -- variables set LOG_LEVEL in-fo`;
    const ran = await exited(0, each(line, both));
    expect(ran.err).toContain('Created variable LOG_LEVEL in acme/rocket\n');
    expect(ran.err).toMatch(/\n2 done\.\n$/);
    const text = await readFile(journal, 'utf8');
    const states = jsonLines(text).flatMap(({ target, state }) => (state ? `${target} ${state}` : []));
    const ofBoth = ['acme/rocket', 'acme/website'].flatMap((name) => [`${name} done`, `${name} started`]);
    expect(states.sort()).toEqual(ofBoth);
    expect(text).not.toContain('in-fo');
  });

  test('keeps a journal in the state folder, and prints its path before the last line', async () => {
    const env = { XDG_STATE_HOME: join(folder, 'state') };
    const ran = await exited(0, each('--projects - -- variables set LOG_LEVEL info', both, { env }));
    const [, path = ''] = /\nJournal: (.*)\n2 done\.\n$/.exec(ran.err) ?? [];
    expect(path.startsWith(join(folder, 'state', 'svc'))).toBe(true);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  test.skipIf(process.platform === 'win32')('a journal is not a link or a pipe', async () => {
    const notes = join(folder, 'notes');
    await writeFile(notes, '');
    for (const make of [() => symlink(notes, journal), async () => execFileSync('mkfifo', [journal])]) {
      await make();
      const line = `--projects - --journal ${journal} -- variables set LOG_LEVEL info`;
      const ran = await wroteNothing(1, each(line, both));
      expect(ran.err).toMatch(/cannot use the journal \S+: it is (a symbolic link|not a regular file)/);
      expect(await readFile(notes, 'utf8')).toBe('');
      await rm(journal);
    }
  });

  test('a journal is required, and a read needs none', async () => {
    const ran = await exited(1, each('--projects - -- variables set LOG_LEVEL info', both));
    expect(ran.requests).toEqual([]);
    expect(ran.err).toMatch(/hint: set (XDG_STATE_HOME|LOCALAPPDATA|HOME) to .*\n.*--journal <file>/);
    expect(ran.err).not.toContain('SVC_CONFIG_DIR');
  });

  test.skipIf(!existsSync('/dev/full') || process.getuid?.() !== 0)(
    'a journal that cannot be written is not one to resume',
    async () => {
      const ran = await wroteNothing(1, each('--projects - --journal /dev/full -- variables set A x', both));
      expect(ran.err).toContain('cannot use the journal /dev/full: the disk is full');
      expect(ran.err).not.toContain('Resume with');
    },
  );

  test('a destructive command needs one confirmation, before anything is sent', async () => {
    const question = `(svc variables delete LOG_LEVEL) for 2 targets on ${new URL(baseUrl).host}: acme/rocket, `;
    await refused(question, each(`--projects - --journal ${journal} -- variables delete LOG_LEVEL`, both));
    await expect(readFile(journal)).rejects.toThrow();
  });

  test.each([
    ['before the first request', 2, 0],
    ['later', 11, 1],
  ])('ends if another process takes over the journal %s: exit %i', async (_, code, sent) => {
    const takeOver = () => rmSync(`${journal}.lock`, { force: true });
    const transport = intercepted(world, (request) => {
      if (isWrite(request)) takeOver();
      return undefined;
    });
    const now = () => {
      if (code === 2) takeOver();
      return Date.now();
    };
    const line = `--projects - --concurrency 1 --journal ${journal} -- notifications update --level watch`;
    const ran = await exited(code, each(line, both, { transport, now }));
    expect(ran.err).toContain(`another process took over the journal ${journal} while svc was suspended`);
    expect(writes(ran)).toHaveLength(sent);
  });

  test('resumes with what is not done', async () => {
    const run = (flag: string, value: string) =>
      each(`--projects - --concurrency 1 ${flag} ${journal} -- variables set B_KEY ${value}`, partly);
    const first = await exited(11, run('--journal', 'x'));
    expect(first.err).toContain(
      `1 done, 1 not found. Resume with: svc each --resume ${journal} and the same command and flags without --projects -.\n`,
    );
    const second = await exited(11, run('--resume', 'x'));
    expect(writes(second).every((write) => write.includes('none'))).toBe(true);
    expect(second.err).toContain('1 done (1 earlier), 1 not found.');
    await refused('belongs to another command', run('--resume', 'y'));
  });

  test('the journal keeps targets that came from standard input', async () => {
    await exited(
      11,
      each(`--projects - --fail-fast --json --journal ${journal} ${badge} --name "a b"`, partly),
    );
    const again = await each(`--fail-fast --resume ${journal} ${badge} --name "a b"`, '', { cwd: '/' });
    expectCode(again, 11);
    expect(writes(again)).toEqual(['POST /projects/acme%2Fnone/badges']);
    expect(again.err).toContain('1 done (1 earlier), 1 not found.');
  });

  test('neither the last line nor the journal contains a secret', async () => {
    const command = 'variables create D_KEY typed-{value} --project {project}';
    const rows = 'project,value\nacme/none,row-secret\n';
    const ran = await exited(5, each(`--rows - --journal ${journal} -- ${command}`, rows));
    expect(ran.err).toContain('the same command and flags, and the same standard input.\n');
    expect(ran.err + (await readFile(journal, 'utf8'))).not.toMatch(/typed-|row-secret/);
  });

  test('identifies rows by their content, also if others are inserted, moved or removed', async () => {
    const command = '-- badges create --link-url {url} --image-url https://a.example/i --project {project}';
    const row = (name: string) => `acme/${name === 'bad' ? 'none' : 'rocket'},https://a.example/${name}\n`;
    const rows = (...names: string[]) => `project,url\n${names.map(row).join('')}`;
    await write('rows.csv', rows('one', 'two', 'bad', 'gone'));
    await exited(11, each(`--rows rows.csv --journal ${journal} ${command}`));
    expect((await readFile(journal, 'utf8')).replaceAll('acme/rocket', '')).not.toContain('a.example');
    await write('rows.csv', rows('zero', 'two', 'bad', 'one', 'zero'));
    const again = await exited(11, each(`--rows rows.csv --resume ${journal} ${command}`));
    const links = again.requests.filter(isWrite).map((request) => JSON.parse(bodyText(request)).link_url);
    expect(
      writes(again)
        .map((write, at) => `${write} ${links[at]}`)
        .sort(),
    ).toEqual([
      'POST /projects/acme%2Fnone/badges https://a.example/bad',
      'POST /projects/acme%2Frocket/badges https://a.example/zero',
    ]);
    expect(again.err).toContain('warning: row 5 is the same as row 1; each runs once\n');
    expect(again.err).not.toContain('the list lacks');
  });

  test('resumes the journal of an earlier version, which has no list of targets', async () => {
    await writeFile(journal, '{"target":"acme/rocket","state":"done","exit":0,"at":""}\n');
    const message = `no targets given, and the journal ${journal} contains no list`;
    await refused(message, each(`--resume ${journal} ${badge}`));
    const ran = await each(`--projects - --resume ${journal} ${badge}`, partly);
    expect(writes(ran)).toEqual(['POST /projects/acme%2Fnone/badges']);
  });

  test('refuses a journal with the numbers of rows instead of their contents', async () => {
    await writeFile(journal, '{"target":"acme/rocket","row":1,"state":"done","exit":0,"at":""}\n');
    const line = `--rows - --resume ${journal} ${badge} --project {project}`;
    await refused('has other targets', each(line, 'project\nacme/rocket\n'));
  });

  describe('a file that changed since the earlier run is refused', () => {
    test.each([
      ['@file', 'value.txt', 'variables set V_KEY @value.txt', 'first\n'],
      ['an upload', 'upload.txt', 'uploads create upload.txt', 'first\n'],
      [
        '--input of svc api',
        'body.json',
        "api POST 'projects/{project}/variables' --input body.json",
        '{"key":"INPUT_KEY","value":"first"}',
      ],
      [
        'a state file',
        'state.yaml',
        'apply -f state.yaml --yes',
        'svc: 1\nvariables: [{ key: S_KEY, value: first }]\n',
      ],
      ['a file that a state file names', 'named.txt', 'apply -f names.yaml --yes', 'first\n'],
    ])('%s', async (_, file, command, text) => {
      await write('names.yaml', 'svc: 1\nvariables: [{ key: F_KEY, value: { file: named.txt } }]\n');
      await write(file, text);
      const run = (flags: string) => each(`--projects - --concurrency 1 ${flags} -- ${command}`, partly);
      await exited(11, run(`--journal ${journal}`));
      expect(await readFile(journal, 'utf8')).not.toMatch(/first|second/);
      await write(file, text.replace('first', 'second'));
      for (const how of ['', '--dry-run'])
        await refused(`${file} is not what the earlier run read`, run(`--resume ${journal} ${how}`));
      await write(file, text);
      const ran = await exited(11, run(`--resume ${journal}`));
      expect(writes(ran).every((write) => write.includes('none'))).toBe(true);
    });

    test('an environment variable that a state file names', async () => {
      await write('env.yaml', 'svc: 1\nvariables: [{ key: E_KEY, value: { env: SECRET_E } }]\n');
      const command = '--yes -- apply -f env.yaml';
      const env = { SECRET_E: 'first-value', OTHER: '1' };
      await exited(11, each(`--projects - --journal ${journal} ${command}`, partly, { env }));
      expect(await readFile(journal, 'utf8')).not.toContain('first-value');
      const resume = (more: object) =>
        each(`--resume ${journal} ${command}`, '', { env: { ...env, ...more } });
      const message = 'the environment variable SECRET_E is not what the earlier run read';
      const ran = await refused(message, resume({ SECRET_E: 'second-value' }));
      expect(ran.err).not.toContain('-value');
      await exited(11, resume({ OTHER: '2' }));
    });

    test('the list of a folder of state files', async () => {
      await mkdir(join(folder, 'states'));
      await write('states/a.yaml', 'svc: 1\nbadges: []\n');
      const command = '--yes -- apply -f states';
      await exited(11, each(`--projects - --journal ${journal} ${command}`, partly));
      await write('states/b.yaml', 'svc: 1\nvariables: []\n');
      await refused('states is not what the earlier run read', each(`--resume ${journal} ${command}`));
      await rm(join(folder, 'states/b.yaml'));
      await exited(11, each(`--resume ${journal} ${command}`));
    });

    test('one of the files that rows name', async () => {
      const rows = 'project,file\nacme/rocket,r1.txt\nacme/none,r2.txt\n';
      const command = '-- variables set ROW_KEY @{file} --project {project}';
      await write('r1.txt', 'first');
      await write('r2.txt', 'first');
      await exited(11, each(`--rows - --journal ${journal} ${command}`, rows));
      await write('r2.txt', 'second');
      const ran = await exited(2, each(`--rows - --resume ${journal} ${command}`, rows));
      expect(ran.err).toContain('r2.txt is not what the earlier run read');
      // A row with another file is another row.
      const moved = rows.replace('r2.txt', 'r3.txt');
      await write('r3.txt', 'second');
      const again = await exited(11, each(`--rows - --resume ${journal} ${command}`, moved));
      expect(writes(again).every((write) => write.includes('none'))).toBe(true);
    });

    test('standard input', async () => {
      await write('two.txt', partly);
      const command = '-- variables set IN_KEY -';
      await exited(11, each(`--projects two.txt --journal ${journal} ${command}`, 'first'));
      const ran = await exited(2, each(`--projects two.txt --resume ${journal} ${command}`, 'second'));
      expect(ran.err).toContain('standard input is not what the earlier run read');
    });
  });

  test('rejects a list of other targets, and warns if one that is not done is missing', async () => {
    const run = (flag: string, stdin: string) =>
      each(`--projects - --concurrency 1 ${flag} ${journal} -- variables set B_KEY x`, stdin);
    await exited(11, run('--journal', `${partly}acme/nothing\n`));
    const targets = 'has other targets: acme/rocket, acme/none, acme/nothing\n';
    await refused(targets, run('--resume', 'acme/website\n'));
    const fewer = await exited(11, run('--resume', 'acme/website\nacme/none\n'));
    expect(fewer.err).toContain(
      'warning: the list lacks 1 of the targets in the journal that are not done: acme/nothing\n',
    );
    expect(writes(fewer).some((write) => write.includes('website'))).toBe(true);
  });

  test('a dry run of a resumed run shows what is left, and leaves the journal as it is', async () => {
    const before = [
      { target: 'a/done', state: 'done', exit: 0 },
      { target: 'a/failed', state: 'failed', exit: 6 },
      { target: 'a/unknown', state: 'started' },
    ];
    const text = `${before.map((one) => `${JSON.stringify({ ...one, at: '' })}\n`).join('')}{"target":"a/c`;
    await writeFile(journal, text);
    const stdin = 'a/done\na/failed\na/unknown\na/new\n';
    const line = `--projects - --concurrency 1 --resume ${journal} --dry-run`;
    const sent = async (flag: string) => {
      const ran = await exited(0, each(`${line} ${flag} ${badge}`, stdin));
      return [...ran.out.matchAll(/a%2F(\w+)/g)].map(([, name]) => name);
    };
    expect(await sent('')).toEqual(['failed', 'new']);
    expect(await sent('--retry-unknown')).toEqual(['failed', 'unknown', 'new']);
    expect(await readFile(journal, 'utf8')).toBe(text);
  });

  test.each([
    'variables set A_KEY x',
    'notifications update --level watch',
    'variables delete A_KEY --yes',
    "api PUT 'projects/{project}/x'",
  ])('without a token, %s ends with one error before the first target', async (command) => {
    const line = `--projects - --journal ${journal} -- ${command}`;
    const ran = await exited(4, each(line, both, { as: 'none' }));
    expect(ran.requests).toEqual([]);
    expect(ran.err.match(/^error: /gm)).toHaveLength(1);
    await expect(readFile(journal)).rejects.toThrow();
  });

  const lost = (code: string) =>
    new Failure('network', 'connection lost', { cause: Object.assign(new Error(code), { code }) });

  test('repeats a POST whose outcome is unknown only with --retry-unknown', async () => {
    const isLost = (request: Request) => isWrite(request) && request.url.includes('rocket');
    const transport = intercepted(
      world,
      changing(isLost, () => {
        throw lost('ECONNRESET');
      }),
    );
    await exited(11, each(`--projects - --journal ${journal} ${badge}`, both, { transport }));
    const resume = `--projects - --resume ${journal}`;
    const second = await wroteNothing(11, each(`${resume} -o ndjson ${badge}`, both));
    const [unknown] = jsonLines(second.out);
    expect([unknown.target, unknown.exit, unknown.error.kind]).toEqual(['acme/rocket', 11, 'unknown']);
    expect(second.err).toContain('1 unknown');
    const third = await exited(0, each(`${resume} --retry-unknown ${badge}`, both));
    expect(writes(third)).toEqual(['POST /projects/acme%2Frocket/badges']);
  });

  test.each([
    ['a body that is cut', 201, '{"id":1'],
    ['a server error', 500, '{"message":"500 Internal Server Error"}'],
    ['a server error for one of several arguments', null, '', '-- branches protect a b'],
  ])(
    'says unknown of a POST with %s, as when it is resumed',
    async (_name, status, body, command = badge) => {
      const answer = { status: status ?? 502, body };
      const transport = canned(({ method }) => (method === 'POST' ? answer : { body: '[]' }));
      const run = (flags: string) =>
        exited(11, each(`--projects - ${flags} ${command}`, rocket, { transport }));
      const first = await run(`--journal ${journal} -o ndjson`);
      expect(JSON.parse(first.out)).toMatchObject({ exit: 11, error: { kind: 'unknown', status } });
      expect(first.err).toContain('0 done, 1 unknown. Resume with: ');
      const again = await run(`--resume ${journal} -o ndjson`);
      expect(JSON.parse(again.out)).toMatchObject({ exit: 11, error: { kind: 'unknown' } });
      expect(again.requests).toEqual([]);
      const table = await run(`--resume ${journal} --retry-unknown`);
      expect(table.err).toContain('hint: the service may have executed the request: check before ');
    },
  );

  test.each([
    ['a refused connection is known', 'ECONNREFUSED', badge],
    ['a PUT may be repeated', 'ECONNRESET', '-- notifications update --level watch'],
  ])('%s', async (_, code, command) => {
    const transport = intercepted(world, () => {
      throw lost(code);
    });
    await exited(3, each(`--projects - --journal ${journal} ${command}`, both, { transport }));
    const ran = await exited(0, each(`--projects - --resume ${journal} ${command}`, both));
    expect(writes(ran)).toHaveLength(2);
  });

  test('stops after the first failure with --fail-fast', async () => {
    const line = `--projects - --concurrency 1 --fail-fast --journal ${journal} -- variables set C_KEY x`;
    const ran = await exited(5, each(line, `acme/none\n${both}`));
    expect(ran.err).toContain('0 done, 1 not found, 2 not started. Resume with: ');
    expect(writes(ran).some((write) => write.includes('rocket'))).toBe(false);
    // The flag of the same name of the command is another one.
    const waits = '--projects - --fail-fast --json -- jobs wait 1012 --wait-timeout 0.05';
    expect((await each(waits, 'acme/rocket')).out).toContain('timed_out');
  });

  /** Interrupt the command after this request was sent. */
  const interruptedBy = (isLast: (request: Request) => boolean): How => {
    const ending = new AbortController();
    const interrupt = changing(isLast, () => {
      throw ending.signal.reason;
    });
    const transport = intercepted(world, (request, send) => {
      if (isLast(request)) ending.abort(new Failure('interrupted', 'interrupted'));
      return interrupt(request, send);
    });
    return { transport, signal: ending.signal };
  };

  test('an interruption ends the output and can be resumed', async () => {
    const names = `${both}acme/design\n`;
    const run = (flag: string, how: How = {}) =>
      each(`--projects - --concurrency 1 --json ${flag} -- notifications update --level watch`, names, how);
    const how = interruptedBy(({ url }) => url.includes('design'));
    const ran = await exited(130, run(`--journal ${journal}`, how));
    const targets = JSON.parse(ran.out).map(({ target }: { target: string }) => target);
    expect(targets).toEqual(['acme/rocket', 'acme/website']);
    expect(ran.err).toContain('2 done, 1 interrupted (acme/design). Resume with: ');
    expect(writes(await run(`--resume ${journal}`))).toHaveLength(1);
  });

  test.each([['-o ndjson '], ['']])('%san interrupted apply names and counts its steps', async (format) => {
    const keys = ['A', 'B', 'C'].map((name) => `STEP_${number}_${name}`);
    const entries = keys.map((key) => `{ key: ${key}, value: x }`).join(', ');
    await write('steps.yaml', `svc: 1\nvariables: [${entries}]\n`);
    const how = interruptedBy((request) => isWrite(request) && bodyText(request).includes(`${keys[1]}`));
    const line = `--projects - --concurrency 1 --yes --journal ${journal} ${format}-- apply -f steps.yaml`;
    const ran = await exited(130, each(line, 'acme/website\nacme/rocket\n', how));
    const step = `unknown: create variable ${keys[1]} (scope *): interrupted, so it may have been done`;
    const counts = '1 created, 0 updated, 0 deleted, 1 unknown, 1 not started.';
    expect(ran.err).toContain('0 done, 1 interrupted (acme/website), 1 not started. Resume with: ');
    if (format === '') {
      expect(ran.err).toContain(`acme/website: ${step}\nacme/website: ${counts}\n`);
      expect(ran.out).toMatch(/^acme\/website\n {2}\+ variable/);
    } else {
      const first = JSON.parse(ran.out);
      expect(first).toMatchObject({ target: 'acme/website', exit: 130 });
      expect(first.error).toMatchObject({ kind: 'interrupted', message: counts, details: [step] });
      const results = first.steps.map(({ result }: { result: string }) => result);
      expect(results).toEqual(['done', 'unknown', 'not_started']);
    }
    const again = await exited(0, each(`--resume ${journal} --yes -- apply -f steps.yaml`));
    expect(writes(again).filter((one) => one.includes('website'))).toHaveLength(1);
  });

  test('one 429 holds the requests of all targets', async () => {
    let sent = 0;
    let duringPause: number | undefined;
    const transport = canned(() => {
      sent += 1;
      if (sent !== 2) return { body: '{"approvers":[]}' };
      // Pauses take a hundredth of their time: this one takes 500 ms.
      setTimeout(() => {
        duringPause = sent;
      }, 100);
      return { status: 429, headers: [['retry-after', '50']], body: '{}' };
    });
    const stdin = Array.from({ length: 40 }, (_, at) => `a/${at}`).join('\n');
    const line = '--projects - --concurrency 2 -o ndjson -- approvals get';
    await exited(0, each(line, stdin, { transport, now: fastClock() }));
    expect(sent).toBe(41);
    // A request of the other target may have been on its way.
    expect(duringPause).toBeLessThanOrEqual(4);
  });
});

/** Commands that need more than one line of a file, or a terminal. */
const alone = /--watch|--web|--wait|--dry-run|--curl| -( |$)|files edit/;

const examples = presented
  .flatMap(({ endpoint }) => endpoint.examples.map(({ run }) => run))
  .filter((run) => !alone.test(run));

test('every command of the catalogue sends with each what it sends alone', async () => {
  const cwd = await folderWith(exampleFiles);
  const wrong: string[] = [];
  for (const run of new Set(examples)) {
    const line = words(run);
    const own = await world.run([...line, '--dry-run'], { cwd });
    const braced = line.map((word) => word.replace(/[{}]/g, '$&$&'));
    const argv = ['each', '--rows', '-', '--', ...braced, '--dry-run'];
    const ran = await world.run(argv, { cwd, stdin: 'a\n1\n' });
    if (ran.out !== own.out || ran.code !== own.code) wrong.push(`${run}\n${ran.err}${ran.out}${own.out}`);
  }
  expect(wrong).toEqual([]);
  expect(examples.length).toBeGreaterThan(140);
});

test('every command that reads a pipeline accepts latest', async () => {
  const groups = await Promise.all(areas.map(loadArea));
  const commands = groups
    .flatMap((group) => group.commands.map((command) => ({ command, path: pathOf(command) })))
    .filter(({ command, path }) => effectOf(command) === 'read' && path !== 'jobs watch')
    .filter(({ command }) => command.arguments[0]?.of.suggest === 'pipelines/list/id')
    .map(({ path }) => path);
  expect(commands.length).toBeGreaterThan(5);
  for (const path of commands) {
    const limit = path === 'jobs wait' ? '--wait-timeout 0.05' : '';
    const ran = await each(`--projects - --json -- ${path} latest ${limit}`, rocket);
    expect(ran.err, path).not.toMatch(/bug in svc|whole number/);
    expect([0, 9, 11], `${path}\n${ran.err}`).toContain(ran.code);
  }
});
