/** Areas of the catalogue that declare their collection, or do more. */
import type { AreaHandlers } from '../core/context.ts';
import { appearance } from './appearance/handlers.ts';
import { approvalRules } from './approval-rules/handlers.ts';
import { approvals } from './approvals/handlers.ts';
import { badges } from './badges/handlers.ts';
import { branches } from './branches/handlers.ts';
import { broadcasts } from './broadcasts/handlers.ts';
import { clientKeys } from './client-keys/handlers.ts';
import { contextCommits } from './context-commits/handlers.ts';
import { dependencyExports } from './dependency-exports/handlers.ts';
import { epics } from './epics/handlers.ts';
import { errorTracking } from './error-tracking/handlers.ts';
import { files } from './files/handlers.ts';
import { hooks } from './hooks/handlers.ts';
import { jobs } from './jobs/handlers.ts';
import { license } from './license/handlers.ts';
import { migrations } from './migrations/handlers.ts';
import { notifications } from './notifications/handlers.ts';
import { releases } from './releases/handlers.ts';
import { snippets } from './snippets/handlers.ts';
import { uploads } from './uploads/handlers.ts';
import { users } from './users/handlers.ts';
import { variables } from './variables/handlers.ts';
import { wikis } from './wikis/handlers.ts';

export const areaHandlers: readonly AreaHandlers[] = [
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
