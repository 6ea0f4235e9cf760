import { area, paging, under } from '../spec/compose.ts';
import { endpoint, listOf, nothing, one } from '../spec/endpoint.ts';
import {
  bool,
  choice,
  date,
  datetime,
  hash,
  int,
  list,
  long,
  object,
  pick,
  text,
  url,
} from '../spec/field.ts';
import { direction, person } from './parts.ts';
import { group } from './scopes.ts';

const epic = {
  id: int('Epic id, one of a kind on the instance'),
  iid: int('Number of the epic in its group'),
  group_id: int('Group that it belongs to'),
  parent_id: int('Id of the epic above it', { nullable: true }),
  parent_iid: int('Number of the epic above it', { nullable: true }),
  title: text('What it is about, in a line'),
  description: text('What it is about, in Markdown'),
  state: choice(['opened', 'closed'], 'Open or closed'),
  confidential: bool('Only for members with the role Reporter or more'),
  labels: list(text('Name of a label'), 'Labels on it'),
  author: object('Who opened it', person),
  start_date: date('Day that it starts', { nullable: true }),
  start_date_is_fixed: bool('Use the fixed start date, not the one inherited from issues and epics'),
  start_date_fixed: date('Fixed start date', { nullable: true }),
  start_date_from_inherited_source: date('Day that its issues and epics start', { nullable: true }),
  start_date_from_milestones: date('Day that its milestones start', {
    nullable: true,
    deprecated: 'use start_date_from_inherited_source',
  }),
  due_date: date('Day that it is due', { nullable: true }),
  due_date_is_fixed: bool('Use the fixed due date, not the one inherited from issues and epics'),
  due_date_fixed: date('Fixed due date', { nullable: true }),
  due_date_from_inherited_source: date('Day that its issues and epics are due', { nullable: true }),
  due_date_from_milestones: date('Day that its milestones are due', {
    nullable: true,
    deprecated: 'use due_date_from_inherited_source',
  }),
  end_date: date('Day that it is due', { nullable: true, deprecated: 'use due_date' }),
  created_at: datetime('When it was opened'),
  updated_at: datetime('When it last changed'),
  closed_at: datetime('When it was closed', { nullable: true }),
  upvotes: int('Thumbs up'),
  downvotes: int('Thumbs down'),
  color: text('Color on the roadmap', { placeholder: '#rrggbb' }),
  subscribed: bool('You receive notifications of its changes'),
  imported: bool('It came with a migration'),
  imported_from: text('Where it came from'),
  web_url: url('Page of the epic'),
  reference: text('Short name of the epic', { deprecated: 'use references' }),
  references: object('Names to mention it by', {
    short: text('Within the group'),
    relative: text('As seen from the group asked'),
    full: text('From anywhere'),
  }),
  _links: object('Addresses in the API', {
    self: url('The epic'),
    epic_issues: url('Its issues'),
    group: url('Its group'),
    parent: url('The epic above it', { nullable: true }),
  }),
};

const issue = {
  id: int('Issue id'),
  iid: int('Number of the issue in its project'),
  project_id: int('Project that it belongs to'),
  title: text('Title'),
  description: text('Description, in Markdown'),
  state: choice(['opened', 'closed'], 'Open or closed'),
  confidential: bool('Only for members with the role Reporter or more'),
  labels: list(text('Name of a label'), 'Labels'),
  author: object('Author', person),
  due_date: date('Due date', { nullable: true }),
  created_at: datetime('Creation time'),
  updated_at: datetime('Time of the last change'),
  closed_at: datetime('Time of closing', { nullable: true }),
  web_url: url('Page of the issue'),
  references: object('Names to mention it by', {
    short: text('Within the project'),
    relative: text('As seen from the group asked'),
    full: text('From anywhere'),
  }),
  epic_issue_id: int('Id of the link between epic and issue'),
  relative_position: int('Position among the issues of the epic'),
};

const labels = text('Names of labels, with commas between', { placeholder: 'a,b' });
const authors = {
  author_id: int('User id of the author'),
  author_username: text('User name of the author'),
};

const content = {
  ...pick(epic, 'title'),
  description: long('What it is about, in Markdown', { maxLength: 1_048_576 }),
  labels,
  ...pick(epic, 'confidential'),
  color: text('Color on the roadmap; where the service has this turned on', { placeholder: '#rrggbb' }),
  parent_id: int('Id (not the number) of the epic to put it under'),
  start_date_is_fixed: bool('Start on --start-date-fixed rather than as its issues and epics do'),
  start_date_fixed: date('Day that it starts, with --start-date-is-fixed'),
  due_date_is_fixed: bool('Due on --due-date-fixed rather than as its issues and epics are'),
  due_date_fixed: date('Day that it is due, with --due-date-is-fixed'),
};

const common = {
  section: '4.20',
  access: { role: 'user', tier: 'premium' },
  deprecated: 'use the work items API',
} as const;
const slots = { epic_iid: text('Number of the epic in its group', { placeholder: 'iid' }) };
const detail = [
  'iid',
  'id',
  'title',
  'state',
  'author.username',
  'labels',
  'start_date',
  'due_date',
  'parent_iid',
  'confidential',
  'created_at',
  'updated_at',
  'closed_at',
  'description',
  'web_url',
] as const;

export default area(
  under(group, [
    endpoint('GET epics', {
      ...common,
      command: 'list',
      summary: 'List epics of a group and its subgroups',
      takes: {
        state: choice(['opened', 'closed', 'all'], 'Only epics in this state', { default: 'all' }),
        search: text('Only epics with this in the title or description'),
        labels: text('Only epics with all of these labels, with commas between', { placeholder: 'a,b' }),
        author_id: int('Only epics by the user with this id'),
        author_username: text('Only epics by the user of this name'),
        my_reaction_emoji: text('Only epics that you gave this reaction; None or Any for no or any reaction'),
        not: hash('Leave out epics with these', { ...authors, labels }),
        created_after: datetime('Only epics opened at this time or later'),
        created_before: datetime('Only epics opened at this time or earlier'),
        updated_after: datetime('Only epics changed at this time or later'),
        updated_before: datetime('Only epics changed at this time or earlier'),
        include_ancestor_groups: bool('Epics of the groups above too', { default: false }),
        include_descendant_groups: bool('Epics of subgroups too', { default: true }),
        with_labels_details: bool('Labels with their color and description, not just the name', {
          default: false,
        }),
        order_by: choice(['created_at', 'updated_at', 'title'], 'What to sort by', { default: 'created_at' }),
        sort: direction('Descending or ascending'),
        ...paging,
      },
      returns: listOf(epic),
      columns: ['iid', 'title', 'state', 'labels', 'start_date', 'due_date', 'author.username', 'updated_at'],
      examples: [
        { does: 'What is open', run: 'epics list --group acme --state opened' },
        {
          does: 'Urgent ones that olivia did not open',
          run: 'epics list --group acme --labels urgent --not author_username=olivia',
        },
        {
          does: 'Closed this year, as CSV',
          run: 'epics list --group acme --state closed --updated-after 2026-01-01T00:00:00Z --fields iid,title,closed_at --csv',
        },
      ],
    }),
    endpoint('GET epics/:epic_iid', {
      ...common,
      command: 'get <epic-iid>',
      summary: 'Show one epic',
      slots,
      returns: one(epic),
      columns: detail,
      examples: [
        { does: 'By its number', run: 'epics get 1 --group acme' },
        { does: 'Where its dates come from', run: 'epics get 1 --group acme --json' },
      ],
    }),
    endpoint('POST epics', {
      ...common,
      command: 'create',
      summary: 'Open an epic',
      takes: {
        ...content,
        title: text('What it is about, in a line', { required: true }),
        created_at: datetime('Give it an earlier date, when bringing in old ones', { role: 'owner' }),
      },
      returns: one(epic),
      columns: detail,
      examples: [
        {
          does: 'With a text from a file',
          run: 'epics create --group acme --title "Land on the moon" --description @page.md --labels planning,urgent',
        },
        {
          does: 'Under another, due on a day',
          run: 'epics create --group acme --title "Build the lander" --parent-id 601 --due-date-is-fixed --due-date-fixed 2026-09-30',
        },
      ],
    }),
    endpoint('PUT epics/:epic_iid', {
      ...common,
      command: 'update <epic-iid>',
      summary: 'Change an epic, close it or open it again',
      slots,
      takes: {
        ...content,
        state_event: choice(['close', 'reopen'], 'Close it, or open it again'),
        add_labels: text('Names of labels to put on, with commas between', { placeholder: 'a,b' }),
        remove_labels: text('Names of labels to take off, with commas between', { placeholder: 'a,b' }),
        labels: text('Names of all its labels, with commas between; "" takes all off', {
          placeholder: 'a,b',
        }),
        updated_at: datetime('When it last changed, when bringing in old ones', { role: 'owner' }),
      },
      returns: one(epic),
      columns: detail,
      examples: [
        { does: 'Close it', run: 'epics update 1 --group acme --state-event close' },
        {
          does: 'One label on, one off',
          run: 'epics update 1 --group acme --add-labels urgent --remove-labels planning',
        },
        {
          does: 'Open one again, under a new title',
          run: 'epics update 6 --group acme --state-event reopen --title "Try again"',
        },
      ],
    }),
    endpoint('DELETE epics/:epic_iid', {
      ...common,
      access: { ...common.access, role: 'owner' },
      unspecified: true,
      command: 'delete <epic-iid>',
      summary: 'Delete an epic',
      doc: 'Its issues and child epics are kept, without a parent.',
      slots,
      returns: nothing,
      confirm: 'yes',
      examples: [
        { does: 'Delete without a confirmation', run: 'epics delete 3 --group acme --yes' },
        { does: 'Print the request and send nothing', run: 'epics delete 3 --group acme --dry-run' },
      ],
    }),
    endpoint('GET epics/:epic_iid/issues', {
      ...common,
      unspecified: true,
      command: 'issues <epic-iid>',
      summary: 'List issues of an epic',
      slots,
      takes: paging,
      returns: listOf(issue),
      columns: ['id', 'iid', 'project_id', 'title', 'state', 'labels', 'author.username', 'updated_at'],
      examples: [
        { does: 'List the issues', run: 'epics issues 1 --group acme' },
        {
          does: 'Print titles and states as CSV',
          run: 'epics issues 1 --group acme --fields references.full,title,state --csv',
        },
      ],
    }),
  ]),
  'The work items API replaces these calls, and servers plan to remove them. The dates of an epic follow its issues and epics unless they are fixed. An id is that of the whole instance, a number (iid) that of the group.',
);
