/** `--seed-file`: users, groups, projects and state documents in a new sandbox. */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { resources } from '../../src/api/resources.ts';
import { readSeedFile } from '../../src/cli/builtin/sandbox/seed-file.ts';
import { openSandbox, type SandboxOptions } from '../../src/sandbox/index.ts';
import { folderWith } from '../support/folders.ts';
import { openReceiver } from '../support/receiver.ts';
import { changesByKind } from '../tasks/engine/changes-by-kind.ts';
import { ask, noon, openStored, openTestSandbox, tablesOf } from './ask.ts';

let cwd: string;
beforeEach(async () => {
  cwd = await folderWith();
});

async function open(content: string, options: SandboxOptions = {}, env: Record<string, string> = {}) {
  await writeFile(join(cwd, 'world.yaml'), content);
  return openTestSandbox({ ...options, ...(await readSeedFile('world.yaml', { cwd, env })) });
}

/** Return the first line and the hints of the error. */
async function errorOf(content: string): Promise<string> {
  const error = await open(content).catch((thrown) => thrown);
  expect(error, content).toMatchObject({ kind: 'usage' });
  return [error.message, ...error.hints].join('\n');
}

test('a path may begin with a dot', async () => {
  const { ask } = await open('projects: [{ path_with_namespace: acme/.github }]\n');
  expect((await ask('GET /projects/acme%2F.github')).status).toBe(200);
});

const world = `
users:
  - { id: 700, username: ada, name: Ada Lovelace, bio: 1815, token: { env: ADA_TOKEN } }
  - { username: devon, name: Devon Renamed }
groups:
  - full_path: tools
    description: 'yes'
    members: [{ username: ada, access_level: 50 }]
  - { full_path: acme, members: [{ username: gus, access_level: 40 }] }
projects:
  - { id: 900, path_with_namespace: tools/hammer, created_at: 2020-01-02T03:04:05Z }
---
svc: 1
project: tools/hammer
variables:
  - { key: LOG_LEVEL, value: 1e3 }
  - { key: KEY, value: { file: key.pem }, variable_type: file }
error_tracking: { active: true, integrated: true }
protected_branches: [{ name: main }]
---
svc: 1
group: tools
wikis: [{ title: Home, content: "# Tools" }]
---
svc: 1
project: 100
badges: [{ name: docs, link_url: "https://a.example", image_url: "https://a.example/b.svg" }]
`;

const openWorld = async (options: SandboxOptions = {}) => {
  await writeFile(join(cwd, 'key.pem'), 'secret\n');
  return open(world, options, { ADA_TOKEN: 'ada-token-1' });
};

describe('a world file', () => {
  test('adds and changes users, groups, projects and members', async () => {
    const { ask: call } = await openWorld();
    expect((await call('GET /users/700')).body).toMatchObject({ name: 'Ada Lovelace', bio: '1815' });
    expect((await call('GET /users/4')).body).toMatchObject({ username: 'devon', name: 'Devon Renamed' });
    expect((await call('GET /groups/tools')).body.description).toBe('yes');
    const project = { path_with_namespace: 'tools/hammer', created_at: '2020-01-02T03:04:05Z' };
    expect((await call('GET /projects/900')).body).toMatchObject(project);
    const ada = { as: 'none', headers: { 'private-token': 'ada-token-1' } };
    const hook = await call('POST /groups/tools/hooks', { ...ada, json: { url: 'http://a.example' } });
    expect(hook.status).toBe(201);
    // Gus is a Guest of acme in the seed data, and now a Maintainer.
    const json = { key: 'BY_GUS', value: 'x' };
    expect((await call('POST /projects/100/variables', { as: 'guest', json })).status).toBe(201);
  });

  test('applies its state documents', async () => {
    const { ask: call } = await openWorld();
    const variables = (await call('GET /projects/900/variables')).body;
    expect(variables).toMatchObject([
      { key: 'LOG_LEVEL', value: '1e3' },
      { key: 'KEY', value: 'secret', variable_type: 'file' },
    ]);
    expect((await call('GET /projects/900/error_tracking/settings')).body.active).toBe(true);
    expect((await call('GET /projects/900/repository/branches/main')).body.protected).toBe(true);
    expect((await call('GET /groups/tools/wikis/Home')).body.content).toBe('# Tools');
    expect((await call('GET /projects/100/badges?name=docs')).body).toHaveLength(1);
  });

  test('deletes what a document without entries declares absent', async () => {
    const { ask: call } = await open(`${state}variables: { absent: [{ key: DEPLOY_USER }] }\n`);
    expect((await call('GET /projects/100/variables/DEPLOY_USER')).status).toBe(404);
  });

  test.each(Object.keys(resources))('applies %s', async (kind) => {
    const plain = await openTestSandbox();
    const { sandbox } = await open(changesByKind[kind] ?? '');
    expect(tablesOf(sandbox)).not.toEqual(tablesOf(plain.sandbox));
  });

  test('is applied again after a reset, without the file and the variable', async () => {
    const { ask: call, sandbox } = await openWorld();
    await rm(join(cwd, 'world.yaml'));
    await rm(join(cwd, 'key.pem'));
    await call('GET /projects/900');
    const before = tablesOf(sandbox);
    expect((await call('DELETE /projects/900/variables/KEY')).status).toBe(204);
    await sandbox.control.reset();
    expect(tablesOf(sandbox)).toEqual(before);
  });

  test('is applied again after a reset by a later process, and no snapshot shows it', async () => {
    const storage = { dir: join(cwd, 'data') };
    await writeFile(join(cwd, 'world.yaml'), 'groups: [{ full_path: tools }]\n');
    const content = await readSeedFile('world.yaml', { cwd, env: {} });
    await (await openStored(storage, { ...content, tier: 'premium' })).close();
    const { control, world } = await openStored(storage);
    world.table('groups').insert({ full_path: 'later' });
    await control.reset();
    expect(world.table('groups').all().at(-1)).toMatchObject({ full_path: 'tools' });
    expect(world.table('licenses').find(({ plan }) => plan === 'premium')).toBeDefined();
    expect(await control.snapshots.list()).toEqual([]);
  });

  test('is applied before the license and the spam check of the sandbox, and calls no webhook', async () => {
    const { url, calls } = await openReceiver();
    const hook = `svc: 1\ngroup: acme\nhooks: [{ url: "${url}", wiki_page_events: true }]\n`;
    const page = 'svc: 1\ngroup: acme\nwikis: [{ title: New, content: x }]\n';
    const snippet =
      'svc: 1\nproject: 100\nsnippets: [{ title: T, visibility: public, files: [{ file_path: a, content: b }] }]\n';
    const opened = await open([hook, page, snippet].join('---\n'), { tier: 'free', spam: 'reject' });
    const { body } = await opened.ask('GET /projects/100/snippets');
    expect(body.map(({ title }: { title: string }) => title)).toContain('T');
    expect((await opened.ask('GET /groups/10/wikis/New')).status).toBe(403);
    await opened.sandbox.close();
    expect(calls).toEqual([]);
  });

  test('may be JSON', async () => {
    const { ask: call } = await open('{"svc":1,"project":100,"variables":[{"key":"A_1","value":"x"}]}');
    expect((await call('GET /projects/100/variables/A_1')).body.value).toBe('x');
  });
});

const state = 'svc: 1\nproject: acme/rocket\n';

describe('an error has a file, a line and a column', () => {
  test.each([
    ['', '1:1: the file is empty'],
    ['1\n', '1:1: expected users, groups or projects'],
    ['people: []\n', '1:1: unknown key "people"'],
    ['variables: []\n', 'variables and other settings follow in state documents'],
    ['users:\n  - username: ada\n    nmae: x\n', '3:5: unknown attribute "nmae" of a user'],
    ['users:\n  - username: ada\n    nmae: x\n', 'Did you mean name?'],
    ['users: [{ username: a, web_url: x }]\n', '1:24: unknown attribute "web_url"'],
    ['users:\n  - name: x\n', '2:5: username is missing'],
    ['users: [{ username: a, state: gone }]\n', '1:31: state must be one of active, blocked'],
    ['users: [{ username: "a b" }]\n', '1:21: username must consist of letters'],
    ['groups: [{ full_path: "a//b" }]\n', '1:23: full_path must consist of letters'],
    ['users: {}\n', '1:1: users must be a list'],
    ['users: [\n', '2:1: '],
    ['users: [{ username: a, token: { env: NOT_SET } }]\n', '1:31: the environment variable NOT_SET'],
    ['users:\n- { username: a }\n- { username: A }\n', '3:3: duplicate of the user at world.yaml:2:3'],
    ['users: [{ username: a, id: 4 }]\n', '1:9: id 4 belongs to devon'],
    ['users: [{ username: devon, id: 9999 }]\n', '1:9: devon has id 4, which cannot change'],
    ['users: [{ username: a, token: sandbox-admin }]\n', '1:9: another user has this token'],
    ['projects:\n  - path_with_namespace: acne/x\n', '2:5: no group "acne"\nDid you mean acme?'],
    ['projects:\n  - path_with_namespace: x\n', '2:5: x is not in a group'],
    [
      'groups: [{ full_path: g, members: [{ username: devn, access_level: 10 }] }]\n',
      '1:36: no user "devn"\nDid you mean devon?',
    ],
    [
      'groups: [{ full_path: g, members: [{ username: gus, access_level: 11 }] }]\n',
      '1:67: members.0.access_level must be one of',
    ],
    ['groups: [{ full_path: g, memberz: [] }]\n', 'Did you mean members?'],
    ['users: [{ username: a, members: [] }]\n', '1:24: unknown attribute "members" of a user'],
    ['users: []\n---\nproject: acme/rocket\n', '3:1: svc: 1 is missing'],
    ['users: []\n---\nsvc: 1\nvariables: []\n', '3:1: the document has no target'],
    ['svc: 1\nproject: acme/rokcet\n', '2:10: no project "acme/rokcet"'],
    ['users: []\n---\nsvc: 1\ngroup: nowhere\n', '4:8: no group "nowhere"'],
    ['svc: 1\nproject: acme/rocket-old\n', '2:10: no project "acme/rocket-old"'],
    [`${state}variabels: []\n`, '3:1: unknown kind "variabels"\nDid you mean variables?'],
    [`${state}wikis: []\n`, '3:1: wikis belong to a group, not to a project'],
    [`${state}variables:\n  - { key: A, vlaue: b }\n`, '4:15: unknown attribute "vlaue"'],
    [`${state}variables: [{ key: A, value: { env: NOT_SET } }]\n`, '3:30: the environment variable NOT_SET'],
    [`${state}variables: [{ key: A, value: { file: no.txt } }]\n`, '/no.txt: no such file'],
    [
      `${state}variables: [{ key: A, value: { file: /no/such/file } }]\n`,
      '3:30: file: cannot read /no/such/file: no such file',
    ],
    [`${state}variables: [{ key: A }]\n`, '3:13: value is missing, which the new variable A requires'],
    [`${state}variables:\n- { key: A, value: b }\n- { key: A, value: c }\n`, '5:3: duplicate'],
    [`${state}variables: [{ key: MASKED, value: a, masked: true }]\n`, '3:13: cannot create variable MASKED'],
    [
      'svc: 1\nproject: acme/website\nerror_tracking: { active: true }\n',
      '3:17: cannot read error_tracking: 404',
    ],
  ])('%j', async (content, message) => {
    const error = await errorOf(content);
    expect(error).toMatch(/^world\.yaml:\d+:\d+: /);
    expect(error).toContain(message);
  });

  test('and leaves no state behind', async () => {
    const dir = join(cwd, 'data');
    const start = async (value: string) => {
      const content = `${state}variables: [{ key: FIRST_1, value: x }, { key: SECOND_2, value: ${value}, masked: true }]\n`;
      await writeFile(join(cwd, 'world.yaml'), content);
      const seed = await readSeedFile('world.yaml', { cwd, env: {} });
      return openSandbox({ dir }, { now: () => noon, ...seed });
    };
    await expect(start('a')).rejects.toMatchObject({ message: expect.stringContaining('SECOND_2') });
    const sandbox = await start('long-enough');
    expect((await ask(sandbox, 'GET /projects/100/variables/FIRST_1')).status).toBe(200);
    await sandbox.close();
  });
});
