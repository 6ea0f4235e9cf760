/** Branches and protected branches (section 4.11). */
import { behaviors, type RequestContext } from '../../core/behavior.ts';
import { defined, orNotFound } from '../../core/lookup.ts';
import type { Project } from '../../core/rows.ts';
import { cannotBeBlank } from '../../core/validation.ts';
import { showCommit } from '../../git/commit.ts';
import { ExpressionError, matchRe2 } from '../../git/expression.ts';
import { GitError, isRefName } from '../../git/names.ts';
import { pushEvent } from '../../git/push.ts';
import type { Ref, Repository } from '../../git/repository.ts';
import {
  canPush,
  hasLevel,
  type ProtectedBranch,
  protecting,
  protections,
  protectionView,
  requirePush,
  requireRead,
} from './protection.ts';

async function branchView(ctx: RequestContext, repository: Repository, { name, sha }: Ref) {
  const { project } = ctx;
  const rules = protecting(ctx, project, name);
  const developersCan = (kind: 'push' | 'merge') => rules.some((rule) => rule[`${kind}_access_level`] === 30);
  const path = name.split('/').map(encodeURIComponent).join('/');
  return {
    name,
    merged: await isMerged(repository, project, { name, sha }),
    protected: rules.length > 0,
    default: name === project.default_branch,
    developers_can_push: developersCan('push'),
    developers_can_merge: developersCan('merge'),
    can_push: canPush(ctx, name),
    web_url: `/${project.path_with_namespace}/-/tree/${path}`,
    commit: showCommit(project, defined(await repository.commit(sha))),
  };
}

/** Whether a branch was merged. A branch at the commit of the default branch was not. */
async function isMerged(repository: Repository, project: Project, { sha }: Ref): Promise<boolean> {
  const tip = await repository.branch(project.default_branch);
  return tip !== undefined && tip.sha !== sha && (await repository.isMerged(sha, tip.sha));
}

/** Whether a name matches `^term`, `term$`, `^term$` or `term`, ignoring case. */
function matchesSearch(name: string, search: string): boolean {
  const [atStart, atEnd] = [search.startsWith('^'), search.endsWith('$')];
  const term = search.slice(atStart ? 1 : 0, atEnd ? -1 : undefined).toLowerCase();
  const text = name.toLowerCase();
  if (atStart && atEnd) return text === term;
  if (atStart) return text.startsWith(term);
  return atEnd ? text.endsWith(term) : text.includes(term);
}

async function findBranch(ctx: RequestContext): Promise<[Repository, Ref]> {
  const repository = await ctx.repository(ctx.project.id);
  const branch = await repository.branch(defined(ctx.slots.text('branch')));
  return [repository, orNotFound(branch, 'Branch')];
}

/** @throws HttpError 412 if the branch has a commit after `If-Unmodified-Since` */
async function requireUnmoved(ctx: RequestContext, repository: Repository, { sha }: Ref): Promise<void> {
  ctx.checkUnmodified((await repository.commit(sha))?.committed_date);
}

function findProtection(ctx: RequestContext): ProtectedBranch {
  const name = ctx.slots.text('name');
  return orNotFound(
    protections(ctx, ctx.project).find((rule) => rule.name === name),
    'Protected Branch',
  );
}

/** Report a created or deleted branch to hooks. */
async function emitPush(
  ctx: RequestContext,
  repository: Repository,
  change: {
    readonly branch: string;
    readonly before: string | undefined;
    readonly after: string | undefined;
  },
): Promise<void> {
  const push = { projectId: ctx.project.id, userId: ctx.requireUser().id, ...change };
  ctx.emit(await pushEvent(repository, push));
}

async function deleteBranch(ctx: RequestContext, repository: Repository, { name, sha }: Ref): Promise<void> {
  await repository.deleteBranch(name);
  await emitPush(ctx, repository, { branch: name, before: sha, after: undefined });
}

const isRemovable = (ctx: RequestContext, { name }: Ref): boolean =>
  name !== ctx.project.default_branch && protecting(ctx, ctx.project, name).length === 0;

export const branches = behaviors('branches', {
  async list(ctx) {
    requireRead(ctx);
    const repository = await ctx.repository(ctx.project.id);
    const { params } = ctx;
    let rows = await repository.branches();
    const search = params.text('search');
    if (search) rows = rows.filter(({ name }) => matchesSearch(name, search));
    const regex = params.text('regex');
    if (regex) {
      const matched = await matchingNames(ctx, regex, rows);
      rows = rows.filter(({ name }) => matched.has(name));
    }
    return ctx.list(rows, { view: (row) => branchView(ctx, repository, row) });
  },

  async get(ctx) {
    requireRead(ctx);
    const [repository, branch] = await findBranch(ctx);
    return ctx.one(await branchView(ctx, repository, branch));
  },

  async create(ctx) {
    const name = ctx.params.text('branch') ?? '';
    const ref = ctx.params.text('ref') ?? '';
    requirePush(ctx, name);
    const repository = await ctx.repository(ctx.project.id);
    try {
      const sha = await repository.createBranch(name, ref);
      await emitPush(ctx, repository, { branch: name, before: undefined, after: sha });
      return ctx.one(await branchView(ctx, repository, { name, sha }));
    } catch (error) {
      if (!(error instanceof GitError)) throw error;
      if (error.code === 'branch-exists') throw ctx.httpError(400, 'Branch already exists');
      if (error.code === 'ref-missing') throw ctx.httpError(400, `Invalid reference name: ${ref}`);
      throw ctx.httpError(
        400,
        isRefName(name) ? `Branch name is invalid: ${error.message}` : 'Branch name is invalid',
      );
    }
  },

  async delete(ctx) {
    ctx.requireRole('developer');
    const [repository, branch] = await findBranch(ctx);
    if (branch.name === ctx.project.default_branch)
      throw ctx.httpError(400, 'Cannot remove the default branch');
    if (!isRemovable(ctx, branch))
      throw ctx.httpError(400, 'A protected branch cannot be removed: unprotect it first');
    await requireUnmoved(ctx, repository, branch);
    await deleteBranch(ctx, repository, branch);
    return ctx.noContent();
  },

  async 'delete-merged'(ctx) {
    ctx.requireRole('developer');
    const { project } = ctx;
    const repository = await ctx.repository(project.id);
    const merged: Ref[] = [];
    for (const branch of await repository.branches()) {
      if (isRemovable(ctx, branch) && (await isMerged(repository, project, branch))) merged.push(branch);
    }
    for (const branch of merged) await requireUnmoved(ctx, repository, branch);
    for (const branch of merged) await deleteBranch(ctx, repository, branch);
    return ctx.json(202, { message: '202 Accepted' });
  },

  protections(ctx) {
    requireRead(ctx);
    const search = ctx.params.text('search')?.toLowerCase() ?? '';
    const rows = protections(ctx, ctx.project).filter(({ name }) => name.toLowerCase().includes(search));
    return ctx.list(rows, { view: protectionView });
  },

  protection(ctx) {
    requireRead(ctx);
    return ctx.one(protectionView(findProtection(ctx)));
  },

  protect(ctx) {
    ctx.requireRole('maintainer');
    const { params, project } = ctx;
    const name = params.text('name')?.trim() ?? '';
    if (name === '') throw ctx.badRequest({ name: cannotBeBlank });
    if (protections(ctx, project).some((row) => row.name === name))
      throw ctx.httpError(409, `Protected branch '${name}' already exists`);
    const row = ctx.table<ProtectedBranch>('protected_branches').insert({
      project_id: project.id,
      name,
      push_access_level: params.number('push_access_level') ?? 40,
      merge_access_level: params.number('merge_access_level') ?? 40,
      unprotect_access_level: params.number('unprotect_access_level') ?? 40,
      allow_force_push: params.bool('allow_force_push') ?? false,
    });
    return ctx.one(protectionView(row));
  },

  unprotect(ctx) {
    ctx.requireRole('maintainer');
    const row = findProtection(ctx);
    if (!ctx.hasRole('administrator') && !hasLevel(ctx, row.unprotect_access_level)) throw ctx.forbidden();
    ctx.remove('protected_branches', row);
    return ctx.noContent();
  },
});

async function matchingNames(ctx: RequestContext, regex: string, rows: readonly Ref[]): Promise<Set<string>> {
  try {
    return await matchRe2(
      regex,
      rows.map(({ name }) => name),
    );
  } catch (error) {
    if (error instanceof ExpressionError) throw ctx.badRequest({ regex: [error.message] });
    throw error;
  }
}
