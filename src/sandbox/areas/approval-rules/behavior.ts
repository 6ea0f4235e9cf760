/** Approval rules of projects and groups (section 4.5). */
import { isAtLeast, roleIn } from '../../core/access.ts';
import { behaviors, type RequestContext } from '../../core/behavior.ts';
import { byId, findById, scopeColumns } from '../../core/lookup.ts';
import type { Group, Member, Row, User } from '../../core/rows.ts';
import { groupView, userSummary } from '../../core/summary.ts';
import { alreadyTaken, cannotBeBlank, type Messages, oneOf, rejectInvalid } from '../../core/validation.ts';
import { isVisible } from '../../core/visibility.ts';
import { protecting, protections, protectionView } from '../branches/protection.ts';

const ruleTypes = ['any_approver', 'regular', 'code_owner', 'report_approver'] as const;

export interface ApprovalRule extends Row {
  /** Exactly one of `project_id` and `group_id` is set. */
  project_id: number | null;
  group_id: number | null;
  name: string;
  rule_type: (typeof ruleTypes)[number];
  report_type: string | null;
  approvals_required: number;
  user_ids: readonly number[];
  group_ids: readonly number[];
  /** Names of protections that the rule applies to; empty for every branch, null for every protected branch. */
  branches: readonly string[] | null;
}

const table = (ctx: RequestContext) => ctx.table<ApprovalRule>('approval-rules');

function rulesOf(ctx: RequestContext): ApprovalRule[] {
  const { project_id, group_id } = scopeColumns(ctx);
  return table(ctx)
    .filter((row) => (ctx.scope === 'project' ? row.project_id === project_id : row.group_id === group_id))
    .sort(byId);
}

const findRule = (ctx: RequestContext): ApprovalRule =>
  findById(ctx, rulesOf(ctx), 'approval_rule_id', 'Approval Rule');

/** Return the rows with these ids. Unknown ids are skipped. */
const rowsWithIds = <T extends Row>(ctx: RequestContext, name: string, ids: Iterable<number>): T[] =>
  [...new Set(ids)].flatMap((id) => ctx.table<T>(name).get(id) ?? []);

/** Return the users of a rule and the members of its groups who are active and at least Developers of the scope. */
function eligibleApprovers(ctx: RequestContext, row: ApprovalRule): User[] {
  const scope = ctx.scope === 'project' ? ctx.project : ctx.group;
  const members = ctx
    .table<Member>('members')
    .filter(({ group_id }) => group_id !== null && row.group_ids.includes(group_id));
  return rowsWithIds<User>(ctx, 'users', [...row.user_ids, ...members.map(({ user_id }) => user_id)])
    .filter((user) => user.state === 'active' && isAtLeast(roleIn(ctx.store, user, scope), 'developer'))
    .sort(byId);
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

/** Return the attributes that the request sets. Unknown ids, and groups that the caller cannot see, are skipped. */
function changesFrom(ctx: RequestContext, row?: ApprovalRule): Changes {
  const { params } = ctx;
  const changes: Changes = {};
  const name = params.text('name')?.trim();
  if (name !== undefined) changes.name = name;
  const type = oneOf(ruleTypes, params.text('rule_type'));
  if (type) changes.rule_type = type;
  const required = params.number('approvals_required');
  if (required !== undefined) changes.approvals_required = required;
  const users = params.list<number>('user_ids');
  if (users) changes.user_ids = rowsWithIds<User>(ctx, 'users', users).map(({ id }) => id);
  const groups = params.list<number>('group_ids');
  if (groups) {
    changes.group_ids = rowsWithIds<Group>(ctx, 'groups', groups)
      .map(({ id }) => id)
      .filter((id) => row?.group_ids.includes(id) || isVisible(ctx, 'group', id));
  }
  Object.assign(changes, branchChanges(ctx, row), withoutHiddenGroups(ctx, row));
  check(ctx, changes, row);
  return changes;
}

/** Return the branches that the request sets for a rule of a project. Unknown protections are skipped. */
function branchChanges(ctx: RequestContext, row?: ApprovalRule): Changes {
  const all = ctx.params.bool('applies_to_all_protected_branches');
  const ids = ctx.params.list<number>('protected_branch_ids');
  if (all) return { branches: null };
  if (ids) {
    const chosen = protections(ctx, ctx.project).filter(({ id }) => ids.includes(id));
    return { branches: chosen.map(({ name }) => name) };
  }
  return all === false && row?.branches === null ? { branches: [] } : {};
}

/** Return the groups of a rule without those that the caller cannot see, if the request removes them. */
function withoutHiddenGroups(ctx: RequestContext, row: ApprovalRule | undefined): Changes {
  if (!row || !ctx.params.bool('remove_hidden_groups')) return {};
  const ids = ctx.params.list<number>('group_ids') ?? row.group_ids;
  return { group_ids: ids.filter((id) => isVisible(ctx, 'group', id)) };
}

function check(ctx: RequestContext, { name, rule_type }: Changes, row: ApprovalRule | undefined): void {
  const errors: Messages = {};
  const others = rulesOf(ctx).filter((other) => other !== row);
  if (name === '') errors['name'] = cannotBeBlank;
  if (others.some((other) => other.name === name)) errors['name'] = alreadyTaken;
  // The service creates these rules from its policies (section 4.5).
  if (rule_type === 'report_approver') errors['rule_type'] = ['report_approver cannot be set'];
  const isAny = rule_type === 'any_approver' && ctx.scope === 'project';
  if (isAny && others.some((other) => other.rule_type === rule_type))
    errors['rule_type'] = ['any-approver for the project already exists'];
  rejectInvalid(errors);
}

export const approvalRules = behaviors('approval-rules', {
  list: (ctx) => ctx.list(rulesOf(ctx), { view: (row) => view(ctx, row) }),

  get: (ctx) => ctx.one(view(ctx, findRule(ctx))),

  create: (ctx) => {
    const isProject = ctx.scope === 'project';
    const row = table(ctx).insert({
      ...scopeColumns(ctx),
      name: '',
      rule_type: isProject ? 'regular' : 'any_approver',
      report_type: null,
      approvals_required: 0,
      user_ids: [],
      group_ids: [],
      branches: isProject ? [] : null,
      ...changesFrom(ctx),
    });
    return ctx.one(view(ctx, row));
  },

  update: (ctx) => {
    const row = findRule(ctx);
    return ctx.one(view(ctx, table(ctx).update(row, changesFrom(ctx, row))));
  },

  delete: (ctx) => {
    ctx.remove('approval-rules', findRule(ctx));
    return ctx.noContent();
  },
});
