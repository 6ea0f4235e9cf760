import { area, paging, under } from '../spec/compose.ts';
import { endpoint, listOf, one } from '../spec/endpoint.ts';
import { bool, choice, datetime, int, object, pick, rows, text, url } from '../spec/field.ts';
import { project } from './scopes.ts';

const statuses = ['unresolved', 'resolved', 'ignored'] as const;

const settings = {
  active: bool('Errors are tracked'),
  integrated: bool('By the service itself rather than by another; on the hosted offering only'),
  project_name: text('Project in the other error tracker', { nullable: true }),
  tracker_external_url: url('Page of the other error tracker', { nullable: true }),
  api_url: url('API of the other error tracker', { nullable: true }),
};

const trackedError = {
  fingerprint: text('Identifier of the error'),
  project_id: int('Project id'),
  name: text('Class of the exception, or the message'),
  description: text('Message'),
  actor: text('Function or transaction in which it happened'),
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
    filename: text('File'),
    function: text('Function'),
    lineno: int('Line number', { nullable: true }),
  }),
};

const active = bool('Track errors, or stop', { required: true });
const common = { section: '4.19', access: { role: 'maintainer' } } as const;

export default area(
  under(project, [
    endpoint('GET error_tracking/settings', {
      ...common,
      command: 'get',
      summary: 'Show whether errors are tracked, and where',
      returns: one(settings),
      examples: [
        { does: 'Is it on, and who does it', run: 'error-tracking get --project acme/rocket' },
        {
          does: 'On or off, for a script',
          run: 'error-tracking get --project acme/rocket --fields active -o tsv --no-header',
        },
      ],
    }),
    endpoint('PUT error_tracking/settings', {
      ...common,
      access: { ...common.access, offering: 'hosted' },
      command: 'set',
      summary: 'Set up the error tracking that is part of the service',
      doc: 'Makes the setting where there is none yet. `error-tracking update` turns one that is there on or off.',
      takes: {
        active,
        integrated: bool('Track them by the service itself rather than by another', { required: true }),
      },
      returns: one(settings),
      examples: [
        {
          does: 'In a project that has none',
          run: 'error-tracking set --project acme/website --active --integrated',
        },
        {
          does: 'Set up, but not turned on yet',
          run: 'error-tracking set --project acme/website --no-active --integrated',
        },
      ],
    }),
    endpoint('PATCH error_tracking/settings', {
      ...common,
      command: 'update',
      summary: 'Turn error tracking on or off',
      takes: { active, ...pick(settings, 'integrated') },
      returns: one(settings),
      examples: [
        { does: 'Off', run: 'error-tracking update --project acme/rocket --no-active' },
        {
          does: 'On, by the service itself',
          run: 'error-tracking update --project acme/rocket --active --integrated',
        },
      ],
    }),
    endpoint('GET error_tracking/errors', {
      ...common,
      section: '6.2',
      access: { ...common.access, offering: 'hosted' },
      unspecified: true,
      command: 'errors',
      summary: 'List tracked errors of a project',
      doc: 'Errors are kept for 90 days after their latest occurrence.',
      takes: {
        query: text('Only errors whose name or description contains this text'),
        status: choice(statuses, 'Only errors with this status'),
        sort: choice(['last_seen_desc', 'first_seen_desc', 'frequency_desc'], 'Sort order', {
          default: 'last_seen_desc',
        }),
        ...paging,
      },
      returns: listOf(trackedError),
      columns: [
        'fingerprint',
        'name',
        'description',
        'event_count',
        'approximated_user_count',
        'first_seen_at',
        'last_seen_at',
      ],
      examples: [
        { does: 'List the latest errors', run: 'error-tracking errors --project acme/rocket' },
        {
          does: 'Show the most frequent error with its stack trace',
          run: 'error-tracking errors --project acme/rocket --sort frequency_desc --limit 1 --json',
        },
      ],
    }),
  ]),
);
