/** `svc sandbox start|exec --seed-file`: users, groups, projects and state documents of a YAML file. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Home, svc, testHome } from '../support/process.ts';
import { words } from '../support/svc.ts';

let home: Home;
beforeEach(async () => {
  home = await testHome();
});
afterEach(() => svc(home, words('sandbox stop')));

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
---
svc: 1
project: tools/hammer
variables: [{ key: REGION, value: { env: REGION } }]
`;
const write = (content: string) => writeFile(join(home.path, 'world.yaml'), content);

test('adds users, groups, projects and the settings of state documents', async () => {
  await write(world);
  const started = await svc(home, words('sandbox start --memory --detach --seed-file world.yaml --json'), {
    env: { REGION: 'north' },
  });
  expect(started.code, started.err).toBe(0);
  const { api_url: api } = JSON.parse(started.out) as { api_url: string };
  const get = async (path: string, token = 'ada-token-1') =>
    fetch(`${api}${path}`, { headers: { 'private-token': token } });
  const variables = async () => (await get('/projects/tools%2Fhammer/variables')).json();
  expect(await variables()).toMatchObject([{ key: 'REGION', value: 'north' }]);
  await fetch(`${api.replace('/api/v4', '')}/-/sandbox/reset`, { method: 'POST' });
  expect(await variables()).toMatchObject([{ key: 'REGION', value: 'north' }]);
});

test.each(['--memory', '--detach'])('start %s fails, and no sandbox runs', async (flags) => {
  await write('svc: 1\nproject: acme/rokcet\n');
  const { code, out, err } = await svc(home, words(`sandbox start ${flags} --seed-file world.yaml`));
  expect([code, out, err]).toEqual([2, '', expect.stringContaining('error: world.yaml:2:10: ')]);
  expect((await svc(home, words('sandbox status --json'))).out).toContain('"running":false');
});

test('a seed file is rejected for an existing state', async () => {
  await write(world);
  await svc(home, words('sandbox clock advance 1d'));
  const start = words('sandbox start --seed-file world.yaml');
  const { code, err } = await svc(home, start, { env: { REGION: 'north' } });
  expect(code).toBe(2);
  expect(err).toContain('cannot apply a seed file to an existing state');
});
