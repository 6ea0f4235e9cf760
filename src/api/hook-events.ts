/** The kinds of events that a group hook can subscribe to, with the names that a delivery bears: section 6.1. */

interface HookEvent {
  /** The subscription flag, for help. */
  readonly doc: string;
  /** Value of `X-Service-Event`. */
  readonly header: string;
  /** Value of `trigger` in the log of deliveries. */
  readonly trigger: string;
}

const event = (doc: string, header: string, trigger: string): HookEvent => ({ doc, header, trigger });

/** By subscription flag, in the order of the specification. */
export const hookEvents = {
  push_events: event('Send pushes to branches', 'Push Hook', 'push_hooks'),
  tag_push_events: event('Send creations and deletions of tags', 'Tag Push Hook', 'tag_push_hooks'),
  merge_requests_events: event('Send changes of merge requests', 'Merge Request Hook', 'merge_request_hooks'),
  repository_update_events: event(
    'Send changes of repositories, once per push',
    'Repository Update Hook',
    'repository_update_hooks',
  ),
  issues_events: event('Send changes of issues and epics', 'Issue Hook', 'issue_hooks'),
  confidential_issues_events: event(
    'Send changes of confidential issues and epics',
    'Confidential Issue Hook',
    'confidential_issue_hooks',
  ),
  note_events: event('Send comments', 'Note Hook', 'note_hooks'),
  confidential_note_events: event(
    'Send comments on confidential issues',
    'Confidential Note Hook',
    'confidential_note_hooks',
  ),
  pipeline_events: event('Send status changes of pipelines', 'Pipeline Hook', 'pipeline_hooks'),
  wiki_page_events: event('Send changes of wiki pages', 'Wiki Page Hook', 'wiki_page_hooks'),
  job_events: event('Send status changes of jobs', 'Job Hook', 'job_hooks'),
  deployment_events: event('Send status changes of deployments', 'Deployment Hook', 'deployment_hooks'),
  feature_flag_events: event('Send changes of feature flags', 'Feature Flag Hook', 'feature_flag_hooks'),
  releases_events: event('Send changes of releases', 'Release Hook', 'release_hooks'),
  subgroup_events: event('Send creations and deletions of subgroups', 'Subgroup Hook', 'subgroup_hooks'),
  emoji_events: event('Send emoji reactions', 'Emoji Hook', 'emoji_hooks'),
  resource_access_token_events: event(
    'Send warnings about expiring access tokens of projects and groups',
    'Resource Access Token Hook',
    'resource_access_token_hooks',
  ),
  member_events: event('Send changes of members', 'Member Hook', 'member_hooks'),
} as const;

export type HookFlag = keyof typeof hookEvents;

/** What the headers of a delivery say. */
export interface DeliveryFacts {
  readonly userAgent: string;
  readonly idempotencyKey: string;
  /** Value of `X-Service-Event`. */
  readonly event: string;
  readonly webhookUuid: string;
  /** Origin of the service. */
  readonly instance: string;
  readonly eventUuid: string;
  /** The secret of the hook; undefined if it has none. */
  readonly token?: string | undefined;
}

/** Return the headers of a delivery, in the order of the specification. */
export function deliveryHeaders(facts: DeliveryFacts): Record<string, string> {
  return {
    'Content-Type': 'application/json',
    'User-Agent': facts.userAgent,
    'Idempotency-Key': facts.idempotencyKey,
    'X-Service-Event': facts.event,
    'X-Service-Webhook-UUID': facts.webhookUuid,
    'X-Service-Instance': facts.instance,
    'X-Service-Event-UUID': facts.eventUuid,
    ...(facts.token === undefined ? {} : { 'X-Service-Token': facts.token }),
  };
}
