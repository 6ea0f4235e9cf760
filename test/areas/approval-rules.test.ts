import { expect, test } from 'vitest';
import { openWorld } from '../support/sandbox.ts';
import { forbidden, incomplete, missing, rejected, shows } from './scenario.ts';

const group = '--group acme';

shows(
  'approval-rules list --project acme/rocket',
  `approval-rules list ${group}`,
  'approval-rules get 31 --project acme/rocket',
);
missing(
  'approval-rules get 999 --project acme/rocket',
  'approval-rules get 31 --project acme/website',
  `approval-rules update 999 ${group} --name x`,
  'approval-rules delete 999 --project acme/rocket --yes',
  'approval-rules list --project acme/nowhere',
);
forbidden(
  'developer',
  `approval-rules list ${group}`,
  `approval-rules create ${group} --name x --approvals-required 1`,
  'approval-rules create --project acme/rocket --name x --approvals-required 1',
  'approval-rules delete 31 --project acme/rocket --yes',
);
forbidden('none', 'approval-rules list --project acme/rocket', `approval-rules list ${group}`);
incomplete(
  'approval-rules delete 31 --project acme/rocket',
  `approval-rules delete 41 ${group} --yes`,
  `approval-rules create ${group} --name x`,
  `approval-rules create ${group} --approvals-required 1`,
  `approval-rules create ${group} --name x --approvals-required many`,
  `approval-rules create ${group} --name x --approvals-required 1 --rule-type other`,
  'approval-rules get 31 --group acme',
);
rejected(`approval-rules create ${group} --name Security --approvals-required 1`);

test('creates, lists and updates rules', async () => {
  const world = await openWorld();
  const rule = await world.json(
    `approval-rules create ${group} --name QA --approvals-required 2 --rule-type regular --user-ids 2,3`,
  );
  expect(rule).toMatchObject({ name: 'QA', approvals_required: 2, rule_type: 'regular' });
  expect(rule.users.map(({ id }: { id: number }) => id)).toEqual([2, 3]);
  expect(await world.json(`approval-rules list ${group}`)).toContainEqual(rule);
  const changed = await world.json(
    `approval-rules update ${rule.id} ${group} --approvals-required 1 --user-ids 4`,
  );
  expect(changed).toMatchObject({ id: rule.id, name: 'QA', approvals_required: 1 });
  expect(changed.users.map(({ id }: { id: number }) => id)).toEqual([4]);
});

test('shows the branches that project rules apply to', async () => {
  const world = await openWorld();
  const rules = await world.json('approval-rules list --project acme/rocket');
  expect(rules.map(({ id }: { id: number }) => id)).toEqual([31, 32]);
  expect(await world.json('approval-rules get 31 --project acme/rocket')).toEqual(rules[0]);
});

test('names the approvers in the table', async () => {
  const world = await openWorld();
  for (const how of [{}, { terminal: 80, env: { NO_COLOR: '1' } }]) {
    const { out } = await world.run('approval-rules list --project acme/rocket', how);
    const [header = '', engines] = out.split('\n');
    expect(header).toMatch(/USERS +GROUPS/);
    expect(engines).toMatch(/Engines.* mia, devon +acme\b/);
  }
});
