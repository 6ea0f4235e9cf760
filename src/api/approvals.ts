import { area, inArea } from '../spec/compose.ts';
import { bool, int, list, object, omit } from '../spec/field.ts';
import { resource } from '../spec/resource.ts';
import { project } from './scopes.ts';

const configuration = {
  approvers: list(object('User'), 'Always empty', { deprecated: 'use svc approval-rules' }),
  approver_groups: list(object('Group'), 'Always empty', { deprecated: 'use svc approval-rules' }),
  reset_approvals_on_push: bool('Remove all approvals after a push'),
  selective_code_owner_removals: bool(
    'Remove approvals of code owners after a push that changes their files; requires reset_approvals_on_push to be off',
  ),
  disable_overriding_approvers_per_merge_request: bool('Prevent changes to approval rules in merge requests'),
  merge_requests_author_approval: bool('Allow authors to approve their own merge requests'),
  merge_requests_disable_committers_approval: bool('Prevent approval by users who added commits'),
  require_reauthentication_to_approve: bool('Require users to sign in again to approve'),
  approvals_before_merge: int('Number of approvals required before a merge', {
    deprecated: 'use svc approval-rules',
  }),
  require_password_to_approve: bool('Require the password of the user to approve', {
    deprecated: 'use --require-reauthentication-to-approve',
  }),
};

const endpoint = inArea('approvals', {
  noun: 'approval settings',
  scope: project,
  access: { role: 'user', tier: 'premium' },
  fields: configuration,
  details: [
    'reset_approvals_on_push',
    'selective_code_owner_removals',
    'disable_overriding_approvers_per_merge_request',
    'merge_requests_author_approval',
    'merge_requests_disable_committers_approval',
    'require_reauthentication_to_approve',
  ],
});

const get = endpoint('GET approvals', {});

const update = endpoint('POST approvals', {
  command: 'update',
  doc: 'Omitted settings keep their values.',
  takes: omit(configuration, 'approvers', 'approver_groups'),
  examples: {
    'Prevent authors and committers from approving':
      '--no-merge-requests-author-approval --merge-requests-disable-committers-approval',
  },
});

export const approvals = resource({
  kind: 'approvals',
  noun: 'approval settings',
  calls: [{ get, update }],
});

export default area(
  [get, update],
  'These settings apply to all merge requests of a project. Use `svc approval-rules` to set approvers and the number of approvals.',
);
