/** Badges of projects and groups (section 4.12). */
import { parseUrl } from '../../../support/url.ts';
import { ancestry } from '../../core/access.ts';
import { behaviors, type RequestContext } from '../../core/behavior.ts';
import { byId, findById, scopeColumns } from '../../core/lookup.ts';
import type { Project, Row } from '../../core/rows.ts';
import { blockedUrl, type Messages, rejectInvalid } from '../../core/validation.ts';
import { visibleProjects } from '../../core/visibility.ts';
import { fillIn, withoutPlaceholders } from './placeholders.ts';

export interface Badge extends Row {
  /** Exactly one of `project_id` and `group_id` is set. */
  project_id: number | null;
  group_id: number | null;
  name: string;
  link_url: string;
  image_url: string;
}

type Changes = Partial<Pick<Badge, 'name' | 'link_url' | 'image_url'>>;

/** Return the badges of the scope. A project also shows those of every group above it. */
function badgesOf(ctx: RequestContext): Badge[] {
  const isProject = ctx.scope === 'project';
  const groups = isProject ? ancestry(ctx.store, ctx.project.group_id).map(({ id }) => id) : [ctx.group.id];
  return ctx
    .table<Badge>('badges')
    .filter(({ project_id, group_id }) =>
      group_id === null ? isProject && project_id === ctx.project.id : groups.includes(group_id),
    )
    .sort(byId);
}

const findBadge = (ctx: RequestContext): Badge => findById(ctx, badgesOf(ctx), 'badge_id', 'Badge');

const requireEditor = (ctx: RequestContext): void =>
  ctx.requireRole(ctx.scope === 'project' ? 'maintainer' : 'owner');

/** Return a badge that the scope owns. @throws HttpError 403 if the project inherits it, 404 */
function findOwnBadge(ctx: RequestContext, action: string): Badge {
  const row = findBadge(ctx);
  if (ctx.scope === 'project' && row.group_id !== null) {
    throw ctx.forbidden(`To ${action} a group badge, use the group endpoint`);
  }
  return row;
}

/** Return the project that fills in the placeholders. For a group: the oldest project that the caller can see. */
function placeholderProject(ctx: RequestContext): Project | undefined {
  if (ctx.scope === 'project') return ctx.project;
  return visibleProjects(ctx).sort(
    (a, b) => Date.parse(a.created_at) - Date.parse(b.created_at) || byId(a, b),
  )[0];
}

async function rendered(ctx: RequestContext, { link_url = '', image_url = '' }: Changes): Promise<object> {
  const project = placeholderProject(ctx);
  const render = (url: string) => (project ? fillIn(ctx, url, project) : url);
  return { rendered_link_url: await render(link_url), rendered_image_url: await render(image_url) };
}

async function view(ctx: RequestContext, row: Badge): Promise<object> {
  return { ...row, ...(await rendered(ctx, row)), kind: row.group_id === null ? 'project' : 'group' };
}

function isBadgeUrl(text: string): boolean {
  const url = withoutPlaceholders(text);
  return /^https?:\/\/[^/]/i.test(url) && parseUrl(url) !== undefined;
}

/** Return the attributes that the request sets. @throws HttpError 400 */
function changesFrom(ctx: RequestContext): Changes {
  const changes: Changes = {};
  const errors: Messages = {};
  for (const name of ['link_url', 'image_url'] as const) {
    if (!ctx.params.has(name)) continue;
    changes[name] = ctx.params.text(name) ?? '';
    if (!isBadgeUrl(changes[name])) errors[name] = blockedUrl;
  }
  rejectInvalid(errors);
  if (ctx.params.has('name')) changes.name = ctx.params.text('name') ?? '';
  return changes;
}

export const badges = behaviors('badges', {
  list: (ctx) => {
    const name = ctx.params.text('name');
    const rows = badgesOf(ctx).filter((row) => name === undefined || row.name === name);
    return ctx.list(rows, { view: (row) => view(ctx, row) });
  },

  get: async (ctx) => ctx.one(await view(ctx, findBadge(ctx))),

  create: async (ctx) => {
    requireEditor(ctx);
    const blank = { name: '', link_url: '', image_url: '' };
    const row = ctx.table<Badge>('badges').insert({ ...scopeColumns(ctx), ...blank, ...changesFrom(ctx) });
    return ctx.one(await view(ctx, row));
  },

  update: async (ctx) => {
    requireEditor(ctx);
    const row = findOwnBadge(ctx, 'change');
    return ctx.one(await view(ctx, ctx.table<Badge>('badges').update(row, changesFrom(ctx))));
  },

  delete: (ctx) => {
    requireEditor(ctx);
    ctx.remove('badges', findOwnBadge(ctx, 'delete'));
    return ctx.noContent();
  },

  render: async (ctx) => {
    const urls = changesFrom(ctx);
    return ctx.one({ ...urls, ...(await rendered(ctx, urls)) });
  },
});
