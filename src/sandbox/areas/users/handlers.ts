/** Users of the instance (section 4.7). */
import { collection } from '../../core/collection.ts';
import type { AreaHandlers, Context } from '../../core/context.ts';
import { HttpError } from '../../core/http-error.ts';
import { type Order, requestedPage } from '../../core/pages.ts';
import type { User } from '../../core/rows.ts';
import { userSummary } from '../../core/summary.ts';
import { type Account, filters } from './filter.ts';

const defaults = {
  bio: '',
  location: '',
  public_email: '',
  organization: '',
  job_title: '',
  pronouns: '',
  note: '',
  plan: 'default',
  trial: false,
  followers: 0,
  following: 0,
  color_scheme_id: 1,
  theme_id: 1,
  projects_limit: 100_000,
  sign_in_count: 0,
};

/** Offset of the ids of personal namespaces, which share a sequence with groups. */
const namespaceOffset = 1000;

const localTime = (ctx: Context): string =>
  new Intl.DateTimeFormat('en-US', { timeStyle: 'short', timeZone: 'UTC' }).format(ctx.now());

function view(ctx: Context, user: User): object {
  const { job_title, organization } = user;
  const work = [job_title, organization].filter((part) => typeof part === 'string' && part !== '');
  return {
    ...defaults,
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

/** Fields of the public summary (section 2.7). */
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
