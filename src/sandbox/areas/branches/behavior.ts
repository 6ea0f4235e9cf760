/** Branches, and their protection (section 4.11). */
import { behaviors, type RequestContext } from '../../core/behavior.ts';
import type { Project } from '../../core/rows.ts';
import { type CommitInfo, showCommit } from '../../git/commit.ts';
import { ExpressionError, matching } from '../../git/expression.ts';
import { GitError, isRefName } from '../../git/names.ts';
import { pushEvent } from '../../git/push.ts';
import type { Ref, Repository } from '../../git/repository.ts';
import {
  hasLevel,
  mayPush,
  needPush,
  needRead,
  type ProtectedBranch,
  protecting,
  protections,
  protectionView,
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
    can_push: mayPush(ctx, name),
    web_url: `/${project.path_with_namespace}/-/tree/${path}`,
    commit: showCommit(project, (await repository.commit(sha)) as CommitInfo),
  };
}

/** A branch with the default branch's own commit has nothing that was merged. */
async function isMerged(repository: Repository, project: Project, { sha }: Ref): Promise<boolean> {
  const tip = await repository.branch(project.default_branch);
  return tip !== undefined && tip.sha !== sha && (await repository.isMerged(sha, tip.sha));
}

/** `^term`, `term$`, `^term$`, or a term anywhere; letters alike in both cases. */
function fits(name: string, search: string): boolean {
  const [, start, term, end] = /^(\^?)([\s\S]*?)(\$?)$/.exec(search.toLowerCase()) as unknown as string[];
  const [text, wanted] = [name.toLowerCase(), term as string];
  if (start && end) return text === wanted;
  if (start) return text.startsWith(wanted);
  return end ? text.endsWith(wanted) : text.includes(wanted);
}

async function find(ctx: RequestContext): Promise<[Repository, Ref]> {
  const repository = await ctx.repository(ctx.project.id);
  const branch = await repository.branch(ctx.slots.text('branch') as string);
  if (!branch) throw ctx.notFound('Branch');
  return [repository, branch];
}

/** A branch last changed with its last commit. */
async function needUnmoved(ctx: RequestContext, repository: Repository, { sha }: Ref): Promise<void> {
  ctx.checkUnmodified((await repository.commit(sha))?.committed_date);
}

function protection(ctx: RequestContext): ProtectedBranch {
  const name = ctx.slots.text('name');
  const row = protections(ctx, ctx.project).find((rule) => rule.name === name);
  if (!row) throw ctx.notFound('Protected Branch');
  return row;
}

async function remove(ctx: RequestContext, repository: Repository, { name, sha }: Ref): Promise<void> {
  await repository.deleteBranch(name);
  const push = {
    projectId: ctx.project.id,
    userId: ctx.requireUser().id,
    branch: name,
    before: sha,
    after: undefined,
  };
  ctx.emit(await pushEvent(repository, push));
}

export const branches = behaviors('branches', {
  async list(ctx) {
    needRead(ctx);
    const repository = await ctx.repository(ctx.project.id);
    const { params } = ctx;
    let rows = await repository.branches();
    const search = params.text('search');
    if (search) rows = rows.filter(({ name }) => fits(name, search));
    const regex = params.text('regex');
    if (regex) {
      const matched = await matches(ctx, regex, rows);
      rows = rows.filter(({ name }) => matched.has(name));
    }
    return ctx.list(rows, { view: (row) => branchView(ctx, repository, row) });
  },

  async get(ctx) {
    needRead(ctx);
    const [repository, branch] = await find(ctx);
    return ctx.one(await branchView(ctx, repository, branch));
  },

  async create(ctx) {
    const name = ctx.params.text('branch') ?? '';
    const ref = ctx.params.text('ref') ?? '';
    needPush(ctx, name);
    const repository = await ctx.repository(ctx.project.id);
    try {
      const sha = await repository.createBranch(name, ref);
      const push = {
        projectId: ctx.project.id,
        userId: ctx.requireUser().id,
        branch: name,
        before: undefined,
        after: sha,
      };
      ctx.emit(await pushEvent(repository, push));
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
    const [repository, branch] = await find(ctx);
    if (branch.name === ctx.project.default_branch)
      throw ctx.httpError(400, 'Cannot remove the default branch');
    if (protecting(ctx, ctx.project, branch.name).length > 0)
      throw ctx.httpError(400, 'A protected branch cannot be removed: unprotect it first');
    await needUnmoved(ctx, repository, branch);
    await remove(ctx, repository, branch);
    return ctx.noContent();
  },

  async 'delete-merged'(ctx) {
    ctx.requireRole('developer');
    const { project } = ctx;
    const repository = await ctx.repository(project.id);
    const merged: Ref[] = [];
    for (const branch of await repository.branches()) {
      if (branch.name === project.default_branch || protecting(ctx, project, branch.name).length > 0)
        continue;
      if (await isMerged(repository, project, branch)) merged.push(branch);
    }
    for (const branch of merged) await needUnmoved(ctx, repository, branch);
    for (const branch of merged) await remove(ctx, repository, branch);
    return ctx.json(202, { message: '202 Accepted' });
  },

  protections(ctx) {
    needRead(ctx);
    const search = ctx.params.text('search')?.toLowerCase() ?? '';
    const rows = protections(ctx, ctx.project).filter(({ name }) => name.toLowerCase().includes(search));
    return ctx.list(rows, { view: protectionView });
  },

  protection(ctx) {
    needRead(ctx);
    return ctx.one(protectionView(protection(ctx)));
  },

  protect(ctx) {
    ctx.requireRole('maintainer');
    const { params, project } = ctx;
    const name = params.text('name')?.trim() ?? '';
    if (name === '') throw ctx.badRequest({ name: ["can't be blank"] });
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
    const row = protection(ctx);
    if (!ctx.hasRole('administrator') && !hasLevel(ctx, row.unprotect_access_level)) throw ctx.forbidden();
    ctx.remove('protected_branches', row);
    return ctx.noContent();
  },
});

async function matches(ctx: RequestContext, regex: string, rows: readonly Ref[]): Promise<Set<string>> {
  try {
    return await matching(
      regex,
      rows.map(({ name }) => name),
    );
  } catch (error) {
    if (error instanceof ExpressionError) throw ctx.badRequest({ regex: [error.message] });
    throw error;
  }
}
