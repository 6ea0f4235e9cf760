/** Releases of a group, and of its projects (section 4.16). */

import { release } from '../../../api/releases.ts';
import { one } from '../../../spec/endpoint.ts';
import { datetime, text } from '../../../spec/field.ts';
import { release as releasePayload } from '../../../webhooks/payloads.ts';
import { visibleProjects } from '../../core/access.ts';
import { collection } from '../../core/collection.ts';
import type { AreaHandlers, Context } from '../../core/context.ts';
import { httpError } from '../../core/http-error.ts';
import { defined } from '../../core/lookup.ts';
import type { Project, Row } from '../../core/rows.ts';
import { authorOf } from '../../core/summary.ts';
import { iso } from '../../core/time.ts';
import { showCommit } from '../../git/commit.ts';
import { GitError } from '../../git/names.ts';
import { canReadCode } from '../branches/protection.ts';

const simpleFields = ['name', 'tag_name', 'description', 'created_at', 'released_at', 'upcoming_release'];

async function codeFields(ctx: Context, project: Project, tag: string): Promise<object> {
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

async function view(ctx: Context, row: Release): Promise<object> {
  const project = defined(ctx.table<Project>('projects').get(row.project_id));
  return {
    ...row,
    upcoming_release: Date.parse(row.released_at) > ctx.now(),
    ...authorOf(ctx, row),
    ...(await codeFields(ctx, project, row.tag_name)),
  };
}

async function ensureTag(ctx: Context, tag: string): Promise<void> {
  const { project } = ctx;
  const repository = await ctx.repository(project.id);
  if ((await repository.tags()).some(({ name }) => name === tag)) return;
  const ref = ctx.params.text('ref');
  if (!ref) throw httpError(422, 'Ref is not specified');
  try {
    await repository.createTag(tag, ref);
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    throw httpError(422, error.message);
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

/** Releases of a project. The specification only lists those of a group; hooks can subscribe to these changes. */
const projectReleases = collection<Release>({
  table: 'releases',
  title: '',
  view,
  defaults: (ctx) => ({
    author_id: ctx.requireUser().id,
    name: ctx.params.text('tag_name') ?? '',
    description: '',
    created_at: ctx.time(),
    released_at: ctx.time(),
  }),
  changes: ({ params }) => {
    const { ref: _, ...values } = params.values;
    const time = params.time('released_at');
    const given = Object.entries(values).filter(([, value]) => value !== null);
    return { ...Object.fromEntries(given), ...(time === undefined ? {} : { released_at: iso(time) }) };
  },
  unique: ['tag_name'],
  duplicate: () => httpError(409, 'Release already exists'),
  check: async (ctx, { tag_name }, row) => {
    if (!row) await ensureTag(ctx, tag_name);
    return {};
  },
  after: async (ctx, action, row) => {
    const repository = await ctx.repository(row.project_id);
    const { id, name, description, tag_name: tag, created_at, released_at } = row;
    const facts = { id, name, description, tag, created_at, released_at, action };
    const commit = await repository.commit(tag);
    ctx.emit({
      kind: 'releases_events',
      project_id: row.project_id,
      user_id: ctx.requireUser().id,
      payload: (subject) => releasePayload(subject, facts, commit),
    });
  },
});

const takes = {
  name: text('Title'),
  description: text('Release notes'),
  released_at: datetime('Release date'),
};
const created = {
  tag_name: text('Tag', { required: true }),
  ref: text('Commit or branch to create the tag from'),
};
const common = { returns: one(release), handler: projectReleases };
const path = '/projects/:id/releases';

export const releases: AreaHandlers = {
  area: 'releases',
  collection: collection<Release>({
    table: 'releases',
    rows: (ctx) => {
      const projects = visibleProjects(ctx).map(({ id }) => id);
      return ctx.table<Release>('releases').filter((row) => projects.includes(row.project_id));
    },
    order: '-released_at',
    view,
    shows: ({ params }, _, field) => !params.bool('simple') || simpleFields.includes(field),
  }),
  extras: [
    { route: `POST ${path}`, takes: { ...takes, ...created }, ...common },
    { route: `PUT ${path}/:tag_name`, takes, ...common },
    { route: `DELETE ${path}/:tag_name`, ...common },
  ],
};

export interface Release extends Row {
  project_id: number;
  author_id: number;
  tag_name: string;
  name: string;
  description: string;
  created_at: string;
  released_at: string;
}
