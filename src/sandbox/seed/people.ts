import type { Token, User } from '../core/rows.ts';
import { hour, iso } from '../core/time.ts';
import { seededRandom } from './random.ts';
import type { Seeder } from './seeder.ts';

type Person = readonly [username: string, name: string, more?: Partial<User>];

const mainUsers: readonly Person[] = [
  ['root', 'Administrator', { is_admin: true }],
  ['olivia', 'Olivia Owner', { bio: 'Founded Acme', location: 'Lisbon', public_email: 'olivia@example.com' }],
  ['mia', 'Mia Maintainer', { location: 'Oslo' }],
  ['devon', 'Devon Developer', { location: 'Nairobi', public_email: 'devon@example.com' }],
  ['rita', 'Rita Reporter'],
  ['gus', 'Gus Guest'],
  ['xavier', 'Xavier Outsider'],
  ['acme-bot', 'Acme bot', { bot: true, project_bot: true }],
  ['bella', 'Bella Blocked', { state: 'blocked' }],
  ['support-bot', 'Support bot', { bot: true, internal: true }],
  ['ellen', 'Ellen External', { external: true }],
];

const otherNames = [
  'Amara Okafor',
  'Bruno Silva',
  'Chiara Rossi',
  'Dmitri Volkov',
  'Elif Demir',
  'Farid Haddad',
  'Greta Lind',
  'Hugo Moreau',
  'Ines Castro',
  'Jonas Weber',
  'Kenji Sato',
  'Lena Novak',
  'Marek Kowal',
  'Noor Aziz',
  'Otto Berg',
  'Priya Nair',
  'Quentin Dubois',
  'Rosa Jimenez',
  'Sven Dahl',
  'Tala Reyes',
] as const;

/** Tokens in the documentation. */
const tokens: readonly (readonly [role: string, username: string, scope: string])[] = [
  ['admin', 'root', 'api'],
  ['owner', 'olivia', 'api'],
  ['maintainer', 'mia', 'api'],
  ['developer', 'devon', 'api'],
  ['reporter', 'rita', 'api'],
  ['guest', 'gus', 'api'],
  ['outsider', 'xavier', 'api'],
  ['readonly', 'mia', 'read_api'],
];

const createdAt = Date.UTC(2026, 0, 1, 8);

/** Create users 1 to 31, and their tokens. The job token is created with its job. */
export const people: Seeder = (world) => {
  const users = world.table<User>('users');
  const roll = seededRandom(31);
  const others = otherNames.map((name): Person => [name.toLowerCase().replace(' ', '.'), name]);
  for (const [index, [username, name, more]] of [...mainUsers, ...others].entries()) {
    users.insert({
      id: index + 1,
      username,
      name,
      email: `${username}@example.com`,
      state: 'active',
      is_admin: false,
      bot: false,
      external: false,
      web_url: `/${username}`,
      avatar_url: `/uploads/avatars/${username}.png`,
      created_at: iso(createdAt + index * hour),
      sign_in_count: roll(200),
      ...more,
    });
  }
  const idOf = (username: string): number => {
    const user = users.find((row) => row.username === username);
    if (!user) throw new Error(`no user ${username}`);
    return user.id;
  };
  for (const [role, username, scope] of tokens) {
    world.table<Token>('tokens').insert({
      token: `sandbox-${role}`,
      name: role,
      user_id: idOf(username),
      scopes: [scope],
      job_id: null,
      created_at: iso(createdAt),
    });
  }
};
