/** Error tracking settings, and the errors that applications reported (section 4.19). */
import { behaviors, type RequestContext } from '../../core/behavior.ts';
import { defined, orNotFound } from '../../core/lookup.ts';
import { ordered } from '../../core/order.ts';
import { ingestion } from './ingestion.ts';
import { addSettings, type ErrorTracking, settingsOf } from './settings.ts';
import { errorsOf, frequencyOf, type TrackedError } from './tracked-errors.ts';

const findSettings = (ctx: RequestContext): ErrorTracking =>
  orNotFound(settingsOf(ctx, ctx.project.id), 'Error Tracking Setting');

function update(ctx: RequestContext, row: ErrorTracking): Response {
  const active = ctx.params.bool('active') ?? row.active;
  const integrated = ctx.params.bool('integrated') ?? row.integrated;
  return ctx.one(ctx.table<ErrorTracking>('error_tracking').update(row, { active, integrated }));
}

/** The status of every error: the sandbox has no endpoint that resolves or ignores one. */
const unresolved = 'unresolved';

const sortKeys: Readonly<Record<string, (row: TrackedError) => number>> = {
  last_seen_desc: ({ last_seen_at }) => Date.parse(last_seen_at),
  first_seen_desc: ({ first_seen_at }) => Date.parse(first_seen_at),
  frequency_desc: ({ events_count }) => events_count,
};

const errorView = (row: TrackedError, now: number): object => ({
  ...row,
  status: unresolved,
  event_count: row.events_count,
  approximated_user_count: row.users.length,
  stats: { frequency: { '24h': frequencyOf(row, now) } },
});

export const errorTracking = behaviors(
  'error-tracking',
  {
    get: (ctx) => ctx.one(findSettings(ctx)),

    /** Creates the settings if the project has none. */
    set: (ctx) => update(ctx, settingsOf(ctx, ctx.project.id) ?? addSettings(ctx, ctx.project.id)),

    update: (ctx) => update(ctx, findSettings(ctx)),

    errors: (ctx) => {
      const query = ctx.params.text('query')?.toLowerCase() ?? '';
      const status = ctx.params.text('status') ?? unresolved;
      const key = defined(sortKeys[ctx.params.text('sort') ?? 'last_seen_desc']);
      const rows = errorsOf(ctx, ctx.project.id).filter(
        ({ name, description }) =>
          status === unresolved && `${name}\n${description}`.toLowerCase().includes(query),
      );
      return ctx.list(ordered(rows, key, 'desc'), { view: (row) => errorView(row, ctx.now()) });
    },
  },
  { extras: ingestion },
);
