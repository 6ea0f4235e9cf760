/** Filters of the list of users (section 4.7). */
import { isRecord } from '../../../support/record.ts';
import { ancestry } from '../../core/access.ts';
import type { Filter } from '../../core/collection.ts';
import type { Member, Project, User } from '../../core/rows.ts';

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

type Test = (user: Account) => boolean;
type Filters = Readonly<Record<string, Filter<Account>>>;

const flag =
  (test: Test): Filter<Account> =>
  (value) =>
    value === true ? test : () => true;

const isHuman: Test = (user) => !user.bot && !user['internal'];

/** Whether a search finds a user: all words in the name, part of the username, or the exact email address. */
const search: Filter<Account> = (value, ctx) => {
  const term = String(value).trim().toLowerCase();
  return (user) => {
    const name = user.name.toLowerCase();
    const addresses = [user['public_email'], ctx.hasRole('administrator') ? user.email : undefined];
    return (
      term.split(/\s+/).every((word) => name.includes(word)) ||
      user.username.toLowerCase().includes(term) ||
      addresses.some((address) => typeof address === 'string' && address.toLowerCase() === term)
    );
  };
};

const publicFilters: Filters = {
  active: flag((user) => user.state === 'active'),
  blocked: flag((user) => user.state === 'blocked'),
  external: flag((user) => user.external),
  humans: flag(isHuman),
  exclude_active: flag((user) => user.state !== 'active'),
  exclude_external: flag((user) => !user.external),
  exclude_humans: flag((user) => !isHuman(user)),
  exclude_internal: flag((user) => !user['internal']),
  without_project_bots: flag((user) => !user['project_bot']),
  username: (value) => (user) => user.username.toLowerCase() === String(value).toLowerCase(),
  search,
};

/** One identity has all given values. The provider `scim` is a directory. */
const signIn: Filter<Account> = (_, { params }) => {
  const [provider, uid, saml] = ['provider', 'extern_uid', 'saml_provider_id'].map(
    (name) => params.values[name],
  );
  const isScim = provider === 'scim';
  return (user) => {
    const all: readonly Partial<Identity>[] = (isScim ? user.scim_identities : user.identities) ?? [];
    return all.some(
      (identity) =>
        (provider == null || isScim || identity.provider === provider) &&
        (uid == null || identity.extern_uid === uid) &&
        (saml == null || identity.saml_provider_id === saml),
    );
  };
};

const withoutProjects: Filter<Account> = (value, { store }) => {
  if (value !== true) return () => true;
  const projects = store.table<Project>('projects').all();
  const groups = new Set(projects.flatMap(({ group_id }) => ancestry(store, group_id).map(({ id }) => id)));
  const members = store
    .table<Member>('members')
    .filter(({ project_id, group_id }) => project_id !== null || (group_id !== null && groups.has(group_id)));
  const ids = new Set(members.map(({ user_id }) => user_id));
  return ({ id }) => !ids.has(id);
};

/** Filters by parameter that apply to administrators only. */
const adminFilters: Filters = {
  admins: flag((user) => user.is_admin),
  auditors: flag((user) => user['is_auditor'] === true),
  skip_ldap: flag((user) => !user.identities?.some(({ provider }) => provider.startsWith('ldap'))),
  without_projects: withoutProjects,
  two_factor: (value) => (user) => (user['two_factor_enabled'] === true) === (value === 'enabled'),
  provider: signIn,
  extern_uid: signIn,
  saml_provider_id: signIn,
  custom_attributes: (value) => (user) =>
    Object.entries(isRecord(value) ? value : {}).every(([wanted, text]) =>
      user.custom_attributes?.some(
        (attribute) => attribute.key === wanted && attribute.value === String(text),
      ),
    ),
};

const forAdmins =
  (filter: Filter<Account>): Filter<Account> =>
  (value, ctx) =>
    ctx.hasRole('administrator') ? filter(value, ctx) : () => true;

export const filters: Filters = {
  ...publicFilters,
  ...Object.fromEntries(Object.entries(adminFilters).map(([name, filter]) => [name, forAdmins(filter)])),
};
