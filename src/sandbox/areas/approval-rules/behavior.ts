/** Who must approve, and how many (section 4.5). */

import { isAtLeast, roleIn } from '../../core/access.ts';
import { behaviors, type RequestContext } from '../../core/behavior.ts';
import type { Group, Member, Row, User } from '../../core/rows.ts';
import { isVisible } from '../../core/visibility.ts';
import { protecting, protections, protectionView } from '../branches/protection.ts';
import { userSummary } from '../extras.ts';

export interface ApprovalRule extends Row {
  /** Exactly one of the two is set. */
  project_id: number | null;
  group_id: number | null;
  name: string;
  rule_type: 'any_approver' | 'regular' | 'code_owner' | 'report_approver';
  report_type: string | null;
  approvals_required: number;
  user_ids: readonly number[];
  group_ids: readonly number[];
  /** Names of protections that it holds for, none for any branch; null stands for every protected branch. */
  branches: readonly string[] | null;
}

const table = (ctx: RequestContext) => ctx.table<ApprovalRule>('approval-rules');

const here = (ctx: RequestContext): ApprovalRule[] =>
  table(ctx)
    .filter((row) =>
      ctx.scope === 'project' ? row.project_id === ctx.project.id : row.group_id === ctx.group.id,
    )
    .sort((a, b) => a.id - b.id);

function meant(ctx: RequestContext): ApprovalRule {
  const row = here(ctx).find(({ id }) => id === ctx.slots.number('approval_rule_id'));
  if (!row) throw ctx.notFound('Approval Rule');
  return row;
}

const known = <T extends Row>(ctx: RequestContext, name: string, ids: readonly number[]): T[] =>
  ids.flatMap((id) => ctx.table<T>(name).get(id) ?? []);

/** Those named in the rule and the members of its groups, as far as they are Developers here and not blocked. */
function eligible(ctx: RequestContext, row: ApprovalRule): User[] {
  const place = ctx.scope === 'project' ? ctx.project : ctx.group;
  const ids = new Set(row.user_ids);
  for (const member of ctx.table<Member>('members').all()) {
    if (member.group_id !== null && row.group_ids.includes(member.group_id)) ids.add(member.user_id);
  }
  return known<User>(ctx, 'users', [...ids])
    .filter((user) => user.state === 'active' && isAtLeast(roleIn(ctx.store, user, place), 'developer'))
    .sort((a, b) => a.id - b.id);
}

function groupView({ id, name, path, full_path, parent_id, description, visibility }: Group): object {
  return {
    ...{ id, name, path, full_path, parent_id, description, visibility },
    full_name: full_path.replaceAll('/', ' / '),
    lfs_enabled: true,
    request_access_enabled: true,
    web_url: `/groups/${full_path}`,
  };
}

function branchesOf(ctx: RequestContext, { branches }: ApprovalRule): object[] {
  if (ctx.scope !== 'project') return [];
  const { project } = ctx;
  const rows = branches
    ? branches.flatMap((name) => protecting(ctx, project, name))
    : protections(ctx, project);
  return rows.map(protectionView);
}

function view(ctx: RequestContext, row: ApprovalRule): object {
  const summary = (user: User) => userSummary(user, ctx.origin);
  const groups = known<Group>(ctx, 'groups', row.group_ids);
  const visible = groups.filter(({ id }) => isVisible(ctx, 'group', id));
  return {
    ...row,
    users: known<User>(ctx, 'users', row.user_ids).map(summary),
    groups: visible.map(groupView),
    contains_hidden_groups: visible.length < groups.length,
    eligible_approvers: eligible(ctx, row).map(summary),
    applies_to_all_protected_branches: row.branches === null,
    protected_branches: branchesOf(ctx, row),
  };
}

type Changes = Partial<Omit<ApprovalRule, 'id'>>;

/** What the call says of the rule. Ids that nobody bears, and groups that the caller can't see, are passed over. */
function given(ctx: RequestContext, row?: ApprovalRule): Changes {
  const { params } = ctx;
  const changes: Changes = {};
  const name = params.text('name')?.trim();
  if (name !== undefined) changes.name = name;
  if (params.text('rule_type')) changes.rule_type = params.text('rule_type') as ApprovalRule['rule_type'];
  const required = params.number('approvals_required');
  if (required !== undefined) changes.approvals_required = required;
  const users = params.list<number>('user_ids');
  if (users) changes.user_ids = known<User>(ctx, 'users', [...new Set(users)]).map(({ id }) => id);
  const groups = params.list<number>('group_ids');
  if (groups) {
    changes.group_ids = known<Group>(ctx, 'groups', [...new Set(groups)])
      .map(({ id }) => id)
      .filter((id) => row?.group_ids.includes(id) || isVisible(ctx, 'group', id));
  }
  Object.assign(changes, branchesGiven(ctx, row), hiddenRemoved(ctx, row));
  check(ctx, changes, row);
  return changes;
}

/** The branches of a project's rule; like unknown users, ids of no protection here are skipped. */
function branchesGiven(ctx: RequestContext, row?: ApprovalRule): Changes {
  const all = ctx.params.bool('applies_to_all_protected_branches');
  const ids = ctx.params.list<number>('protected_branch_ids');
  if (all) return { branches: null };
  if (ids) {
    const chosen = protections(ctx, ctx.project).filter(({ id }) => ids.includes(id));
    return { branches: chosen.map(({ name }) => name) };
  }
  return all === false && row?.branches === null ? { branches: [] } : {};
}

/** The groups of a rule without those that the caller cannot see. */
function hiddenRemoved(ctx: RequestContext, row: ApprovalRule | undefined): Changes {
  if (!row || !ctx.params.bool('remove_hidden_groups')) return {};
  const ids = ctx.params.list<number>('group_ids') ?? row.group_ids;
  return { group_ids: ids.filter((id) => isVisible(ctx, 'group', id)) };
}

function check(ctx: RequestContext, changes: Changes, row: ApprovalRule | undefined): void {
  const errors: Record<string, string[]> = {};
  const { name, rule_type } = changes;
  if (name === '') errors['name'] = ["can't be blank"];
  if (here(ctx).some((other) => other !== row && other.name === name))
    errors['name'] = ['has already been taken'];
  // The service makes these from its policies: section 4.5.
  if (rule_type === 'report_approver') errors['rule_type'] = ['report_approver is not to be sent'];
  const isAny = rule_type === 'any_approver' && ctx.scope === 'project';
  if (isAny && here(ctx).some((other) => other !== row && other.rule_type === rule_type))
    errors['rule_type'] = ['any-approver for the project already exists'];
  if (Object.keys(errors).length > 0) throw ctx.badRequest(errors);
}

export const approvalRules = behaviors('approval-rules', {
  list: (ctx) => ctx.list(here(ctx), { view: (row) => view(ctx, row) }),

  get: (ctx) => ctx.one(view(ctx, meant(ctx))),

  create: (ctx) => {
    const row = table(ctx).insert({
      project_id: ctx.scope === 'project' ? ctx.project.id : null,
      group_id: ctx.scope === 'group' ? ctx.group.id : null,
      name: '',
      rule_type: ctx.scope === 'project' ? 'regular' : 'any_approver',
      report_type: null,
      approvals_required: 0,
      user_ids: [],
      group_ids: [],
      branches: ctx.scope === 'project' ? [] : null,
      ...given(ctx),
    });
    return ctx.one(view(ctx, row));
  },

  update: (ctx) => {
    const row = meant(ctx);
    return ctx.one(view(ctx, table(ctx).update(row, given(ctx, row))));
  },

  delete: (ctx) => {
    ctx.remove('approval-rules', meant(ctx));
    return ctx.noContent();
  },
});
