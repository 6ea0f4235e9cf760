import { area, inArea } from '../spec/compose.ts';
import { bool, choice, int, list, need, omit, pick, rows, text, url } from '../spec/field.ts';
import { resource } from '../spec/resource.ts';
import { protectedBranch } from './branches.ts';
import { approvalGroupRules } from './features.ts';
import { person } from './parts.ts';
import { group, project } from './scopes.ts';

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
  user_ids: list(
    int('User id', { placeholder: 'user-id', suggest: 'users/list/id' }),
    'Ids of users who can approve',
  ),
  group_ids: list(int('Group id', { placeholder: 'group-id' }), 'Ids of groups whose members can approve'),
};

const branches = {
  applies_to_all_protected_branches: bool('Apply the rule to all protected branches'),
  protected_branch_ids: list(
    int('Protection id', { placeholder: 'protection-id', suggest: 'branches/protections/id' }),
    'Ids of the protections of the branches covered by the rule',
  ),
};

const facts = {
  noun: 'approval rule',
  fields: rule,
  columns: [
    'id',
    'name',
    { path: 'rule_type', label: 'TYPE' },
    { path: 'approvals_required', label: 'REQUIRED' },
    { path: 'users.username', label: 'USERS', kind: 'person' },
    { path: 'groups.full_path', label: 'GROUPS' },
    { path: 'applies_to_all_protected_branches', label: 'ALL PROTECTED' },
  ],
  sample: '31',
} as const;
const inProject = inArea('approval-rules', {
  ...facts,
  scope: project,
  access: { role: 'user', tier: 'premium' },
});
const inGroup = inArea('approval-rules', {
  ...facts,
  scope: group,
  access: { role: 'owner', tier: 'premium', offering: 'self-managed', feature: approvalGroupRules },
});
/** Not shown in the specification. */
const ofMaintainer = { unspecified: true, access: { role: 'maintainer' } } as const;
const flagged = `Experimental: group approval rules require the feature flag ${approvalGroupRules.name} on the instance.`;

const listProjectRules = inProject('GET approval_rules', {
  examples: {
    'Print the eligible approvers of each rule as JSON':
      '--fields name,approvals_required,eligible_approvers --json',
  },
});

const listGroupRules = inGroup('GET approval_rules', {
  doc: flagged,
  examples: { 'Print names and required approvals as CSV': '--fields name,approvals_required --csv' },
});

const createProjectRule = inProject('POST approval_rules', {
  ...ofMaintainer,
  takes: {
    ...need(settings, 'name', 'approvals_required'),
    rule_type: {
      ...settings.rule_type,
      doc: `${settings.rule_type.doc}; default: regular in a project, any_approver in a group`,
    },
    ...pick(settings, 'user_ids', 'group_ids'),
    ...branches,
  },
  examples: {
    'Require approval by a group on all protected branches':
      '--name Labs --approvals-required 1 --group-ids 11 --applies-to-all-protected-branches',
  },
});

const updateProjectRule = inProject('PUT approval_rules/:approval_rule_id', {
  ...ofMaintainer,
  takes: {
    ...omit(settings, 'rule_type'),
    ...branches,
    remove_hidden_groups: bool('Remove all groups that you cannot view'),
  },
  examples: {
    'Replace the users and apply the rule to all protected branches':
      '31 --user-ids 3 --applies-to-all-protected-branches',
  },
});

const deleteProjectRule = inProject('DELETE approval_rules/:approval_rule_id', ofMaintainer);

const createGroupRule = inGroup('POST approval_rules', {
  doc: flagged,
  takes: {
    ...need(settings, 'name', 'approvals_required'),
    rule_type: { ...settings.rule_type, default: 'any_approver' },
    ...pick(settings, 'user_ids', 'group_ids'),
  },
  examples: {
    'Require approval by two of three users':
      '--name Compliance --approvals-required 2 --rule-type regular --user-ids 2,3,4',
  },
});

const updateGroupRule = inGroup('PUT approval_rules/:approval_rule_id', {
  doc: `Omitted settings keep their values. --user-ids and --group-ids replace the whole list. ${flagged}`,
  takes: settings,
  examples: { 'Rename a rule and replace its users': '41 --name Release --user-ids 2,3' },
});

export const approvalRules = resource({
  kind: 'approval_rules',
  calls: [
    {
      list: listProjectRules,
      create: createProjectRule,
      update: updateProjectRule,
      delete: deleteProjectRule,
    },
    { list: listGroupRules, create: createGroupRule, update: updateGroupRule },
  ],
  identity: [['name']],
  attributes: { ...settings, ...branches },
  limits: ['rules of policies and of code owners are not read'],
});

export default area(
  [
    listProjectRules,
    listGroupRules,
    inProject('GET approval_rules/:approval_rule_id', {
      examples: {
        'Print the eligible approvers and protected branches':
          '31 --fields eligible_approvers,protected_branches --json',
      },
    }),
    createProjectRule,
    createGroupRule,
    updateProjectRule,
    deleteProjectRule,
    updateGroupRule,
  ],
  'An approval rule sets the number of approvals that a merge request requires, and the users and groups who can approve. Project rules can be deleted. Group rules can only be changed.',
);
