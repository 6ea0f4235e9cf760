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
  push_events: event('A push to a branch', 'Push Hook', 'push_hooks'),
  tag_push_events: event('A tag was made or removed', 'Tag Push Hook', 'tag_push_hooks'),
  merge_requests_events: event(
    'A merge request was opened, changed, merged or closed',
    'Merge Request Hook',
    'merge_request_hooks',
  ),
  repository_update_events: event(
    'A repository was changed, once for each push',
    'Repository Update Hook',
    'repository_update_hooks',
  ),
  issues_events: event('An issue or epic was opened, changed or closed', 'Issue Hook', 'issue_hooks'),
  confidential_issues_events: event(
    'The same for a confidential issue or epic',
    'Confidential Issue Hook',
    'confidential_issue_hooks',
  ),
  note_events: event('Somebody commented', 'Note Hook', 'note_hooks'),
  confidential_note_events: event(
    'Somebody commented on a confidential issue',
    'Confidential Note Hook',
    'confidential_note_hooks',
  ),
  pipeline_events: event('A pipeline changed its status', 'Pipeline Hook', 'pipeline_hooks'),
  wiki_page_events: event('A wiki page was written or removed', 'Wiki Page Hook', 'wiki_page_hooks'),
  job_events: event('A job changed its status', 'Job Hook', 'job_hooks'),
  deployment_events: event(
    'A deployment started, succeeded or failed',
    'Deployment Hook',
    'deployment_hooks',
  ),
  feature_flag_events: event(
    'A feature flag was turned on or off',
    'Feature Flag Hook',
    'feature_flag_hooks',
  ),
  releases_events: event('A release was made, changed or removed', 'Release Hook', 'release_hooks'),
  subgroup_events: event('A subgroup was made or removed', 'Subgroup Hook', 'subgroup_hooks'),
  emoji_events: event('Somebody gave or took back a reaction', 'Emoji Hook', 'emoji_hooks'),
  resource_access_token_events: event(
    'An access token of a project or group is about to expire',
    'Resource Access Token Hook',
    'resource_access_token_hooks',
  ),
  member_events: event('A member joined, left or changed role', 'Member Hook', 'member_hooks'),
} as const;

export type HookFlag = keyof typeof hookEvents;
