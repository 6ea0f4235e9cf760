import { area, paging, under } from '../spec/compose.ts';
import { endpoint, listOf, nothing, one } from '../spec/endpoint.ts';
import {
  bool,
  choice,
  datetime,
  type Field,
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
import { type HookFlag, hookEvents } from './hook-events.ts';
import { group } from './scopes.ts';

const eventFlags = Object.fromEntries(
  Object.entries(hookEvents).map(([name, { doc }]) => [name, bool(doc)]),
) as Record<HookFlag, Field>;

const header = text('Name of the header', { required: true });

const hook = {
  id: int('Hook id'),
  url: url('Address that is called'),
  name: text('Title, for people'),
  description: text('What it is for'),
  created_at: datetime('When it was created'),
  group_id: int('Group that it belongs to'),
  alert_status: text('executable while it works; otherwise it has been turned off'),
  disabled_until: datetime('Not called before this, after failures', { nullable: true }),
  ...eventFlags,
  push_events_branch_filter: text(
    'Branches whose push events are sent: a pattern, interpreted by --branch-filter-strategy',
  ),
  branch_filter_strategy: choice(
    ['wildcard', 'regex', 'all_branches'],
    'How the pattern for branches is read',
    {
      default: 'wildcard',
    },
  ),
  enable_ssl_verification: bool('Check the certificate of the address'),
  custom_webhook_template: long('Body to send instead of the usual one'),
  custom_headers: rows('Headers that are sent besides the usual ones, without their values', {
    key: header,
  }),
  url_variables: rows('Parts of the address that are kept from view', { key: text('Name of the part') }),
};

const delivery = {
  id: int('Event id'),
  url: url('Address that was called'),
  trigger: text('What set it off: push_hooks, for one'),
  response_status: text('Status that the address answered with'),
  execution_duration: number('Seconds until the answer'),
  request_headers: object('Headers that were sent'),
  request_data: object('Body that was sent'),
  response_headers: object('Headers of the answer'),
  response_body: text('Body of the answer'),
};

const settings = {
  url: url('Address to call'),
  ...pick(hook, 'name', 'description'),
  ...eventFlags,
  ...pick(hook, 'push_events_branch_filter', 'branch_filter_strategy', 'enable_ssl_verification'),
  token: secret('Sent with each call, so that the address knows who calls; never shown again'),
  ...pick(hook, 'custom_webhook_template'),
  custom_headers: rows('Headers to send besides the usual ones; their values are never shown again', {
    key: header,
    value: secret('What the header says'),
  }),
};

/** What an update leaves out keeps its value: the default is one for a new hook. */
const { default: _, ...unchanged } = hook.branch_filter_strategy;

const hookId = int('Hook id, as `hooks list` shows it', { placeholder: 'id' });
const common = { section: '4.17', access: { role: 'owner', tier: 'premium' } } as const;

export default area(
  under(group, [
    endpoint('GET hooks', {
      ...common,
      command: 'list',
      summary: 'List the webhooks of a group',
      takes: paging,
      returns: listOf(hook),
      columns: ['id', 'name', 'url', 'alert_status', 'disabled_until', 'created_at'],
      examples: [
        { does: 'Which there are, and whether they work', run: 'hooks list --group acme' },
        {
          does: 'URLs that receive push events, as CSV',
          run: 'hooks list --group acme --fields id,url,push_events --csv',
        },
      ],
    }),
    endpoint('GET hooks/:hook_id', {
      ...common,
      command: 'get <hook-id>',
      summary: 'Show one webhook',
      slots: { hook_id: hookId },
      returns: one(hook),
      examples: [
        { does: 'Events that it receives', run: 'hooks get 301 --group acme' },
        {
          does: 'Whether it works, for a script',
          run: 'hooks get 301 --group acme --fields alert_status -o tsv --no-header',
        },
      ],
    }),
    endpoint('POST hooks', {
      ...common,
      command: 'create',
      summary: 'Create a webhook of a group',
      doc: 'Each event flag is a kind of event that is sent to the URL.',
      takes: { ...settings, url: url('Address to call', { required: true }) },
      returns: one(hook),
      examples: [
        {
          does: 'Pushes to release branches, with a token kept in a file',
          run: 'hooks create --group acme --url https://ci.example.com/hook --push-events --push-events-branch-filter "release/*" --token @notes.txt',
        },
        {
          does: 'Failed pipelines to a chat, with a custom body',
          run: 'hooks create --group acme --url https://chat.example.com/in --name Chat --pipeline-events --no-push-events --custom-webhook-template @page.md',
        },
        {
          does: 'With a header that the address asks for',
          run: 'hooks create --group acme --url https://ci.example.com/hook --job-events --custom-header key=X-Team,value=rocket',
        },
      ],
    }),
    endpoint('PUT hooks/:hook_id', {
      ...common,
      unspecified: true,
      command: 'update <hook-id>',
      summary: 'Change a webhook',
      doc: 'Settings that are left out keep their values. --custom-header replaces all custom headers.',
      slots: { hook_id: hookId },
      takes: { ...settings, branch_filter_strategy: unchanged },
      returns: one(hook),
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
      doc: 'Its log of deliveries is deleted with it.',
      slots: { hook_id: hookId },
      returns: nothing,
      confirm: 'yes',
      examples: [
        { does: 'Delete without a confirmation', run: 'hooks delete 302 --group acme --yes' },
        { does: 'Print the request and send nothing', run: 'hooks delete 302 --group acme --dry-run' },
      ],
    }),
    endpoint('GET hooks/:hook_id/events', {
      ...common,
      command: 'events <hook-id>',
      summary: 'List what a webhook sent in the last seven days, and the answers',
      slots: { hook_id: hookId },
      takes: {
        status: text(
          'Only those answered so: a status such as 500, or successful (2xx), client_failure (4xx), server_failure (5xx)',
          {
            pattern: {
              test: /^([1-5]\d\d|successful|client_failure|server_failure)$/,
              says: 'must be a status such as 500, or successful, client_failure or server_failure',
            },
          },
        ),
        ...paging,
      },
      returns: listOf(delivery),
      columns: ['id', 'trigger', 'response_status', 'execution_duration', 'url'],
      examples: [
        { does: 'The latest calls', run: 'hooks events 301 --group acme' },
        {
          does: 'Those that the address failed',
          run: 'hooks events 301 --group acme --status server_failure',
        },
        {
          does: 'What one sent, and what came back',
          run: 'hooks events 301 --group acme --status 404 --fields request_data,response_body --json',
        },
      ],
    }),
    endpoint('POST hooks/:hook_id/events/:hook_event_id/resend', {
      ...common,
      command: 'resend <hook-id> <hook-event-id>',
      summary: 'Send one event again',
      doc: 'At most five times a minute for each hook and user.',
      slots: {
        hook_id: hookId,
        hook_event_id: int('Event id, as `hooks events` shows it', { placeholder: 'id' }),
      },
      returns: one({ response_status: int('Status that the address answered with') }),
      examples: [
        { does: 'Once the address works again', run: 'hooks resend 301 402 --group acme' },
        {
          does: 'The answer, for a script',
          run: 'hooks resend 301 402 --group acme --fields response_status -o tsv --no-header',
        },
      ],
    }),
  ]),
);
