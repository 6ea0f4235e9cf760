import { area, under } from '../spec/compose.ts';
import { type Endpoint, endpoint, one } from '../spec/endpoint.ts';
import { bool, choice, type Field, object, text } from '../spec/field.ts';
import { group, project } from './scopes.ts';

/** What level custom chooses from: section 2.17. */
const events = {
  new_note: 'A comment',
  new_issue: 'An issue was opened',
  reopen_issue: 'An issue was opened again',
  close_issue: 'An issue was closed',
  reassign_issue: 'An issue went to somebody else',
  issue_due: 'An issue is due tomorrow',
  new_merge_request: 'A merge request was opened',
  push_to_merge_request: 'Commits were pushed to a merge request',
  reopen_merge_request: 'A merge request was opened again',
  close_merge_request: 'A merge request was closed',
  reassign_merge_request: 'A merge request went to somebody else',
  merge_merge_request: 'A merge request was merged',
  failed_pipeline: 'A pipeline failed',
  fixed_pipeline: 'A pipeline works again',
  success_pipeline: 'A pipeline succeeded',
  moved_project: 'A project was moved',
  merge_when_pipeline_succeeds: 'A merge request is set to merge when its pipeline succeeds',
} as const;

const eventFlags: Record<string, Field> = {
  ...Object.fromEntries(Object.entries(events).map(([name, doc]) => [name, bool(doc)])),
  new_epic: bool('An epic was opened', { tier: 'ultimate' }),
};

const level = choice(
  ['disabled', 'participating', 'watch', 'global', 'mention', 'custom'],
  'How much: nothing, what you take part in, everything, as everywhere, mentions of you, or the events below',
);
const email = text('Address that the mail goes to', { placeholder: 'address' });
const settings = {
  level,
  events: object('With level custom: which events', eventFlags, { nullable: true }),
};

const get = endpoint('GET notification_settings', {
  section: '4.18',
  command: 'get',
  summary: 'Show what you are notified of',
  returns: one(settings),
  examples: [
    { does: 'In a group', run: 'notifications get --group acme' },
    { does: 'Every event of a group, as JSON', run: 'notifications get --group acme --json' },
    { does: 'In a project', run: 'notifications get --project acme/rocket' },
    {
      does: 'The level alone, for a script',
      run: 'notifications get --project acme/rocket --fields level -o tsv --no-header',
    },
  ],
});

const update = endpoint('PUT notification_settings', {
  section: '4.18',
  command: 'update',
  summary: 'Change what you are notified of',
  doc: 'The event flags count with --level custom.',
  takes: { level, ...eventFlags },
  returns: one(settings),
  access: { role: 'user' },
  examples: [
    { does: 'Everything in a group', run: 'notifications update --group acme --level watch' },
    { does: 'A group as everywhere else', run: 'notifications update --group acme --level global' },
    { does: 'Nothing from a project', run: 'notifications update --project acme/rocket --level disabled' },
    {
      does: 'Only what breaks and what is merged',
      run: 'notifications update --project acme/rocket --level custom --failed-pipeline --merge-merge-request --no-new-note',
    },
  ],
});

/** The same two for the whole account, which also has an address. */
const everywhere: Endpoint[] = [
  {
    ...get,
    returns: one({ level, notification_email: email, events: settings.events }),
    examples: [
      { does: 'Your usual level and address', run: 'notifications get' },
      { does: 'The level alone, for a script', run: 'notifications get --fields level -o tsv --no-header' },
    ],
  },
  {
    ...update,
    takes: { level, notification_email: email, ...eventFlags },
    returns: one({ level, notification_email: email, events: settings.events }),
    examples: [
      { does: 'Only where you are mentioned', run: 'notifications update --level mention' },
      {
        does: 'Only new merge requests and failed pipelines',
        run: 'notifications update --level custom --new-merge-request --failed-pipeline',
      },
    ],
  },
];

export default area(
  [...everywhere, ...under([group, project], [get, update])],
  'Without --group or --project: your settings everywhere. A group or project at level global follows them.',
);
