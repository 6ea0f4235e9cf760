/** Who asks, and whether they may (section 5). */
import type { Endpoint } from '../../spec/endpoint.ts';
import { type Role, roles } from '../../spec/field.ts';
import { demandTier } from '../license.ts';
import type { Store } from '../store/store.ts';
import type { World } from './behavior.ts';
import { forbidden, HttpError, notFound, refuse, unauthorized } from './http-error.ts';
import type { Group, Job, Member, Moved, Project, Token, User } from './rows.ts';

export interface Identity {
  readonly user: User | undefined;
  readonly token: Token | undefined;
  readonly job: Job | undefined;
}

const nobody: Identity = { user: undefined, token: undefined, job: undefined };

interface Credential {
  readonly text: string;
  readonly kind: 'access' | 'job' | 'any';
}

function credentialOf(request: Request): Credential | undefined {
  const { headers } = request;
  const query = new URL(request.url).searchParams;
  const bearer = /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1];
  const candidates: [string | null | undefined, Credential['kind']][] = [
    [headers.get('private-token'), 'access'],
    [headers.get('job-token'), 'job'],
    [bearer, 'any'],
    [query.get('private_token'), 'access'],
    [query.get('job_token'), 'job'],
    [query.get('CI_JOB_TOKEN'), 'job'],
  ];
  const given = candidates.find(([text]) => text);
  return given && { text: given[0] as string, kind: given[1] };
}

/**
 * Who the request's token belongs to; nobody where it carries none.
 * @throws HttpError 401 for a token that is unknown, or of the wrong kind; 403 for a blocked user
 */
export function identify(store: Store, request: Request): Identity {
  const credential = credentialOf(request);
  if (!credential) return nobody;
  const token = store.table<Token>('tokens').find((row) => row.token === credential.text);
  const isJob = token?.job_id !== null;
  if (!token || (credential.kind !== 'any' && isJob !== (credential.kind === 'job'))) throw unauthorized();
  const user = store.table<User>('users').get(token.user_id);
  if (!user) throw unauthorized();
  if (user.state === 'blocked') throw forbidden('Your account has been blocked.');
  const job = isJob ? store.table<Job>('jobs').get(token.job_id) : undefined;
  // A job token is good for as long as its job runs.
  if (isJob && job?.status !== 'running') throw unauthorized();
  return { user, token, job };
}

/** The groups that a group or project lives in, the nearest first. */
export function ancestry(store: Store, groupId: number | null): Group[] {
  const chain: Group[] = [];
  for (
    let at = store.table<Group>('groups').get(groupId);
    at;
    at = store.table<Group>('groups').get(at.parent_id)
  ) {
    if (chain.includes(at)) break;
    chain.push(at);
  }
  return chain;
}

const byLevel: Readonly<Record<number, Role>> = {
  10: 'guest',
  20: 'reporter',
  30: 'developer',
  40: 'maintainer',
  50: 'owner',
};

const isProject = (place: Project | Group): place is Project => 'path_with_namespace' in place;

/** The role of a user in a project or group, inherited from the groups above; `user` for one who is no member. */
export function roleIn(
  store: Store,
  user: User | undefined,
  place: Project | Group | undefined,
): Role | undefined {
  if (!user) return undefined;
  if (user.is_admin) return 'administrator';
  if (!place) return 'user';
  const groups = ancestry(store, isProject(place) ? place.group_id : place.id).map((group) => group.id);
  let level = 0;
  for (const member of store.table<Member>('members').all()) {
    if (member.user_id !== user.id) continue;
    const here = isProject(place) && member.project_id === place.id;
    if (here || (member.group_id !== null && groups.includes(member.group_id))) {
      level = Math.max(level, member.access_level);
    }
  }
  return byLevel[level] ?? 'user';
}

/** Whether a role is at least another one. Nobody's role reaches none. */
export function reaches(role: Role | undefined, least: Role): boolean {
  return role !== undefined && roles.indexOf(role) >= roles.indexOf(least);
}

function maySee(place: Project | Group, user: User | undefined, role: Role | undefined): boolean {
  if (place.visibility === 'public') return true;
  if (place.visibility === 'internal' && user && !user.external) return true;
  return reaches(role, 'guest');
}

/** The row that a path once led to, and the path that leads there now. */
function movedTo(store: Store, kind: 'project' | 'group', id: string): string | undefined {
  const path = id.toLowerCase();
  const moved = store
    .table<Moved>('moved')
    .find((row) => row.path.toLowerCase() === path && row[`${kind}_id`] !== null);
  if (!moved) return undefined;
  return kind === 'project'
    ? store.table<Project>('projects').get(moved.project_id)?.path_with_namespace
    : store.table<Group>('groups').get(moved.group_id)?.full_path;
}

/**
 * The project or group of a call, by number or full path, with the caller's role in it.
 * @throws HttpError 404 where there is none, or none that the caller may see; 301 where its path has changed
 */
export function findScope(
  store: Store,
  kind: 'project' | 'group',
  id: string,
  user: User | undefined,
  relocate: (path: string) => string,
): { place: Project | Group; role: Role | undefined } {
  const place = findPlace(store, kind, id);
  const title = kind === 'project' ? 'Project' : 'Group';
  if (!place) {
    const path = movedTo(store, kind, id);
    if (path === undefined) throw notFound(title);
    const location = relocate(path);
    throw new HttpError(
      301,
      { message: `This resource has been moved permanently to ${location}` },
      { location },
    );
  }
  const role = roleIn(store, user, place);
  if (!maySee(place, user, role)) throw notFound(title);
  return { place, role };
}

function findPlace(store: Store, kind: 'project' | 'group', id: string): Project | Group | undefined {
  const isNumber = /^\d{1,15}$/.test(id);
  const path = id.toLowerCase();
  if (kind === 'project') {
    const projects = store.table<Project>('projects');
    return isNumber
      ? projects.get(Number(id))
      : projects.find((row) => row.path_with_namespace.toLowerCase() === path);
  }
  const groups = store.table<Group>('groups');
  return isNumber ? groups.get(Number(id)) : groups.find((row) => row.full_path.toLowerCase() === path);
}

const isRead = (method: string): boolean => method === 'GET' || method === 'HEAD';

/**
 * Whether the kind of token, and its scopes, are good for this call.
 * @throws HttpError 401 without a token, or with one of the wrong kind; 403 where its scopes don't suffice
 */
export function admit(endpoint: Endpoint, { token, job }: Identity): void {
  const { anonymous, jobToken, scope } = endpoint.access;
  if (!token) {
    if (anonymous) return;
    throw unauthorized();
  }
  if (job ? jobToken === undefined : jobToken === 'only') throw unauthorized();
  if (job) return;
  const reading = isRead(endpoint.method) && scope !== 'api' ? ['read_api'] : [];
  const enough = [...new Set(['api', ...reading, ...(scope ? [scope] : [])])];
  if (token.scopes.some((one) => enough.includes(one))) return;
  throw new HttpError(403, {
    error: 'insufficient_scope',
    error_description: 'The request requires higher privileges than provided by the access token.',
    scope: enough.join(' '),
  });
}

/** The least role for a call: what the catalogue says, else Developer for a write in a project or group. */
function leastRole(endpoint: Endpoint): Role | undefined {
  return endpoint.access.role ?? (endpoint.scope && !isRead(endpoint.method) ? 'developer' : undefined);
}

/** @throws HttpError 401 or 403 */
export function demand(user: User | undefined, role: Role | undefined, least: Role): void {
  if (reaches(role, least)) return;
  if (!user) throw unauthorized();
  throw refuse(403, '403 Forbidden');
}

/** @throws HttpError 401 or 403 where the role is too low, or no license opens the call */
export function permit(
  world: World,
  endpoint: Endpoint,
  user: User | undefined,
  role: Role | undefined,
): void {
  const least = leastRole(endpoint);
  if (least) demand(user, role, least);
  const { tier } = endpoint.access;
  if (tier) demandTier(world, tier);
}
