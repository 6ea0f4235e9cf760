/** `svc sandbox start --copy-of` and `--seed-file`: a sandbox with the settings of a project of a service, or with those of a file. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Home, svc, testHome } from '../support/process.ts';
import { words } from '../support/svc.ts';

let home: Home;
/** The service that is copied, and a variable that the file reads. */
let env: Record<string, string>;
beforeEach(async () => {
  home = await testHome();
  const started = await svc(home, words('sandbox start --memory --detach --json'));
  const { base_url, tokens } = JSON.parse(started.out) as { base_url: string; tokens: { admin: string } };
  env = { SVC_BASE_URL: base_url, SVC_TOKEN: tokens.admin, REGION: 'north' };
  const variables = 'variables: [{ key: REGION, value: { env: REGION } }]';
  await writeFile(join(home.path, 'world.yaml'), `svc: 1\nproject: acme/rocket\n${variables}\n`);
  await writeFile(join(home.path, 'wrong.yaml'), 'svc: 1\nproject: acme/rokcet\n');
});
afterEach(async () => {
  await svc(home, words('sandbox stop --data copy'));
  await svc(home, words('sandbox stop'));
});

const startWith = (flags: string) => svc(home, words(`sandbox start --data copy ${flags}`), { env });

const get = async (api: string, path: string) => {
  const headers = { 'private-token': 'sandbox-admin' };
  const response = await fetch(`${api}/projects/acme%2Frocket/${path}`, { headers });
  return (await response.json()) as { [name: string]: unknown }[];
};
const valueNamed = (key: string, variables: readonly { [name: string]: unknown }[]) =>
  variables.find((row) => row['key'] === key)?.['value'];

test('a copy has the settings of the project; secrets are replaced, and a note names them', async () => {
  const started = await startWith('--detach --json --copy-of /acme/rocket/');
  expect(started.code, started.err).toBe(0);
  expect(started.err).toContain(
    'acme/rocket: values replaced by placeholders: variable API_TOKEN (scope *), variable HIDDEN_KEY (scope *)',
  );
  expect(started.err).toContain('acme/rocket: webhooks are copied without their secret tokens');
  const { api_url: api, ids } = JSON.parse(started.out) as { api_url: string; ids: object };
  // Not the ids of seeded rows that the copy lacks.
  expect(ids).toEqual({ project: 100, project_path: 'acme/rocket', group: expect.any(Number) });
  const copied = await get(api, 'variables');
  const scopes = copied.map(({ key, environment_scope }) => ({ key, environment_scope }));
  expect(await get(`${env['SVC_BASE_URL']}/api/v4`, 'variables')).toMatchObject(scopes);
  expect(valueNamed('API_TOKEN', copied)).toBe('placeholder-value');
  expect(valueNamed('DEPLOY_USER', copied)).toBe('deployer');
  expect((await get(api, 'protected_branches')).map(({ name }) => name)).toEqual(['main', 'release/1.x']);
  const [hook] = await get(api, 'hooks');
  expect(hook).toMatchObject({ url: 'http://127.0.0.1:9/deploys' });
});

test('a seed file is applied in the background too, with the variables of the environment', async () => {
  const started = await startWith('--detach --json --seed-file world.yaml');
  expect(started.code, started.err).toBe(0);
  const { api_url: api } = JSON.parse(started.out) as { api_url: string };
  expect(valueNamed('REGION', await get(api, 'variables'))).toBe('north');
});

const together = '--copy-of cannot be used with --seed-file or --scale';
test.each([
  ['--detach --copy-of acme/none', 5, 'Project Not Found'],
  ['--detach --copy-of acme/rocket --scale projects=3', 2, together],
  ['--detach --seed-file wrong.yaml', 2, 'error: wrong.yaml:2:10: '],
  ['--seed-file wrong.yaml', 2, 'error: wrong.yaml:2:10: '],
])('%s fails, and no sandbox runs', async (flags, code, message) => {
  const ran = await startWith(flags);
  expect([ran.code, ran.out, ran.err]).toEqual([code, '', expect.stringContaining(message)]);
  expect((await svc(home, words('sandbox status --data copy --json'))).out).toContain('"running":false');
});

test.each([
  ['--detach --copy-of acme/rocket', 'existing state'],
  ['--seed-file world.yaml', 'tier or feature flags to an existing state'],
])('%s is rejected for an existing state', async (flags, message) => {
  await svc(home, words('sandbox clock advance 1d --data copy'));
  const { code, err } = await startWith(flags);
  expect([code, err]).toEqual([2, expect.stringContaining(message)]);
});
