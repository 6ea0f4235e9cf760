/** Endpoints outside the catalogue that clients call first: the version, the current user and token, and the scopes. */
import type { ExtraRoute, RequestContext } from '../core/behavior.ts';
import type { Group, Project, User } from '../core/rows.ts';
import { groupView, userSummary } from '../core/summary.ts';
import { logo } from '../git/rocket.ts';
import { version } from '../info.ts';

const revision = 'sandbox';

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

export const extras: readonly ExtraRoute[] = [
  { route: 'GET /version', behavior: (ctx) => ctx.json(200, { version, revision }) },
  { route: 'GET /metadata', behavior: (ctx) => ctx.json(200, { version, revision, enterprise: true }) },
  {
    route: 'GET /user',
    behavior: (ctx) => {
      const user = ctx.requireUser();
      const { email, is_admin, bot, external, created_at } = user;
      return ctx.json(200, { ...userSummary(user, ctx.origin), email, is_admin, bot, external, created_at });
    },
  },
  {
    route: 'GET /projects/:id',
    anonymous: true,
    behavior: (ctx) => ctx.json(200, projectView(ctx, ctx.project)),
  },
  {
    route: 'GET /avatars/:filename',
    anonymous: true,
    behavior: (ctx) => {
      const path = `/uploads/avatars/${ctx.slots.text('filename')}`;
      if (!ctx.table<User>('users').find((user) => user['avatar_url'] === path)) throw ctx.notFound();
      return ctx.raw(logo, 'image/png');
    },
  },
  {
    route: 'GET /groups/:id',
    anonymous: true,
    behavior: (ctx) => ctx.json(200, groupView(ctx.group, ctx.origin)),
  },
  {
    route: 'GET /personal_access_tokens/self',
    behavior: (ctx) => {
      const token = ctx.token;
      if (!token) throw ctx.notFound();
      const { id, name, user_id, scopes, created_at } = token;
      const more = { active: true, revoked: false, expires_at: null, last_used_at: ctx.time() };
      return ctx.json(200, { id, name, user_id, scopes, created_at, ...more });
    },
  },
];
