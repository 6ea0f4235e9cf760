import { area, callsIn, under } from '../spec/compose.ts';
import { endpoint, one } from '../spec/endpoint.ts';
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

const common = {
  section: '4.5',
  returns: one(configuration),
  columns: [
    'reset_approvals_on_push',
    'selective_code_owner_removals',
    'disable_overriding_approvers_per_merge_request',
    'merge_requests_author_approval',
    'merge_requests_disable_committers_approval',
    'require_reauthentication_to_approve',
  ],
  access: { role: 'user', tier: 'premium' },
} as const;

const get = endpoint('GET approvals', {
  ...common,
  command: 'get',
  summary: 'Show the approval settings of a project',
  examples: [
    { does: 'Show the current settings', run: 'approvals get --project acme/rocket' },
    {
      does: 'Print one setting for a script',
      run: 'approvals get --project acme/rocket --fields merge_requests_author_approval -o tsv --no-header',
    },
  ],
});

const update = endpoint('POST approvals', {
  ...common,
  command: 'update',
  summary: 'Change the approval settings of a project',
  doc: 'Omitted settings keep their values.',
  takes: omit(configuration, 'approvers', 'approver_groups'),
  done: 'Updated the approval settings of {scope}',
  examples: [
    {
      does: 'Prevent authors and committers from approving',
      run: 'approvals update --project acme/rocket --no-merge-requests-author-approval --merge-requests-disable-committers-approval',
    },
    {
      does: 'Remove only affected approvals of code owners after a push',
      run: 'approvals update --project acme/rocket --no-reset-approvals-on-push --selective-code-owner-removals',
    },
  ],
});

export const approvals = resource({
  kind: 'approvals',
  noun: 'approval settings',
  calls: [callsIn(project, { get, update })],
  identity: [],
});

export default area(
  under(project, [get, update]),
  'These settings apply to all merge requests of a project. Use `svc approval-rules` to set approvers and the number of approvals.',
);
