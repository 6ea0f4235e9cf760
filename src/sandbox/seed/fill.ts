/** Fill a new state: seed data, generated rows, files of the user, and the license. */
import type { FeatureName } from '../../api/features.ts';
import { type Failure, usage } from '../../errors.ts';
import type { Tier } from '../../spec/field.ts';
import { suggest } from '../../support/suggest.ts';
import { type ErrorTracking, settingsOf } from '../areas/error-tracking/tracked-errors.ts';
import type { Deliveries } from '../areas/hooks/delivery.ts';
import { type Route, Router } from '../core/router.ts';
import type { AnyRow, Group, Member, Project, Token, User } from '../core/rows.ts';
import { createWorld, type World } from '../core/world.ts';
import { addToken } from '../info.ts';
import { setTier, turnOff } from '../license.ts';
import { createResponder } from '../respond.ts';
import { applyScale, loadSeedData, type Scale, type SeedData, seed } from './scale.ts';

type Attributes = Readonly<Record<string, unknown>>;

/** A row of a file, with checked attributes. */
interface WorldRow {
  /** `world.yaml:3:5`, for errors. */
  readonly at: string;
  readonly attributes: Attributes;
  readonly members: readonly WorldRow[];
}

interface WorldRows {
  readonly users: readonly WorldRow[];
  readonly groups: readonly WorldRow[];
  readonly projects: readonly WorldRow[];
}

const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));
const tailOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
const failAt = ({ at }: WorldRow, message: string, hints: readonly string[] = []): Failure =>
  usage(`${at}: ${message}`, hints);

const isSame = (a: unknown, b: unknown): boolean => String(a).toLowerCase() === String(b).toLowerCase();

function put(world: World, table: string, identity: string, row: WorldRow, defaults: Attributes): AnyRow {
  const { attributes } = row;
  const rows = world.table(table);
  const known = rows.find((one) => isSame(one[identity], attributes[identity]));
  const { id } = attributes;
  const owner = id === undefined ? undefined : rows.get(Number(id));
  if (owner && owner !== known) throw failAt(row, `id ${id} belongs to ${owner[identity]}`);
  if (known && id !== undefined && id !== known.id)
    throw failAt(row, `${known[identity]} has id ${known.id}, which cannot change`);
  if (known) return rows.update(known, attributes);
  return rows.insert({ created_at: world.time(), ...defaults, ...attributes });
}

function addMembers(world: World, row: WorldRow, place: Pick<Member, 'project_id' | 'group_id'>): void {
  const table = world.table<Member>('members');
  const users = world.table<User>('users');
  for (const member of row.members) {
    const { username } = member.attributes;
    const user = users.find((one) => isSame(one.username, username));
    if (!user) {
      const known = users.all().map((one) => one.username);
      throw failAt(member, `no user ${JSON.stringify(username)}`, suggest(String(username), known));
    }
    const access_level = Number(member.attributes['access_level']);
    const isKnown = (one: Member) =>
      one.user_id === user.id && one.project_id === place.project_id && one.group_id === place.group_id;
    const known = table.find(isKnown);
    if (known) table.update(known, { access_level });
    else table.insert({ ...place, user_id: user.id, access_level });
  }
}

function parentGroup(world: World, row: WorldRow, path: string): Group {
  const groups = world.table<Group>('groups');
  const parent = parentOf(path);
  if (parent === '') throw failAt(row, `${path} is not in a group; use a path such as acme/${path}`);
  const group = groups.find((one) => isSame(one.full_path, parent));
  if (group) return group;
  const known = groups.all().map((one) => one.full_path);
  throw failAt(row, `no group ${JSON.stringify(parent)}`, [
    ...suggest(parent, known),
    'a group must be listed before the groups in it',
  ]);
}

function addUser(world: World, row: WorldRow, defaults: object): void {
  const { token, ...attributes } = row.attributes;
  const username = String(attributes['username']);
  const own = { name: username, email: `${username}@example.com`, web_url: `/${username}` };
  const user = put(world, 'users', 'username', { ...row, attributes }, { ...defaults, ...own });
  if (token === undefined) return;
  const tokens = world.table<Token>('tokens');
  if (tokens.find((one) => one.token === token)) throw failAt(row, 'another user has this token');
  addToken(world, user.id, username, String(token));
}

function addGroup(world: World, row: WorldRow): void {
  const path = String(row.attributes['full_path']);
  const { id } = put(world, 'groups', 'full_path', row, {
    name: tailOf(path),
    path: tailOf(path),
    parent_id: path.includes('/') ? parentGroup(world, row, path).id : null,
    visibility: 'private',
    description: '',
  });
  addMembers(world, row, { project_id: null, group_id: id });
}

function addProject(world: World, row: WorldRow): void {
  const path = String(row.attributes['path_with_namespace']);
  const { id } = put(world, 'projects', 'path_with_namespace', row, {
    name: tailOf(path),
    path: tailOf(path),
    group_id: parentGroup(world, row, path).id,
    visibility: 'private',
    description: '',
    default_branch: 'main',
  } satisfies Partial<Project>);
  // State documents can change settings, but not create them.
  if (!settingsOf(world, id)) world.table<ErrorTracking>('error_tracking').insert({ project_id: id });
  addMembers(world, row, { project_id: id, group_id: null });
}

/** @throws Failure `usage` with the position of the row, for a parent or member that does not exist */
function addWorld(world: World, { users, groups, projects }: WorldRows, { tables }: SeedData): void {
  for (const row of users) addUser(world, row, tables['users']?.defaults ?? {});
  for (const row of groups) addGroup(world, row);
  for (const row of projects) addProject(world, row);
}

export type Send = (request: Request) => Promise<Response>;

/** The content of a new state besides the seed data. It cannot be applied to an existing state. */
export interface Content {
  /**
   * A copy of another service: of the seed data, it has only the administrator, the license and the settings of the instance. Events are
   * not delivered to its webhooks, or only to those on this machine.
   */
  readonly copy?: Deliveries['to'];
  readonly scale?: Scale;
  readonly rows?: WorldRows;
  /** Changes the state by requests, which need no license or feature and call no webhook. */
  readonly prepare?: (send: Send) => Promise<void>;
  readonly tier?: Tier | 'free';
  /** Feature flags that are off. By default, all are on. */
  readonly withoutFeatures?: readonly FeatureName[];
}

/** @throws Failure `usage` for invalid content */
export async function fill(world: World, routes: readonly Route[], content: Content): Promise<void> {
  const { rows, scale, tier, withoutFeatures } = content;
  const all = await loadSeedData();
  const data = content.copy === undefined ? all : bareData(all);
  seed(world, data);
  if (content.copy) world.table<Deliveries>('sandbox_deliveries').insert({ to: content.copy });
  if (scale !== undefined) applyScale(world, data, scale);
  if (rows !== undefined) addWorld(world, rows, data);
  await content.prepare?.(sender(world, routes));
  if (tier !== undefined) setTier(world, tier);
  if (withoutFeatures !== undefined) turnOff(world, withoutFeatures);
}

/** The tables to keep, and how many of their rows. The administrator and the token are the first. */
const bare = { users: 1, tokens: 1, licenses: undefined, appearance: undefined };

function bareData(all: SeedData): SeedData {
  const kept = Object.entries(bare).map(([name, count]) => {
    const { rows = [], ...table } = all.tables[name] ?? {};
    return [name, { ...table, rows: rows.slice(0, count) }];
  });
  return { ...all, tables: Object.fromEntries(kept) };
}

function sender({ store, files }: World, routes: readonly Route[]): Send {
  const quiet = createWorld({ store, files, spam: 'off', emit: () => {} });
  const respond = createResponder(new Router(routes), quiet);
  return async (request) => respond(request, new Uint8Array(await request.arrayBuffer()));
}
