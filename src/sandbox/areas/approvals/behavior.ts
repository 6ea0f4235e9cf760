/** How merge requests of a project are approved (section 4.5). */
import { behaviors, type RequestContext } from '../../core/behavior.ts';
import type { Row } from '../../core/rows.ts';

/** The configuration of a project, by its parameters' names. */
export interface Approvals extends Row {
  project_id: number;
  reset_approvals_on_push: boolean;
  selective_code_owner_removals: boolean;
  approvals_before_merge: number;
  [setting: string]: unknown;
}

/** Of a project where nothing was ever set. */
const usual = {
  reset_approvals_on_push: true,
  selective_code_owner_removals: false,
  disable_overriding_approvers_per_merge_request: false,
  merge_requests_author_approval: false,
  merge_requests_disable_committers_approval: false,
  require_reauthentication_to_approve: false,
  require_password_to_approve: false,
  approvals_before_merge: 0,
} as const;

const stored = (ctx: RequestContext): Approvals | undefined =>
  ctx.table<Approvals>('approvals').find((row) => row.project_id === ctx.project.id);

export const approvals = behaviors('approvals', {
  get: (ctx) => ctx.one({ ...usual, ...stored(ctx) }),

  update: (ctx) => {
    ctx.requireRole('maintainer');
    const table = ctx.table<Approvals>('approvals');
    const row = stored(ctx);
    const given = Object.entries(ctx.params.values).filter(([, value]) => value !== null);
    const next = { ...usual, project_id: ctx.project.id, ...row, ...Object.fromEntries(given) };
    if (next.selective_code_owner_removals && next.reset_approvals_on_push) {
      const says = 'can only be enabled when reset_approvals_on_push is disabled';
      throw ctx.badRequest({ selective_code_owner_removals: [says] });
    }
    if (next.approvals_before_merge < 0) {
      throw ctx.badRequest({ approvals_before_merge: ['must be greater than or equal to 0'] });
    }
    return ctx.one(row ? table.update(row, next) : table.insert(next));
  },
});
