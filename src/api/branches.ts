import { area, paging, under } from '../spec/compose.ts';
import { endpoint, listOf, nothing, one } from '../spec/endpoint.ts';
import { bool, int, object, rows, text, url } from '../spec/field.ts';
import { commit, listedCommit } from './parts.ts';
import { project } from './scopes.ts';

const branch = {
  name: text('Branch'),
  merged: bool('Merged into the default branch'),
  protected: bool('Protected: only some may push or merge'),
  default: bool('The default branch of the project'),
  developers_can_push: bool('Role Developer is enough to push'),
  developers_can_merge: bool('Role Developer is enough to merge'),
  can_push: bool('You may push'),
  web_url: url('Page of the branch'),
  commit: object('Latest commit', commit),
};

const listedBranch = { ...branch, commit: object('Latest commit', listedCommit) };

const accessLevels = (doc: string) =>
  rows(doc, {
    id: int('Id of the rule'),
    access_level: int('Least role: 0 no one, 30 Developer, 40 Maintainer, 60 administrator', {
      nullable: true,
    }),
    access_level_description: text('The same in words'),
    deploy_key_id: int('Deploy key that the rule is for', { nullable: true }),
    user_id: int('User that the rule is for', { nullable: true }),
    group_id: int('Group that the rule is for', { nullable: true }),
  });

/** The protection of a branch, as approval rules show it too. */
export const protectedBranch = {
  id: int('Id of the protection'),
  name: text('Branch, or pattern of branches'),
  push_access_levels: accessLevels('Who may push'),
  merge_access_levels: accessLevels('Who may merge'),
  unprotect_access_levels: accessLevels('Who may end the protection'),
  allow_force_push: bool('Allow force push for users who can push'),
  code_owner_approval_required: bool('Code owners must approve before a merge', { tier: 'premium' }),
  inherited: bool('Set by a group above', { tier: 'premium' }),
};

const levels = [0, 30, 40, 60] as const;
const who = '0 no one, 30 Developer, 40 Maintainer, 60 administrator';
const named = { branch: text('Branch, with its folders: feature/login', { suggest: 'branch' }) };
const columns = [
  'name',
  'default',
  'protected',
  'merged',
  'commit.short_id',
  'commit.author_name',
  'commit.committed_date',
] as const;

export default area(
  under(project, [
    endpoint('GET repository/branches', {
      section: '4.11',
      command: 'list',
      summary: 'List branches of a project, by name',
      takes: {
        search: text('Only names that hold this text; ^text starts a name, text$ ends it'),
        regex: text('Only names that match this regular expression (RE2)', { placeholder: 'expression' }),
        ...paging,
      },
      returns: listOf(listedBranch),
      columns,
      access: { anonymous: true },
      examples: [
        { does: 'All branches, and who was last at work there', run: 'branches list --project acme/rocket' },
        {
          does: 'Names alone, of one kind of branch',
          run: 'branches list --project acme/rocket --search ^feature/ --fields name -o tsv --no-header',
        },
        {
          does: 'By regular expression',
          run: 'branches list --project acme/rocket --regex "^(hotfix|release)/"',
        },
      ],
    }),
    endpoint('GET repository/branches/:branch', {
      section: '4.11',
      command: 'get <branch>',
      summary: 'Show one branch and its latest commit',
      slots: named,
      returns: one(branch),
      access: { anonymous: true },
      examples: [
        { does: 'One branch', run: 'branches get main --project acme/rocket' },
        {
          does: 'The commit at its head, for a script',
          run: 'branches get feature/login --project acme/rocket --fields commit.id -o tsv --no-header',
        },
      ],
    }),
    endpoint('POST repository/branches', {
      section: '4.11',
      command: 'create <branch>',
      summary: 'Create a branch from another or from a commit',
      takes: {
        branch: text('Name of the new branch', { required: true }),
        ref: text('Branch or commit SHA to start from', { required: true, suggest: 'branch' }),
      },
      returns: one(branch),
      examples: [
        { does: 'Start from main', run: 'branches create feature/landing --ref main --project acme/rocket' },
        {
          does: 'Start from a release, and keep the commit',
          run: 'branches create hotfix/flow --ref release/1.x --project acme/rocket --fields name,commit.id --json',
        },
      ],
    }),
    endpoint('DELETE repository/branches/:branch', {
      section: '4.11',
      command: 'delete <branch>',
      summary: 'Delete a branch',
      doc: 'Commits that no other branch or tag reaches are lost with it. A default or a protected branch is kept, and the service says why.',
      slots: named,
      returns: nothing,
      confirm: 'yes',
      examples: [
        { does: 'Without being asked', run: 'branches delete hotfix/typo --project acme/rocket --yes' },
        {
          does: 'See the request before it is made',
          run: 'branches delete feature/login --project acme/rocket --dry-run',
        },
      ],
    }),
    endpoint('DELETE repository/merged_branches', {
      section: '4.11',
      command: 'delete-merged',
      summary: 'Delete every branch that is merged into the default branch',
      doc: 'Protected branches are kept. The service works in the background: `branches list` shows what is left.',
      returns: nothing,
      confirm: 'name',
      examples: [
        { does: 'Tidy up, without being asked', run: 'branches delete-merged --project acme/rocket --yes' },
        {
          does: 'See the request before it is made',
          run: 'branches delete-merged --project acme/rocket --dry-run',
        },
      ],
    }),
    endpoint('GET protected_branches', {
      section: '4.11',
      unspecified: true,
      command: 'protections',
      summary: 'List protected branches of a project, and protected patterns',
      takes: { search: text('Only names that contain this text'), ...paging },
      returns: listOf(protectedBranch),
      columns: ['id', 'name', 'allow_force_push', 'code_owner_approval_required', 'inherited'],
      examples: [
        { does: 'List what is protected', run: 'branches protections --project acme/rocket' },
        {
          does: 'Show the roles that can push and merge, as JSON',
          run: 'branches protections --project acme/rocket --search release --fields name,push_access_levels,merge_access_levels --json',
        },
      ],
    }),
    endpoint('GET protected_branches/:name', {
      section: '4.11',
      unspecified: true,
      command: 'protection <branch>',
      as: { branch: 'name' },
      summary: 'Show the protection of a branch, or of a pattern',
      slots: { name: text('Protected branch or pattern', { suggest: 'branch' }) },
      returns: one(protectedBranch),
      examples: [
        { does: 'Show one protection', run: 'branches protection main --project acme/rocket' },
        {
          does: 'Print the roles that can push',
          run: 'branches protection main --project acme/rocket --fields push_access_levels --json',
        },
      ],
    }),
    endpoint('POST protected_branches', {
      section: '4.11',
      command: 'protect <branch>',
      as: { branch: 'name' },
      summary: 'Protect a branch, or all that match a pattern',
      doc: 'A level that is left out is what the service is set to, as a rule 40. A branch that is protected already must be unprotected first.',
      takes: {
        name: text('Branch, or a pattern such as release/*', { required: true, suggest: 'branch' }),
        push_access_level: int(`Least role to push: ${who}`, { choices: levels }),
        merge_access_level: int(`Least role to merge: ${who}`, { choices: levels }),
        unprotect_access_level: int(`Least role to end the protection: ${who}`, { choices: levels }),
        allow_force_push: bool('Allow force push for users who can push'),
      },
      returns: one(protectedBranch),
      examples: [
        {
          does: 'For maintainers alone',
          run: 'branches protect develop --project acme/rocket --push-access-level 40 --merge-access-level 40',
        },
        {
          does: 'Merge requests only: no one pushes, developers merge',
          run: 'branches protect "feature/*" --project acme/rocket --push-access-level 0 --merge-access-level 30',
        },
      ],
    }),
    endpoint('DELETE protected_branches/:name', {
      section: '4.11',
      command: 'unprotect <branch>',
      as: { branch: 'name' },
      summary: 'End the protection of a branch, or of a pattern',
      doc: 'The branch itself stays. A pattern is named as it was protected.',
      slots: { name: text('Branch or pattern that is protected', { suggest: 'branch' }) },
      returns: nothing,
      confirm: 'yes',
      examples: [
        { does: 'Without being asked', run: 'branches unprotect release/1.x --project acme/rocket --yes' },
        {
          does: 'See the request before it is made',
          run: 'branches unprotect main --project acme/rocket --dry-run',
        },
      ],
    }),
  ]),
);
