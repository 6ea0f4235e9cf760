/** The areas whose calls do more than an ordinary collection. */
import type { AreaBehaviours } from '../behaviour.ts';
import { appearance } from './appearance.ts';
import { approvalRules } from './approval-rules.ts';
import { approvals } from './approvals.ts';
import { badges } from './badges.ts';
import { branches } from './branches.ts';
import { broadcasts } from './broadcasts.ts';
import { clientKeys } from './client-keys.ts';
import { contextCommits } from './context-commits.ts';
import { dependencyExports } from './dependency-exports.ts';
import { epics } from './epics.ts';
import { errorTracking } from './error-tracking.ts';
import { files } from './files.ts';
import { hooks } from './hooks.ts';
import { jobs } from './jobs.ts';
import { license } from './license.ts';
import { migrations } from './migrations.ts';
import { notifications } from './notifications.ts';
import { releases } from './releases.ts';
import { snippets } from './snippets.ts';
import { uploads } from './uploads.ts';
import { users } from './users.ts';
import { variables } from './variables.ts';
import { wikis } from './wikis.ts';

export const behaviours: readonly AreaBehaviours[] = [
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
