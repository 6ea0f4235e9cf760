/** Releases of a group, and of its projects (section 4.16). */
import { release } from '../../../api/releases.ts';
import { one } from '../../../spec/endpoint.ts';
import { datetime, text } from '../../../spec/field.ts';
import { behaviors, type ExtraRoute, type RequestContext } from '../../core/behavior.ts';
import { defined, ofProject, orNotFound } from '../../core/lookup.ts';
import { ordered } from '../../core/order.ts';
import { only, reshape } from '../../core/reshape.ts';
import type { Project, User } from '../../core/rows.ts';
import { userSummary } from '../../core/summary.ts';
import { visibleProjects } from '../../core/visibility.ts';
import { showCommit } from '../../git/commit.ts';
import { GitError } from '../../git/names.ts';
import { canReadCode } from '../branches/protection.ts';
import { releaseEvent } from './event.ts';
import type { Release } from './release.ts';

/** Fields of a list with `simple`. */
const simpleFields = ['name', 'tag_name', 'description', 'created_at', 'released_at', 'upcoming_release'];

/** Return the fields that are shown only to callers who can read the code of the project. */
async function codeFields(ctx: RequestContext, project: Project, tag: string): Promise<object> {
  if (!canReadCode(ctx, project)) return {};
  const repository = await ctx.repository(project.id);
  // A release whose tag was deleted has the latest commit of the default branch.
  const facts = (await repository.commit(tag)) ?? (await repository.commit(project.default_branch));
  const commit = facts && showCommit(project, facts);
  return {
    ...(commit ? { commit, commit_path: commit.web_url } : {}),
    tag_path: `/${project.path_with_namespace}/-/tags/${encodeURIComponent(tag)}`,
  };
}

async function view(ctx: RequestContext, row: Release): Promise<object> {
  const project = defined(ctx.table<Project>('projects').get(row.project_id));
  const author = ctx.table<User>('users').get(row.author_id);
  return {
    ...row,
    upcoming_release: Date.parse(row.released_at) > ctx.now(),
    ...(author ? { author: userSummary(author, ctx.origin) } : {}),
    ...(await codeFields(ctx, project, row.tag_name)),
  };
}

const releasesOf = (ctx: RequestContext): Release[] => ofProject<Release>(ctx, 'releases');

const findRelease = (ctx: RequestContext): Release =>
  orNotFound(releasesOf(ctx).find(({ tag_name }) => tag_name === ctx.slots.text('tag_name')));

const changesFrom = (ctx: RequestContext): Partial<Omit<Release, 'id'>> =>
  Object.fromEntries(
    ['name', 'description', 'released_at']
      .filter((name) => ctx.params.text(name) !== undefined)
      .map((name) => [name, ctx.params.text(name)]),
  );

/** Create the tag of a release unless it exists. @throws HttpError 422 */
async function ensureTag(ctx: RequestContext, tag: string): Promise<void> {
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
    after: defined(await repository.resolve(`refs/tags/${tag}`)),
    commits: [],
  });
}

async function emitRelease(
  ctx: RequestContext,
  row: Release,
  action: 'create' | 'update' | 'delete',
): Promise<void> {
  const repository = await ctx.repository(row.project_id);
  ctx.emit(releaseEvent(ctx.project, row, await repository.commit(row.tag_name), action));
}

const respond = async (ctx: RequestContext, row: Release): Promise<Response> => ctx.one(await view(ctx, row));

const takes = {
  name: text('Title'),
  description: text('Release notes'),
  released_at: datetime('Release date'),
};
const returns = one(release);
const path = '/projects/:id/releases';

/** The specification only lists releases. These endpoints make the changes that hooks can subscribe to. */
const projectReleases: readonly ExtraRoute[] = [
  {
    route: `POST ${path}`,
    takes: {
      ...takes,
      tag_name: text('Tag', { required: true }),
      ref: text('Commit or branch to create the tag from'),
    },
    returns,
    behavior: async (ctx) => {
      const tag_name = defined(ctx.params.text('tag_name'));
      if (releasesOf(ctx).some((row) => row.tag_name === tag_name))
        throw ctx.httpError(409, 'Release already exists');
      await ensureTag(ctx, tag_name);
      const now = ctx.time();
      const row = ctx.table<Release>('releases').insert({
        project_id: ctx.project.id,
        author_id: ctx.requireUser().id,
        tag_name,
        name: tag_name,
        description: '',
        created_at: now,
        released_at: now,
        ...changesFrom(ctx),
      });
      await emitRelease(ctx, row, 'create');
      return respond(ctx, row);
    },
  },
  {
    route: `PUT ${path}/:tag_name`,
    takes,
    returns,
    behavior: async (ctx) => {
      const row = ctx.table<Release>('releases').update(findRelease(ctx), changesFrom(ctx));
      await emitRelease(ctx, row, 'update');
      return respond(ctx, row);
    },
  },
  {
    route: `DELETE ${path}/:tag_name`,
    returns,
    behavior: async (ctx) => {
      const row = findRelease(ctx);
      ctx.remove('releases', row);
      await emitRelease(ctx, row, 'delete');
      return respond(ctx, row);
    },
  },
];

export const releases = behaviors(
  'releases',
  {
    list: async (ctx) => {
      const projects = visibleProjects(ctx).map(({ id }) => id);
      const all = ctx.table<Release>('releases').filter((row) => projects.includes(row.project_id));
      const rows = ordered(all, (row) => Date.parse(row.released_at), ctx.params.text('sort'));
      const response = await ctx.list(rows, { view: (row) => view(ctx, row) });
      if (!ctx.params.bool('simple')) return response;
      return reshape(response, (shown) => only(shown, simpleFields));
    },
  },
  { extras: projectReleases },
);
