/** Filters of the list of users (section 4.7). */
import { ancestry } from '../../core/access.ts';
import type { Context } from '../../core/context.ts';
import { parseTime } from '../../core/request/params.ts';
import type { Member, Project, User } from '../../core/rows.ts';

type Test = (user: Account) => boolean;

export interface Identity {
  readonly provider: string;
  readonly extern_uid: string;
  readonly saml_provider_id?: number;
}
export interface CustomAttribute {
  readonly key: string;
  readonly value: string;
}

/** A user with the attributes that its seed adds. */
export interface Account extends User {
  identities?: readonly Identity[];
  scim_identities?: readonly { readonly extern_uid: string }[];
  custom_attributes?: readonly CustomAttribute[];
}

const isHuman: Test = (user) => !user.bot && !user['internal'];

/** Filters that apply if they are true. */
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
  skip_ldap: (user) => !user.identities?.some(({ provider }) => provider.startsWith('ldap')),
};

/** Whether a search finds a user: all words in the name, part of the username, or the exact email address. */
function isFound(user: User, search: string, isAdmin: boolean): boolean {
  const term = search.trim().toLowerCase();
  const name = user.name.toLowerCase();
  const addresses = [user['public_email'], isAdmin ? user.email : undefined];
  return (
    term.split(/\s+/).every((word) => name.includes(word)) ||
    user.username.toLowerCase().includes(term) ||
    addresses.some((address) => typeof address === 'string' && address.toLowerCase() === term)
  );
}

interface SignIn {
  /** `scim` for a directory, else the provider of an identity. */
  readonly provider: string | undefined;
  readonly uid: string | undefined;
  readonly saml: number | undefined;
}

function signsInBy(user: Account, wanted: SignIn): boolean {
  const isScim = wanted.provider === 'scim';
  const all: readonly Partial<Identity>[] = (isScim ? user.scim_identities : user.identities) ?? [];
  return all.some(
    ({ provider, extern_uid, saml_provider_id }) =>
      (wanted.provider === undefined || isScim || provider === wanted.provider) &&
      (wanted.uid === undefined || extern_uid === wanted.uid) &&
      (wanted.saml === undefined || saml_provider_id === wanted.saml),
  );
}

function tests(ctx: Context): Test[] {
  const { params } = ctx;
  const all = Object.entries(flags).flatMap(([name, test]) => (params.bool(name) ? test : []));
  const username = params.text('username')?.toLowerCase();
  if (username !== undefined) all.push((user) => user.username.toLowerCase() === username);
  const search = params.text('search');
  if (search) all.push((user) => isFound(user, search, ctx.hasRole('administrator')));
  const [after, before] = [params.time('created_after'), params.time('created_before')];
  if (after !== undefined) all.push((user) => parseTime(user.created_at) >= after);
  if (before !== undefined) all.push((user) => parseTime(user.created_at) <= before);
  return all;
}

/** Return the ids of users who are members of a project, directly or through a group. */
function projectMembers(ctx: Context): Set<number> {
  const projects = ctx.table<Project>('projects').all();
  const groups = new Set(
    projects.flatMap(({ group_id }) => ancestry(ctx.store, group_id).map(({ id }) => id)),
  );
  const members = ctx
    .table<Member>('members')
    .filter(({ project_id, group_id }) => project_id !== null || (group_id !== null && groups.has(group_id)));
  return new Set(members.map(({ user_id }) => user_id));
}

function adminTests(ctx: Context): Test[] {
  const { params } = ctx;
  const all = Object.entries(adminFlags).flatMap(([name, test]) => (params.bool(name) ? test : []));
  if (params.bool('without_projects')) {
    const members = projectMembers(ctx);
    all.push(({ id }) => !members.has(id));
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
    all.push(({ custom_attributes = [] }) =>
      custom_attributes.some((attribute) => attribute.key === key && attribute.value === String(value)),
    );
  }
  return all;
}

/** Return the test for the filters of a request. Filters for administrators apply to administrators only. */
export function filterOf(ctx: Context): Test {
  const all = [...tests(ctx), ...(ctx.hasRole('administrator') ? adminTests(ctx) : [])];
  return (user) => all.every((test) => test(user));
}
