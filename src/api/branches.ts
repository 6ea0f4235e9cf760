import { area, inArea } from '../spec/compose.ts';
import { listOf, one } from '../spec/endpoint.ts';
import { bool, int, object, pick, rows, text, url } from '../spec/field.ts';
import { bodyFields, resource } from '../spec/resource.ts';
import { commit, listedCommit } from './parts.ts';
import { project } from './scopes.ts';

const branch = {
  name: text('Name of the branch'),
  merged: bool('Merged into the default branch'),
  protected: bool('Protected'),
  default: bool('Default branch of the project'),
  developers_can_push: bool('Developers can push'),
  developers_can_merge: bool('Developers can merge'),
  can_push: bool('You can push'),
  web_url: url('Web page of the branch'),
  commit: object('Latest commit', commit),
};

const listedBranch = { ...branch, commit: object('Latest commit', listedCommit) };

const accessLevels = (doc: string) =>
  rows(doc, {
    id: int('Rule id'),
    access_level: int('Minimum role: 0 no one, 30 Developer, 40 Maintainer, 60 administrator', {
      nullable: true,
    }),
    access_level_description: text('Description of the access level'),
    deploy_key_id: int('Deploy key that has access', { nullable: true }),
    user_id: int('User who has access', { nullable: true }),
    group_id: int('Group that has access', { nullable: true }),
  });

/** The protection of a branch, as approval rules show it too. */
export const protectedBranch = {
  id: int('Protection id'),
  name: text('Name or pattern of the branch'),
  push_access_levels: accessLevels('Roles, users and groups that can push'),
  merge_access_levels: accessLevels('Roles, users and groups that can merge'),
  unprotect_access_levels: accessLevels('Roles, users and groups that can remove the protection'),
  allow_force_push: bool('Force pushes allowed for users who can push'),
  code_owner_approval_required: bool('Approval by code owners required before a merge', { tier: 'premium' }),
  inherited: bool('Inherited from a parent group', { tier: 'premium' }),
};

const levels = [0, 30, 40, 60] as const;
const who = '0 no one, 30 Developer, 40 Maintainer, 60 administrator';
const open = { anonymous: true } as const;

const endpoint = inArea('branches', {
  noun: 'branch',
  scope: project,
  fields: branch,
  slots: {
    branch: text('Name of the branch, such as feature/login'),
    name: text('Protected branch or pattern'),
  },
  sample: 'hotfix/typo',
});

export const listBranches = endpoint('GET repository/branches', {
  summary: 'List branches of a project, sorted by name',
  takes: {
    search: text('Only names that contain this text; ^text matches the start, text$ the end'),
    regex: text('Only names that match this regular expression (RE2)', { placeholder: 'expression' }),
  },
  returns: listOf(listedBranch),
  columns: [
    'name',
    'default',
    'protected',
    'merged',
    'commit.short_id',
    'commit.author_name',
    { path: 'commit.committed_date', label: 'UPDATED' },
  ],
  access: open,
  examples: {
    'Print only the names of feature branches': '--search ^feature/ --fields name -o tsv --no-header',
    'Filter by regular expression': '--regex "^(hotfix|release)/"',
  },
});

const protect = endpoint('POST protected_branches', {
  command: 'protect <branch>',
  argumentFields: { branch: 'name' },
  summary: 'Protect a branch or all branches that match a pattern',
  doc: 'Omitted levels default to the setting of the service, usually 40. To change a protection, use `branches change-protection`.',
  takes: {
    name: text('Name of the branch, or a pattern such as release/*', {
      required: true,
      suggest: 'branches/list/name',
    }),
    push_access_level: int(`Minimum role to push: ${who}`, { choices: levels }),
    merge_access_level: int(`Minimum role to merge: ${who}`, { choices: levels }),
    unprotect_access_level: int(`Minimum role to remove the protection: ${who}`, { choices: levels }),
    ...pick(protectedBranch, 'allow_force_push', 'code_owner_approval_required'),
  },
  returns: one(protectedBranch),
  done: 'Protected branch {name}',
  nextSteps: { 409: 'to change it, use svc branches change-protection <branch>' },
  examples: {
    'Allow changes by merge request only': '"feature/*" --push-access-level 0 --merge-access-level 30',
  },
});

const newLevels = (doc: string) =>
  rows(`${doc}. A rule with the id of an existing one replaces it`, {
    id: int('Rule id'),
    access_level: int(`Minimum role: ${who}`, { choices: levels }),
  });

const changeProtection = endpoint('PATCH protected_branches/:name', {
  unspecified: true,
  command: 'change-protection <branch>',
  argumentFields: { branch: 'name' },
  summary: 'Change the protection of a branch or pattern',
  doc: 'The branch stays protected meanwhile. Omitted settings keep their values.',
  takes: {
    allowed_to_push: newLevels('Roles that can push'),
    allowed_to_merge: newLevels('Roles that can merge'),
    allowed_to_unprotect: newLevels('Roles that can remove the protection'),
    ...pick(protectedBranch, 'allow_force_push', 'code_owner_approval_required'),
  },
  returns: one(protectedBranch),
  done: 'Updated the protection of branch {name}',
  examples: { 'Forbid force pushes': 'main --no-allow-force-push' },
});

const unprotect = endpoint('DELETE protected_branches/:name', {
  command: 'unprotect <branch>',
  argumentFields: { branch: 'name' },
  summary: 'Remove the protection of a branch or pattern',
  doc: 'The branch is not deleted. Give a pattern exactly as it was protected.',
  done: 'Removed the protection of branch {name}',
  examples: { 'Remove the protection of a branch': 'release/1.x --yes' },
});

export const listProtections = endpoint('GET protected_branches', {
  unspecified: true,
  command: 'protections',
  summary: 'List protected branches and patterns of a project',
  takes: { search: text('Only names that contain this text') },
  noun: 'protected branch',
  returns: listOf(protectedBranch),
  columns: [
    'id',
    'name',
    { path: 'allow_force_push', label: 'FORCE PUSH' },
    { path: 'code_owner_approval_required', label: 'CODE OWNERS' },
    'inherited',
  ],
  examples: {
    'Show the roles that can push and merge, as JSON':
      '--search release --fields name,push_access_levels,merge_access_levels --json',
  },
});

export const protectedBranches = resource({
  kind: 'protected_branches',
  noun: 'protected branch',
  calls: [{ list: listProtections, create: protect, update: changeProtection, delete: unprotect }],
  identity: [['name']],
  attributes: bodyFields(protect),
  sentAs: {
    push_access_level: 'allowed_to_push',
    merge_access_level: 'allowed_to_merge',
    unprotect_access_level: 'allowed_to_unprotect',
  },
  limits: ['svc does not delete a pattern that is not declared, nor change rules of single users and groups'],
});

const createBranch = endpoint('POST repository/branches', {
  command: 'create <branch>',
  summary: 'Create a branch from another branch or from a commit',
  takes: {
    branch: text('Name of the new branch', { required: true }),
    ref: text('Branch or commit SHA to start from', { required: true, suggest: 'branches/list/name' }),
  },
  done: 'Created branch {branch}',
  examples: { 'Create a branch from a release': 'hotfix/flow --ref release/1.x' },
});

export default area([
  listBranches,
  endpoint('GET repository/branches/:branch', {
    summary: 'Show one branch and its latest commit',
    access: open,
    examples: {
      'Print only the id of the latest commit for a script':
        'feature/login --fields commit.id -o tsv --no-header',
    },
  }),
  createBranch,
  endpoint('DELETE repository/branches/:branch', {
    doc: 'The default branch and protected branches cannot be deleted.',
    lossWarning: 'Commits that are on no other branch or tag are lost',
  }),
  endpoint('DELETE repository/merged_branches', {
    command: 'delete-merged',
    summary: 'Delete all branches that are merged into the default branch',
    doc: 'Protected branches are kept. The service deletes branches in the background; use `branches list` to see the remaining ones.',
    confirm: 'name',
    done: 'Deleted the merged branches of {scope}',
    affects: {
      command: 'list',
      where: { merged: true, protected: false, default: false },
      noun: 'merged branch',
    },
  }),
  listProtections,
  endpoint('GET protected_branches/:name', {
    unspecified: true,
    command: 'protection <branch>',
    argumentFields: { branch: 'name' },
    summary: 'Show the protection of a branch or pattern',
    returns: one(protectedBranch),
    examples: { 'Print the roles that can push': 'main --fields push_access_levels --json' },
  }),
  protect,
  changeProtection,
  unprotect,
]);
