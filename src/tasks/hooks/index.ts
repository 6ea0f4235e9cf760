/** The tasks of `svc hooks`. Their code is loaded when one of them runs. */

import { listHooks } from '../../api/hooks.ts';
import { group, project } from '../../api/scopes.ts';
import { type Endpoint, returnedFields, wholeListOf } from '../../spec/endpoint.ts';
import { bool, datetime, int, pick, text } from '../../spec/field.ts';
import { intFlag, momentFlag, secondsFlag, textFlag } from '../../spec/flag.ts';
import { type AreaTasks, taskCommand } from '../context.ts';

const healthRows: Endpoint = {
  ...listHooks,
  noun: 'webhook',
  returns: wholeListOf({
    ...pick(returnedFields(listHooks), 'id', 'url', 'alert_status', 'disabled_until'),
    last_success: datetime('Time of the last delivery that the receiver accepted, as far as the log shows', {
      nullable: true,
    }),
    events: int('Attempts in the log of the last seven days'),
    failures: int('Attempts without a response with status 2xx'),
    not_delivered: int('Events that no attempt delivered'),
    broken: bool('Disabled, or its latest attempt failed'),
    repair: text('Command that resends what was not delivered', { nullable: true }),
  }),
  columns: [
    'id',
    { path: 'broken', keep: true },
    { path: 'alert_status', label: 'STATUS' },
    'last_success',
    'events',
    'failures',
    { path: 'not_delivered', label: 'LOST' },
    'url',
  ],
};

const secret = (doc: string) => textFlag(doc, { placeholder: 'text|@file|-', long: true, secret: true });

const listenCommand = taskCommand({
  name: 'listen',
  effect: 'read',
  notInEach: 'it waits for requests on a port, and has no target',
  summary: 'Receive webhook events on this machine',
  doc: 'Listens on 127.0.0.1, prints the URL on standard error, and prints a line for each delivery until you press Ctrl-C. Secrets in headers are masked. Use hooks forward or hooks trigger to send events to the URL. With --project or --group, also prints the command that creates the webhook.',
  flags: {
    port: intFlag('Port to listen on (default: any free port)', { min: 0, max: 65_535 }),
    token: secret('Secret token that deliveries must have; others are rejected with 401'),
    save: textFlag('Folder to save each delivery in, as a JSON file', { suggest: 'folder', besides: true }),
    status: intFlag('Status of the responses', { default: 200, placeholder: 'code', min: 200, max: 599 }),
    count: intFlag('End after this number of deliveries', { min: 1 }),
  },
  shared: ['output'],
  formats: ['text', 'ndjson'],
  scopes: [group, project],
  examples: {
    'Print deliveries until Ctrl-C': '--port 8080',
    'Check the secret token, and save each delivery in a folder':
      '--port 8080 --token @hook-token.txt --save deliveries',
    'Print the payload of one delivery': '--port 8080 --count 1 -o ndjson',
  },
  run: async (task, options) => (await import('./listen.ts')).listen(task, options),
});

const targetHint = 'for example: --to http://127.0.0.1:8080/hook';

const triggerCommand = taskCommand({
  name: 'trigger',
  idempotent: false,
  args: '<event>',
  of: { event: text('Name of the event', { suggest: 'event' }) },
  summary: 'Send a sample webhook event to a URL',
  doc: 'Sends a realistic payload with the headers of a delivery. The service is not involved; --project is the project in the payload. An event is a subscription flag without _events, such as push, tag-push or wiki-page. Exit code 9 if the receiver responds with a status other than 2xx.',
  exits: ['unsuccessful'],
  flags: {
    to: textFlag('URL to send the event to', { placeholder: 'url', required: targetHint }),
    token: secret('Secret token to send with the event'),
    set: textFlag('Value in the payload, as JSON or text: project.name=Rocket; may be repeated', {
      placeholder: 'path=value',
      repeats: true,
    }),
  },
  shared: ['dry-run'],
  scopes: [project],
  examples: {
    'Send a push to a local receiver': 'push --to http://127.0.0.1:8080/hook',
    'Send a failed pipeline of another branch':
      'pipeline --to http://127.0.0.1:8080/hook --set object_attributes.status=failed --set object_attributes.ref=develop',
  },
  run: async (task, options) => (await import('./trigger.ts')).trigger(task, options),
});

const of = { hook_id: int('Webhook id from `hooks list`', { suggest: 'hooks/list/id' }) };

const forwardCommand = taskCommand({
  name: 'forward',
  endsWith: 'once',
  args: '<hook-id>',
  of,
  summary: 'Send the events in the log of a webhook to another URL',
  doc: 'Reads the log of the last seven days and sends each new event to the URL, once and in order, also across restarts: no tunnel or public address is needed. Stops if the receiver responds with a status other than 2xx (exit code 9); the next run sends that event again. If svc is killed between a 2xx and its record, the event is sent again with the same Idempotency-Key. Payloads in the log may be redacted or shortened.',
  exits: ['unsuccessful'],
  flags: {
    to: textFlag('URL to send the events to', { placeholder: 'url', required: targetHint }),
    since: momentFlag('Begin with events from this time on: 2h, 3d or a time (default: only new events)'),
    token: secret('Secret token to send; the log does not contain it'),
    interval: secondsFlag('Time between two reads of the log', { default: 10, min: 1, max: 86_400 }),
    once: { doc: 'End when all events in the log are sent' },
  },
  shared: ['dry-run'],
  scopes: [group, project],
  examples: {
    'Follow the log while you develop a receiver': '301 --group acme --to http://127.0.0.1:8080/hook',
    'Send the events of the last two hours, and end':
      '301 --group acme --to http://127.0.0.1:8080/hook --since 2h --once',
  },
  run: async (task, options) => (await import('./forward.ts')).forward(task, options),
});

const replayCommand = taskCommand({
  name: 'replay',
  args: '<hook-id>',
  of,
  summary: 'Resend events of a webhook to its own URL',
  doc: 'Selects events in the log of the last seven days, shows them, asks for confirmation, and asks the service to resend them, at most five per minute. Of several attempts of an event, only the first is resent; with --status, none if another one succeeded. Repeat an interrupted command to continue it. Exit code 9 if the receiver did not accept an event, 11 if a planned event is no longer in the log.',
  exits: ['unsuccessful', 'partial'],
  flags: {
    status: textFlag(
      'Only events with this result: a status such as 500, or client_failure or server_failure',
      { placeholder: 'status' },
    ),
    since: momentFlag('Only events from this time on: 2h, 3d, 2026-11-01 or a time'),
    event: textFlag('Only this event; may be repeated', { placeholder: 'id', repeats: true }),
  },
  shared: ['yes', 'dry-run', 'curl'],
  scopes: [group, project],
  examples: {
    'Resend events that failed with a server error': '301 --group acme --status server_failure',
    'Show the requests for two events': '301 --group acme --event 402 --event 403 --dry-run',
  },
  run: async (task, options) => (await import('./replay.ts')).replay(task, options),
});

const health =
  'Reads the log of each webhook: the last seven days. A webhook is broken if it is disabled, or if its latest delivery had no response with status 2xx. An event counts as lost if no attempt with its Idempotency-Key had one.';

const healthCommand = taskCommand({
  name: 'health',
  summary: 'Show which webhooks are broken, and how to repair them',
  doc: `${health} Exit code 9 if one is broken, 11 if the log of one cannot be read.`,
  exits: ['unsuccessful', 'partial'],
  scopes: [group, project],
  prints: healthRows,
  tool: {
    flags: [],
    doc: `${health} What repairs it is a command line; as a tool, use \`hooks resend\` for each lost event.`,
  },
  examples: {
    'Show the webhooks of a group as csv': '--group acme/labs --csv',
    'Print the commands that resend what was lost': '--group acme/labs --fields id,repair -o csv',
  },
  run: async (task) => (await import('./health.ts')).describeHealth(task),
});

export const runners: NonNullable<AreaTasks['runners']> = {
  resend: async (task) => (await import('./replay.ts')).resend(task),
};
export const exits: NonNullable<AreaTasks['exits']> = { resend: ['unsuccessful'] };
export const commands = [listenCommand, forwardCommand, replayCommand, triggerCommand, healthCommand];
