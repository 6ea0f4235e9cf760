/** `svc sandbox start|exec --seed-file`: users, groups and projects of a YAML file. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Home, makeHome, svc } from '../support/process.ts';
import { words } from '../support/svc.ts';

let home: Home;
beforeEach(async () => {
  home = await makeHome();
});
afterEach(async () => {
  await svc(home, words('sandbox stop'));
  await home.remove();
});

const world = `
users:
  - { username: ada, name: Ada Lovelace, token: ada-token-1 }
  - { username: devon, name: Devon Renamed }
groups:
  - full_path: tools
    visibility: public
    members: [{ username: ada, access_level: 50 }]
projects:
  - path_with_namespace: tools/hammer
    description: yes
`;
const write = (content: string) => writeFile(join(home.path, 'world.yaml'), content);

describe('--seed-file', () => {
  test('adds and changes users, groups and projects', async () => {
    await write(world);
    const started = await svc(home, words('sandbox start --memory --detach --seed-file world.yaml --json'));
    expect(started.code, started.err).toBe(0);
    const { api_url: api } = JSON.parse(started.out) as { api_url: string };
    const get = async (path: string, token = 'ada-token-1') =>
      fetch(`${api}${path}`, { headers: { 'private-token': token } });
    expect((await get('/projects/tools%2Fhammer/variables')).status).toBe(200);
    expect((await get('/projects/tools%2Fhammer/variables', 'sandbox-guest')).status).toBe(404);
    expect((await get('/projects/tools%2Fhammer/repository/branches/main')).status).toBe(200);
    expect(await (await get('/users/4')).json()).toMatchObject({ username: 'devon', name: 'Devon Renamed' });
    const projects = await (await get('/projects')).json();
    expect(projects).toContainEqual(
      expect.objectContaining({ path_with_namespace: 'tools/hammer', description: 'yes' }),
    );
    await fetch(`${api.replace('/api/v4', '')}/-/sandbox/reset`, { method: 'POST' });
    expect((await get('/projects/tools%2Fhammer/variables')).status).toBe(200);
  });

  test.each([
    ['users:\n  - username: ada\n    nmae: x\n', 'world.yaml:3:5: unknown key "nmae"'],
    ['people: []\n', 'world.yaml:1:1: unknown key "people"'],
    ['users:\n  - name: x\n', 'world.yaml:2:5: username is missing'],
    ['users: [{ username: a, state: gone }]\n', 'world.yaml:1:31: state '],
    ['users: {}\n', 'world.yaml:1:8: expected a list'],
    ['users: []\n---\nsvc: 1\n', 'world.yaml:3:1: expected one document'],
    ['users: [\n', 'world.yaml:2:1: '],
    ['projects:\n  - path_with_namespace: none/x\n', 'the seed file has no group "none" for none/x'],
    [
      'groups: [{ full_path: g, members: [{ username: nn, access_level: 10 }] }]\n',
      'a member that is no user: "nn"',
    ],
  ])('%j is rejected', async (content, message) => {
    await write(content);
    const { code, err } = await svc(home, words('sandbox exec --seed-file world.yaml -- true'));
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });

  test('is rejected if it does not exist, and for an existing state', async () => {
    const absent = await svc(home, words('sandbox start --memory --seed-file none.yaml'));
    expect([absent.code, absent.err]).toEqual([2, expect.stringContaining('none.yaml: no such file')]);
    await write(world);
    await svc(home, words('sandbox clock'));
    const existing = await svc(home, words('sandbox start --seed-file world.yaml'));
    expect([existing.code, existing.err]).toEqual([
      2,
      expect.stringContaining('cannot apply a seed file to an existing state'),
    ]);
  });
});
