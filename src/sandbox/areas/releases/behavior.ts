import { release } from '../../../api/releases.ts';
import { one } from '../../../spec/endpoint.ts';
import { datetime, text } from '../../../spec/field.ts';
import { behaviors, type ExtraRoute, type RequestContext } from '../../core/behavior.ts';
import { ordered } from '../../core/order.ts';
import { only, reshape } from '../../core/reshape.ts';
import type { Project, Row, User } from '../../core/rows.ts';
import { descendantGroups, hasRoleIn, isVisible } from '../../core/visibility.ts';
import { showCommit } from '../../git/commit.ts';
import { GitError } from '../../git/names.ts';
import { userSummary } from '../extras.ts';
import { releaseEvent } from './event.ts';

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
async function codeOf(ctx: RequestContext, project: Project, tag: string): Promise<object> {
  if (project.visibility === 'private' && !hasRoleIn(ctx, project, 'reporter')) {
    return {};
  }
  const repository = await ctx.repository(project.id);
  // A release outlives its tag: then it is shown with the commit that the project is at.
  const facts = (await repository.commit(tag)) ?? (await repository.commit(project.default_branch));
  const commit = facts && showCommit(project, facts);
  return {
    ...(commit ? { commit, commit_path: commit.web_url } : {}),
    tag_path: `/${project.path_with_namespace}/-/tags/${encodeURIComponent(tag)}`,
  };
}

async function view(ctx: RequestContext, row: Release): Promise<object> {
  const project = ctx.table<Project>('projects').get(row.project_id) as Project;
  const author = ctx.table<User>('users').get(row.author_id);
  return {
    ...row,
    upcoming_release: Date.parse(row.released_at) > ctx.now(),
    ...(author ? { author: userSummary(author, ctx.origin) } : {}),
    ...(await codeOf(ctx, project, row.tag_name)),
  };
}

const ofProject = (ctx: RequestContext) =>
  ctx.table<Release>('releases').filter((row) => row.project_id === ctx.project.id);

function meant(ctx: RequestContext): Release {
  const row = ofProject(ctx).find(({ tag_name }) => tag_name === ctx.slots.text('tag_name'));
  if (!row) throw ctx.notFound();
  return row;
}

const given = (ctx: RequestContext): Partial<Omit<Release, 'id'>> =>
  Object.fromEntries(
    ['name', 'description', 'released_at']
      .filter((name) => ctx.params.text(name) !== undefined)
      .map((name) => [name, ctx.params.text(name)]),
  );

/** Create the tag of a release where there is none. @throws HttpError 422 */
async function needTag(ctx: RequestContext, tag: string): Promise<void> {
  const { project } = ctx;
  const repository = await ctx.repository(project.id);
  if ((await repository.tags()).some(({ name }) => name === tag)) return;
  const ref = ctx.params.text('ref');
  if (!ref) throw ctx.httpError(422, 'Ref is not specified');
  try {
    await repository.createTag(tag, ref);
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    throw ctx.httpError(422, error.code === 'ref-missing' ? 'Target is invalid' : 'Tag name invalid');
  }
  ctx.emit({
    kind: 'tag_push',
    project_id: project.id,
    user_id: ctx.requireUser().id,
    ref: `refs/tags/${tag}`,
    before: '0'.repeat(40),
    after: (await repository.resolve(`refs/tags/${tag}`)) as string,
    commits: [],
  });
}

async function tell(
  ctx: RequestContext,
  row: Release,
  action: 'create' | 'update' | 'delete',
): Promise<void> {
  const repository = await ctx.repository(row.project_id);
  ctx.emit(releaseEvent(ctx.project, row, await repository.commit(row.tag_name), action));
}

const shown = async (ctx: RequestContext, row: Release, status?: number): Promise<Response> =>
  ctx.one(await view(ctx, row), status);

const takes = {
  name: text('Title'),
  description: text('Release notes'),
  released_at: datetime('When it is or was out'),
};
const returns = one(release);
const call = '/projects/:id/releases';

/** The API's specification only lists releases; these make the changes that hooks can subscribe to. */
const projectReleases: readonly ExtraRoute[] = [
  {
    route: `POST ${call}`,
    takes: {
      ...takes,
      tag_name: text('Tag', { required: true }),
      ref: text('Commit or branch to create the tag from'),
    },
    returns,
    behavior: async (ctx) => {
      const tag_name = ctx.params.text('tag_name') as string;
      if (ofProject(ctx).some((row) => row.tag_name === tag_name))
        throw ctx.httpError(409, 'Release already exists');
      await needTag(ctx, tag_name);
      const now = ctx.time();
      const row = ctx.table<Release>('releases').insert({
        project_id: ctx.project.id,
        author_id: ctx.requireUser().id,
        tag_name,
        name: tag_name,
        description: '',
        created_at: now,
        released_at: now,
        ...given(ctx),
      });
      await tell(ctx, row, 'create');
      return shown(ctx, row);
    },
  },
  {
    route: `PUT ${call}/:tag_name`,
    takes,
    returns,
    behavior: async (ctx) => {
      const row = ctx.table<Release>('releases').update(meant(ctx), given(ctx));
      await tell(ctx, row, 'update');
      return shown(ctx, row);
    },
  },
  {
    route: `DELETE ${call}/:tag_name`,
    returns,
    behavior: async (ctx) => {
      const row = meant(ctx);
      ctx.remove('releases', row);
      await tell(ctx, row, 'delete');
      return shown(ctx, row);
    },
  },
];

export const releases = behaviors(
  'releases',
  {
    list: async (ctx) => {
      const groups = descendantGroups(ctx.store, ctx.group).map(({ id }) => id);
      const projects = ctx
        .table<Project>('projects')
        .filter(({ id, group_id }) => groups.includes(group_id) && isVisible(ctx, 'project', id))
        .map(({ id }) => id);
      const all = ctx.table<Release>('releases').filter((row) => projects.includes(row.project_id));
      const rows = ordered(all, (row) => Date.parse(row.released_at), ctx.params.text('sort'));
      const answer = await ctx.list(rows, { view: (row) => view(ctx, row) });
      return ctx.params.bool('simple') ? reshape(answer, (shown) => only(shown, simple)) : answer;
    },
  },
  { extras: projectReleases },
);
