/** `dependency-exports find|diff`, `variables why|unreferenced` and `svc find`, by their definitions and the known content of the sandbox. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Row } from '../../../src/spec/resource.ts';
import { compareVersions } from '../../../src/tasks/components/components.ts';
import { matchingFields } from '../../../src/tasks/find/search.ts';
import { choose } from '../../../src/tasks/variables/answers.ts';
import { openFastWorld } from '../../support/sandbox.ts';
import { jsonLines } from '../../support/svc.ts';
import { at, exited, intercepted, isRead, isWrite, withStatus, withText } from '../engine/world.ts';

const world = await openFastWorld();
const { run } = world;

const npm = 'pkg:npm/left-pad';
const debian = 'pkg:deb/debian/curl';

describe('versions', () => {
  // The order in section 11 of semantic versioning 2.0.0, and further versions in their order.
  const ordered =
    '0.9.9 1.0.0-alpha 1.0.0-alpha.1 1.0.0-alpha.beta 1.0.0-beta 1.0.0-beta.2 1.0.0-beta.11 1.0.0-rc.1 1.0.0 1.2.0 1.10.0 2.0.0 9007199254740993.0.0 9007199254740994.0.0';

  test('follow semantic versioning in the ecosystems that use it', () => {
    const versions = ordered.split(' ');
    for (const [i, a] of versions.entries())
      for (const [j, b] of versions.entries())
        expect([a, b, Math.sign(compareVersions(`v${a}`, b, npm))]).toEqual([a, b, Math.sign(i - j)]);
  });

  test.each([
    [npm, '1.2', '1.2.0', 0],
    [npm, '1.2.0+build.1', '1.2.0', 0],
    [npm, 'v1.2.0', 'V1.2.0', 0],
    [npm, '1.2.3.4', '1.2.3.10', -1],
    [debian, '7.88.1-10', '7.88.1-9', 1],
    [debian, '1.0', '1.0.0', 0],
    [debian, '1.0rc1', '1.0', -1],
    [debian, '1.01', '1.1', 0],
    [debian, 'v2', '10', -1],
  ])('%s: %s and %s', (purl, a, b, sign) => {
    expect(Math.sign(compareVersions(a, b, purl))).toBe(sign);
    expect(Math.sign(compareVersions(b, a, purl)) + sign).toBe(0);
  });

  test('of numbers compare like lists of numbers', () => {
    const version = fc.array(fc.nat(30), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(version, version, fc.constantFrom(npm, debian), (a, b, purl) => {
        const differs =
          [0, 1, 2, 3, 4].map((at) => (a[at] ?? 0) - (b[at] ?? 0)).find((one) => one !== 0) ?? 0;
        expect(Math.sign(compareVersions(a.join('.'), b.join('.'), purl))).toBe(Math.sign(differs));
      }),
      { numRuns: 500 },
    );
  });

  test('have a total order', () => {
    const part = fc.constantFrom('0', '1', '10', 'a', 'rc', '01');
    const version = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('.'));
    fc.assert(
      fc.property(version, version, version, (a, b, c) => {
        const isSorted = (x: string, y: string) => compareVersions(x, y, debian) <= 0;
        expect(isSorted(a, b) || isSorted(b, a)).toBe(true);
        if (isSorted(a, b) && isSorted(b, c)) expect(isSorted(a, c)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});

describe('components', () => {
  test('diff finds what was added, removed and changed', async () => {
    const line = 'dependency-exports diff 1098 1099 --fields change,component,purl,from,to -o csv --quiet';
    const ran = await exited(10, run(line));
    expect(ran.out.split('\r\n').slice(1, -1)).toEqual([
      'removed,ansi-regex,pkg:npm/ansi-regex,5.0.1,',
      'changed,string-width,pkg:npm/string-width,4.2.0,7.1.0',
      'changed,ws,pkg:npm/ws,8.16.0,8.17.1',
      'added,zod,pkg:npm/zod,,3.23.8',
    ]);
    const bare = withText(isRead, (text) => text.replace(/"pkg:npm\/ws@[^"]*"/g, '""'));
    const named = await exited(10, run(line, { transport: intercepted(world, bare) }));
    expect(named.out).toContain('changed,ws,,8.16.0,8.17.1');
    const same = await exited(0, run('dependency-exports diff 1098 1098 --json'));
    expect(JSON.parse(same.out)).toEqual([]);
  });

  test('find compares versions and reads the latest pipeline of each default branch', async () => {
    const all = await exited(0, run('sbom find string-width --in-group acme --recursive --json'));
    const rows = JSON.parse(all.out).map((row: Row) => [row['project'], row['version'], row['pipeline']]);
    expect(rows.sort()).toEqual([
      ['acme/labs/probe', '7.1.0', 1099],
      ['acme/rocket', '4.2.3', 1012],
    ]);
    const below = 'sbom find string-width --below v4.10 --in-group acme --recursive --json';
    const old = await exited(0, run(below));
    expect(JSON.parse(old.out)).toMatchObject([{ project: 'acme/rocket' }]);
    await exited(0, run('sbom find ws --below 8.16.0 --pipeline 1098'));
  });

  test('find does not report a project that it could not read as free of a component', async () => {
    const find = 'dependency-exports find string-width --projects -';
    await exited(5, run(find, { stdin: 'acme/rokcet\n' }));
    const partly = await exited(11, run(find, { stdin: 'acme/rokcet\nacme/rocket\n' }));
    expect(partly.err).toContain('not searched: acme/rokcet (404 Project Not Found)');
    expect(partly.err).toContain(' of 1 project read');
    await exited(4, run(find, { stdin: 'acme/rocket\n', as: 'reporter' }));
    const failing = withStatus(at(/website\/pipelines\/latest|rocket\/badges/), 500);
    const transport = intercepted(world, failing);
    const how = { stdin: 'acme/website\nacme/rocket\n', transport };
    const rest = await exited(11, run(`${find} --retries 0 --json`, how));
    expect(JSON.parse(rest.out)).toMatchObject([{ project: 'acme/rocket' }]);
    const found = await exited(11, run('find REGISTRY --projects - --in badges,variables --retries 0', how));
    expect(found.err).toMatch(/not searched: badges of acme\/rocket \(500 /);
    expect(found.err).not.toContain('of groups');
  });

  test.each([
    ['{"bomFormat":"CycloneDX"}', 0],
    ['{"spdxVersion":"SPDX-2.3"}', 8],
    ['{"components":null}', 8],
    ['[]', 8],
  ])('of the document %s: exit code %i', async (text, code) => {
    const downloads = withText(at(/\/download$/), () => text);
    const transport = intercepted(world, downloads);
    for (const command of ['find ws --pipeline 1098', 'diff 1098 1099'])
      await exited(code, world.run(`dependency-exports ${command}`, { transport }));
  });

  test.each([
    'diff 1098 1099 --read-only',
    'find ws --pipeline 1098 --read-only',
    'diff 1098 x',
    'find ws',
    'find ws --pipeline 1098 --in-group acme',
    'find ws --pipeline 1098 --below five',
    'find "" --pipeline 1098',
  ])('%s sends nothing', async (line) => {
    expect((await exited(2, run(`dependency-exports ${line}`))).requests).toEqual([]);
  });
});

describe('the variable of a job', () => {
  const row = (scope: string, isProtected = false) => {
    return { key: 'A', environment_scope: scope, protected: isProtected };
  };
  const project = { source: 'p', rows: [row('production', true), row('review/*')] };
  const group = { source: 'g', rows: [row('*'), row('production')] };
  const above = { source: 'a', rows: [row('*')] };

  test.each([
    [undefined, true, 'g *'],
    ['production', true, 'p production'],
    ['production', false, 'g production'],
    ['review/1', false, 'p review/*'],
    ['staging', true, 'g *'],
  ])('in %s, protected %s: %s', (environment, isProtected, expected) => {
    const rows = choose([project, group, above], { environment, isProtected });
    expect(rows).toHaveLength(5);
    const used = rows.filter((one) => one.used).map((one) => `${one.source} ${one.environment_scope}`);
    expect(used).toEqual([expected]);
  });

  test('comes from the project or the nearest group, without masked values', async () => {
    const why = async (words: string) =>
      JSON.parse((await exited(0, run(`variables why ${words} -p acme/labs/probe --json`))).out);
    const used = async (words: string) =>
      (await why(words)).filter((one: Row) => one['used']).map((one: Row) => [one['source'], one['value']]);
    expect(await used('LOG_LEVEL')).toEqual([['acme', 'info']]);
    expect(await used('LOG_LEVEL --environment production')).toEqual([['acme/labs', 'warn']]);
    expect(await used('LOG_LEVEL --environment staging/eu')).toEqual([['acme/labs/probe', 'debug']]);
    expect(await used('PROBE_TOKEN')).toEqual([['acme/labs/probe', null]]);
    expect(await used('PROBE_TOKEN --ref develop')).toEqual([]);
    expect(await why('NO_SUCH_KEY')).toEqual([]);
    const none = await run('variables why PROBE_TOKEN -p acme/labs/probe --ref develop');
    expect(none.err).toContain('no job of this ref and environment gets it');
    const ran = await run('variables why LOG_LEVEL -p acme/labs/probe');
    expect(ran.err).toContain('mentioned in .ci.yml:3');
    expect(ran.err).not.toContain('no job of this');
    expect(ran.requests.filter(isWrite)).toEqual([]);
    const planned = jsonLines((await run('variables why LOG_LEVEL -p acme/labs/probe --dry-run')).out);
    const sent = ran.requests.map(({ url }) => url);
    const ofGroups = sent.filter((url) => url.includes('/groups/'));
    expect([...planned.map(({ url }) => url), ...ofGroups].sort()).toEqual(sent.sort());
  });

  test('does not mask a branch that repeats an unmasked value; a personal project has no groups', async () => {
    await run('variables create PLACE develop --environment-scope production -p acme/website');
    const user = withText(at(/website$/), (text) => text.replace(/\}$/, ',"namespace":{"kind":"user"}}'));
    const transport = intercepted(world, user);
    const ran = await run('variables why PLACE -p acme/website --ref develop', { transport });
    expect(ran.err).toContain('no job of this ref and environment gets it');
    expect(ran.requests.filter(({ url }) => url.includes('/groups/'))).toEqual([]);
  });

  test.each([
    ['variables why PROBE_TOKEN', /protected_branches/, 11, 'protected branches cannot be read'],
    ['variables why PROBE_TOKEN', /groups\/acme\/variables/, 0, 'variables of acme cannot be read'],
    ['variables why LOG_LEVEL', /groups\/acme\/variables/, 11, 'variables of acme cannot be read'],
    ['dependency-exports find x --projects -', /rocket\/pipelines/, 11, 'not searched: acme/rocket (403'],
  ])('%s names a list that may not be read: %s, exit %i', async (line, url, code, text) => {
    const more = { stdin: 'acme/rocket\nacme/labs/probe\n', env: { SVC_PROJECT: 'acme/labs/probe' } };
    const ran = await run(line, { ...more, transport: intercepted(world, withStatus(at(url), 403)) });
    expect(ran).toMatchObject({ code, err: expect.stringContaining(text) });
  });

  test('is unreferenced if no file of the default branch mentions it', async () => {
    const line = 'variables unreferenced -p acme/labs/probe --fields key -o tsv --no-header';
    const ran = await exited(0, run(line));
    expect(ran.out).toBe('OLD_SERVER\n');
    expect(ran.err).toContain('no reference found for 1 of 3 keys in the files of the default branch');
    // A part of a longer word is no mention.
    await run('variables create LEVEL x -p acme/labs/probe');
    expect((await run(line)).out).toBe('OLD_SERVER\nLEVEL\n');
    const create = 'files create --branch main -m x -p acme/labs/probe';
    await exited(0, run(`${create} a.txt --content LEVELS`));
    await exited(0, run(`${create} b.txt --content LEVEL`));
    expect((await run(line)).out).toBe('OLD_SERVER\n');
  });
});

describe('rows over many projects', () => {
  test('match in any field, nested ones included', () => {
    const row = { a: 'x', b: { c: ['1', 'y'] }, d: null, e: 12 };
    expect(matchingFields(row, (text) => text.includes('y'))).toEqual(['b']);
    expect(matchingFields(row, (text) => text.includes('1'))).toEqual(['b', 'e']);
  });

  test('are the targets of each --rows, without values', async () => {
    const find = 'find old.example --in-group acme --recursive --in variables,files -o csv';
    const found = await exited(0, run(find));
    expect(found.out).toBe(
      'project,kind,name,field,key,environment_scope,path\r\nacme/labs/probe,variables,OLD_SERVER,value,OLD_SERVER,*,\r\n',
    );
    const note = 'variables of groups are not searched; to list those of acme: svc api ';
    expect(found.err).toContain(`${note}'groups/{group}/variables' --group acme --all\n`);
    const line =
      'each --rows - -- variables get {key} --project {project} --environment-scope {environment_scope}';
    const ran = await exited(0, run(`${line} -o ndjson`, { stdin: found.out }));
    expect(jsonLines(ran.out)).toMatchObject([{ data: { key: 'OLD_SERVER' } }]);
  });

  test('have no masked value in a column that each would read', async () => {
    const hook = '[{"id":7,"name":"CI","url":"https://ci.example/x?key=hush"}]';
    const transport = intercepted(
      world,
      withText(at(/rocket\/hooks/), () => hook),
    );
    const how = { stdin: 'acme/rocket\n', transport };
    const ran = await exited(0, run('find hush --projects - --in hooks --json', how));
    expect(JSON.parse(ran.out)).toMatchObject([{ name: 'CI', field: 'url', id: 7, url: null }]);
  });

  test.each([
    [0, 'acme/rocket', 'admin'],
    [0, 'acme/rocket', 'developer'],
    [11, 'acme/rocket\nacme/rokcet', 'admin'],
    [5, 'acme/rokcet', 'admin'],
  ] as const)('are all rows unless exit code %i: %j as %s', async (code, stdin, as) => {
    await exited(code, run('find x --projects -', { stdin, as }));
  });

  test('match case-sensitively or by a regular expression', async () => {
    const names = async (pattern: string) =>
      jsonLines(
        (await exited(0, run(['find', pattern, '--in-group', 'acme', '--recursive', '-o', 'ndjson']))).out,
      ).map(({ kind, name }) => `${kind} ${name}`);
    expect((await names('LOG_LEVEL')).sort()).toEqual(['files .ci.yml', 'variables LOG_LEVEL']);
    expect(await names('log_level')).toEqual([]);
    expect(await names('/^OLD_[A-Z]+$/')).toEqual(['variables OLD_SERVER']);
  });

  test.each([
    'x',
    'x --in-group acme --in nonsense',
    '/(/ --in-group acme',
    '/x/ --in-group acme --in files',
  ])('find %s sends nothing', async (line) => {
    expect((await exited(2, run(`find ${line}`))).requests).toEqual([]);
  });
});
