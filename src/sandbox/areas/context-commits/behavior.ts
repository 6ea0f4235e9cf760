/** Context commits of a merge request (section 4.15). */
import { changedAt } from '../../conditional.ts';
import { behaviors, type RequestContext } from '../../core/behavior.ts';
import { orNotFound } from '../../core/lookup.ts';
import type { AnyRow, Row } from '../../core/rows.ts';
import { cannotBeBlank } from '../../core/validation.ts';
import { type CommitInfo, showCommit } from '../../git/commit.ts';
import { requireRead } from '../branches/protection.ts';

export interface ContextCommit extends Row {
  merge_request_id: number;
  sha: string;
}

function findMergeRequest(ctx: RequestContext): AnyRow {
  const iid = ctx.slots.number('merge_request_iid');
  const row = ctx
    .table('merge_requests')
    .find((candidate) => candidate['project_id'] === ctx.project.id && candidate['iid'] === iid);
  return orNotFound(row, 'Merge Request');
}

const rowsOf = (ctx: RequestContext, { id }: AnyRow): ContextCommit[] =>
  ctx.table<ContextCommit>('context_commits').filter((row) => row.merge_request_id === id);

const view = (ctx: RequestContext, facts: CommitInfo): object => showCommit(ctx.project, facts);

const isSha = (text: string): boolean => /^[0-9a-f]{7,40}$/i.test(text);

/** Return the commits that the request names, without duplicates. @throws HttpError 400 */
async function requestedCommits(ctx: RequestContext): Promise<CommitInfo[]> {
  const names = ctx.params.list('commits') ?? [];
  if (names.length === 0) throw ctx.badRequest({ commits: cannotBeBlank });
  const repository = await ctx.repository(ctx.project.id);
  const found = new Map<string, CommitInfo>();
  for (const name of names) {
    const facts = isSha(name) ? await repository.commit(name.toLowerCase()) : undefined;
    if (!facts) throw ctx.badRequest(`One or more context commits' sha is not valid: ${name}`);
    found.set(facts.id, facts);
  }
  return [...found.values()];
}

export const contextCommits = behaviors('context-commits', {
  list: async (ctx) => {
    requireRead(ctx);
    const repository = await ctx.repository(ctx.project.id);
    const found = await Promise.all(
      rowsOf(ctx, findMergeRequest(ctx)).map(({ sha }) => repository.commit(sha)),
    );
    const commits = found.filter((facts) => facts !== undefined);
    commits.sort((a, b) => Date.parse(b.committed_date) - Date.parse(a.committed_date));
    return ctx.list(commits, { view: (facts) => view(ctx, facts) });
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
    const response = await ctx.list(commits, { view: (facts) => view(ctx, facts) });
    return ctx.json(201, await response.json());
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
    for (const row of rows) ctx.checkUnmodified(changedAt(row));
    for (const row of rows) ctx.remove('context_commits', row);
    return ctx.noContent();
  },
});
