/** Endpoints outside the catalogue that clients call first: the version, the current user and token, and the scopes. */
import type { ExtraRoute } from '../core/behavior.ts';
import type { User } from '../core/rows.ts';
import { userSummary } from '../core/summary.ts';
import { version } from '../info.ts';
import logo from '../seed/data/logo.json' with { type: 'json' };
import { namespaces } from './namespaces.ts';

const revision = 'sandbox';

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
    route: 'GET /avatars/:filename',
    anonymous: true,
    behavior: (ctx) => {
      const path = `/uploads/avatars/${ctx.slots.text('filename')}`;
      if (!ctx.table<User>('users').find((user) => user['avatar_url'] === path)) throw ctx.notFound();
      return ctx.raw(Buffer.from(logo, 'base64'), 'image/png');
    },
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
  ...namespaces,
];
