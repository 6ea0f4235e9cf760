import { behaviors, type RequestContext } from '../../core/behavior.ts';
import { ordered } from '../../core/order.ts';
import type { Row } from '../../core/rows.ts';
import { ingestion } from './ingestion.ts';
import { errorsOf, frequencyOf, type TrackedError } from './tracked-errors.ts';

/** Whether a project's errors are tracked, and by whom. */
export interface ErrorTracking extends Row {
  project_id: number;
  active: boolean;
  integrated: boolean;
  project_name: string | null;
  tracker_external_url: string | null;
  api_url: string | null;
}

const stored = (ctx: RequestContext): ErrorTracking | undefined =>
  ctx.table<ErrorTracking>('error_tracking').find((row) => row.project_id === ctx.project.id);

function meant(ctx: RequestContext): ErrorTracking {
  const row = stored(ctx);
  if (!row) throw ctx.notFound('Error Tracking Setting');
  return row;
}

function update(ctx: RequestContext, row: ErrorTracking): Response {
  const { active = row.active, integrated = row.integrated } = {
    active: ctx.params.bool('active'),
    integrated: ctx.params.bool('integrated'),
  };
  return ctx.one(ctx.table<ErrorTracking>('error_tracking').update(row, { active, integrated }));
}

/** The sandbox has no call that resolves an error or ignores it. */
const unresolved = 'unresolved';

const keys = {
  last_seen_desc: ({ last_seen_at }: TrackedError) => Date.parse(last_seen_at),
  first_seen_desc: ({ first_seen_at }: TrackedError) => Date.parse(first_seen_at),
  frequency_desc: ({ events_count }: TrackedError) => events_count,
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
    get: (ctx) => ctx.one(meant(ctx)),

    /** Makes the setting where there is none. */
    set: (ctx) => {
      const row = stored(ctx);
      if (row) return update(ctx, row);
      const made = ctx.table<ErrorTracking>('error_tracking').insert({
        project_id: ctx.project.id,
        active: false,
        integrated: false,
        project_name: null,
        tracker_external_url: null,
        api_url: null,
      });
      return update(ctx, made);
    },

    update: (ctx) => update(ctx, meant(ctx)),

    errors: (ctx) => {
      const query = ctx.params.text('query')?.toLowerCase() ?? '';
      const { status = unresolved, sort = 'last_seen_desc' } = ctx.params.values;
      const rows = errorsOf(ctx, ctx.project.id).filter(
        ({ name, description }) =>
          status === unresolved && `${name}\n${description}`.toLowerCase().includes(query),
      );
      const key = keys[sort as keyof typeof keys];
      return ctx.list(ordered(rows, key, 'desc'), { view: (row) => errorView(row, ctx.now()) });
    },
  },
  { extras: ingestion },
);
