import { area, inArea } from '../spec/compose.ts';
import { type Access, listOf, one, type Scope } from '../spec/endpoint.ts';
import {
  bool,
  choice,
  datetime,
  type Fields,
  int,
  long,
  need,
  number,
  object,
  omit,
  pick,
  rows,
  secret,
  text,
  url,
} from '../spec/field.ts';
import { resource } from '../spec/resource.ts';
import { group, project } from './scopes.ts';

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

/** The attributes of a webhook. @param owner those of its group or project @param flags the events that it can get */
const hookWith = (owner: Fields, flags: Fields) => ({
  id: int('Hook id'),
  url: url('URL to send events to', { guarded: true }),
  name: text('Name of the webhook'),
  description: text('Description of the webhook'),
  created_at: datetime('Creation time'),
  ...owner,
  alert_status: text('Health of the webhook: executable, or disabled after failures'),
  disabled_until: datetime('Time until which deliveries are suspended after failures', { nullable: true }),
  ...(flags as typeof eventFlags),
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
});

const delivery = {
  id: int('Event id'),
  url: url('URL of the request', { guarded: true }),
  trigger: text('Trigger of the delivery, such as push_hooks'),
  response_status: text('HTTP status of the response'),
  execution_duration: number('Duration in seconds'),
  request_headers: object('Request headers'),
  request_data: object('Request body'),
  response_headers: object('Response headers'),
  response_body: text('Response body'),
};

const unspecified = true;

/** The calls of a group or a project. The specification shows some of a group only. */
function callsIn(
  scope: Scope,
  access: Access,
  flags: Fields,
  [sample, logged, event]: readonly [hook: string, hookWithLog: string, event: string],
) {
  const beyond = scope === project ? ({ unspecified } as const) : {};
  const owner = { [`${scope.name}_id`]: int(scope === project ? 'Project id' : 'Group id') };
  const hook = hookWith(owner, flags);
  const settings = {
    ...pick(hook, 'url', 'name', 'description'),
    ...flags,
    ...pick(hook, 'push_events_branch_filter', 'branch_filter_strategy', 'enable_ssl_verification'),
    token: secret('Token sent with each delivery for verification by the receiver; never shown again'),
    ...pick(hook, 'custom_webhook_template'),
    custom_headers: rows('Additional headers to send; their values are never shown again', {
      key: header,
      value: secret('Header value'),
    }),
  };
  const endpoint = inArea('hooks', {
    noun: 'webhook',
    scope,
    access,
    fields: hook,
    columns: ['id', 'name', 'url', { path: 'alert_status', label: 'STATUS' }, 'disabled_until', 'created_at'],
    slots: { hook_event_id: int('Event id from `hooks events`') },
    sample,
  });
  return {
    list: endpoint('GET hooks', {
      ...beyond,
      examples: { 'Print which webhooks receive pushes, as CSV': '--fields id,url,push_events --csv' },
    }),
    get: endpoint('GET hooks/:hook_id', {
      ...beyond,
      examples: {
        'Print only the health for a script': `${logged} --fields alert_status -o tsv --no-header`,
      },
    }),
    create: endpoint('POST hooks', {
      ...beyond,
      doc: 'Each event flag turns on one type of event.',
      takes: { ...settings, ...need(settings, 'url') },
      examples: {
        'Send pushes to release branches, with a token from a file':
          '--url https://ci.example.com/hook --push-events --push-events-branch-filter "release/*" --token @notes.txt',
        'Send pipeline events to a chat, with a custom body':
          '--url https://chat.example.com/in --name Chat --pipeline-events --no-push-events --custom-webhook-template @page.md',
        'Send an additional header':
          '--url https://ci.example.com/hook --job-events --custom-header key=X-Team,value=rocket',
      },
    }),
    update: endpoint('PUT hooks/:hook_id', {
      unspecified,
      doc: 'Omitted settings keep their values. --custom-header sets the headers that it names; a service may keep or remove the others.',
      takes: settings,
      examples: {
        'Add wiki pages to the events, and stop sending pipelines': `${sample} --wiki-page-events --no-pipeline-events`,
      },
    }),
    delete: endpoint('DELETE hooks/:hook_id', {
      unspecified,
      lossWarning: 'The log of deliveries is also deleted',
    }),
    events: endpoint('GET hooks/:hook_id/events', {
      ...beyond,
      summary: 'List deliveries of a webhook in the last seven days',
      takes: {
        status: text(
          'Only deliveries with this result: an HTTP status such as 500, or successful (2xx), client_failure (4xx), server_failure (5xx)',
          {
            pattern: {
              test: /^([1-5]\d\d|successful|client_failure|server_failure)$/,
              message: 'must be a status such as 500, or successful, client_failure or server_failure',
            },
          },
        ),
      },
      largestPage: 20,
      noun: 'delivery',
      period: { attributes: ['created_at', 'response_headers.Date', 'response_headers.date'] },
      returns: listOf(delivery),
      columns: [
        'id',
        'trigger',
        { path: 'response_status', label: 'RESPONSE' },
        { path: 'execution_duration', label: 'DURATION' },
        'url',
      ],
      examples: {
        'Print request and response bodies of failed deliveries': `${logged} --status 404 --fields request_data,response_body --json`,
      },
    }),
    resend: endpoint('POST hooks/:hook_id/events/:hook_event_id/resend', {
      ...beyond,
      summary: 'Resend a webhook event',
      doc: 'Limited to five requests per minute for each webhook and user. The result is a failure if the receiver did not accept the event.',
      returns: one({ response_status: int('HTTP status of the response') }),
      done: 'Resent event {hook_event_id} of webhook {hook_id} in {scope} (response status {response_status})',
      examples: {
        'Show the request before you resend an event': `${logged} ${event} --dry-run`,
      },
    }),
  };
}

const scoped = [
  callsIn(group, { role: 'owner', tier: 'premium' }, eventFlags, ['302', '301', '402']),
  callsIn(project, { role: 'maintainer' }, omit(eventFlags, 'subgroup_events', 'member_events'), [
    '300',
    '300',
    '400',
  ]),
] as const;

export const deliveryCalls = scoped.map(({ events }) => events);
export const [{ list: listHooks }] = scoped;
export const listCalls = scoped.map(({ list }) => list);
export const resendCalls = scoped.map(({ resend }) => resend);

export const hooks = resource({
  kind: 'hooks',
  calls: scoped,
  identity: [['url']],
  limits: ['token and header values cannot be read'],
});

export default area(scoped.flatMap((calls) => Object.values(calls)));
