/** Which users a list asks for (section 4.7). */
import { ancestry } from '../../core/access.ts';
import type { RequestContext } from '../../core/behavior.ts';
import { parseTime } from '../../core/params.ts';
import type { Member, Project, User } from '../../core/rows.ts';

type Test = (user: User) => boolean;

export interface Identity {
  readonly provider: string;
  readonly extern_uid: string;
  readonly saml_provider_id?: number;
}
export interface CustomAttribute {
  readonly key: string;
  readonly value: string;
}

const isHuman: Test = (user) => !user.bot && !user['internal'];
const identities = (user: User) => (user['identities'] as readonly Identity[] | undefined) ?? [];

/** Of each, only `true` says something. */
const flags: Readonly<Record<string, Test>> = {
  active: (user) => user.state === 'active',
  blocked: (user) => user.state === 'blocked',
  external: (user) => user.external,
  humans: isHuman,
  exclude_active: (user) => user.state !== 'active',
  exclude_external: (user) => !user.external,
  exclude_humans: (user) => !isHuman(user),
  exclude_internal: (user) => !user['internal'],
  without_project_bots: (user) => !user['project_bot'],
};

const adminFlags: Readonly<Record<string, Test>> = {
  admins: (user) => user.is_admin,
  auditors: (user) => user['is_auditor'] === true,
  skip_ldap: (user) => !identities(user).some(({ provider }) => provider.startsWith('ldap')),
};

/** Each word in the name, or all of it in the user name; an address has to be whole. */
function found(user: User, search: string, isAdmin: boolean): boolean {
  const term = search.trim().toLowerCase();
  const name = user.name.toLowerCase();
  const addresses = [user['public_email'], isAdmin ? user.email : undefined];
  return (
    term.split(/\s+/).every((word) => name.includes(word)) ||
    user.username.toLowerCase().includes(term) ||
    addresses.some((address) => typeof address === 'string' && address.toLowerCase() === term)
  );
}

interface Account {
  readonly provider: string | undefined;
  readonly uid: string | undefined;
  readonly saml: number | undefined;
}

/** @param of where the user signs in: `scim` is a directory, any other a provider of identities */
function signsInBy(user: User, of: Account): boolean {
  const scim = (user['scim_identities'] as readonly { extern_uid: string }[] | undefined) ?? [];
  const all: readonly Partial<Identity>[] = of.provider === 'scim' ? scim : identities(user);
  return all.some(
    ({ provider, extern_uid, saml_provider_id }) =>
      (of.provider === undefined || of.provider === 'scim' || provider === of.provider) &&
      (of.uid === undefined || extern_uid === of.uid) &&
      (of.saml === undefined || saml_provider_id === of.saml),
  );
}

function tests(ctx: RequestContext): Test[] {
  const { params } = ctx;
  const all = Object.entries(flags).flatMap(([name, test]) => (params.bool(name) ? test : []));
  const username = params.text('username')?.toLowerCase();
  if (username !== undefined) all.push((user) => user.username.toLowerCase() === username);
  const search = params.text('search');
  if (search) all.push((user) => found(user, search, ctx.hasRole('administrator')));
  const [after, before] = [params.time('created_after'), params.time('created_before')];
  if (after !== undefined) all.push((user) => parseTime(user.created_at) >= after);
  if (before !== undefined) all.push((user) => parseTime(user.created_at) <= before);
  return all;
}

/** Who is a member of a project, be it through a group. */
function withProjects(ctx: RequestContext): Set<number> {
  const places = ctx.table<Project>('projects').all();
  const groups = new Set(places.flatMap(({ group_id }) => ancestry(ctx.store, group_id).map(({ id }) => id)));
  const members = ctx
    .table<Member>('members')
    .filter(({ project_id, group_id }) => project_id !== null || groups.has(group_id as number));
  return new Set(members.map(({ user_id }) => user_id));
}

function adminTests(ctx: RequestContext): Test[] {
  const { params } = ctx;
  const all = Object.entries(adminFlags).flatMap(([name, test]) => (params.bool(name) ? test : []));
  if (params.bool('without_projects')) {
    const busy = withProjects(ctx);
    all.push(({ id }) => !busy.has(id));
  }
  const factor = params.text('two_factor');
  if (factor) all.push((user) => (user['two_factor_enabled'] === true) === (factor === 'enabled'));
  const provider = params.text('provider');
  const uid = params.text('extern_uid');
  const saml = params.number('saml_provider_id');
  if (provider !== undefined || uid !== undefined || saml !== undefined) {
    all.push((user) => signsInBy(user, { provider, uid, saml }));
  }
  for (const [key, value] of Object.entries(params.hash('custom_attributes') ?? {})) {
    all.push((user) =>
      ((user['custom_attributes'] as readonly CustomAttribute[] | undefined) ?? []).some(
        (attribute) => attribute.key === key && attribute.value === String(value),
      ),
    );
  }
  return all;
}

/** The users that the call's filters leave. What is for administrators filters for nobody else. */
export function wantedUsers(ctx: RequestContext): User[] {
  const all = [...tests(ctx), ...(ctx.hasRole('administrator') ? adminTests(ctx) : [])];
  return ctx.table<User>('users').filter((user) => all.every((test) => test(user)));
}
