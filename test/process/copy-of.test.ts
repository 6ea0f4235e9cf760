/** `svc sandbox start --copy-of`: the settings of a project of a service, without its secrets. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Home, svc, testHome } from '../support/process.ts';
import { words } from '../support/svc.ts';

let home: Home;
let env: Record<string, string>;
beforeEach(async () => {
  home = await testHome();
  // The service that is copied.
  const started = await svc(home, words('sandbox start --memory --detach --json'));
  const { base_url, tokens } = JSON.parse(started.out) as { base_url: string; tokens: { admin: string } };
  env = { SVC_BASE_URL: base_url, SVC_TOKEN: tokens.admin };
});
afterEach(async () => {
  await svc(home, words('sandbox stop --data copy'));
  await svc(home, words('sandbox stop'));
});

test('has the settings of the project; secrets are replaced, and a note names them', async () => {
  const start = words('sandbox start --detach --data copy --copy-of /acme/rocket/ --json');
  const started = await svc(home, start, { env });
  expect(started.code, started.err).toBe(0);
  expect(started.err).toContain(
    'acme/rocket: values replaced by placeholders: variable API_TOKEN (scope *), variable HIDDEN_KEY (scope *)',
  );
  const { api_url: api, ids } = JSON.parse(started.out) as { api_url: string; ids: object };
  // Not the ids of seeded rows that the copy lacks.
  expect(ids).toEqual({ project: 100, project_path: 'acme/rocket', group: expect.any(Number) });
  const get = async (path: string, from = api) => {
    const response = await fetch(`${from}/projects/acme%2Frocket/${path}`, {
      headers: { 'private-token': 'sandbox-admin' },
    });
    return (await response.json()) as { [name: string]: unknown }[];
  };
  const original = `${env['SVC_BASE_URL']}/api/v4`;
  const copied = await get('variables');
  const scopes = copied.map(({ key, environment_scope }) => ({ key, environment_scope }));
  expect(await get('variables', original)).toMatchObject(scopes);
  const valueNamed = (key: string) => copied.find((row) => row['key'] === key)?.['value'];
  expect(valueNamed('API_TOKEN')).toBe('placeholder-value');
  expect(valueNamed('DEPLOY_USER')).toBe('deployer');
  expect((await get('protected_branches')).map(({ name }) => name)).toEqual(['main', 'release/1.x']);
  const [hook] = await get('hooks');
  expect(hook).toMatchObject({ url: 'http://127.0.0.1:9/deploys' });
});

test.each([
  ['--copy-of acme/none', 5, 'Project Not Found'],
  ['--copy-of acme/rocket --scale projects=3', 2, '--copy-of cannot be used with --seed-file or --scale'],
])('%s fails, and no sandbox runs', async (flags, code, message) => {
  const ran = await svc(home, words(`sandbox start --detach --data copy ${flags}`), { env });
  expect([ran.code, ran.out, ran.err]).toEqual([code, '', expect.stringContaining(message)]);
  expect((await svc(home, words('sandbox status --data copy --json'))).out).toContain('"running":false');
});

test('is rejected for an existing state', async () => {
  await svc(home, words('sandbox clock advance 1d --data copy'));
  const ran = await svc(home, words('sandbox start --detach --data copy --copy-of acme/rocket'), { env });
  expect(ran.code, ran.err).toBe(2);
  expect(ran.err).toContain('existing state');
});
