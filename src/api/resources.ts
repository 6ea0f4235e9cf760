/** The kinds of resources that state files describe, in the order in which they are exported and applied. */
import type { Resource } from '../spec/resource.ts';

export const resources: Readonly<Record<string, () => Promise<Resource>>> = {
  variables: async () => (await import('./variables.ts')).variables,
  badges: async () => (await import('./badges.ts')).badges,
  protected_branches: async () => (await import('./branches.ts')).protectedBranches,
  wikis: async () => (await import('./wikis.ts')).wikis,
  snippets: async () => (await import('./snippets.ts')).snippets,
  hooks: async () => (await import('./hooks.ts')).hooks,
  approval_rules: async () => (await import('./approval-rules.ts')).approvalRules,
  approvals: async () => (await import('./approvals.ts')).approvals,
  notifications: async () => (await import('./notifications.ts')).notifications,
  error_tracking: async () => (await import('./error-tracking.ts')).errorTracking,
  appearance: async () => (await import('./appearance.ts')).appearanceSettings,
  broadcasts: async () => (await import('./broadcasts.ts')).broadcasts,
};
