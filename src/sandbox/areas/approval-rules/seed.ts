import type { Seeder } from '../../seed/seeder.ts';
import type { ApprovalRule } from './handlers.ts';

const plain = { report_type: null, group_ids: [], user_ids: [] } as const;

/** Two rules of acme/rocket, and one of the group acme. */
export const approvals: Seeder = (world) => {
  const table = world.table<ApprovalRule>('approval-rules');
  const ofRocket = { ...plain, project_id: 100, group_id: null };
  table.insert({
    ...ofRocket,
    id: 31,
    name: 'Engines',
    rule_type: 'regular',
    approvals_required: 1,
    user_ids: [3, 4],
    group_ids: [10],
    branches: ['main'],
  });
  table.insert({
    ...ofRocket,
    id: 32,
    name: 'All Members',
    rule_type: 'any_approver',
    approvals_required: 1,
    branches: null,
  });
  table.insert({
    ...plain,
    id: 41,
    project_id: null,
    group_id: 10,
    name: 'Security',
    rule_type: 'regular',
    approvals_required: 2,
    user_ids: [2, 3, 4],
    branches: null,
  });
};
