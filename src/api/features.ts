/** The differences between new instances: feature flags that calls and parameters depend on (sections 4.5, 4.20, 8), licenses and spam check. */
import type { Feature } from '../spec/field.ts';

export const approvalGroupRules = {
  name: 'approval_group_rules',
  doc: 'Approval rules of groups',
} as const satisfies Feature;

/** The specification mentions this flag without its name. */
export const epicColor = {
  name: 'epic_color',
  doc: 'Colors of epics',
} as const satisfies Feature;

export const resendLimit = {
  name: 'web_hook_event_resend_api_endpoint_rate_limit',
  doc: 'The limit of five resends of webhook events per minute',
} as const satisfies Feature;

export const features = [approvalGroupRules, epicColor, resendLimit] as const;
export type FeatureName = (typeof features)[number]['name'];

/** The licenses (section 1). */
export const tiers = ['free', 'premium', 'ultimate'] as const;

/** The results of the spam check of content (section 7). */
export const spamModes = ['off', 'reject', 'captcha'] as const;
