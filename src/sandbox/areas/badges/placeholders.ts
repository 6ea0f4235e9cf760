/** Placeholders in the URLs of badges (section 2.12). */
import type { RequestContext } from '../../core/behavior.ts';
import type { Group, Project } from '../../core/rows.ts';
import type { Repository } from '../../git/repository.ts';
import { canReadCode } from '../branches/protection.ts';

type Value = string | number | undefined;

/** Return the tag of the newest commit. */
async function latestTag(repository: Repository): Promise<string | undefined> {
  let latest: { name: string; time: number } | undefined;
  for (const { name, sha } of await repository.tags()) {
    const time = Date.parse((await repository.commit(sha))?.committed_date ?? '');
    if (!latest || time >= latest.time) latest = { name, time };
  }
  return latest?.name;
}

/** Read a value from the repository if the caller can read the code. */
async function fromCode<T>(
  ctx: RequestContext,
  project: Project,
  read: (repository: Repository) => Promise<T>,
) {
  return canReadCode(ctx, project) ? read(await ctx.repository(project.id)) : undefined;
}

const values: Readonly<Record<string, (ctx: RequestContext, project: Project) => Value | Promise<Value>>> = {
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

/** Replace each placeholder by a letter, so that the URL can be validated. */
export const withoutPlaceholders = (text: string): string => text.replace(placeholder, 'x');

/** Fill in the placeholders of a URL with the values of a project. Placeholders without a value stay. */
export async function fillIn(ctx: RequestContext, text: string, project: Project): Promise<string> {
  const filled = new Map<string, Value>();
  for (const [, name] of text.matchAll(placeholder)) {
    if (name && !filled.has(name)) filled.set(name, await values[name]?.(ctx, project));
  }
  return text.replace(placeholder, (match, name: string) => {
    const value = filled.get(name);
    return value === undefined ? match : encodeURI(String(value));
  });
}
