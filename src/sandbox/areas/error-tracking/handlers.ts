/** Error tracking settings, and the errors that applications reported (section 4.19). */
import { type Collection, collection, findRow, singleton } from '../../core/collection.ts';
import type { AreaHandlers, Handler } from '../../core/context.ts';
import { defined } from '../../core/lookup.ts';
import { ingestion } from './ingestion.ts';
import type { ErrorTracking } from './tracked-errors.ts';
import { errorsOf, frequencyOf, type TrackedError } from './tracked-errors.ts';

const settings: Collection<ErrorTracking> = {
  table: 'error_tracking',
  title: 'Error Tracking Setting',
  find: (_, rows) => rows[0],
};

const existing: Handler = (ctx) => {
  findRow(ctx, settings);
  return singleton(settings)(ctx);
};

const orders: Readonly<Record<string, string>> = {
  last_seen_desc: 'last_seen_at',
  first_seen_desc: 'first_seen_at',
  frequency_desc: 'events_count',
};

/** The status of every error: the sandbox has no endpoint that resolves or ignores one. */
const unresolved = 'unresolved';

const errors = collection<TrackedError>({
  table: 'errors',
  rows: (ctx) => errorsOf(ctx, ctx.project.id),
  filters: {
    query: (value) => (row) =>
      `${row.name}\n${row.description}`.toLowerCase().includes(String(value).toLowerCase()),
    status: (value) => () => value === unresolved,
  },
  order: ({ params }) => ({ by: defined(orders[params.text('sort') ?? 'last_seen_desc']), sort: 'desc' }),
  view: (ctx, row) => ({
    ...row,
    status: unresolved,
    event_count: row.events_count,
    approximated_user_count: row.users.length,
    stats: { frequency: { '24h': frequencyOf(row, ctx.now()) } },
  }),
});

export const errorTracking: AreaHandlers = {
  area: 'error-tracking',
  handlers: { get: existing, set: singleton(settings), update: existing, errors },
  extras: ingestion,
};
