import { area, inArea } from '../spec/compose.ts';
import { one, type Scope } from '../spec/endpoint.ts';
import { bool, choice, type Field, object, text } from '../spec/field.ts';
import { resource } from '../spec/resource.ts';
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

/** The settings of the whole account, which also has an email address. */
const account = { level, notification_email: email, events: settings.events };

function callsIn(scope?: Scope) {
  const endpoint = inArea('notifications', { noun: 'notification settings', scope });
  const returns = one(scope ? settings : account);
  const { events: _, ...takes } = returns.fields;
  return {
    get: endpoint('GET notification_settings', {
      returns,
      examples: { 'Print only the level for a script': '--fields level -o tsv --no-header' },
    }),
    update: endpoint('PUT notification_settings', {
      doc: 'The event flags take effect only with --level custom.',
      takes: { ...takes, ...eventFlags },
      returns,
      access: { role: 'user' },
      done: scope
        ? 'Updated your notification settings for {scope}'
        : 'Updated your global notification settings',
      examples: {
        'Notify only about new merge requests and failed pipelines':
          '--level custom --new-merge-request --failed-pipeline',
      },
    }),
  };
}
const [everywhere, inGroup, inProject] = [callsIn(), callsIn(group), callsIn(project)];

export const notifications = resource({
  kind: 'notifications',
  noun: 'notification settings',
  calls: [inProject, inGroup, everywhere],
});

export default area(
  [everywhere, inGroup, inProject].flatMap((calls) => Object.values(calls)),
  'Without --group or --project, the commands use your global settings. Groups and projects with level global use these settings too.',
);
