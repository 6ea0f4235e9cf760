import { area, callsIn, under } from '../spec/compose.ts';
import { type Endpoint, endpoint, one } from '../spec/endpoint.ts';
import { bool, choice, type Field, object, text } from '../spec/field.ts';
import { resource } from '../spec/resource.ts';
import { isRecord } from '../support/record.ts';
import { group, project } from './scopes.ts';

/** Events of the custom level: section 2.17. */
const events = {
  new_note: 'Notify about new comments',
  new_issue: 'Notify about new issues',
  reopen_issue: 'Notify about reopened issues',
  close_issue: 'Notify about closed issues',
  reassign_issue: 'Notify about reassigned issues',
  issue_due: 'Notify about issues due tomorrow',
  new_merge_request: 'Notify about new merge requests',
  push_to_merge_request: 'Notify about pushes to merge requests',
  reopen_merge_request: 'Notify about reopened merge requests',
  close_merge_request: 'Notify about closed merge requests',
  reassign_merge_request: 'Notify about reassigned merge requests',
  merge_merge_request: 'Notify about merged merge requests',
  failed_pipeline: 'Notify about failed pipelines',
  fixed_pipeline: 'Notify about fixed pipelines',
  success_pipeline: 'Notify about successful pipelines',
  moved_project: 'Notify about moved projects',
  merge_when_pipeline_succeeds: 'Notify about merge requests set to merge when the pipeline succeeds',
} as const;

const eventFlags: Record<string, Field> = {
  ...Object.fromEntries(Object.entries(events).map(([name, doc]) => [name, bool(doc)])),
  new_epic: bool('Notify about new epics', { tier: 'ultimate' }),
};

const level = choice(
  ['disabled', 'participating', 'watch', 'global', 'mention', 'custom'],
  'Notification level. disabled: none; participating: threads that you take part in; watch: all activity; global: your global level; mention: mentions of you; custom: the events of the event flags',
);
const email = text('Email address for notifications', { placeholder: 'address' });
const settings = {
  level,
  events: object('Events selected with level custom', eventFlags, { nullable: true }),
};

const get = endpoint('GET notification_settings', {
  section: '4.18',
  command: 'get',
  summary: 'Show notification settings',
  returns: one(settings),
  examples: [
    { does: 'Show the settings for a group', run: 'notifications get --group acme' },
    { does: 'Print the settings for a group as JSON', run: 'notifications get --group acme --json' },
    { does: 'Show the settings for a project', run: 'notifications get --project acme/rocket' },
    {
      does: 'Print only the level for a script',
      run: 'notifications get --project acme/rocket --fields level -o tsv --no-header',
    },
  ],
});

const update = endpoint('PUT notification_settings', {
  section: '4.18',
  command: 'update',
  summary: 'Change notification settings',
  doc: 'The event flags take effect only with --level custom.',
  takes: { level, ...eventFlags },
  returns: one(settings),
  access: { role: 'user' },
  done: 'Updated your notification settings for {scope}',
  examples: [
    { does: 'Enable all notifications for a group', run: 'notifications update --group acme --level watch' },
    { does: 'Use the global level for a group', run: 'notifications update --group acme --level global' },
    {
      does: 'Disable notifications for a project',
      run: 'notifications update --project acme/rocket --level disabled',
    },
    {
      does: 'Notify only about failed pipelines and merged merge requests',
      run: 'notifications update --project acme/rocket --level custom --failed-pipeline --merge-merge-request --no-new-note',
    },
  ],
});

/** The same two endpoints for the whole account, which also has an email address. */
const everywhere = {
  get: {
    ...get,
    returns: one({ level, notification_email: email, events: settings.events }),
    examples: [
      { does: 'Show your global level and email address', run: 'notifications get' },
      {
        does: 'Print only the level for a script',
        run: 'notifications get --fields level -o tsv --no-header',
      },
    ],
  },
  update: {
    ...update,
    done: 'Updated your global notification settings',
    takes: { level, notification_email: email, ...eventFlags },
    returns: one({ level, notification_email: email, events: settings.events }),
    examples: [
      { does: 'Notify only about mentions of you', run: 'notifications update --level mention' },
      {
        does: 'Notify only about new merge requests and failed pipelines',
        run: 'notifications update --level custom --new-merge-request --failed-pipeline',
      },
    ],
  },
} satisfies Readonly<Record<string, Endpoint>>;

export const notifications = resource({
  kind: 'notifications',
  noun: 'notification settings',
  calls: [callsIn(project, { get, update }), callsIn(group, { get, update }), everywhere],
  identity: [],
  read: ({ events, ...row }) => ({ ...row, ...(isRecord(events) ? events : {}) }),
});

export default area(
  [...Object.values(everywhere), ...under([group, project], [get, update])],
  'Without --group or --project, the commands use your global settings. Groups and projects with level global use these settings too.',
);
