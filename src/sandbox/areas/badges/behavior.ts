/** Badges of projects and groups (section 4.12). */
import { ancestry } from '../../core/access.ts';
import { behaviors, type RequestContext } from '../../core/behavior.ts';
import type { Project, Row } from '../../core/rows.ts';
import { descendantGroups, isVisible } from '../../core/visibility.ts';
import { fillIn, withoutPlaceholders } from './placeholders.ts';

export interface Badge extends Row {
  /** Exactly one of the two is set. */
  project_id: number | null;
  group_id: number | null;
  name: string;
  link_url: string;
  image_url: string;
}

type Urls = Pick<Badge, 'link_url' | 'image_url'>;

/** Those that are shown here: a project has the badges of all groups above it too. */
function shown(ctx: RequestContext): Badge[] {
  const isProject = ctx.scope === 'project';
  const groups = isProject ? ancestry(ctx.store, ctx.project.group_id).map(({ id }) => id) : [ctx.group.id];
  return ctx
    .table<Badge>('badges')
    .filter(({ project_id, group_id }) =>
      group_id === null ? isProject && project_id === ctx.project.id : groups.includes(group_id),
    )
    .sort((a, b) => a.id - b.id);
}

function meant(ctx: RequestContext): Badge {
  const row = shown(ctx).find(({ id }) => id === ctx.slots.number('badge_id'));
  if (!row) throw ctx.notFound('Badge');
  return row;
}

/** Badges of a project are for its Maintainers, those of a group for its Owners. */
const needRole = (ctx: RequestContext): void =>
  ctx.requireRole(ctx.scope === 'project' ? 'maintainer' : 'owner');

/** A badge that belongs here, to be changed. @throws HttpError 403 for one that a project inherits */
function own(ctx: RequestContext, what: string): Badge {
  const row = meant(ctx);
  if (ctx.scope === 'project' && row.group_id !== null) {
    throw ctx.forbidden(`To ${what} a group badge, use the group's own call`);
  }
  return row;
}

/** Whose values fill the placeholders in: for a group its oldest project, of those that the caller sees. */
function fillingProject(ctx: RequestContext): Project | undefined {
  if (ctx.scope === 'project') return ctx.project;
  const groups = descendantGroups(ctx.store, ctx.group).map(({ id }) => id);
  return ctx
    .table<Project>('projects')
    .filter(({ id, group_id }) => groups.includes(group_id) && isVisible(ctx, 'project', id))
    .sort((a, b) => Date.parse(a.created_at) - Date.parse(b.created_at) || a.id - b.id)[0];
}

async function rendered(ctx: RequestContext, { link_url, image_url }: Urls): Promise<object> {
  const project = fillingProject(ctx);
  const render = (url: string) => (project ? fillIn(ctx, url, project) : url);
  return { rendered_link_url: await render(link_url), rendered_image_url: await render(image_url) };
}

async function view(ctx: RequestContext, row: Badge): Promise<object> {
  return { ...row, ...(await rendered(ctx, row)), kind: row.group_id === null ? 'project' : 'group' };
}

function isAddress(text: string): boolean {
  const url = withoutPlaceholders(text);
  return /^https?:\/\/[^/]/i.test(url) && URL.canParse(url);
}

/** What the call gives of the badge. @throws HttpError 400 */
function given(ctx: RequestContext): Partial<Omit<Badge, 'id'>> {
  const changes: Partial<Omit<Badge, 'id'>> = {};
  const errors: Record<string, string[]> = {};
  for (const name of ['link_url', 'image_url'] as const) {
    if (!ctx.params.has(name)) continue;
    changes[name] = ctx.params.text(name) ?? '';
    if (!isAddress(changes[name])) errors[name] = ['is blocked: Only allowed schemes are http, https'];
  }
  if (Object.keys(errors).length > 0) throw ctx.badRequest(errors);
  if (ctx.params.has('name')) changes.name = ctx.params.text('name') ?? '';
  return changes;
}

export const badges = behaviors('badges', {
  list: (ctx) => {
    const name = ctx.params.text('name');
    const rows = shown(ctx).filter((row) => name === undefined || row.name === name);
    return ctx.list(rows, { view: (row) => view(ctx, row) });
  },

  get: async (ctx) => ctx.one(await view(ctx, meant(ctx))),

  create: async (ctx) => {
    needRole(ctx);
    const isProject = ctx.scope === 'project';
    const row = ctx.table<Badge>('badges').insert({
      project_id: isProject ? ctx.project.id : null,
      group_id: isProject ? null : ctx.group.id,
      name: '',
      link_url: '',
      image_url: '',
      ...given(ctx),
    });
    return ctx.one(await view(ctx, row));
  },

  update: async (ctx) => {
    needRole(ctx);
    const row = own(ctx, 'change');
    return ctx.one(await view(ctx, ctx.table<Badge>('badges').update(row, given(ctx))));
  },

  delete: (ctx) => {
    needRole(ctx);
    ctx.remove('badges', own(ctx, 'delete'));
    return ctx.noContent();
  },

  render: async (ctx) => {
    const urls = given(ctx) as Urls;
    return ctx.one({ ...urls, ...(await rendered(ctx, urls)) });
  },
});
