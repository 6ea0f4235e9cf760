/** Users of the instance (section 4.7). */

import { isRecord } from '../../../support/record.ts';
import { ancestry } from '../../core/access.ts';
import { collection, type Filter } from '../../core/collection.ts';
import type { AreaHandlers, Context } from '../../core/context.ts';
import { HttpError } from '../../core/http-error.ts';
import { type Order, requestedPage } from '../../core/pages.ts';
import type { Member, Project, User } from '../../core/rows.ts';
import { userSummary } from '../../core/summary.ts';

interface Identity {
  readonly provider: string;
  readonly extern_uid: string;
  readonly saml_provider_id?: number;
}

interface Account extends User {
  identities?: readonly Identity[];
  scim_identities?: readonly { readonly extern_uid: string }[];
  custom_attributes?: readonly { readonly key: string; readonly value: string }[];
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

const filters: Filters = {
  ...publicFilters,
  ...Object.fromEntries(Object.entries(adminFilters).map(([name, filter]) => [name, forAdmins(filter)])),
};

/** Offset of the ids of personal namespaces, which share a sequence with groups. */
const namespaceOffset = 1000;

const localTime = (ctx: Context): string =>
  new Intl.DateTimeFormat('en-US', { timeStyle: 'short', timeZone: 'UTC' }).format(ctx.now());

function view(ctx: Context, user: User): object {
  const { job_title, organization } = user;
  const work = [job_title, organization].filter((part) => typeof part === 'string' && part !== '');
  return {
    commit_email: user.email,
    can_create_group: !user.external,
    can_create_project: !user.external,
    using_license_seat: user.state === 'active' && !user.bot,
    ...user,
    ...userSummary(user, ctx.origin),
    work_information: work.join(' at '),
    local_time: localTime(ctx),
    namespace_id: user.id + namespaceOffset,
  };
}

const summaryFields = ['id', 'username', 'name', 'state', 'locked', 'avatar_url', 'web_url'];

const isAdmin = (ctx: Context): boolean => ctx.hasRole('administrator');

/** Attributes that keyset pagination can sort by, and the record limit of offset pagination (section 8). */
const keysetOrders = ['id', 'name', 'username'];
const offsetLimit = 50_000;

const notAllowed = (error: string): HttpError => new HttpError(405, { error });

function orderOf(ctx: Context): Order {
  const { params } = ctx;
  const isKeyset = params.text('pagination') === 'keyset';
  if (!isKeyset) ctx.requireUser();
  const canChoose = isKeyset || isAdmin(ctx);
  const by = (canChoose && params.text('order_by')) || 'id';
  const sort = canChoose && params.text('sort') === 'asc' ? 'asc' : 'desc';
  if (isKeyset && !keysetOrders.includes(by)) {
    throw notAllowed('Keyset pagination is not yet available for this type of request');
  }
  const { page, size } = requestedPage(params);
  if (!isKeyset && page * size >= offsetLimit) {
    throw notAllowed(
      `Offset pagination has a maximum allowed offset of ${offsetLimit} for requests that return objects of type User. Remaining records can be retrieved using keyset pagination.`,
    );
  }
  return { by, sort, cursor: 'id_after' };
}

export const users: AreaHandlers = {
  area: 'users',
  collection: collection<Account>({
    table: 'users',
    filters,
    order: orderOf,
    view,
    shows: (ctx, _, field) => {
      if (isAdmin(ctx))
        return field !== 'custom_attributes' || ctx.params.bool('with_custom_attributes') === true;
      return ctx.endpoint.returns.kind !== 'list' || summaryFields.includes(field);
    },
  }),
};
