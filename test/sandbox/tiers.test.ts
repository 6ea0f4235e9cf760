/** Tiers: areas that require a license (section 1) return 403 without one (section 7). */
import { describe, expect, test } from 'vitest';
import { calls } from '../support/catalogue.ts';
import { openTestSandbox } from './ask.ts';
import { seededCalls } from './seeded-calls.ts';

/** Transcribed by hand from section 1. */
const premium = ['approvals', 'approval-rules', 'wikis', 'hooks', 'epics'];
const ultimate = ['dependency-exports'];

/** Webhooks of projects, which the specification does not show, need no license. */
const isFree = (route: string) => route.includes('/projects/:id/hooks');

const expire = (plan?: string) => async () => {
  const opened = await openTestSandbox();
  for (const id of [1, 2]) await opened.ask(`DELETE /license/${id}`);
  if (plan)
    expect((await opened.ask('POST /license', { json: { license: `${plan} license` } })).body.plan).toBe(
      plan,
    );
  return opened;
};

test('the catalogue has a tier for exactly the endpoints that section 1 limits', () => {
  for (const { entry, endpoint, title, route } of calls) {
    const tier = Object.entries({ premium, ultimate }).find(([, areas]) => areas.includes(entry.name))?.[0];
    expect([title, endpoint.access.tier]).toEqual([title, isFree(route) ? undefined : tier]);
  }
});

const gated = seededCalls('GET', 'DELETE').filter(
  ({ entry, route }) => [...premium, ...ultimate].includes(entry.name) && !isFree(route),
);

const withTier = (tier: 'free' | 'premium' | 'ultimate') => () => openTestSandbox({ tier });

describe.each([
  ['with --tier free', withTier('free'), []],
  ['with --tier premium', withTier('premium'), premium],
  ['with --tier ultimate', withTier('ultimate'), [...premium, ...ultimate]],
  ['without a license', expire(), []],
  ['with a Premium license', expire('premium'), premium],
  ['with an Ultimate license', expire('ultimate'), [...premium, ...ultimate]],
] as const)('%s', (_, open, areas) => {
  test.each(gated.map((call) => [call.title, call] as const))(
    '%s',
    async (_title, { entry, request, how }) => {
      const { ask } = await open();
      const { status, body } = await ask(request, how);
      if (areas.some((name) => name === entry.name)) expect(status).toBeLessThan(300);
      else expect([status, body.message]).toEqual([403, expect.stringMatching(/^403 Forbidden/)]);
    },
  );
});

test('an expired license unlocks no tier', async () => {
  const { sandbox, ask } = await openTestSandbox();
  const table = sandbox.world.table('licenses');
  for (const row of table.all()) table.update(row, { expires_at: '2026-03-31' });
  expect((await ask('GET /groups/10/epics')).status).toBe(403);
  expect((await ask('POST /groups/10/wikis', { json: { title: 'a', content: 'b' } })).status).toBe(403);
  expect((await ask('GET /projects/100/jobs')).status).toBe(200);
});

test('client keys require the scope api (section 5)', async () => {
  const { ask } = await openTestSandbox();
  for (const call of [
    'GET /projects/100/error_tracking/client_keys',
    'POST /projects/100/error_tracking/client_keys',
  ]) {
    const { status, body } = await ask(call, { as: 'readonly' });
    expect([status, body.error, body.scope]).toEqual([403, 'insufficient_scope', 'api']);
  }
  expect((await ask('GET /projects/100/error_tracking/settings', { as: 'readonly' })).status).toBe(200);
});
