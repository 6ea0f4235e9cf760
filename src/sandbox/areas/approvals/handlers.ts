/** Approval settings of a project (section 4.5). */
import { singleton } from '../../core/collection.ts';
import type { AreaHandlers } from '../../core/context.ts';
import type { AnyRow } from '../../core/rows.ts';

export interface Approvals extends AnyRow {
  reset_approvals_on_push: boolean;
  selective_code_owner_removals: boolean;
  approvals_before_merge: number;
}

export const approvals: AreaHandlers = {
  area: 'approvals',
  collection: singleton<Approvals>({
    table: 'approvals',
    role: 'maintainer',
    defaults: () => ({ reset_approvals_on_push: true, approvals_before_merge: 0 }),
    check: (_, next) => ({
      selective_code_owner_removals: next.selective_code_owner_removals &&
        next.reset_approvals_on_push && ['can only be enabled when reset_approvals_on_push is disabled'],
      approvals_before_merge: next.approvals_before_merge < 0 && ['must be greater than or equal to 0'],
    }),
  }),
};
