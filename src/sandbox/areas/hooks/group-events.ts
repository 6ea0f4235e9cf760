/**
 * Events of groups: wiki pages, epics, subgroups. The specification has no payloads for them (section 6.1); these follow
 * the payloads of similar services.
 */
import type { GroupEvent, World } from '../../core/behavior.ts';
import type { Context } from '../../core/context.ts';
import { defined } from '../../core/lookup.ts';
import type { Group, User } from '../../core/rows.ts';
import { avatarOf } from '../../core/summary.ts';
import type { Epic } from '../epics/epic.ts';
import { latest, type Page } from '../wikis/wiki.ts';

/** Return a user as events show it. */
export function userView(world: World, id: number) {
  const user = world.table<User>('users').get(id);
  return {
    id,
    name: user?.name ?? '',
    username: user?.username ?? '',
    avatar_url: avatarOf(user, world.origin),
    email: user?.['public_email'] || '[REDACTED]',
  };
}

function groupView({ id, name, path, full_path }: Group, origin: string): object {
  return {
    group_id: id,
    group_name: name,
    group_path: path,
    full_path,
    web_url: `${origin}/groups/${full_path}`,
  };
}

/** Return the event of a wiki page that was created, changed or deleted. */
export function wikiPageEvent(ctx: Context, page: Page, action: 'create' | 'update' | 'delete'): GroupEvent {
  const { group } = ctx;
  const { id: userId } = ctx.requireUser();
  const { sha, ...state } = latest(page);
  const { slug } = page;
  return {
    kind: 'wiki_page_events',
    group_id: group.id,
    payload: (world) => {
      const home = `${world.origin}/groups/${group.full_path}/-/wikis`;
      const git = `${group.full_path}.wiki`;
      const url = `${home}/${slug.split('/').map(encodeURIComponent).join('/')}`;
      return {
        object_kind: 'wiki_page',
        user: userView(world, userId),
        group: groupView(group, world.origin),
        wiki: {
          web_url: `${home}/home`,
          git_ssh_url: `git@${new URL(world.origin).hostname}:${git}.git`,
          git_http_url: `${world.origin}/${git}.git`,
          path_with_namespace: git,
          default_branch: 'main',
        },
        object_attributes: {
          ...{ slug, title: state.title, format: state.format, content: state.content },
          message: `${action === 'create' ? 'Create' : action === 'update' ? 'Update' : 'Delete'} ${state.title}`,
          version_id: sha,
          url,
          diff_url: `${url}/diff?version_id=${sha}`,
          action,
        },
      };
    },
  };
}

/** Attributes of an epic that an event reports as changed. */
const reported = [
  'title',
  'description',
  'state',
  'confidential',
  'labels',
  'parent_id',
  'color',
  'start_date_fixed',
  'due_date_fixed',
  'closed_at',
  'updated_at',
] as const;

const identifying = ['id', 'iid', 'group_id', 'author_id', 'created_at'] as const;

function changesOf(before: Epic | undefined, after: Epic): object {
  const changed = reported.filter(
    (name) => JSON.stringify(before?.[name] ?? null) !== JSON.stringify(after[name]),
  );
  return Object.fromEntries(
    changed.map((name) => [name, { previous: before?.[name] ?? null, current: after[name] }]),
  );
}

function actionOf(before: Epic | undefined, after: Epic): string {
  if (!before) return 'open';
  if (before.state === after.state) return 'update';
  return after.state === 'closed' ? 'close' : 'reopen';
}

/**
 * Return the event of an epic that was created or changed. Like all work items, epics are issues events.
 * @param before the epic before the change; undefined for a new epic
 */
export function epicEvent(ctx: Context, before: Epic | undefined, epic: Epic): GroupEvent {
  const { id: userId } = ctx.requireUser();
  const group = defined(ctx.table<Group>('groups').get(epic.group_id));
  const { iid, labels } = epic;
  const attributes = Object.fromEntries([...reported, ...identifying].map((name) => [name, epic[name]]));
  const changes = changesOf(before, epic);
  const action = actionOf(before, epic);
  return {
    kind: epic.confidential ? 'confidential_issues_events' : 'issues_events',
    group_id: group.id,
    payload: (world) => ({
      object_kind: 'work_item',
      event_type: epic.confidential ? 'confidential_work_item' : 'work_item',
      user: userView(world, userId),
      group: groupView(group, world.origin),
      object_attributes: {
        ...attributes,
        type: 'Epic',
        url: `${world.origin}/groups/${group.full_path}/-/epics/${iid}`,
        action,
      },
      labels: labels.map((title) => ({ title, group_id: group.id, type: 'GroupLabel' })),
      changes,
    }),
  };
}

/** Return the event of a new subgroup, for the hooks of its parent group. */
export function subgroupEvent(group: Group, parent: Group): GroupEvent {
  const { id, name, path, full_path, created_at } = group;
  return {
    kind: 'subgroup_events',
    group_id: parent.id,
    payload: () => ({
      event_name: 'subgroup_create',
      created_at,
      updated_at: created_at,
      ...{ name, path, full_path, group_id: id },
      parent_group_id: parent.id,
      parent_name: parent.name,
      parent_path: parent.path,
      parent_full_path: parent.full_path,
    }),
  };
}
