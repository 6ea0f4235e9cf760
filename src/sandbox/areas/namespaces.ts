/** Projects and groups. The catalogue does not list their endpoints, but clients use them to find projects. */
import { paging } from '../../spec/compose.ts';
import { bool, choice, text } from '../../spec/field.ts';
import type { ExtraRoute, RequestContext } from '../core/behavior.ts';
import { ordered } from '../core/order.ts';
import type { Group, Project } from '../core/rows.ts';
import { groupView } from '../core/summary.ts';
import { descendantGroups, isVisible } from '../core/visibility.ts';

const filters = {
  search: text('Text in the name or path'),
  visibility: choice(['public', 'internal', 'private'], 'Visibility'),
  ...paging,
};

function projectView(ctx: RequestContext, row: Project): object {
  const group = ctx.table<Group>('groups').get(row.group_id);
  return {
    id: row.id,
    name: row.name,
    path: row.path,
    path_with_namespace: row.path_with_namespace,
    description: row.description,
    visibility: row.visibility,
    default_branch: row.default_branch,
    created_at: row.created_at,
    web_url: `${ctx.origin}/${row.path_with_namespace}`,
    namespace: group && {
      id: group.id,
      name: group.name,
      path: group.path,
      kind: 'group',
      full_path: group.full_path,
    },
  };
}

/** Return the rows that pass the filters and that the caller can see. */
function matching<T extends Project | Group>(
  ctx: RequestContext,
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

/** Return a page of projects, newest first. */
function listProjects(ctx: RequestContext, rows: readonly Project[]): Promise<Response> {
  const found = ordered(matching(ctx, 'project', rows), ({ created_at }) => created_at, 'desc');
  return ctx.list(found, { view: (row) => projectView(ctx, row) });
}

function projectsIn(ctx: RequestContext, groups: readonly Group[]): Project[] {
  return groups.flatMap(({ id }) => ctx.table<Project>('projects').where('group_id', id));
}

export const namespaces: readonly ExtraRoute[] = [
  {
    route: 'GET /projects',
    takes: filters,
    anonymous: true,
    behavior: (ctx) => listProjects(ctx, ctx.table<Project>('projects').all()),
  },
  {
    route: 'GET /projects/:id',
    anonymous: true,
    behavior: (ctx) => ctx.json(200, projectView(ctx, ctx.project)),
  },
  {
    route: 'GET /groups',
    takes: { ...filters, top_level_only: bool('Omit subgroups') },
    anonymous: true,
    behavior: (ctx) => {
      const all = ctx.table<Group>('groups');
      const rows = ctx.params.bool('top_level_only') ? all.where('parent_id', null) : all.all();
      const found = ordered(matching(ctx, 'group', rows), ({ full_path }) => full_path, 'asc');
      return ctx.list(found, { view: (row) => groupView(row, ctx.origin) });
    },
  },
  {
    route: 'GET /groups/:id',
    anonymous: true,
    behavior: (ctx) => ctx.json(200, groupView(ctx.group, ctx.origin)),
  },
  {
    route: 'GET /groups/:id/projects',
    takes: { ...filters, include_subgroups: bool('Include the projects of subgroups') },
    anonymous: true,
    behavior: (ctx) => {
      const isDeep = ctx.params.bool('include_subgroups') ?? false;
      return listProjects(
        ctx,
        projectsIn(ctx, isDeep ? descendantGroups(ctx.store, ctx.group) : [ctx.group]),
      );
    },
  },
];
