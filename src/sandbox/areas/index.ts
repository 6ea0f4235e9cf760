/** Areas with more than ordinary collections. */
import type { AreaBehaviors } from '../core/behavior.ts';
import { appearance } from './appearance/behavior.ts';
import { approvalRules } from './approval-rules/behavior.ts';
import { approvals } from './approvals/behavior.ts';
import { badges } from './badges/behavior.ts';
import { branches } from './branches/behavior.ts';
import { broadcasts } from './broadcasts/behavior.ts';
import { clientKeys } from './client-keys/behavior.ts';
import { contextCommits } from './context-commits/behavior.ts';
import { dependencyExports } from './dependency-exports/behavior.ts';
import { epics } from './epics/behavior.ts';
import { errorTracking } from './error-tracking/behavior.ts';
import { files } from './files/behavior.ts';
import { hooks } from './hooks/behavior.ts';
import { jobs } from './jobs/behavior.ts';
import { license } from './license/behavior.ts';
import { migrations } from './migrations/behavior.ts';
import { notifications } from './notifications/behavior.ts';
import { releases } from './releases/behavior.ts';
import { snippets } from './snippets/behavior.ts';
import { uploads } from './uploads/behavior.ts';
import { users } from './users/behavior.ts';
import { variables } from './variables/behavior.ts';
import { wikis } from './wikis/behavior.ts';

export const behaviors: readonly AreaBehaviors[] = [
  jobs,
  variables,
  files,
  license,
  branches,
  appearance,
  clientKeys,
  contextCommits,
  dependencyExports,
  epics,
  errorTracking,
  hooks,
  migrations,
  notifications,
  releases,
  approvalRules,
  approvals,
  badges,
  broadcasts,
  snippets,
  uploads,
  users,
  wikis,
];
