/** Adds the users, groups and projects of a world file to a new state. */
import { usage } from '../../errors.ts';
import type { World } from '../core/behavior.ts';
import type { AnyRow, Group, Member, Project, Token, User } from '../core/rows.ts';

type Given = Readonly<Record<string, unknown>>;

/** Rows by kind, with checked attributes. */
export interface WorldRows {
  readonly users: readonly Given[];
  readonly groups: readonly Given[];
  readonly projects: readonly Given[];
}

const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));
const tailOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** Change the row with this value of an attribute, or add one. */
function put(world: World, table: string, identity: string, given: Given, defaults: Given): AnyRow {
  const rows = world.table(table);
  const known = rows.find((row) => row[identity] === given[identity]);
  return known ? rows.update(known, given) : rows.insert({ ...defaults, ...given, created_at: world.time() });
}

function addMembers(world: World, members: unknown, place: Pick<Member, 'project_id' | 'group_id'>): void {
  const table = world.table<Member>('members');
  for (const { username, access_level } of (members ?? []) as { username: string; access_level: number }[]) {
    const user = world.table<User>('users').find((row) => row.username === username);
    if (!user) throw usage(`the seed file has a member that is no user: ${JSON.stringify(username)}`);
    table.insert({ ...place, user_id: user.id, access_level });
  }
}

function groupAt(world: World, path: string, of: string): Group {
  const group = world.table<Group>('groups').find((row) => row.full_path === path);
  if (!group) throw usage(`the seed file has no group ${JSON.stringify(path)} for ${of}`);
  return group;
}

/** @throws Failure `usage` for a parent or member that does not exist */
export function addWorld(world: World, { users, groups, projects }: WorldRows): void {
  for (const { token, ...user } of users) {
    const username = String(user['username']);
    const { id } = put(world, 'users', 'username', user, {
      name: username,
      email: `${username}@example.com`,
      state: 'active',
      is_admin: false,
      bot: false,
      external: false,
      web_url: `/${username}`,
      avatar_url: null,
      sign_in_count: 0,
    });
    if (token === undefined) continue;
    world.table<Token>('tokens').insert({
      token: String(token),
      name: username,
      user_id: id,
      scopes: ['api'],
      job_id: null,
      created_at: world.time(),
    });
  }
  for (const { members, ...group } of groups) {
    const path = String(group['full_path']);
    const parent = parentOf(path) === '' ? null : groupAt(world, parentOf(path), path).id;
    const defaults = {
      name: tailOf(path),
      path: tailOf(path),
      parent_id: parent,
      visibility: 'private',
      description: '',
    };
    const { id } = put(world, 'groups', 'full_path', group, defaults);
    addMembers(world, members, { project_id: null, group_id: id });
  }
  for (const { members, ...project } of projects) {
    const path = String(project['path_with_namespace']);
    const { id } = put(world, 'projects', 'path_with_namespace', project, {
      name: tailOf(path),
      path: tailOf(path),
      group_id: groupAt(world, parentOf(path), path).id,
      visibility: 'private',
      description: '',
      default_branch: 'main',
    } satisfies Partial<Project>);
    addMembers(world, members, { project_id: id, group_id: null });
  }
}
