import { expect, test } from 'vitest';
import { openWorld } from '../support/sandbox.ts';
import { forbidden, incomplete, missing, rejected, shows, unseen } from './scenario.ts';

const rocket = '--project acme/rocket';

shows(`approvals get ${rocket}`);
missing('approvals get --project acme/nowhere');
unseen('outsider', 'approvals get --project acme/website');
forbidden('developer', `approvals update ${rocket} --reset-approvals-on-push`);
forbidden('none', `approvals get ${rocket}`, `approvals update ${rocket} --reset-approvals-on-push`);
incomplete('approvals get', `approvals update ${rocket} --reset-approvals-on-push=maybe`);
rejected(`approvals update ${rocket} --reset-approvals-on-push --selective-code-owner-removals`);

test('updates and returns the settings', async () => {
  const world = await openWorld();
  const before = await world.json(`approvals get ${rocket}`);
  expect([before.approvers, before.approver_groups]).toEqual([[], []]);
  const flag = before.merge_requests_author_approval ? '--no-merge' : '--merge';
  const after = await world.json(`approvals update ${rocket} ${flag}-requests-author-approval`);
  expect(after.merge_requests_author_approval).toBe(!before.merge_requests_author_approval);
  expect(await world.json(`approvals get ${rocket}`)).toEqual(after);
});
