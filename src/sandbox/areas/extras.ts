/** Endpoints outside the catalogue that clients call first: the version, the current user and token, projects and groups. */

import { paging } from '../../spec/compose.ts';
import { bool, choice, text } from '../../spec/field.ts';
import { decode } from '../../support/bytes.ts';
import { part } from '../../support/record.ts';
import { descendantGroups, isVisible } from '../core/access.ts';
import { orderOf } from '../core/collection.ts';
import { type Context, type ExtraRoute, fileResponse, jsonResponse, list } from '../core/context.ts';
import { notFound } from '../core/http-error.ts';
import type { AnyRow, Group, Project, User } from '../core/rows.ts';
import { groupView, userSummary } from '../core/summary.ts';
import type { Repository } from '../git/repository.ts';
import { version } from '../info.ts';
import logo from '../seed/data/logo.json' with { type: 'json' };
import { openForReading } from './branches/protection.ts';
import type { Variable } from './variables/handlers.ts';

const filtersWith = (...orders: readonly string[]) => ({
  search: text('Text in the name or path'),
  visibility: choice(['public', 'internal', 'private'], 'Visibility'),
  order_by: choice(orders, 'Sort field'),
  sort: choice(['asc', 'desc'], 'Sort direction'),
  pagination: choice(['keyset'], 'Pagination method'),
  ...paging,
});
const dates = ['created_at', 'updated_at', 'last_activity_at'];
const projectFilters = filtersWith('id', 'name', 'path', ...dates, 'star_count', 'similarity');
const groupFilters = filtersWith('id', 'name', 'path', 'similarity');

function projectView(ctx: Context, row: Project): object {
  const { id, name, path, path_with_namespace, description, visibility, default_branch, created_at } = row;
  const group = ctx.table<Group>('groups').get(row.group_id);
  return {
    ...{ id, name, path, path_with_namespace, description, visibility, default_branch, created_at },
    archived: false,
    web_url: `${ctx.origin}/${path_with_namespace}`,
    namespace: group && { ...part({ ...group }, ['id', 'name', 'path', 'full_path']), kind: 'group' },
  };
}

function matching<T extends Project | Group>(
  ctx: Context,
  kind: 'project' | 'group',
  rows: readonly T[],
): T[] {
  const search = ctx.params.text('search')?.toLowerCase() ?? '';
  const visibility = ctx.params.text('visibility');
  return rows.filter(
    (row) =>
      (visibility === undefined || row.visibility === visibility) &&
      (row.name.toLowerCase().includes(search) || row.path.toLowerCase().includes(search)) &&
      isVisible(ctx, kind, row.id),
  );
}

function listProjects(ctx: Context, rows: readonly Project[]): Promise<Response> {
  return list(ctx, matching(ctx, 'project', rows), { view: projectView }, orderOf(ctx, '-created_at'));
}

function listGroups(ctx: Context, rows: readonly Group[]): Promise<Response> {
  const view = (_: Context, row: Group) => groupView(row, ctx.origin);
  return list(ctx, matching(ctx, 'group', rows), { view }, orderOf(ctx, 'full_path'));
}

/** Visible to callers without a token. */
const namespaces: readonly Omit<ExtraRoute, 'anonymous'>[] = [
  {
    route: 'GET /projects',
    takes: projectFilters,
    handler: (ctx) => listProjects(ctx, ctx.table<Project>('projects').all()),
  },
  {
    route: 'GET /projects/:id',
    handler: (ctx) => jsonResponse(200, projectView(ctx, ctx.project)),
  },
  {
    route: 'GET /groups',
    takes: { ...groupFilters, top_level_only: bool('Omit subgroups') },
    handler: (ctx) => {
      const all = ctx.table<Group>('groups');
      return listGroups(ctx, ctx.params.bool('top_level_only') ? all.where('parent_id', null) : all.all());
    },
  },
  {
    route: 'GET /groups/:id',
    handler: (ctx) => jsonResponse(200, groupView(ctx.group, ctx.origin)),
  },
  {
    route: 'GET /groups/:id/subgroups',
    takes: groupFilters,
    handler: (ctx) => listGroups(ctx, ctx.table<Group>('groups').where('parent_id', ctx.group.id)),
  },
  {
    route: 'GET /groups/:id/descendant_groups',
    takes: groupFilters,
    handler: (ctx) =>
      listGroups(
        ctx,
        descendantGroups(ctx.store, ctx.group).filter(({ id }) => id !== ctx.group.id),
      ),
  },
  {
    route: 'GET /groups/:id/projects',
    takes: { ...projectFilters, include_subgroups: bool('Include the projects of subgroups') },
    handler: (ctx) => {
      const groups = ctx.params.bool('include_subgroups')
        ? descendantGroups(ctx.store, ctx.group)
        : [ctx.group];
      const projects = ctx.table<Project>('projects');
      return listProjects(
        ctx,
        groups.flatMap(({ id }) => projects.where('group_id', id)),
      );
    },
  },
];

/** Lines around a match in the excerpts of a search. */
const around = 1;

/** The files of a commit with the lines that contain a text, one excerpt for each file. */
async function* excerpts(git: Repository, tree: string, search: string, folder = ''): AsyncGenerator<object> {
  for (const [name, { oid, type }] of await git.tree(tree)) {
    const path = `${folder}${name}`;
    if (type === 'tree') yield* excerpts(git, oid, search, `${path}/`);
    if (type !== 'blob') continue;
    const text = decode(await git.blob(oid));
    const lines = text?.split('\n') ?? [];
    const at = lines.findIndex((line) => line.toLowerCase().includes(search));
    if (at < 0) continue;
    const last = lines.findLastIndex((line) => line.toLowerCase().includes(search));
    const start = Math.max(0, at - around);
    const data = `${lines.slice(start, last + around + 1).join('\n')}\n`;
    yield { path, filename: path, basename: path.replace(/\.[^./]*$/, ''), startline: start + 1, data };
  }
}

/** Requests of tasks. Project variables require the same role. */
const answers: readonly ExtraRoute[] = [
  {
    route: 'GET /groups/:id/variables',
    takes: paging,
    handler: (ctx) => {
      ctx.requireRole('maintainer');
      const rows = ctx.table<Variable>('group_variables').where('group_id', ctx.group.id);
      const view = (_: Context, { group_id: __, ...row }: Variable) =>
        row.hidden ? { ...row, value: null } : row;
      return list(ctx, rows, { view }, undefined);
    },
  },
  {
    route: 'GET /projects/:id/search',
    takes: {
      scope: choice(['blobs'], 'Files', { required: true }),
      search: text('Text', { required: true }),
      ...paging,
    },
    anonymous: true,
    handler: async (ctx) => {
      const git = await openForReading(ctx);
      const ref = ctx.project.default_branch;
      const sha = await git.resolve(ref);
      const rows: AnyRow[] = [];
      const search = ctx.params.text('search')?.toLowerCase() ?? '';
      if (sha !== undefined)
        for await (const row of excerpts(git, (await git.commitObject(sha)).tree, search))
          rows.push({ id: rows.length, ...row, ref, project_id: ctx.project.id });
      const view = (_: Context, { id: __, ...row }: AnyRow) => row;
      return list(ctx, rows, { view }, undefined);
    },
  },
];

const revision = 'sandbox';

export const extras: readonly ExtraRoute[] = [
  ...namespaces.map((route) => ({ ...route, anonymous: true as const })),
  ...answers,
  { route: 'GET /version', handler: () => jsonResponse(200, { version, revision }) },
  { route: 'GET /metadata', handler: () => jsonResponse(200, { version, revision, enterprise: true }) },
  {
    route: 'GET /user',
    handler: (ctx) => {
      const user = ctx.requireUser();
      const own = part(user, ['email', 'is_admin', 'bot', 'external', 'created_at']);
      return jsonResponse(200, { ...userSummary(user, ctx.origin), ...own });
    },
  },
  {
    route: 'GET /avatars/:filename',
    anonymous: true,
    handler: (ctx) => {
      const path = `/uploads/avatars/${ctx.slots.text('filename')}`;
      if (!ctx.table<User>('users').find((user) => user['avatar_url'] === path)) throw notFound();
      return fileResponse(Buffer.from(logo, 'base64'), 'image/png');
    },
  },
  {
    route: 'GET /personal_access_tokens/self',
    handler: (ctx) => {
      const token = ctx.token;
      if (!token) throw notFound();
      const { id, name, user_id, scopes, created_at } = token;
      const more = { active: true, revoked: false, expires_at: null, last_used_at: ctx.time() };
      return jsonResponse(200, { id, name, user_id, scopes, created_at, ...more });
    },
  },
];
