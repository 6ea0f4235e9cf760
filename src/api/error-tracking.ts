import { area, inArea } from '../spec/compose.ts';
import { listOf } from '../spec/endpoint.ts';
import { bool, choice, datetime, int, object, pick, rows, text, url } from '../spec/field.ts';
import { resource } from '../spec/resource.ts';
import { project } from './scopes.ts';

const statuses = ['unresolved', 'resolved', 'ignored'] as const;

const settings = {
  active: bool('Error tracking enabled'),
  integrated: bool('Errors tracked by the service, not by an external tracker; on the hosted service only'),
  project_name: text('Project in the external error tracker', { nullable: true }),
  tracker_external_url: url('Web page of the external error tracker', { nullable: true }),
  api_url: url('API URL of the external error tracker', { nullable: true }),
};

const trackedError = {
  fingerprint: text('Fingerprint that identifies the error'),
  project_id: int('Project id'),
  name: text('Class of the exception, or the message'),
  description: text('Error message'),
  actor: text('Function or transaction in which the error occurred'),
  platform: text('Language or platform of the application'),
  level: text('Severity, such as error or warning'),
  status: choice(statuses, 'Status'),
  event_count: int('Number of occurrences'),
  approximated_user_count: int('Number of users affected'),
  first_seen_at: datetime('Time of the first occurrence'),
  last_seen_at: datetime('Time of the latest occurrence'),
  stats: object('Occurrences over time', {
    frequency: object('Occurrences in each of the last 24 hours, as pairs of Unix time and count'),
  }),
  stack_trace: rows('Stack frames of the latest occurrence, outermost first', {
    filename: text('File name'),
    function: text('Function name'),
    lineno: int('Line number', { nullable: true }),
  }),
};

const active = bool('Error tracking enabled', { required: true });
const hosted = { offering: 'hosted' } as const;

const endpoint = inArea('error-tracking', {
  noun: 'error tracking settings',
  scope: project,
  access: { role: 'maintainer' },
  fields: settings,
});

const nextSteps = { 404: 'svc error-tracking set creates the settings' };

const get = endpoint('GET error_tracking/settings', {
  nextSteps,
  examples: { 'Print only the state for a script': '--fields active -o tsv --no-header' },
});

const update = endpoint('PATCH error_tracking/settings', {
  nextSteps,
  summary: 'Turn error tracking on or off',
  takes: { active, ...pick(settings, 'integrated') },
  examples: { 'Turn on the error tracking of the service': '--active --integrated' },
});

export const errorTracking = resource({
  kind: 'error_tracking',
  noun: 'error tracking settings',
  calls: [{ get, update }],
});

export default area([
  get,
  endpoint('PUT error_tracking/settings', {
    access: hosted,
    command: 'set',
    summary: 'Set up the error tracking of the service',
    doc: 'Creates the settings if the project has none. Use `error-tracking update` to turn existing error tracking on or off.',
    takes: {
      active,
      integrated: bool('Errors tracked by the service, not by an external tracker', { required: true }),
    },
    done: 'Configured error tracking',
    examples: {
      'Set up error tracking without turning it on': '--project acme/website --no-active --integrated',
    },
  }),
  update,
  endpoint('GET error_tracking/errors', {
    access: hosted,
    unspecified: true,
    command: 'errors',
    summary: 'List tracked errors of a project',
    doc: 'Errors are kept for 90 days after their latest occurrence.',
    takes: {
      query: text('Only errors with this text in the name or description'),
      status: choice(statuses, 'Only errors with this status'),
      sort: choice(['last_seen_desc', 'first_seen_desc', 'frequency_desc'], 'Sort order', {
        default: 'last_seen_desc',
      }),
    },
    noun: 'tracked error',
    returns: listOf(trackedError),
    columns: [
      'fingerprint',
      'name',
      'description',
      { path: 'event_count', label: 'EVENTS' },
      { path: 'approximated_user_count', label: 'USERS' },
      'first_seen_at',
      'last_seen_at',
    ],
    examples: {
      'Show the most frequent error with its stack trace': '--sort frequency_desc --limit 1 --json',
    },
  }),
]);
