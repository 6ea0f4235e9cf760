import { behaviours, type Context } from '../behaviour.ts';
import { ingestion } from '../ingestion.ts';
import type { Row } from '../rows.ts';

/** Whether a project's errors are tracked, and by whom. */
export interface ErrorTracking extends Row {
  project_id: number;
  active: boolean;
  integrated: boolean;
  project_name: string | null;
  tracker_external_url: string | null;
  api_url: string | null;
}

const stored = (ctx: Context): ErrorTracking | undefined =>
  ctx.table<ErrorTracking>('error_tracking').find((row) => row.project_id === ctx.project.id);

function meant(ctx: Context): ErrorTracking {
  const row = stored(ctx);
  if (!row) throw ctx.notFound('Error Tracking Setting');
  return row;
}

function update(ctx: Context, row: ErrorTracking): Response {
  const { active = row.active, integrated = row.integrated } = {
    active: ctx.params.bool('active'),
    integrated: ctx.params.bool('integrated'),
  };
  return ctx.one(ctx.table<ErrorTracking>('error_tracking').update(row, { active, integrated }));
}

export const errorTracking = behaviours(
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
  },
  { extras: ingestion },
);
