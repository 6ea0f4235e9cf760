import { area, callsIn, paging, under } from '../spec/compose.ts';
import { endpoint, listOf, nothing, one } from '../spec/endpoint.ts';
import { bool, choice, int, list, need, omit, pick, rows, text, url } from '../spec/field.ts';
import { resource } from '../spec/resource.ts';
import { isRecord } from '../support/record.ts';
import { protectedBranch } from './branches.ts';
import { approvalGroupRules } from './features.ts';
import { person } from './parts.ts';
import { group, project } from './scopes.ts';

/** The attributes of a group. */
export const groupFields = {
  id: int('Group id'),
  name: text('Name of the group'),
  path: text('Last part of the path'),
  description: text('Description of the group', { nullable: true }),
  visibility: text('Visibility: private, internal or public'),
  lfs_enabled: bool('Git LFS enabled'),
  avatar_url: url('URL of the avatar', { nullable: true }),
  web_url: url('Web page of the group'),
  request_access_enabled: bool('Users can request access to the group'),
  full_name: text('Full name, including parent groups'),
  full_path: text('Full path, including parent groups'),
  parent_id: int('Id of the parent group', { nullable: true }),
  ldap_cn: text('Common name (CN) of the linked LDAP group', { nullable: true }),
  ldap_access: int('Access level of members added through LDAP', { nullable: true }),
};

const rule = {
  id: int('Rule id'),
  name: text('Name of the rule'),
  rule_type: choice(
    ['any_approver', 'regular', 'code_owner', 'report_approver'],
    'Type of the rule: any eligible user, listed users and groups, code owners, or a policy',
  ),
  report_type: text('Report type of a report_approver rule, such as code_coverage', { nullable: true }),
  eligible_approvers: rows('Users who can approve, listed directly or as members of a listed group', person),
  approvals_required: int('Number of required approvals'),
  users: rows('Users listed in the rule', person),
  groups: rows('Groups listed in the rule', groupFields),
  contains_hidden_groups: bool('Contains groups that you cannot view'),
  applies_to_all_protected_branches: bool('Apply the rule to all protected branches'),
  protected_branches: rows('Protected branches covered by the rule', protectedBranch),
};

const settings = {
  name: text('Name of the rule, such as Security'),
  approvals_required: int('Number of required approvals', { min: 0 }),
  rule_type: choice(
    ['any_approver', 'regular', 'report_approver'],
    'any_approver: any eligible user; regular: the given users and groups; report_approver: created by the service from a policy, cannot be set',
  ),
  user_ids: list(int('User id', { suggest: 'users/list/id' }), 'Ids of users who can approve'),
  group_ids: list(int('Group id'), 'Ids of groups whose members can approve'),
};

const branches = {
  applies_to_all_protected_branches: bool('Apply the rule to all protected branches'),
  protected_branch_ids: list(
    int('Protection id', { suggest: 'branches/protections/id' }),
    'Ids of the protections of the branches covered by the rule',
  ),
};

const ofProject = { section: '4.5', access: { role: 'user', tier: 'premium' } } as const;
const ofMaintainer = {
  section: '4.5',
  unspecified: true,
  access: { role: 'maintainer', tier: 'premium' },
} as const;
const ofGroup = {
  section: '4.5',
  access: { role: 'owner', tier: 'premium', offering: 'self-managed', feature: approvalGroupRules },
} as const;
const flagged = `Experimental: group approval rules require the feature flag ${approvalGroupRules.name} on the instance.`;
const columns = [
  'id',
  'name',
  { path: 'rule_type', label: 'TYPE' },
  { path: 'approvals_required', label: 'REQUIRED' },
  { path: 'users.username', label: 'USERS', kind: 'person' },
  { path: 'groups.full_path', label: 'GROUPS' },
  { path: 'applies_to_all_protected_branches', label: 'ALL PROTECTED' },
] as const;
const slots = { approval_rule_id: int('Rule id, as shown by `approval-rules list`') };

const listProjectRules = endpoint('GET approval_rules', {
  ...ofProject,
  command: 'list',
  summary: 'List approval rules',
  takes: paging,
  noun: 'approval rule',
  returns: listOf(rule),
  columns,
  examples: [
    { does: 'List rules of a project', run: 'approval-rules list --project acme/rocket' },
    {
      does: 'Print the eligible approvers of each rule as JSON',
      run: 'approval-rules list --project acme/rocket --fields name,approvals_required,eligible_approvers --json',
    },
  ],
});

const listGroupRules = endpoint('GET approval_rules', {
  ...ofGroup,
  command: 'list',
  summary: 'List approval rules',
  doc: flagged,
  takes: paging,
  noun: 'approval rule',
  returns: listOf(rule),
  columns,
  examples: [
    { does: 'List rules of a group', run: 'approval-rules list --group acme' },
    {
      does: 'Print names and required approvals as CSV',
      run: 'approval-rules list --group acme --fields name,approvals_required --csv',
    },
  ],
});

const createGroupRule = endpoint('POST approval_rules', {
  ...ofGroup,
  command: 'create',
  summary: 'Create an approval rule',
  doc: flagged,
  takes: {
    ...need(settings, 'name', 'approvals_required'),
    rule_type: { ...settings.rule_type, default: 'any_approver' },
    ...pick(settings, 'user_ids', 'group_ids'),
  },
  returns: one(rule),
  done: 'Created approval rule {id} ({name})',
  examples: [
    {
      does: 'Require approval by two of three users',
      run: 'approval-rules create --group acme --name Compliance --approvals-required 2 --rule-type regular --user-ids 2,3,4',
    },
    {
      does: 'Require approval by a member of another group',
      run: 'approval-rules create --group acme --name Labs --approvals-required 1 --rule-type regular --group-ids 11',
    },
  ],
});

const updateGroupRule = endpoint('PUT approval_rules/:approval_rule_id', {
  ...ofGroup,
  command: 'update <approval-rule-id>',
  summary: 'Change an approval rule',
  doc: `Omitted settings keep their values. --user-ids and --group-ids replace the whole list. ${flagged}`,
  slots,
  takes: settings,
  returns: one(rule),
  done: 'Updated approval rule {approval_rule_id} ({name})',
  examples: [
    {
      does: 'Require three approvals',
      run: 'approval-rules update 41 --group acme --approvals-required 3',
    },
    {
      does: 'Rename a rule and replace its users',
      run: 'approval-rules update 41 --group acme --name Release --user-ids 2,3',
    },
  ],
});

const idsOf = (rows: unknown): unknown =>
  Array.isArray(rows) ? rows.map((row) => (isRecord(row) ? row['id'] : undefined)) : undefined;

export const approvalRules = resource({
  kind: 'approval_rules',
  noun: 'approval rule',
  calls: [
    callsIn(project, { list: listProjectRules }),
    callsIn(group, { list: listGroupRules, create: createGroupRule, update: updateGroupRule }),
  ],
  identity: [['name']],
  attributes: settings,
  read: (row) => ({ ...row, user_ids: idsOf(row['users']), group_ids: idsOf(row['groups']) }),
});

export default area(
  [
    ...under(project, [listProjectRules]),
    ...under(group, [listGroupRules]),
    ...under(project, [
      endpoint('GET approval_rules/:approval_rule_id', {
        ...ofProject,
        command: 'get <approval-rule-id>',
        summary: 'Show one approval rule of a project',
        slots,
        returns: one(rule),
        examples: [
          { does: 'Show one rule', run: 'approval-rules get 31 --project acme/rocket' },
          {
            does: 'Print the eligible approvers and protected branches',
            run: 'approval-rules get 31 --project acme/rocket --fields eligible_approvers,protected_branches --json',
          },
        ],
      }),
    ]),
    ...under(project, [
      endpoint('POST approval_rules', {
        ...ofMaintainer,
        command: 'create',
        summary: 'Create an approval rule',
        takes: {
          ...need(settings, 'name', 'approvals_required'),
          rule_type: {
            ...settings.rule_type,
            doc: `${settings.rule_type.doc}; default: regular in a project, any_approver in a group`,
          },
          ...pick(settings, 'user_ids', 'group_ids'),
          ...branches,
        },
        returns: one(rule),
        done: 'Created approval rule {id} ({name})',
        examples: [
          {
            does: 'Require approval by one of two users',
            run: 'approval-rules create --project acme/rocket --name Flight --approvals-required 1 --user-ids 3,4',
          },
          {
            does: 'Require approval by a group on all protected branches',
            run: 'approval-rules create --project acme/rocket --name Labs --approvals-required 1 --group-ids 11 --applies-to-all-protected-branches',
          },
        ],
      }),
    ]),
    ...under(group, [createGroupRule]),
    ...under(project, [
      endpoint('PUT approval_rules/:approval_rule_id', {
        ...ofMaintainer,
        command: 'update <approval-rule-id>',
        summary: 'Change an approval rule',
        slots,
        takes: {
          ...omit(settings, 'rule_type'),
          ...branches,
          remove_hidden_groups: bool('Remove all groups that you cannot view'),
        },
        returns: one(rule),
        done: 'Updated approval rule {approval_rule_id} ({name})',
        examples: [
          {
            does: 'Require two approvals',
            run: 'approval-rules update 31 --project acme/rocket --approvals-required 2',
          },
          {
            does: 'Replace the users and apply the rule to all protected branches',
            run: 'approval-rules update 31 --project acme/rocket --user-ids 3 --applies-to-all-protected-branches',
          },
        ],
      }),
      endpoint('DELETE approval_rules/:approval_rule_id', {
        ...ofMaintainer,
        command: 'delete <approval-rule-id>',
        summary: 'Delete an approval rule of a project',
        slots,
        returns: nothing,
        confirm: 'yes',
        done: 'Deleted approval rule {approval_rule_id}',
        examples: [
          {
            does: 'Delete without confirmation',
            run: 'approval-rules delete 31 --project acme/rocket --yes',
          },
          {
            does: 'Print the request without sending it',
            run: 'approval-rules delete 31 --project acme/rocket --dry-run',
          },
        ],
      }),
    ]),
    ...under(group, [updateGroupRule]),
  ],
  'An approval rule sets the number of approvals that a merge request requires, and the users and groups who can approve. Project rules can be deleted. Group rules can only be changed.',
);
