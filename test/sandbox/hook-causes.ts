/** What causes the events of webhooks in the sandbox (section 6.1). */
import { type HookFlag, hookFlags } from '../../src/webhooks/events.ts';
import { openReceiver } from '../support/receiver.ts';
import { openTestSandbox } from './ask.ts';

export interface Cause {
  /** Below /api/v4. */
  readonly call: string;
  readonly json?: object;
  /** Advance the clock by this duration after the call. */
  readonly advance?: string;
  /** The kinds of events that follow, each delivered once. */
  readonly kinds: readonly HookFlag[];
}

const commit = { branch: 'develop', commit_message: 'Write', content: 'x' };
const migration = {
  configuration: { url: 'https://old.example.com', access_token: 'source-secret' },
  entities: [
    {
      source_type: 'group_entity',
      source_full_path: 'tools',
      destination_slug: 'tools',
      destination_namespace: 'acme',
    },
  ],
};

/** One for each kind of event that a change in the sandbox causes. */
export const causes: readonly Cause[] = [
  {
    call: 'POST /projects/100/repository/files/new.txt',
    json: commit,
    kinds: ['push_events', 'repository_update_events'],
  },
  {
    call: 'POST /projects/100/releases',
    json: { tag_name: 'v9', ref: 'main', name: 'Nine', description: 'n' },
    kinds: ['tag_push_events', 'repository_update_events', 'releases_events'],
  },
  { call: 'POST /groups/10/wikis', json: { title: 'T', content: 'c' }, kinds: ['wiki_page_events'] },
  { call: 'POST /groups/10/epics', json: { title: 'T', labels: 'planning' }, kinds: ['issues_events'] },
  {
    call: 'POST /groups/10/epics',
    json: { title: 'T', labels: 'planning', confidential: true },
    kinds: ['confidential_issues_events'],
  },
  { call: 'POST /bulk_imports', json: migration, advance: '7s', kinds: ['subgroup_events'] },
  // A retry of the only job that failed in its pipeline: `test:e2e`.
  { call: 'POST /projects/100/jobs/5234/retry', advance: '5s', kinds: ['job_events', 'pipeline_events'] },
  { call: 'POST /projects/100/jobs/5262/play', advance: '5s', kinds: ['job_events', 'deployment_events'] },
];

/** The kinds of events that no change in the sandbox causes: it has no calls for these resources. */
export const onlyEmitted: readonly HookFlag[] = [
  'merge_requests_events',
  'note_events',
  'confidential_note_events',
  'feature_flag_events',
  'emoji_events',
  'resource_access_token_events',
  'member_events',
];

/** The kinds of events that the examples of each write cause. Other writes cause none. */
export const kindsByRoute: Readonly<Record<string, readonly HookFlag[]>> = {
  'POST /projects/:id/repository/files/:file_path': ['push_events', 'repository_update_events'],
  'PUT /projects/:id/repository/files/:file_path': ['push_events', 'repository_update_events'],
  'DELETE /projects/:id/repository/files/:file_path': ['push_events', 'repository_update_events'],
  'POST /projects/:id/repository/branches': ['push_events', 'repository_update_events'],
  'DELETE /projects/:id/repository/branches/:branch': ['push_events', 'repository_update_events'],
  'DELETE /projects/:id/repository/merged_branches': ['push_events', 'repository_update_events'],
  'POST /projects/:id/jobs/:job_id/retry': ['job_events'],
  'POST /projects/:id/jobs/:job_id/cancel': ['job_events'],
  'POST /projects/:id/jobs/:job_id/play': ['job_events'],
  'POST /projects/:id/pipeline': ['job_events', 'pipeline_events'],
  'POST /projects/:id/pipelines/:pipeline_id/retry': ['job_events', 'pipeline_events'],
  // A job that deploys is among the canceled ones.
  'POST /projects/:id/pipelines/:pipeline_id/cancel': ['deployment_events', 'job_events', 'pipeline_events'],
  'POST /groups/:id/wikis': ['wiki_page_events'],
  'PUT /groups/:id/wikis/:slug': ['wiki_page_events'],
  'DELETE /groups/:id/wikis/:slug': ['wiki_page_events'],
  'POST /groups/:id/epics': ['issues_events'],
  'PUT /groups/:id/epics/:epic_iid': ['issues_events'],
};

/** Open a sandbox with a hook of a group that subscribes to these events. */
export async function openSubscribed(subscribed: readonly HookFlag[], group = 10) {
  const { url, calls } = await openReceiver();
  const opened = await openTestSandbox();
  const events = Object.fromEntries(hookFlags.map((flag) => [flag, subscribed.includes(flag)]));
  const json = { ...events, url, token: 'hook-secret' };
  const { body } = await opened.ask(`POST /groups/${group}/hooks`, { json });
  return { ...opened, calls, hook: body.id as number };
}
