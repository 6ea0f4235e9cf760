/** Approval rules of projects and groups (section 4.5). */
import { isAtLeast, isVisible, roleIn } from '../../core/access.ts';
import { type Collection, collection, given } from '../../core/collection.ts';
import type { AreaHandlers, Context } from '../../core/context.ts';
import { byId } from '../../core/pages.ts';
import type { AnyRow, Group, Member, Row, User } from '../../core/rows.ts';
import { groupView, userSummary } from '../../core/summary.ts';
import { cannotBeBlank } from '../../core/validation.ts';
import { protecting, protections, protectionView } from '../branches/protection.ts';

type RuleType = 'any_approver' | 'regular' | 'code_owner' | 'report_approver';

interface ApprovalRule extends AnyRow {
  project_id: number | null;
  group_id: number | null;
  name: string;
  rule_type: RuleType;
  user_ids: readonly number[];
  group_ids: readonly number[];
  /** Names of protections that the rule applies to; empty for every branch, null for every protected branch. */
  branches: readonly string[] | null;
}

const rowsWithIds = <T extends Row>(ctx: Context, name: string, ids: Iterable<number>): T[] =>
  [...new Set(ids)].flatMap((id) => ctx.table<T>(name).get(id) ?? []);

/** Return the users of a rule and the members of its groups who are active and at least Developers of the scope. */
function eligibleApprovers(ctx: Context, row: ApprovalRule): User[] {
  const members = ctx
    .table<Member>('members')
    .filter(({ group_id }) => group_id !== null && row.group_ids.includes(group_id));
  return rowsWithIds<User>(ctx, 'users', [...row.user_ids, ...members.map(({ user_id }) => user_id)])
    .filter(
      (user) => user.state === 'active' && isAtLeast(roleIn(ctx.store, user, ctx.scopeRow), 'developer'),
    )
    .sort(byId);
}

function branchesOf(ctx: Context, { branches }: ApprovalRule): object[] {
  if (ctx.scope !== 'project') return [];
  const { project } = ctx;
  const rows = branches
    ? branches.flatMap((name) => protecting(ctx, project, name))
    : protections(ctx, project);
  return rows.map((row) => protectionView(ctx, row));
}

function view(ctx: Context, row: ApprovalRule): object {
  const summary = (user: User) => userSummary(user, ctx.origin);
  const groups = rowsWithIds<Group>(ctx, 'groups', row.group_ids);
  const visible = groups.filter(({ id }) => isVisible(ctx, 'group', id));
  return {
    ...row,
    users: rowsWithIds<User>(ctx, 'users', row.user_ids).map(summary),
    groups: visible.map((group) => ({
      ...groupView(group, ctx.origin),
      lfs_enabled: true,
      request_access_enabled: true,
    })),
    contains_hidden_groups: visible.length < groups.length,
    eligible_approvers: eligibleApprovers(ctx, row).map(summary),
    applies_to_all_protected_branches: row.branches === null,
    protected_branches: branchesOf(ctx, row),
  };
}

type Changes = Partial<Omit<ApprovalRule, 'id'>>;

function branchChanges(ctx: Context, row?: ApprovalRule): Changes {
  const all = ctx.params.bool('applies_to_all_protected_branches');
  const ids = ctx.params.list<number>('protected_branch_ids');
  if (all) return { branches: null };
  if (ids) {
    const chosen = protections(ctx, ctx.project).filter(({ id }) => ids.includes(id));
    return { branches: chosen.map(({ name }) => name) };
  }
  return all === false && row?.branches === null ? { branches: [] } : {};
}

/** Return the groups that the request sets. Groups that the caller cannot see cannot be added, and stay unless it removes them. */
function groupChanges(ctx: Context, row?: ApprovalRule): Changes {
  const ids = ctx.params.list<number>('group_ids');
  const isHidden = (id: number) => !isVisible(ctx, 'group', id);
  const removesHidden = row !== undefined && ctx.params.bool('remove_hidden_groups');
  if (!ids && !removesHidden) return {};
  const groups = rowsWithIds<Group>(ctx, 'groups', ids ?? row?.group_ids ?? []).map(({ id }) => id);
  return {
    group_ids: groups.filter((id) => !isHidden(id) || (!removesHidden && row?.group_ids.includes(id))),
  };
}

const rules: Collection<ApprovalRule> = {
  table: 'approval-rules',
  view,
  defaults: ({ scope }) => ({
    rule_type: scope === 'project' ? 'regular' : 'any_approver',
    user_ids: [],
    group_ids: [],
    branches: scope === 'project' ? [] : null,
  }),
  changes: (ctx, row) => {
    const name = ctx.params.text('name');
    const users = ctx.params.list<number>('user_ids');
    return {
      ...given<ApprovalRule>(ctx, {}, ['rule_type', 'approvals_required']),
      ...(name === undefined ? {} : { name: name.trim() }),
      ...(users ? { user_ids: rowsWithIds<User>(ctx, 'users', users).map(({ id }) => id) } : {}),
      ...groupChanges(ctx, row),
      ...branchChanges(ctx, row),
    };
  },
  check: (ctx, { name }) => {
    // Rules of other types are unchanged, or were created by the policies of the service (section 4.5).
    const type = ctx.params.text('rule_type');
    return {
      name: name === '' && cannotBeBlank,
      rule_type: type === 'report_approver' && ['report_approver cannot be set'],
    };
  },
  unique: ['name'],
};

export const approvalRules: AreaHandlers = { area: 'approval-rules', collection: collection(rules) };
