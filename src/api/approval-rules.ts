import { area, paging, under } from '../spec/compose.ts';
import { endpoint, listOf, nothing, one } from '../spec/endpoint.ts';
import { bool, choice, int, list, need, omit, pick, rows, text, url } from '../spec/field.ts';
import { protectedBranch } from './branches.ts';
import { person } from './parts.ts';
import { group, project } from './scopes.ts';

const approvingGroup = {
  id: int('Group id'),
  name: text('Name'),
  path: text('Last part of the path'),
  description: text('What the group is for', { nullable: true }),
  visibility: text('Who sees it: private, internal or public'),
  lfs_enabled: bool('Large file storage (LFS) is on'),
  avatar_url: url('Picture', { nullable: true }),
  web_url: url('Page of the group'),
  request_access_enabled: bool('Others may ask to become members'),
  full_name: text('Name, with the groups above'),
  full_path: text('Path, with the groups above'),
  parent_id: int('Group above', { nullable: true }),
  ldap_cn: text('LDAP group that it follows', { nullable: true }),
  ldap_access: int('Access level of members from LDAP', { nullable: true }),
};

const rule = {
  id: int('Rule id'),
  name: text('Name of the rule'),
  rule_type: choice(
    ['any_approver', 'regular', 'code_owner', 'report_approver'],
    'Who approves: anybody, those named, code owners, or as a policy says',
  ),
  report_type: text('Report behind a report_approver rule, such as code_coverage', { nullable: true }),
  eligible_approvers: rows('Users who may approve, by name or through a group', person),
  approvals_required: int('How many approvals the rule asks for'),
  users: rows('Users named in the rule', person),
  groups: rows('Groups named in the rule', approvingGroup),
  contains_hidden_groups: bool('Names groups that you may not see'),
  applies_to_all_protected_branches: bool('Holds for every protected branch'),
  protected_branches: rows('Protected branches that it holds for', protectedBranch),
};

const settings = {
  name: text('Name of the rule, such as Security'),
  approvals_required: int('How many approvals the rule asks for', { min: 0 }),
  rule_type: choice(
    ['any_approver', 'regular', 'report_approver'],
    'any_approver: any eligible user; regular: the given users and groups; report_approver: created by the service from policies, cannot be sent',
  ),
  user_ids: list(int('User id'), 'Users who may approve, by id'),
  group_ids: list(int('Group id'), 'Groups whose members may approve, by id'),
};

const branches = {
  applies_to_all_protected_branches: bool('Holds for every protected branch'),
  protected_branch_ids: list(
    int('Protection id'),
    'Protected branches that it holds for, by id of the protection',
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
  access: { role: 'owner', tier: 'premium', offering: 'self-managed' },
} as const;
const flagged =
  'Experimental: the service has rules of groups only where the feature flag approval_group_rules is on.';
const columns = [
  'id',
  'name',
  'rule_type',
  'approvals_required',
  'applies_to_all_protected_branches',
] as const;
const slots = { approval_rule_id: int('Rule id, as `approval-rules list` shows it') };

export default area(
  [
    ...under(project, [
      endpoint('GET approval_rules', {
        ...ofProject,
        command: 'list',
        summary: 'List approval rules',
        takes: paging,
        returns: listOf(rule),
        columns,
        examples: [
          { does: 'The rules of a project', run: 'approval-rules list --project acme/rocket' },
          {
            does: 'With the people behind each',
            run: 'approval-rules list --project acme/rocket --fields name,approvals_required,eligible_approvers --json',
          },
        ],
      }),
    ]),
    ...under(group, [
      endpoint('GET approval_rules', {
        ...ofGroup,
        command: 'list',
        summary: 'List approval rules',
        doc: flagged,
        takes: paging,
        returns: listOf(rule),
        columns,
        examples: [
          { does: 'The rules of a group', run: 'approval-rules list --group acme' },
          {
            does: 'Names and numbers as CSV',
            run: 'approval-rules list --group acme --fields name,approvals_required --csv',
          },
        ],
      }),
    ]),
    ...under(project, [
      endpoint('GET approval_rules/:approval_rule_id', {
        ...ofProject,
        command: 'get <approval-rule-id>',
        summary: 'Show one approval rule of a project',
        slots,
        returns: one(rule),
        examples: [
          { does: 'One rule', run: 'approval-rules get 31 --project acme/rocket' },
          {
            does: 'Who may approve, and for which branches',
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
            doc: `${settings.rule_type.doc}; when left out, regular in a project and any_approver in a group`,
          },
          ...pick(settings, 'user_ids', 'group_ids'),
          ...branches,
        },
        returns: one(rule),
        examples: [
          {
            does: 'Require one of two people',
            run: 'approval-rules create --project acme/rocket --name Flight --approvals-required 1 --user-ids 3,4',
          },
          {
            does: 'Require a member of another group, on every protected branch',
            run: 'approval-rules create --project acme/rocket --name Labs --approvals-required 1 --group-ids 11 --applies-to-all-protected-branches',
          },
        ],
      }),
    ]),
    ...under(group, [
      endpoint('POST approval_rules', {
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
        examples: [
          {
            does: 'Two of three people',
            run: 'approval-rules create --group acme --name Compliance --approvals-required 2 --rule-type regular --user-ids 2,3,4',
          },
          {
            does: 'One member of another group',
            run: 'approval-rules create --group acme --name Labs --approvals-required 1 --rule-type regular --group-ids 11',
          },
        ],
      }),
    ]),
    ...under(project, [
      endpoint('PUT approval_rules/:approval_rule_id', {
        ...ofMaintainer,
        command: 'update <approval-rule-id>',
        summary: 'Change an approval rule',
        slots,
        takes: {
          ...omit(settings, 'rule_type'),
          ...branches,
          remove_hidden_groups: bool('Remove the groups that you may not see'),
        },
        returns: one(rule),
        examples: [
          {
            does: 'Require two approvals',
            run: 'approval-rules update 31 --project acme/rocket --approvals-required 2',
          },
          {
            does: 'Replace the people, and apply the rule to every protected branch',
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
        examples: [
          {
            does: 'Delete without a confirmation',
            run: 'approval-rules delete 31 --project acme/rocket --yes',
          },
          {
            does: 'Print the request and send nothing',
            run: 'approval-rules delete 31 --project acme/rocket --dry-run',
          },
        ],
      }),
    ]),
    ...under(group, [
      endpoint('PUT approval_rules/:approval_rule_id', {
        ...ofGroup,
        command: 'update <approval-rule-id>',
        summary: 'Change an approval rule',
        doc: `Settings that are left out keep their values. --user-ids and --group-ids replace the whole list. ${flagged}`,
        slots,
        takes: settings,
        returns: one(rule),
        examples: [
          {
            does: 'Ask for one more approval',
            run: 'approval-rules update 41 --group acme --approvals-required 3',
          },
          {
            does: 'Other people, under another name',
            run: 'approval-rules update 41 --group acme --name Release --user-ids 2,3',
          },
        ],
      }),
    ]),
  ],
  'A rule says how many of whom must approve a merge request. Rules of a project can be deleted; rules of a group can only be changed.',
);
