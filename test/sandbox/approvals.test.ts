/** Approvals and approval rules (section 4.5). */
import { describe, expect, test } from 'vitest';
import { ids, sandboxPerTest } from './ask.ts';

const ask = sandboxPerTest();

const settings = '/projects/acme%2Frocket/approvals';
const rules = '/projects/acme%2Frocket/approval_rules';
const groupRules = '/groups/acme/approval_rules';

describe('approvals', () => {
  test('stores a change for its project only', async () => {
    const before = await ask(`GET ${settings}`, { as: 'outsider' });
    expect(before.body).toMatchObject({ approvers: [], approver_groups: [], approvals_before_merge: 0 });
    const changes = {
      reset_approvals_on_push: false,
      selective_code_owner_removals: true,
      merge_requests_author_approval: true,
      require_password_to_approve: true,
      approvals_before_merge: 2,
    };
    const updated = await ask(`POST ${settings}`, { as: 'maintainer', json: changes });
    expect([updated.status, updated.body]).toEqual([201, { ...before.body, ...changes }]);
    expect((await ask(`GET ${settings}`)).body).toEqual(updated.body);
    expect((await ask('GET /projects/101/approvals')).body).toEqual(before.body);
  });

  test('allows selective_code_owner_removals only without reset_approvals_on_push', async () => {
    const enabled = { reset_approvals_on_push: false, selective_code_owner_removals: true };
    await ask(`POST ${settings}`, { json: enabled });
    expect((await ask(`POST ${settings}`, { json: { reset_approvals_on_push: true } })).status).toBe(400);
    expect((await ask(`GET ${settings}`)).body).toMatchObject({ reset_approvals_on_push: false });
  });
});

test('lists the rules of a project with their users and branches', async () => {
  const { body, headers } = await ask(`GET ${rules}`, { as: 'reporter' });
  expect([ids(body), headers.get('x-total')]).toEqual([[31, 32], '2']);
  expect(ids((await ask(`GET ${rules}?per_page=1&page=2`)).body)).toEqual([32]);
  const one = (await ask(`GET ${rules}/31`)).body;
  expect(one).toEqual(body[0]);
  expect(one).toMatchObject({
    rule_type: 'regular',
    report_type: null,
    contains_hidden_groups: false,
    applies_to_all_protected_branches: false,
    groups: [{ id: 10, full_path: 'acme', web_url: 'http://sandbox.localhost/groups/acme' }],
    protected_branches: [{ name: 'main', push_access_levels: [{ access_level: 40 }] }],
  });
  expect(ids(one.users)).toEqual([3, 4]);
  // Members of acme from Developer up; user 9 is blocked and cannot approve.
  expect(ids(one.eligible_approvers)).toEqual([2, 3, 4, 12, 13]);
  expect(body[1]).toMatchObject({ applies_to_all_protected_branches: true, users: [] });
  expect(body[1].protected_branches).toHaveLength(2);
});

describe('approval rules of a group', () => {
  test('creates, updates and lists rules', async () => {
    const json = {
      name: 'Launch',
      approvals_required: 1,
      rule_type: 'regular',
      user_ids: [3, 3, 999, 5],
      group_ids: [10, 998],
    };
    const created = await ask(`POST ${groupRules}`, { as: 'owner', json });
    expect(created.status).toBe(201);
    expect(ids(created.body.users)).toEqual([3, 5]);
    expect(ids(created.body.groups)).toEqual([10]);
    expect(ids(created.body.eligible_approvers)).toEqual([2, 3, 4, 12, 13]);
    const { id } = created.body;
    const at = `${groupRules}/${id}`;
    const changes = { name: 'Launch', approvals_required: 3, group_ids: [] };
    const updated = await ask(`PUT ${at}`, { as: 'owner', json: changes });
    expect(updated.body).toMatchObject({ id, name: 'Launch', approvals_required: 3, groups: [] });
    expect(ids(updated.body.eligible_approvers)).toEqual([3]);
    expect((await ask(`GET ${groupRules}`)).body).toContainEqual(updated.body);
  });

  test('reports hidden groups without showing them', async () => {
    const json = { name: 'Hidden', approvals_required: 1, rule_type: 'regular', group_ids: [12] };
    await ask(`POST ${groupRules}`, { json });
    const named = (rows: { name: string }[]) => rows.find(({ name }) => name === 'Hidden');
    expect(named((await ask(`GET ${groupRules}`)).body)).toMatchObject({ contains_hidden_groups: false });
    const seen = named((await ask(`GET ${groupRules}`, { as: 'owner' })).body);
    expect(seen).toMatchObject({ contains_hidden_groups: true, groups: [] });
  });
});
