/** Context commits of a merge request (section 4.15). */
import { changedAt, checkUnmodified } from '../../conditional.ts';
import { removeRow } from '../../core/collection.ts';
import { type AreaHandlers, type Context, list, noContent } from '../../core/context.ts';
import { badRequest } from '../../core/http-error.ts';
import { orNotFound } from '../../core/lookup.ts';
import type { AnyRow, Row } from '../../core/rows.ts';
import { cannotBeBlank } from '../../core/validation.ts';
import { type CommitInfo, showCommit } from '../../git/commit.ts';
import { openForReading } from '../branches/protection.ts';

interface ContextCommit extends Row {
  merge_request_id: number;
  sha: string;
}

function findMergeRequest(ctx: Context): AnyRow {
  const iid = ctx.slots.number('merge_request_iid');
  const row = ctx
    .table('merge_requests')
    .find((candidate) => candidate['project_id'] === ctx.project.id && candidate['iid'] === iid);
  return orNotFound(row, 'Merge Request');
}

const rowsOf = (ctx: Context, { id }: AnyRow): ContextCommit[] =>
  ctx.table<ContextCommit>('context_commits').filter((row) => row.merge_request_id === id);

const view = ({ project }: Context, commit: CommitInfo): object => showCommit(project, commit);

const isSha = (text: string): boolean => /^[0-9a-f]{7,40}$/i.test(text);

async function requestedCommits(ctx: Context): Promise<CommitInfo[]> {
  const names = ctx.params.list('commits') ?? [];
  if (names.length === 0) throw badRequest({ commits: cannotBeBlank });
  const repository = await ctx.repository(ctx.project.id);
  const found = new Map<string, CommitInfo>();
  for (const name of names) {
    const facts = isSha(name) ? await repository.commit(name.toLowerCase()) : undefined;
    if (!facts) throw badRequest(`One or more context commits' sha is not valid: ${name}`);
    found.set(facts.id, facts);
  }
  return [...found.values()];
}

export const contextCommits: AreaHandlers = {
  area: 'context-commits',
  handlers: {
    list: async (ctx) => {
      const repository = await openForReading(ctx);
      const rows = rowsOf(ctx, findMergeRequest(ctx));
      const commits = await Promise.all(rows.map(({ sha }) => repository.commit(sha)));
      const order = { by: 'committed_date', sort: 'desc' } as const;
      return list(
        ctx,
        commits.filter((commit) => commit !== undefined),
        { view },
        order,
      );
    },

    /** Commits that were added before stay unchanged and are part of the response. */
    add: async (ctx) => {
      const request = findMergeRequest(ctx);
      const commits = await requestedCommits(ctx);
      const known = rowsOf(ctx, request).map(({ sha }) => sha);
      for (const { id } of commits) {
        if (known.includes(id)) continue;
        ctx.table<ContextCommit>('context_commits').insert({ merge_request_id: request.id, sha: id });
      }
      return list(ctx, commits, { view });
    },

    delete: async (ctx) => {
      const known = rowsOf(ctx, findMergeRequest(ctx));
      const commits = await requestedCommits(ctx);
      const rows = commits.map(({ id }) =>
        orNotFound(
          known.find(({ sha }) => sha === id),
          'Context Commit',
        ),
      );
      for (const row of rows) checkUnmodified(ctx.request, changedAt(row));
      for (const row of rows) removeRow(ctx, 'context_commits', row);
      return noContent();
    },
  },
};
