import { area, inArea } from '../spec/compose.ts';
import { listOf } from '../spec/endpoint.ts';
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
import { epicColor } from './features.ts';
import { direction, person } from './parts.ts';
import { group } from './scopes.ts';

const references = (scope: string) =>
  object('References for mentions', {
    short: text(`Reference within the ${scope}`),
    relative: text('Reference relative to the group of the request'),
    full: text('Full reference'),
  });

const label = {
  id: int('Label id'),
  name: text('Name of the label'),
  description: text('Description of the label', { nullable: true }),
  description_html: text('Description as HTML'),
  text_color: text('Color of the text'),
  color: text('Color of the label'),
};

const epic = {
  id: int('Epic id, unique on the instance'),
  iid: int('Number of the epic in its group'),
  group_id: int('Group id'),
  parent_id: int('Id of the parent epic', { nullable: true }),
  parent_iid: int('Number of the parent epic', { nullable: true }),
  title: text('Title of the epic'),
  description: text('Description of the epic in Markdown', { markdown: true }),
  state: choice(['opened', 'closed'], 'State'),
  confidential: bool('Visible only to members with at least the Reporter role'),
  labels: list(text('Name of a label; with with_labels_details, an object', { details: label }), 'Labels'),
  author: object('Author', person),
  start_date: date('Start date', { nullable: true }),
  start_date_is_fixed: bool('Start date fixed, not inherited from issues and child epics'),
  start_date_fixed: date('Fixed start date', { nullable: true }),
  start_date_from_inherited_source: date('Start date inherited from issues and child epics', {
    nullable: true,
  }),
  start_date_from_milestones: date('Start date inherited from milestones', {
    nullable: true,
    deprecated: 'use start_date_from_inherited_source',
  }),
  due_date: date('Due date', { nullable: true }),
  due_date_is_fixed: bool('Due date fixed, not inherited from issues and child epics'),
  due_date_fixed: date('Fixed due date', { nullable: true }),
  due_date_from_inherited_source: date('Due date inherited from issues and child epics', { nullable: true }),
  due_date_from_milestones: date('Due date inherited from milestones', {
    nullable: true,
    deprecated: 'use due_date_from_inherited_source',
  }),
  end_date: date('Due date', { nullable: true, deprecated: 'use due_date' }),
  created_at: datetime('Creation time'),
  updated_at: datetime('Time of the last change'),
  closed_at: datetime('Time of closing', { nullable: true }),
  upvotes: int('Number of thumbs-up reactions'),
  downvotes: int('Number of thumbs-down reactions'),
  color: text('Color on the roadmap', { placeholder: '#rrggbb' }),
  subscribed: bool('You receive notifications about changes'),
  imported: bool('Created by a migration'),
  imported_from: text('Source of the import'),
  web_url: url('Web page of the epic'),
  reference: text('Short reference to the epic', { deprecated: 'use references' }),
  references: references('group'),
  _links: object('API URLs', {
    self: url('URL of the epic'),
    epic_issues: url('URL of the issues of the epic'),
    group: url('URL of the group'),
    parent: url('URL of the parent epic', { nullable: true }),
  }),
};

const issue = {
  id: int('Issue id'),
  iid: int('Number of the issue in its project'),
  project_id: int('Project id'),
  title: text('Title'),
  description: text('Description in Markdown', { markdown: true }),
  ...pick(epic, 'state', 'confidential'),
  labels: list(text('Name of a label'), 'Labels'),
  ...pick(epic, 'author', 'due_date'),
  ...pick(epic, 'created_at', 'updated_at', 'closed_at'),
  web_url: url('Web page of the issue'),
  references: references('project'),
  epic_issue_id: int('Id of the link between the epic and the issue'),
  relative_position: int('Position among the issues of the epic'),
};

const labels = text('Comma-separated label names', { placeholder: 'a,b' });
const authors = {
  author_id: int('User id of the author', { suggest: 'users/list/id' }),
  author_username: text('Username of the author', { suggest: 'users/list/username' }),
};

const content = {
  ...pick(epic, 'title'),
  description: long('Description of the epic in Markdown', { maxLength: 1_048_576 }),
  labels,
  ...pick(epic, 'confidential'),
  color: text('Color on the roadmap, if the service has epic colors enabled', {
    placeholder: '#rrggbb',
    feature: epicColor,
  }),
  parent_id: int('Id (not number) of the parent epic', { suggest: 'epics/list/id' }),
  start_date_is_fixed: bool(
    'Start date set by --start-date-fixed, not inherited from issues and child epics',
  ),
  start_date_fixed: date('Fixed start date, used with --start-date-is-fixed'),
  due_date_is_fixed: bool('Due date set by --due-date-fixed, not inherited from issues and child epics'),
  due_date_fixed: date('Fixed due date, used with --due-date-is-fixed'),
};

const endpoint = inArea('epics', {
  noun: 'epic',
  scope: group,
  access: { role: 'user', tier: 'premium' },
  deprecated: 'use the work items API',
  fields: epic,
  columns: [
    'iid',
    { path: 'group_id', label: 'GROUP' },
    'title',
    'state',
    'labels',
    'start_date',
    'due_date',
    'author.username',
    'updated_at',
  ],
  details: [
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
  ],
  slots: { epic_iid: text('Number of the epic in its group') },
  sample: '3',
});

export default area(
  [
    endpoint('GET epics', {
      summary: 'List epics of a group and its subgroups',
      takes: {
        state: choice(['opened', 'closed', 'all'], 'Only epics in this state', { default: 'all' }),
        search: text('Only epics with this text in the title or description'),
        labels: text('Only epics with all of these comma-separated labels', { placeholder: 'a,b' }),
        author_id: int('Only epics of the author with this user id', { suggest: 'users/list/id' }),
        author_username: text('Only epics of the author with this username', {
          suggest: 'users/list/username',
        }),
        my_reaction_emoji: text('Only epics with this reaction from you; None or Any for no or any reaction'),
        not: hash('Exclude epics with these values', { ...authors, labels }),
        created_after: datetime('Only epics created at or after this time'),
        created_before: datetime('Only epics created at or before this time'),
        updated_after: datetime('Only epics changed at or after this time'),
        updated_before: datetime('Only epics changed at or before this time'),
        include_ancestor_groups: bool('Include epics of parent groups', { default: false }),
        include_descendant_groups: bool('Include epics of subgroups', { default: true }),
        with_labels_details: bool('Include the color and description of each label', {
          default: false,
        }),
        order_by: choice(['created_at', 'updated_at', 'title'], 'Sort field', { default: 'created_at' }),
        sort: direction('Sort direction'),
      },
      examples: {
        'List urgent epics of authors other than olivia': '--labels urgent --not author_username=olivia',
        'Print closed epics that changed this year as CSV':
          '--state closed --updated-after 2026-01-01T00:00:00Z --fields iid,title,closed_at --csv',
      },
    }),
    endpoint('GET epics/:epic_iid', {
      examples: { 'Print the fixed and inherited dates as JSON': '1 --json' },
    }),
    endpoint('POST epics', {
      takes: {
        ...content,
        title: text('Title of the epic', { required: true }),
        created_at: datetime('Creation time to set, for imports', { role: 'owner' }),
      },
      done: 'Created epic &{iid} ({title})',
      examples: {
        'Create a child epic with a fixed due date':
          '--title "Build the lander" --parent-id 601 --due-date-is-fixed --due-date-fixed 2026-09-30',
      },
    }),
    endpoint('PUT epics/:epic_iid', {
      summary: 'Change the fields or the state of an epic',
      takes: {
        ...content,
        state_event: choice(['close', 'reopen'], 'State change to make'),
        add_labels: text('Comma-separated names of labels to add', { placeholder: 'a,b' }),
        remove_labels: text('Comma-separated names of labels to remove', { placeholder: 'a,b' }),
        labels: text('Comma-separated label names that replace all labels; "" removes all', {
          placeholder: 'a,b',
        }),
        updated_at: datetime('Time of the last change to set, for imports', { role: 'owner' }),
      },
      done: 'Updated epic &{epic_iid} ({title})',
      examples: {
        'Add one label and remove another': '1 --add-labels urgent --remove-labels planning',
        'Reopen an epic with a new title': '6 --state-event reopen --title "Try again"',
      },
    }),
    endpoint('DELETE epics/:epic_iid', {
      access: { role: 'owner' },
      unspecified: true,
      doc: 'Issues and child epics are kept without a parent.',
      done: 'Deleted epic &{epic_iid}',
    }),
    endpoint('GET epics/:epic_iid/issues', {
      unspecified: true,
      summary: 'List issues of an epic',
      noun: 'issue',
      returns: listOf(issue),
      columns: [
        'id',
        'iid',
        { path: 'project_id', label: 'PROJECT' },
        'title',
        'state',
        'labels',
        'author.username',
        'updated_at',
      ],
      examples: {
        'Print titles and states as CSV': '1 --fields references.full,title,state --csv',
      },
    }),
  ],
  'The epics API is deprecated and planned for removal. Use the work items API instead. Dates are inherited from issues and child epics unless they are fixed. An id is unique on the instance; a number (iid) is unique in the group.',
);
