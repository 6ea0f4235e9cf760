import { expect, test } from 'vitest';
import { openWorld } from '../support/sandbox.ts';
import { forbidden, incomplete, missing, shows, unseen } from './scenario.ts';

const rocket = '--project acme/rocket';
const jobToken = { env: { SVC_TOKEN: '' } };

shows(
  `jobs list ${rocket}`,
  `jobs for-pipeline 1012 ${rocket}`,
  `jobs bridges 1012 ${rocket}`,
  'jobs current --auth job',
  'jobs allowed-agents --auth job',
);
missing(
  'jobs list --project acme/nowhere',
  `jobs for-pipeline 99999 ${rocket}`,
  `jobs bridges 99999 ${rocket}`,
);
unseen('outsider', 'jobs list --project acme/website');
forbidden('none', `jobs list ${rocket}`, 'jobs current');
incomplete(
  'jobs list',
  `jobs list ${rocket} --scope done`,
  `jobs for-pipeline ${rocket}`,
  `jobs for-pipeline x ${rocket}`,
);

test('rejects an access token for jobs current', async () => {
  const world = await openWorld();
  const ran = await world.run('jobs current', { env: { SVC_JOB_TOKEN: '' } });
  expect([ran.code, ran.out]).toEqual([4, '']);
  expect(ran.err).toMatch(/job token/);
});

test('filters jobs by scope', async () => {
  const world = await openWorld();
  for (const scopes of ['failed', 'running,manual']) {
    const statuses = (await world.json(`jobs list ${rocket} --scope ${scopes} --all`)).map(
      ({ status }: { status: string }) => status,
    );
    expect([...new Set(statuses)].sort()).toEqual(scopes.split(',').sort());
  }
});

test('lists retried jobs only with --include-retried', async () => {
  const world = await openWorld();
  const latest = await world.json(`jobs for-pipeline 1012 ${rocket} --all`);
  const all = await world.json(`jobs for-pipeline 1012 ${rocket} --include-retried --all`);
  expect(all.length).toBeGreaterThan(latest.length);
});

test('prints the downstream pipeline of bridges', async () => {
  const world = await openWorld();
  const bridges = await world.json(`jobs bridges 1012 ${rocket}`);
  expect(
    bridges.map((one: { downstream_pipeline: { id: number } | null }) => one.downstream_pipeline?.id),
  ).toContain(1013);
});

test('prints the job of the token with current and allowed-agents', async () => {
  const world = await openWorld();
  expect((await world.json('jobs current', jobToken)).id).toBe(5280);
  expect(await world.json('jobs allowed-agents', jobToken)).toMatchObject({
    job: { id: 5280 },
    pipeline: { id: 1012 },
    project: { id: 100 },
    user: { id: 4 },
  });
});
