/** Badges of projects and groups (section 4.12). */
import { parseUrl } from '../../../support/url.ts';
import { ancestry, visibleProjects } from '../../core/access.ts';
import { collection } from '../../core/collection.ts';
import { type AreaHandlers, type Context, one } from '../../core/context.ts';
import { forbidden } from '../../core/http-error.ts';
import { ordered } from '../../core/pages.ts';
import type { Group, Project, Row } from '../../core/rows.ts';
import { blockedUrl, type Checks, rejectInvalid } from '../../core/validation.ts';
import type { Repository } from '../../git/repository.ts';
import { canReadCode } from '../branches/protection.ts';

type Urls = Pick<Badge, 'link_url' | 'image_url'>;
export interface Badge extends Row {
  project_id: number | null;
  group_id: number | null;
  name: string;
  link_url: string;
  image_url: string;
}

function badgesOf(ctx: Context): Badge[] {
  const isProject = ctx.scope === 'project';
  const groups = isProject ? ancestry(ctx.store, ctx.project.group_id).map(({ id }) => id) : [ctx.group.id];
  return ctx
    .table<Badge>('badges')
    .filter(({ project_id, group_id }) =>
      group_id === null ? isProject && project_id === ctx.project.id : groups.includes(group_id),
    );
}

type Value = string | number | undefined;

async function latestTag(repository: Repository): Promise<string | undefined> {
  let latest: { name: string; time: number } | undefined;
  for (const { name, sha } of await repository.tags()) {
    const time = Date.parse((await repository.commit(sha))?.committed_date ?? '');
    if (!latest || time >= latest.time) latest = { name, time };
  }
  return latest?.name;
}

const fromCode = async <T>(ctx: Context, project: Project, read: (repository: Repository) => Promise<T>) =>
  canReadCode(ctx, project) ? read(await ctx.repository(project.id)) : undefined;

/** The values of the placeholders in URLs (section 2.12). */
const values: Readonly<Record<string, (ctx: Context, project: Project) => Value | Promise<Value>>> = {
  project_path: (_, project) => project.path_with_namespace,
  project_title: (_, project) => project.name,
  project_name: (_, project) => project.path,
  project_id: (_, project) => project.id,
  project_namespace: (_, { path_with_namespace: path }) => path.slice(0, path.lastIndexOf('/')),
  group_name: (ctx, project) => ctx.table<Group>('groups').get(project.group_id)?.full_path,
  service_server: (ctx) => new URL(ctx.origin).host,
  service_pages_domain: (ctx) => `pages.${new URL(ctx.origin).hostname}`,
  default_branch: (_, project) => project.default_branch,
  commit_sha: (ctx, project) =>
    fromCode(ctx, project, (repository) => repository.resolve(project.default_branch)),
  latest_tag: (ctx, project) => fromCode(ctx, project, latestTag),
};

const placeholder = new RegExp(`%\\{(${Object.keys(values).join('|')})\\}`, 'g');

/** Fill in the placeholders of a URL with the values of a project. Placeholders without a value stay. */
async function fillIn(ctx: Context, text: string, project: Project): Promise<string> {
  const filled = new Map<string, Value>();
  for (const [, name] of text.matchAll(placeholder)) {
    if (name && !filled.has(name)) filled.set(name, await values[name]?.(ctx, project));
  }
  return text.replace(placeholder, (match, name: string) => {
    const value = filled.get(name);
    return value === undefined ? match : encodeURI(String(value));
  });
}

/** Return URLs with the values of the project, or of the oldest project of the group that the caller can see. */
async function rendered(ctx: Context, { link_url, image_url }: Urls): Promise<object> {
  const project =
    ctx.scope === 'project'
      ? ctx.project
      : ordered(visibleProjects(ctx), { by: 'created_at', sort: 'asc' })[0];
  const render = (url: string) => (project ? fillIn(ctx, url, project) : url);
  return { rendered_link_url: await render(link_url), rendered_image_url: await render(image_url) };
}

function isBadgeUrl(text: string): boolean {
  const url = text.replace(placeholder, 'x');
  return /^https?:\/\/[^/]/i.test(url) && parseUrl(url) !== undefined;
}

const checkUrls = ({ link_url, image_url }: Urls): Checks => ({
  link_url: !isBadgeUrl(link_url) && blockedUrl,
  image_url: !isBadgeUrl(image_url) && blockedUrl,
});

export const badges: AreaHandlers = {
  area: 'badges',
  collection: collection<Badge>({
    table: 'badges',
    role: ({ scope }) => (scope === 'project' ? 'maintainer' : 'owner'),
    rows: badgesOf,
    view: async (ctx, row) => ({
      ...row,
      ...(await rendered(ctx, row)),
      kind: row.group_id === null ? 'project' : 'group',
    }),
    permit: ({ scope, endpoint }, row) => {
      const action = endpoint.method === 'DELETE' ? 'delete' : 'change';
      if (scope === 'project' && row.group_id !== null)
        throw forbidden(`To ${action} a group badge, use the group endpoint`);
    },
    defaults: () => ({ name: '' }),
    check: (_, next) => checkUrls(next),
  }),
  handlers: {
    render: async (ctx) => {
      const urls = {
        link_url: ctx.params.text('link_url') ?? '',
        image_url: ctx.params.text('image_url') ?? '',
      };
      rejectInvalid(checkUrls(urls));
      return one(ctx, { ...urls, ...(await rendered(ctx, urls)) });
    },
  },
};
