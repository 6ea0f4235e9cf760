import { area, under } from '../spec/compose.ts';
import { endpoint, one } from '../spec/endpoint.ts';
import { bool, int, list, object, omit } from '../spec/field.ts';
import { project } from './scopes.ts';

const configuration = {
  approvers: list(object('User'), 'Always empty', { deprecated: 'use svc approval-rules' }),
  approver_groups: list(object('Group'), 'Always empty', { deprecated: 'use svc approval-rules' }),
  reset_approvals_on_push: bool('A push takes all approvals back'),
  selective_code_owner_removals: bool(
    'A push takes back only the approvals of code owners whose files it changes; needs reset_approvals_on_push off',
  ),
  disable_overriding_approvers_per_merge_request: bool('A merge request cannot change who must approve it'),
  merge_requests_author_approval: bool('Authors may approve their own merge requests'),
  merge_requests_disable_committers_approval: bool('Prevent approval by users who added commits'),
  require_reauthentication_to_approve: bool('Approving asks the user to sign in again'),
  approvals_before_merge: int('How many approvals a merge needs', { deprecated: 'use svc approval-rules' }),
  require_password_to_approve: bool('Approving asks for the password', {
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

export default area(
  under(project, [
    endpoint('GET approvals', {
      ...common,
      command: 'get',
      summary: 'Show how merge requests of a project are approved',
      examples: [
        { does: 'The settings in effect', run: 'approvals get --project acme/rocket' },
        {
          does: 'May authors approve their own work?',
          run: 'approvals get --project acme/rocket --fields merge_requests_author_approval -o tsv --no-header',
        },
      ],
    }),
    endpoint('POST approvals', {
      ...common,
      command: 'update',
      summary: 'Change how merge requests of a project are approved',
      doc: 'What is left out stays as it is.',
      takes: omit(configuration, 'approvers', 'approver_groups'),
      examples: [
        {
          does: 'Prevent authors and committers from approving',
          run: 'approvals update --project acme/rocket --no-merge-requests-author-approval --merge-requests-disable-committers-approval',
        },
        {
          does: 'A push takes back only what it touches',
          run: 'approvals update --project acme/rocket --no-reset-approvals-on-push --selective-code-owner-removals',
        },
      ],
    }),
  ]),
  'Who must approve, and how many, is said by rules: see `svc approval-rules`.',
);
