import { area, callsIn, inScope, paging, under } from '../spec/compose.ts';
import { endpoint, listOf, nothing, one } from '../spec/endpoint.ts';
import { bool, int, object, pick, rows, text, url } from '../spec/field.ts';
import { type Row, resource } from '../spec/resource.ts';
import { matchesWildcard } from '../support/text/wildcard.ts';
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
const named = { branch: text('Name of the branch, such as feature/login') };
const columns = [
  'name',
  'default',
  'protected',
  'merged',
  'commit.short_id',
  'commit.author_name',
  { path: 'commit.committed_date', label: 'UPDATED' },
] as const;

const list = endpoint('GET repository/branches', {
  section: '4.11',
  command: 'list',
  summary: 'List branches of a project, sorted by name',
  takes: {
    search: text('Only names that contain this text; ^text matches the start, text$ the end'),
    regex: text('Only names that match this regular expression (RE2)', { placeholder: 'expression' }),
    ...paging,
  },
  noun: 'branch',
  returns: listOf(listedBranch),
  columns,
  access: { anonymous: true },
  examples: [
    { does: 'List branches with their latest commits', run: 'branches list --project acme/rocket' },
    {
      does: 'Print only the names of feature branches',
      run: 'branches list --project acme/rocket --search ^feature/ --fields name -o tsv --no-header',
    },
    {
      does: 'Filter by regular expression',
      run: 'branches list --project acme/rocket --regex "^(hotfix|release)/"',
    },
  ],
});

const protect = endpoint('POST protected_branches', {
  section: '4.11',
  command: 'protect <branch>',
  as: { branch: 'name' },
  summary: 'Protect a branch or all branches that match a pattern',
  doc: 'Omitted levels default to the setting of the service, usually 40. To change a protection, remove it first.',
  takes: {
    name: text('Name of the branch, or a pattern such as release/*', {
      required: true,
      suggest: 'branches/list/name',
    }),
    push_access_level: int(`Minimum role to push: ${who}`, { choices: levels }),
    merge_access_level: int(`Minimum role to merge: ${who}`, { choices: levels }),
    unprotect_access_level: int(`Minimum role to remove the protection: ${who}`, { choices: levels }),
    allow_force_push: bool('Force pushes allowed for users who can push'),
  },
  returns: one(protectedBranch),
  done: 'Protected branch {name}',
  examples: [
    {
      does: 'Allow only maintainers to push and merge',
      run: 'branches protect develop --project acme/rocket --push-access-level 40 --merge-access-level 40',
    },
    {
      does: 'Allow changes by merge request only',
      run: 'branches protect "feature/*" --project acme/rocket --push-access-level 0 --merge-access-level 30',
    },
  ],
});

const unprotect = endpoint('DELETE protected_branches/:name', {
  section: '4.11',
  command: 'unprotect <branch>',
  as: { branch: 'name' },
  summary: 'Remove the protection of a branch or pattern',
  doc: 'The branch is not deleted. Give a pattern exactly as it was protected.',
  slots: { name: text('Protected branch or pattern') },
  returns: nothing,
  confirm: 'yes',
  done: 'Removed the protection of branch {name}',
  examples: [
    {
      does: 'Remove the protection without confirmation',
      run: 'branches unprotect release/1.x --project acme/rocket --yes',
    },
    {
      does: 'Print the request without sending it',
      run: 'branches unprotect main --project acme/rocket --dry-run',
    },
  ],
});

const protection = endpoint('GET protected_branches/:name', {
  section: '4.11',
  unspecified: true,
  command: 'protection <branch>',
  as: { branch: 'name' },
  summary: 'Show the protection of a branch or pattern',
  slots: { name: text('Protected branch or pattern') },
  returns: one(protectedBranch),
  examples: [
    { does: 'Show one protection', run: 'branches protection main --project acme/rocket' },
    {
      does: 'Print the roles that can push',
      run: 'branches protection main --project acme/rocket --fields push_access_levels --json',
    },
  ],
});

const protections = endpoint('GET protected_branches', {
  section: '4.11',
  unspecified: true,
  command: 'protections',
  summary: 'List protected branches and patterns of a project',
  takes: { search: text('Only names that contain this text'), ...paging },
  noun: 'protected branch',
  returns: listOf(protectedBranch),
  columns: [
    'id',
    'name',
    { path: 'allow_force_push', label: 'FORCE PUSH' },
    { path: 'code_owner_approval_required', label: 'CODE OWNERS' },
    'inherited',
  ],
  examples: [
    { does: 'List protected branches', run: 'branches protections --project acme/rocket' },
    {
      does: 'Show the roles that can push and merge, as JSON',
      run: 'branches protections --project acme/rocket --search release --fields name,push_access_levels,merge_access_levels --json',
    },
  ],
});

const isPattern = (name: unknown): boolean => String(name).includes('*');

/** The protection of a name as the branches show it, if the service does not list protections. */
function unlisted(name: unknown, branches: readonly Row[]): Row[] {
  const matching = branches.filter((row) => matchesWildcard(String(name), String(row['name'])));
  if (matching.some((row) => row['protected'] === false)) return [];
  const isProtected = matching.length > 0 && matching.every((row) => row['protected'] === true);
  return [{ name, protected: isProtected ? true : null }];
}

export const protectedBranches = resource({
  kind: 'protected_branches',
  noun: 'protected branch',
  calls: [callsIn(project, { list, create: protect, delete: unprotect })],
  identity: [['name']],
  attributes: pick(protectedBranch, 'name'),
  limits: ['on or off; a pattern that is not declared is not read'],
  // The list of branches has no patterns and no branches that do not exist yet, but those that a pattern or a group protects.
  async refine(branches, entries, slots, from) {
    const rows = branches.filter((branch) => branch['protected'] === true);
    if (!entries) return rows;
    const listed = await from.rows(inScope(project, protections), slots);
    const declared = new Set(entries.map(({ name }) => name));
    const own = new Set(
      (listed ?? rows).flatMap(({ name, inherited }) => (inherited === true ? [] : [name])),
    );
    const kept = rows.filter(({ name }) => own.has(name) || declared.has(name));
    for (const { name } of kept) declared.delete(name);
    const isNeeded = ({ name }: Row) => name === undefined || declared.has(name);
    return [
      ...kept,
      ...(listed?.filter(isNeeded) ?? [...declared].flatMap((one) => unlisted(one, branches))),
    ];
  },
  obstacle: ({ protected: isProtected }) =>
    isProtected === null ? 'the service does not show whether it is protected' : undefined,
  covers: ({ name }, row) => isPattern(name) && matchesWildcard(String(name), String(row['name'])),
});

export const listBranches = inScope(project, list);

export default area(
  under(project, [
    list,
    endpoint('GET repository/branches/:branch', {
      section: '4.11',
      command: 'get <branch>',
      summary: 'Show one branch and its latest commit',
      slots: named,
      returns: one(branch),
      access: { anonymous: true },
      examples: [
        { does: 'Show one branch', run: 'branches get main --project acme/rocket' },
        {
          does: 'Print only the id of the latest commit for a script',
          run: 'branches get feature/login --project acme/rocket --fields commit.id -o tsv --no-header',
        },
      ],
    }),
    endpoint('POST repository/branches', {
      section: '4.11',
      command: 'create <branch>',
      summary: 'Create a branch from another branch or from a commit',
      takes: {
        branch: text('Name of the new branch', { required: true }),
        ref: text('Branch or commit SHA to start from', { required: true, suggest: 'branches/list/name' }),
      },
      returns: one(branch),
      done: 'Created branch {branch}',
      examples: [
        {
          does: 'Create a branch from main',
          run: 'branches create feature/landing --ref main --project acme/rocket',
        },
        {
          does: 'Create a branch from a release and print its commit',
          run: 'branches create hotfix/flow --ref release/1.x --project acme/rocket --fields name,commit.id --json',
        },
      ],
    }),
    endpoint('DELETE repository/branches/:branch', {
      section: '4.11',
      command: 'delete <branch>',
      summary: 'Delete a branch',
      doc: 'Commits that are on no other branch or tag are lost. The default branch and protected branches cannot be deleted.',
      slots: named,
      returns: nothing,
      confirm: 'yes',
      done: 'Deleted branch {branch}',
      loses: 'Commits that are on no other branch or tag are lost',
      examples: [
        {
          does: 'Delete without confirmation',
          run: 'branches delete hotfix/typo --project acme/rocket --yes',
        },
        {
          does: 'Print the request without sending it',
          run: 'branches delete feature/login --project acme/rocket --dry-run',
        },
      ],
    }),
    endpoint('DELETE repository/merged_branches', {
      section: '4.11',
      command: 'delete-merged',
      summary: 'Delete all branches that are merged into the default branch',
      doc: 'Protected branches are kept. The service deletes branches in the background; use `branches list` to see the remaining ones.',
      returns: nothing,
      confirm: 'name',
      done: 'Deleted the merged branches of {scope}',
      affects: {
        command: 'list',
        where: { merged: true, protected: false, default: false },
        noun: 'merged branch',
      },
      examples: [
        {
          does: 'Delete merged branches without confirmation',
          run: 'branches delete-merged --project acme/rocket --yes',
        },
        {
          does: 'Print the request without sending it',
          run: 'branches delete-merged --project acme/rocket --dry-run',
        },
      ],
    }),
    protections,
    protection,
    protect,
    unprotect,
  ]),
);
