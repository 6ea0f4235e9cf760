/** Authentication and authorization (section 5). */
import type { Operation } from '../../spec/endpoint.ts';
import { type Role, roles } from '../../spec/field.ts';
import { isReadMethod } from '../../support/http-method.ts';
import { isOn, requireTier } from '../license.ts';
import type { Store } from '../store/store.ts';
import { forbidden, HttpError, notFound, unauthorized } from './http-error.ts';
import type { Group, Job, Member, Moved, Project, Token, User } from './rows.ts';
import type { World } from './world.ts';

export interface Identity {
  readonly user: User | undefined;
  readonly token: Token | undefined;
  readonly job: Job | undefined;
}

interface Caller extends Pick<Identity, 'user'> {
  readonly store: Store;
}

type ScopeKind = 'project' | 'group';

type Kind = 'access' | 'job' | 'any';

function credentialOf(request: Request): readonly [text: string, kind: Kind] | undefined {
  const { headers } = request;
  const query = new URL(request.url).searchParams;
  const bearer = /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1];
  const candidates: readonly (readonly [string | null | undefined, Kind])[] = [
    [headers.get('private-token'), 'access'],
    [headers.get('job-token'), 'job'],
    [bearer, 'any'],
    [query.get('private_token'), 'access'],
    [query.get('job_token'), 'job'],
    [query.get('CI_JOB_TOKEN'), 'job'],
  ];
  return candidates.flatMap(([text, kind]) => (text ? [[text, kind] as const] : []))[0];
}

/** Return the owner of the request's token. @throws HttpError 401 for an unknown token, 403 for a blocked user */
export function authenticate(store: Store, request: Request): Identity {
  const credential = credentialOf(request);
  if (!credential) return { user: undefined, token: undefined, job: undefined };
  const [text, kind] = credential;
  const token = store.table<Token>('tokens').find((row) => row.token === text);
  const isJob = token?.job_id !== null;
  if (!token || (kind !== 'any' && isJob !== (kind === 'job'))) throw unauthorized();
  const user = store.table<User>('users').get(token.user_id);
  if (!user) throw unauthorized();
  if (user.state === 'blocked') throw forbidden('Your account has been blocked.');
  const job = isJob ? store.table<Job>('jobs').get(token.job_id) : undefined;
  // A job token expires with its job.
  if (isJob && job?.status !== 'running') throw unauthorized();
  return { user, token, job };
}

/** Return a group and its ancestors, the nearest first. */
export function ancestry(store: Store, groupId: number | null): Group[] {
  const groups = store.table<Group>('groups');
  const chain: Group[] = [];
  for (let group = groups.get(groupId); group; group = groups.get(group.parent_id)) chain.push(group);
  return chain;
}

const roleOfLevel: Readonly<Record<number, Role>> = {
  10: 'guest',
  20: 'reporter',
  30: 'developer',
  40: 'maintainer',
  50: 'owner',
};

export const isProject = (row: Project | Group): row is Project => 'path_with_namespace' in row;

/** Return a user's role in a project or group, including inherited roles; `user` for non-members. */
export function roleIn(
  store: Store,
  user: User | undefined,
  scope: Project | Group | undefined,
): Role | undefined {
  if (!user) return undefined;
  if (user.is_admin) return 'administrator';
  if (!scope) return 'user';
  const groups = ancestry(store, isProject(scope) ? scope.group_id : scope.id).map((group) => group.id);
  let level = 0;
  for (const member of store.table<Member>('members').all()) {
    if (member.user_id !== user.id) continue;
    const isDirect = isProject(scope) && member.project_id === scope.id;
    if (isDirect || (member.group_id !== null && groups.includes(member.group_id))) {
      level = Math.max(level, member.access_level);
    }
  }
  return roleOfLevel[level] ?? 'user';
}

/** Whether a role is at least another one; false without a role. */
export function isAtLeast(role: Role | undefined, least: Role): boolean {
  return role !== undefined && roles.indexOf(role) >= roles.indexOf(least);
}

function canSee(scope: Project | Group, user: User | undefined, role: Role | undefined): boolean {
  if (scope.visibility === 'public') return true;
  if (scope.visibility === 'internal' && user && !user.external) return true;
  return isAtLeast(role, 'guest');
}

const pathOf = (row: Project | Group): string => (isProject(row) ? row.path_with_namespace : row.full_path);

export function scopeRow(store: Store, kind: ScopeKind, id: string): Project | Group | undefined {
  const rows = store.table<Project | Group>(`${kind}s`);
  if (/^\d{1,15}$/.test(id)) return rows.get(Number(id));
  const path = id.toLowerCase();
  return rows.find((row) => pathOf(row).toLowerCase() === path);
}

function movedTo(store: Store, kind: ScopeKind, id: string): string | undefined {
  const path = id.toLowerCase();
  const moved = store
    .table<Moved>('moved')
    .find((row) => row.path.toLowerCase() === path && row[`${kind}_id`] !== null);
  const row = moved && scopeRow(store, kind, String(moved[`${kind}_id`]));
  return row && pathOf(row);
}

/** Find a project or group, and the user's role in it. @throws HttpError 404 if the user cannot see it, 301 if it was moved */
export function findScope(
  store: Store,
  kind: ScopeKind,
  id: string,
  user: User | undefined,
  urlOf: (path: string) => string,
): { row: Project | Group; role: Role | undefined } {
  const row = scopeRow(store, kind, id);
  const title = kind === 'project' ? 'Project' : 'Group';
  if (!row) {
    const path = movedTo(store, kind, id);
    if (path === undefined) throw notFound(title);
    const location = urlOf(path);
    throw new HttpError(
      301,
      { message: `This resource has been moved permanently to ${location}` },
      { location },
    );
  }
  const role = roleIn(store, user, row);
  if (!canSee(row, user, role)) throw notFound(title);
  return { row, role };
}

/** Return a group and its descendants, the outermost first. */
export function descendantGroups(store: Store, group: Group): Group[] {
  const found = [group];
  for (const parent of found) found.push(...store.table<Group>('groups').where('parent_id', parent.id));
  return found;
}

export function isVisible({ store, user }: Caller, kind: ScopeKind, id: number): boolean {
  const row = scopeRow(store, kind, String(id));
  return row !== undefined && canSee(row, user, roleIn(store, user, row));
}

/** Return the projects in the group of the request and in the groups below it that the caller can see. */
export function visibleProjects(ctx: Caller & { readonly group: Group }): Project[] {
  const groups = descendantGroups(ctx.store, ctx.group).map(({ id }) => id);
  return ctx.store
    .table<Project>('projects')
    .filter(({ id, group_id }) => groups.includes(group_id) && isVisible(ctx, 'project', id));
}

export function hasRoleIn({ store, user }: Caller, scope: Project | Group | undefined, role: Role): boolean {
  return scope !== undefined && isAtLeast(roleIn(store, user, scope), role);
}

/** Check the kind and the scopes of the caller's token. @throws HttpError 401, 403 */
export function checkToken(endpoint: Operation, { token, job }: Identity): void {
  const { anonymous, jobToken, scope } = endpoint.access;
  if (!token) {
    if (anonymous) return;
    throw unauthorized();
  }
  if (job ? jobToken === undefined : jobToken === 'only') throw unauthorized();
  if (job) return;
  const readScopes = isReadMethod(endpoint.method) && scope !== 'api' ? ['read_api'] : [];
  const sufficient = [...new Set(['api', ...readScopes, ...(scope ? [scope] : [])])];
  if (token.scopes.some((name) => sufficient.includes(name))) return;
  throw new HttpError(403, {
    error: 'insufficient_scope',
    error_description: 'The request requires higher privileges than provided by the access token.',
    scope: sufficient.join(' '),
  });
}

/** @throws HttpError 403 if the role is too low, 401 without a user */
export function requireRole(user: User | undefined, role: Role | undefined, least: Role): void {
  if (isAtLeast(role, least)) return;
  throw user ? forbidden() : unauthorized();
}

/** Check features, role (by default Developer for writes in a project or group) and license. @throws HttpError 401, 403, 404 */
export function authorize(
  world: World,
  endpoint: Operation,
  user: User | undefined,
  role: Role | undefined,
): void {
  const { tier, role: least, feature } = endpoint.access;
  if (feature && !isOn(world, feature)) throw notFound();
  if (least) requireRole(user, role, least);
  else if (endpoint.scope && !isReadMethod(endpoint.method)) requireRole(user, role, 'developer');
  if (tier) requireTier(world, tier);
}
