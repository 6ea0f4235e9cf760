import { behaviours, type Context } from '../behaviour.ts';
import { userSummary } from '../extras.ts';
import { commitView } from '../git/commit.ts';
import { ordered } from '../order.ts';
import { canIn, groupsBelow, isVisible } from '../places.ts';
import { only, reshape } from '../reshape.ts';
import type { Project, Row, User } from '../rows.ts';

export interface Release extends Row {
  project_id: number;
  author_id: number;
  tag_name: string;
  name: string;
  description: string;
  created_at: string;
  released_at: string;
}

/** What `simple` leaves. */
const simple = ['name', 'tag_name', 'description', 'created_at', 'released_at', 'upcoming_release'];

/** What only those see who may read the project's code. */
async function codeOf(ctx: Context, project: Project, tag: string): Promise<object> {
  if (project.visibility === 'private' && !canIn(ctx, project, 'reporter')) {
    return { commit_path: null, tag_path: null };
  }
  const repository = await ctx.repository(project.id);
  // A release outlives its tag: then it is shown with the commit that the project is at.
  const facts = (await repository.commit(tag)) ?? (await repository.commit(project.default_branch));
  const commit = facts && commitView(project, facts);
  return {
    ...(commit ? { commit, commit_path: commit.web_url } : {}),
    tag_path: `/${project.path_with_namespace}/-/tags/${encodeURIComponent(tag)}`,
  };
}

async function view(ctx: Context, row: Release): Promise<object> {
  const project = ctx.table<Project>('projects').get(row.project_id) as Project;
  const author = ctx.table<User>('users').get(row.author_id);
  return {
    ...row,
    upcoming_release: Date.parse(row.released_at) > ctx.now(),
    ...(author ? { author: userSummary(author, ctx.origin) } : {}),
    ...(await codeOf(ctx, project, row.tag_name)),
  };
}

export const releases = behaviours('releases', {
  list: async (ctx) => {
    const groups = groupsBelow(ctx.store, ctx.group).map(({ id }) => id);
    const projects = ctx
      .table<Project>('projects')
      .filter(({ id, group_id }) => groups.includes(group_id) && isVisible(ctx, 'project', id))
      .map(({ id }) => id);
    const all = ctx.table<Release>('releases').filter((row) => projects.includes(row.project_id));
    const rows = ordered(all, (row) => Date.parse(row.released_at), ctx.params.text('sort'));
    const answer = await ctx.list(rows, { view: (row) => view(ctx, row) });
    return ctx.params.bool('simple') ? reshape(answer, (shown) => only(shown, simple)) : answer;
  },
});
