/** Branches and protected branches (section 4.11). */

import { encodedPath } from '../../../support/url.ts';
import { checkUnmodified } from '../../conditional.ts';
import { collection } from '../../core/collection.ts';
import { type AreaHandlers, type Context, jsonResponse, list, noContent, one } from '../../core/context.ts';
import { forbidden, httpError } from '../../core/http-error.ts';
import { defined, orNotFound } from '../../core/lookup.ts';
import type { Project } from '../../core/rows.ts';
import { cannotBeBlank } from '../../core/validation.ts';
import { showCommit } from '../../git/commit.ts';
import { compileRe2 } from '../../git/expression.ts';
import { GitError } from '../../git/names.ts';
import type { Ref, Repository } from '../../git/repository.ts';
import {
  canPush,
  emitPush,
  hasLevel,
  openForReading,
  type ProtectedBranch,
  protecting,
  protectionView,
  requirePush,
} from './protection.ts';

async function branchView(ctx: Context, repository: Repository, { name, sha }: Ref) {
  const { project } = ctx;
  const rules = protecting(ctx, project, name);
  const developersCan = (kind: 'push' | 'merge') => rules.some((rule) => rule[`${kind}_access_level`] === 30);
  return {
    name,
    merged: await isMerged(repository, project, { name, sha }),
    protected: rules.length > 0,
    default: name === project.default_branch,
    developers_can_push: developersCan('push'),
    developers_can_merge: developersCan('merge'),
    can_push: canPush(ctx, name),
    web_url: `/${project.path_with_namespace}/-/tree/${encodedPath(name)}`,
    commit: showCommit(project, defined(await repository.commit(sha))),
  };
}

/** Whether a branch was merged. A branch at the commit of the default branch was not. */
async function isMerged(repository: Repository, project: Project, { sha }: Ref): Promise<boolean> {
  const tip = await repository.branch(project.default_branch);
  return tip !== undefined && tip.sha !== sha && (await repository.reaches(tip.sha, sha));
}

function searchTest(search: string): (name: string) => boolean {
  const [, start, term = '', end] = /^(\^?)(.*?)(\$?)$/s.exec(search.toLowerCase()) ?? [];
  if (start && end) return (name) => name.toLowerCase() === term;
  if (start) return (name) => name.toLowerCase().startsWith(term);
  return (name) => (end ? name.toLowerCase().endsWith(term) : name.toLowerCase().includes(term));
}

const findBranch = async ({ slots }: Context, repository: Repository): Promise<Ref> =>
  orNotFound(await repository.branch(defined(slots.text('branch'))), 'Branch');

async function requireUnmoved(ctx: Context, repository: Repository, { sha }: Ref): Promise<void> {
  checkUnmodified(ctx.request, (await repository.commit(sha))?.committed_date);
}

async function deleteBranch(ctx: Context, repository: Repository, { name, sha }: Ref): Promise<void> {
  await repository.deleteRef('heads', name);
  await emitPush(ctx, repository, name, sha);
}

const isRemovable = (ctx: Context, { name }: Ref): boolean =>
  name !== ctx.project.default_branch && protecting(ctx, ctx.project, name).length === 0;

const protectedBranches = collection<ProtectedBranch>({
  table: 'protected_branches',
  title: 'Protected Branch',
  readRole: ({ project }) => (project.visibility === 'private' ? 'reporter' : undefined),
  role: 'maintainer',
  view: protectionView,
  permit: (ctx, { unprotect_access_level: level }) => {
    if (!ctx.hasRole('administrator') && !hasLevel(ctx, level)) throw forbidden();
  },
  changes: ({ params }, row) => {
    const level = (kind: 'push' | 'merge' | 'unprotect') => {
      const [rule] = params.list<{ access_level?: number }>(`allowed_to_${kind}`) ?? [];
      return (
        rule?.access_level ?? params.number(`${kind}_access_level`) ?? row?.[`${kind}_access_level`] ?? 40
      );
    };
    const flag = (name: 'allow_force_push' | 'code_owner_approval_required') =>
      params.bool(name) ?? row?.[name] ?? false;
    return {
      name: row?.name ?? params.text('name')?.trim() ?? '',
      push_access_level: level('push'),
      merge_access_level: level('merge'),
      unprotect_access_level: level('unprotect'),
      allow_force_push: flag('allow_force_push'),
      code_owner_approval_required: flag('code_owner_approval_required'),
    };
  },
  unique: ['name'],
  duplicate: ({ name }) => httpError(409, `Protected branch '${name}' already exists`),
  check: (_, { name }) => ({ name: name === '' && cannotBeBlank }),
});

export const branches: AreaHandlers = {
  area: 'branches',
  collection: protectedBranches,
  handlers: {
    async list(ctx) {
      const repository = await openForReading(ctx);
      const [search, regex] = [ctx.params.text('search'), ctx.params.text('regex')];
      const tests = [...(search ? [searchTest(search)] : []), ...(regex ? [await compileRe2(regex)] : [])];
      const rows = await repository.branches();
      const found = rows.filter(({ name }) => tests.every((test) => test(name)));
      return list(ctx, found, { view: (_, row) => branchView(ctx, repository, row) });
    },

    async get(ctx) {
      const repository = await openForReading(ctx);
      const branch = await findBranch(ctx, repository);
      return one(ctx, await branchView(ctx, repository, branch));
    },

    async create(ctx) {
      const name = ctx.params.text('branch') ?? '';
      const ref = ctx.params.text('ref') ?? '';
      requirePush(ctx, name);
      const repository = await ctx.repository(ctx.project.id);
      try {
        const sha = await repository.createBranch(name, ref);
        await emitPush(ctx, repository, name, undefined, sha);
        return one(ctx, await branchView(ctx, repository, { name, sha }));
      } catch (error) {
        if (!(error instanceof GitError)) throw error;
        throw httpError(400, error.message);
      }
    },

    async delete(ctx) {
      ctx.requireRole('developer');
      const repository = await ctx.repository(ctx.project.id);
      const branch = await findBranch(ctx, repository);
      if (branch.name === ctx.project.default_branch)
        throw httpError(400, 'Cannot remove the default branch');
      if (!isRemovable(ctx, branch))
        throw httpError(400, 'A protected branch cannot be removed: unprotect it first');
      await requireUnmoved(ctx, repository, branch);
      await deleteBranch(ctx, repository, branch);
      return noContent();
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
      return jsonResponse(202, { message: '202 Accepted' });
    },
  },
};
