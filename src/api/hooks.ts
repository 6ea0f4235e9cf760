import { area, callsIn, paging, under } from '../spec/compose.ts';
import { endpoint, listOf, nothing, one } from '../spec/endpoint.ts';
import {
  bool,
  choice,
  datetime,
  int,
  long,
  number,
  object,
  pick,
  rows,
  secret,
  text,
  url,
} from '../spec/field.ts';
import { resource } from '../spec/resource.ts';
import { group } from './scopes.ts';

const eventFlag = (doc: string) => bool(doc, { family: 'Events to send' });

const eventFlags = {
  push_events: eventFlag('Send pushes to branches'),
  tag_push_events: eventFlag('Send creations and deletions of tags'),
  merge_requests_events: eventFlag('Send changes of merge requests'),
  repository_update_events: eventFlag('Send changes of repositories, once per push'),
  issues_events: eventFlag('Send changes of issues and epics'),
  confidential_issues_events: eventFlag('Send changes of confidential issues and epics'),
  note_events: eventFlag('Send comments'),
  confidential_note_events: eventFlag('Send comments on confidential issues'),
  pipeline_events: eventFlag('Send status changes of pipelines'),
  wiki_page_events: eventFlag('Send changes of wiki pages'),
  job_events: eventFlag('Send status changes of jobs'),
  deployment_events: eventFlag('Send status changes of deployments'),
  feature_flag_events: eventFlag('Send changes of feature flags'),
  releases_events: eventFlag('Send changes of releases'),
  subgroup_events: eventFlag('Send creations and deletions of subgroups'),
  emoji_events: eventFlag('Send emoji reactions'),
  resource_access_token_events: eventFlag(
    'Send warnings about expiring access tokens of projects and groups',
  ),
  member_events: eventFlag('Send changes of members'),
};

const header = text('Header name', { required: true });

const hook = {
  id: int('Hook id'),
  url: url('URL to send events to', { guarded: true }),
  name: text('Name of the webhook'),
  description: text('Description of the webhook'),
  created_at: datetime('Creation time'),
  group_id: int('Group id'),
  alert_status: text('Health of the webhook: executable, or disabled after failures'),
  disabled_until: datetime('Time until which deliveries are suspended after failures', { nullable: true }),
  ...eventFlags,
  push_events_branch_filter: text('Pattern of branches whose pushes are sent; see --branch-filter-strategy'),
  branch_filter_strategy: choice(['wildcard', 'regex', 'all_branches'], 'How the branch pattern is matched', {
    default: 'wildcard',
  }),
  enable_ssl_verification: bool('Verify the TLS certificate of the URL'),
  custom_webhook_template: long('Template of the request body that replaces the default body'),
  custom_headers: rows('Additional headers, without their values', {
    key: header,
  }),
  url_variables: rows('Masked parts of the URL', { key: text('Name of the masked part') }),
};

const delivery = {
  id: int('Event id'),
  url: url('URL of the request'),
  trigger: text('Trigger of the delivery, such as push_hooks'),
  response_status: text('HTTP status of the response'),
  execution_duration: number('Duration in seconds'),
  request_headers: object('Request headers'),
  request_data: object('Request body'),
  response_headers: object('Response headers'),
  response_body: text('Response body'),
};

const settings = {
  url: url('URL to send events to', { guarded: true }),
  ...pick(hook, 'name', 'description'),
  ...eventFlags,
  ...pick(hook, 'push_events_branch_filter', 'branch_filter_strategy', 'enable_ssl_verification'),
  token: secret('Token sent with each delivery for verification by the receiver; never shown again'),
  ...pick(hook, 'custom_webhook_template'),
  custom_headers: rows('Additional headers to send; their values are never shown again', {
    key: header,
    value: secret('Header value'),
  }),
};

/** What an update leaves out keeps its value: the default is one for a new hook. */
const { default: _, ...unchanged } = hook.branch_filter_strategy;

const hookId = int('Hook id, as `hooks list` shows it', { placeholder: 'id' });
const common = { section: '4.17', access: { role: 'owner', tier: 'premium' } } as const;

const list = endpoint('GET hooks', {
  ...common,
  command: 'list',
  summary: 'List the webhooks of a group',
  takes: paging,
  noun: 'webhook',
  returns: listOf(hook),
  columns: ['id', 'name', 'url', { path: 'alert_status', label: 'STATUS' }, 'disabled_until', 'created_at'],
  examples: [
    { does: 'List webhooks with their health', run: 'hooks list --group acme' },
    {
      does: 'Print which webhooks receive pushes, as CSV',
      run: 'hooks list --group acme --fields id,url,push_events --csv',
    },
  ],
});

const create = endpoint('POST hooks', {
  ...common,
  command: 'create',
  summary: 'Create a webhook for a group',
  doc: 'Each event flag turns on one type of event.',
  takes: { ...settings, url: url('URL to send events to', { required: true, guarded: true }) },
  returns: one(hook),
  done: 'Created webhook {id} ({name})',
  examples: [
    {
      does: 'Send pushes to release branches, with a token from a file',
      run: 'hooks create --group acme --url https://ci.example.com/hook --push-events --push-events-branch-filter "release/*" --token @notes.txt',
    },
    {
      does: 'Send pipeline events to a chat, with a custom body',
      run: 'hooks create --group acme --url https://chat.example.com/in --name Chat --pipeline-events --no-push-events --custom-webhook-template @page.md',
    },
    {
      does: 'Send an additional header',
      run: 'hooks create --group acme --url https://ci.example.com/hook --job-events --custom-header key=X-Team,value=rocket',
    },
  ],
});

export const hooks = resource({
  kind: 'hooks',
  noun: 'webhook',
  calls: [callsIn(group, { list, create })],
  identity: [['url']],
  limits: ['token and header values cannot be read'],
  // The service returns headers without their values, which cannot be compared.
  read: ({ custom_headers: _, ...row }) => row,
  isUnreadable: () => true,
});

export default area(
  under(group, [
    list,
    endpoint('GET hooks/:hook_id', {
      ...common,
      command: 'get <hook-id>',
      summary: 'Show one webhook',
      slots: { hook_id: hookId },
      returns: one(hook),
      examples: [
        { does: 'Show the events that a webhook receives', run: 'hooks get 301 --group acme' },
        {
          does: 'Print only the health for a script',
          run: 'hooks get 301 --group acme --fields alert_status -o tsv --no-header',
        },
      ],
    }),
    create,
    endpoint('PUT hooks/:hook_id', {
      ...common,
      unspecified: true,
      command: 'update <hook-id>',
      summary: 'Change a webhook',
      doc: 'Omitted settings keep their values. --custom-header replaces all custom headers.',
      slots: { hook_id: hookId },
      takes: { ...settings, branch_filter_strategy: unchanged },
      returns: one(hook),
      done: 'Updated webhook {hook_id} ({name})',
      examples: [
        {
          does: 'Change the address',
          run: 'hooks update 302 --group acme --url https://chat.example.com/in',
        },
        {
          does: 'Add wiki pages to the events, and stop sending pipelines',
          run: 'hooks update 302 --group acme --wiki-page-events --no-pipeline-events',
        },
      ],
    }),
    endpoint('DELETE hooks/:hook_id', {
      ...common,
      unspecified: true,
      command: 'delete <hook-id>',
      summary: 'Delete a webhook',
      doc: 'The log of deliveries is also deleted.',
      slots: { hook_id: hookId },
      returns: nothing,
      confirm: 'yes',
      done: 'Deleted webhook {hook_id}',
      examples: [
        { does: 'Delete without confirmation', run: 'hooks delete 302 --group acme --yes' },
        { does: 'Print the request without sending it', run: 'hooks delete 302 --group acme --dry-run' },
      ],
    }),
    endpoint('GET hooks/:hook_id/events', {
      ...common,
      command: 'events <hook-id>',
      summary: 'List deliveries of a webhook in the last seven days',
      slots: { hook_id: hookId },
      takes: {
        status: text(
          'Only deliveries with this result: an HTTP status such as 500, or successful (2xx), client_failure (4xx), server_failure (5xx)',
          {
            pattern: {
              test: /^([1-5]\d\d|successful|client_failure|server_failure)$/,
              says: 'must be a status such as 500, or successful, client_failure or server_failure',
            },
          },
        ),
        ...paging,
      },
      noun: 'delivery',
      returns: listOf(delivery),
      columns: [
        'id',
        'trigger',
        { path: 'response_status', label: 'RESPONSE' },
        { path: 'execution_duration', label: 'DURATION' },
        'url',
      ],
      examples: [
        { does: 'List the latest deliveries', run: 'hooks events 301 --group acme' },
        {
          does: 'List deliveries that failed with a server error',
          run: 'hooks events 301 --group acme --status server_failure',
        },
        {
          does: 'Print request and response bodies of failed deliveries',
          run: 'hooks events 301 --group acme --status 404 --fields request_data,response_body --json',
        },
      ],
    }),
    endpoint('POST hooks/:hook_id/events/:hook_event_id/resend', {
      ...common,
      command: 'resend <hook-id> <hook-event-id>',
      summary: 'Resend a webhook event',
      doc: 'Limited to five requests per minute for each webhook and user.',
      slots: {
        hook_id: hookId,
        hook_event_id: int('Event id, as `hooks events` shows it', { placeholder: 'id' }),
      },
      returns: one({ response_status: int('HTTP status of the response') }),
      done: 'Resent event {hook_event_id} of webhook {hook_id} in {scope} (response status {response_status})',
      examples: [
        { does: 'Resend an event', run: 'hooks resend 301 402 --group acme' },
        {
          does: 'Print only the status for a script',
          run: 'hooks resend 301 402 --group acme --fields response_status -o tsv --no-header',
        },
      ],
    }),
  ]),
);
