/** Short views of users and groups that several areas embed in their responses. */

import type { UserFacts } from '../../webhooks/shapes.ts';
import type { Group, User } from './rows.ts';
import type { World } from './world.ts';

function avatarOf(user: User | undefined, origin: string): string | null {
  const picture = user?.['avatar_url'];
  return typeof picture === 'string' ? `${origin}${picture}` : null;
}

/** Return the public summary of a user (section 2.7). @param origin the address of the sandbox as the caller reached it, for URLs */
export function userSummary(user: User, origin: string): object {
  const { id, username, name, state } = user;
  return {
    id,
    username,
    name,
    state,
    locked: false,
    avatar_url: avatarOf(user, origin),
    web_url: `${origin}/${username}`,
  };
}

/** Return the author of a row as an attribute; none if the user was deleted. */
export function authorOf(world: World, { author_id }: { readonly author_id: number }): { author?: object } {
  const author = world.table<User>('users').get(author_id);
  return author ? { author: userSummary(author, world.origin) } : {};
}

/** Return a group without the time of its last change, which is not a part of the API. */
export function groupView(row: Group, origin: string): object {
  const { changed_at: _, ...group }: Group & { changed_at?: string } = row;
  return {
    ...group,
    full_name: group.full_path.replaceAll('/', ' / '),
    web_url: `${origin}/groups/${group.full_path}`,
  };
}

/** Return a user for the payloads of webhooks. The name is empty if the user does not exist. */
export function userFacts(world: World, id: number): UserFacts {
  const user = world.table<User>('users').get(id);
  const email = user?.['public_email'];
  return {
    id,
    name: user?.name ?? '',
    username: user?.username ?? '',
    email: typeof email === 'string' && email !== '' ? email : null,
    avatar_url: avatarOf(user, world.origin),
  };
}
