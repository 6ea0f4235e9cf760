/** Feature flags: what depends on one is absent without it (sections 4.5, 4.20, 8 and 9). */
import { expect, test } from 'vitest';
import { calls } from '../support/catalogue.ts';
import { openReceiver } from '../support/receiver.ts';
import { openTestSandbox } from './ask.ts';

const rule = { name: 'New', approvals_required: 1 };
const rules = [
  ['GET /groups/10/approval_rules', undefined],
  ['POST /groups/10/approval_rules', rule],
  ['PUT /groups/10/approval_rules/41', { approvals_required: 2 }],
] as const;

test('the catalogue has a feature for exactly what the specification puts behind a flag', () => {
  const absent = calls.filter(({ endpoint }) => endpoint.access.feature);
  expect(absent.map(({ endpoint }) => `${endpoint.method} ${endpoint.path}`).sort()).toEqual([
    'GET /groups/:id/approval_rules',
    'POST /groups/:id/approval_rules',
    'PUT /groups/:id/approval_rules/:approval_rule_id',
  ]);
  const ignored = calls.flatMap(({ endpoint: { method, path, takes } }) =>
    Object.entries(takes).flatMap(([name, { feature }]) => (feature ? [`${method} ${path} ${name}`] : [])),
  );
  expect(ignored.sort()).toEqual(['POST /groups/:id/epics color', 'PUT /groups/:id/epics/:epic_iid color']);
});

test.each(rules)('%s does not exist without approval_group_rules', async (call, json) => {
  const how = json ? { json } : {};
  expect((await (await openTestSandbox()).ask(call, how)).status).toBeLessThan(300);
  const { ask } = await openTestSandbox({ withoutFeatures: ['approval_group_rules'] });
  const { status, body } = await ask(call, how);
  expect([status, body]).toEqual([404, { message: '404 Not Found' }]);
  expect((await ask(call, { ...how, as: 'none' })).status).toBe(401);
  expect((await ask(call, { ...how, as: 'guest' })).status).toBe(404);
});

test('the color of an epic is ignored without epic_color', async () => {
  const create = { json: { title: 'T', color: '#ff0000' } };
  const colorOf = async ({ ask }: Awaited<ReturnType<typeof openTestSandbox>>) => {
    const { status, body } = await ask('POST /groups/10/epics', create);
    expect(status).toBe(201);
    const changed = await ask(`PUT /groups/10/epics/${body.iid}`, { json: { color: '#00ff00', title: 'U' } });
    expect(changed.body.title).toBe('U');
    return [body.color, changed.body.color];
  };
  expect(await colorOf(await openTestSandbox())).toEqual(['#ff0000', '#00ff00']);
  const without = await openTestSandbox({ withoutFeatures: ['epic_color'] });
  expect(await colorOf(without)).toEqual(['#1068bf', '#1068bf']);
});

test('resends are not limited without web_hook_event_resend_api_endpoint_rate_limit', async () => {
  const { url } = await openReceiver();
  const statuses = async ({ ask }: Awaited<ReturnType<typeof openTestSandbox>>) => {
    await ask('PUT /groups/10/hooks/301', { json: { url } });
    const all: number[] = [];
    for (let index = 0; index < 6; index++)
      all.push((await ask('POST /groups/10/hooks/301/events/401/resend')).status);
    return all;
  };
  expect(await statuses(await openTestSandbox())).toEqual([201, 201, 201, 201, 201, 429]);
  const name = 'web_hook_event_resend_api_endpoint_rate_limit';
  expect(await statuses(await openTestSandbox({ withoutFeatures: [name] }))).toEqual(Array(6).fill(201));
});

test('features stay off after a reset', async () => {
  const { ask, sandbox } = await openTestSandbox({ withoutFeatures: ['approval_group_rules'] });
  await sandbox.control.reset();
  expect((await ask('GET /groups/10/approval_rules')).status).toBe(404);
});
