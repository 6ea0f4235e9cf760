/** Approval settings of a project (section 4.5). */
import { behaviors, type RequestContext } from '../../core/behavior.ts';
import { ofProject } from '../../core/lookup.ts';
import type { Row } from '../../core/rows.ts';

/** The settings of a project, under the names of the parameters. */
export interface Approvals extends Row {
  project_id: number;
  reset_approvals_on_push: boolean;
  selective_code_owner_removals: boolean;
  approvals_before_merge: number;
  [setting: string]: unknown;
}

const defaults = {
  reset_approvals_on_push: true,
  selective_code_owner_removals: false,
  disable_overriding_approvers_per_merge_request: false,
  merge_requests_author_approval: false,
  merge_requests_disable_committers_approval: false,
  require_reauthentication_to_approve: false,
  require_password_to_approve: false,
  approvals_before_merge: 0,
} as const;

const stored = (ctx: RequestContext): Approvals | undefined => ofProject<Approvals>(ctx, 'approvals')[0];

export const approvals = behaviors('approvals', {
  get: (ctx) => ctx.one({ ...defaults, ...stored(ctx) }),

  update: (ctx) => {
    ctx.requireRole('maintainer');
    const table = ctx.table<Approvals>('approvals');
    const row = stored(ctx);
    const given = Object.entries(ctx.params.values).filter(([, value]) => value !== null);
    const next = { ...defaults, project_id: ctx.project.id, ...row, ...Object.fromEntries(given) };
    if (next.selective_code_owner_removals && next.reset_approvals_on_push) {
      const message = 'can only be enabled when reset_approvals_on_push is disabled';
      throw ctx.badRequest({ selective_code_owner_removals: [message] });
    }
    if (next.approvals_before_merge < 0) {
      throw ctx.badRequest({ approvals_before_merge: ['must be greater than or equal to 0'] });
    }
    return ctx.one(row ? table.update(row, next) : table.insert(next));
  },
});
