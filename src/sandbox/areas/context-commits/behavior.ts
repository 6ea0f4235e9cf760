import { changedAt } from '../../conditional.ts';
import { behaviors, type RequestContext } from '../../core/behavior.ts';
import type { AnyRow, Row } from '../../core/rows.ts';
import { type CommitInfo, showCommit } from '../../git/commit.ts';
import { needRead } from '../branches/protection.ts';

/** A commit that is shown beside a merge request's changes. */
export interface ContextCommit extends Row {
  merge_request_id: number;
  sha: string;
}

function mergeRequest(ctx: RequestContext): AnyRow {
  const iid = ctx.slots.number('merge_request_iid');
  const row = ctx
    .table('merge_requests')
    .find((candidate) => candidate['project_id'] === ctx.project.id && candidate['iid'] === iid);
  if (!row) throw ctx.notFound('Merge Request');
  return row;
}

const rowsOf = (ctx: RequestContext, { id }: AnyRow): ContextCommit[] =>
  ctx.table<ContextCommit>('context_commits').filter((row) => row.merge_request_id === id);

const view = (ctx: RequestContext, facts: CommitInfo): object => showCommit(ctx.project, facts);

const isSha = (text: string): boolean => /^[0-9a-f]{7,40}$/i.test(text);

/** The commits of the repository that were asked for, each once. */
async function asked(ctx: RequestContext): Promise<CommitInfo[]> {
  const names = ctx.params.list('commits') ?? [];
  if (names.length === 0) throw ctx.badRequest({ commits: ["can't be blank"] });
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
    needRead(ctx);
    const repository = await ctx.repository(ctx.project.id);
    const found = await Promise.all(rowsOf(ctx, mergeRequest(ctx)).map(({ sha }) => repository.commit(sha)));
    const commits = found.filter((facts) => facts !== undefined);
    commits.sort((a, b) => Date.parse(b.committed_date) - Date.parse(a.committed_date));
    return ctx.list(commits, { view: (facts) => view(ctx, facts) });
  },

  /** What is there already stays as it is, and is answered with the rest. */
  add: async (ctx) => {
    const request = mergeRequest(ctx);
    const commits = await asked(ctx);
    const known = rowsOf(ctx, request).map(({ sha }) => sha);
    for (const { id } of commits) {
      if (known.includes(id)) continue;
      ctx.table<ContextCommit>('context_commits').insert({ merge_request_id: request.id, sha: id });
    }
    const answer = await ctx.list(commits, { view: (facts) => view(ctx, facts) });
    return ctx.json(201, await answer.json());
  },

  delete: async (ctx) => {
    const rows = rowsOf(ctx, mergeRequest(ctx));
    const gone = (await asked(ctx)).map(({ id }) => rows.find(({ sha }) => sha === id));
    const there = gone.filter((row) => row !== undefined);
    if (there.length < gone.length) throw ctx.notFound('Context Commit');
    for (const row of there) ctx.checkUnmodified(changedAt(row));
    for (const row of there) ctx.remove('context_commits', row);
    return ctx.noContent();
  },
});
