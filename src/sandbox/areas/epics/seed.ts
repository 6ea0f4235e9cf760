import type { Seeder } from '../../seed/seeder.ts';
import { type Epic, type EpicIssue, epicDefaults, type Issue, type Label } from './epic.ts';

const labels: readonly (readonly [group: number, name: string, color: string, description: string])[] = [
  [10, 'planning', '#428bca', 'Not started'],
  [10, 'urgent', '#d9534f', 'Highest priority'],
  [11, 'planning', '#428bca', 'Not started'],
];

const drafts: readonly (Pick<Epic, 'id' | 'iid' | 'title' | 'author_id' | 'labels' | 'created_at'> &
  Partial<Epic>)[] = [
  {
    id: 601,
    iid: 1,
    title: 'Reach orbit',
    description: 'Faster, and **sideways**.',
    author_id: 2,
    labels: ['planning'],
    reactions: [
      { user_id: 1, name: 'thumbsup' },
      { user_id: 3, name: 'thumbsup' },
    ],
    created_at: '2026-01-08T09:00:00.000Z',
  },
  {
    id: 602,
    iid: 2,
    parent_id: 601,
    title: 'A second stage',
    description: 'Lighter tanks, one engine.',
    author_id: 3,
    labels: ['planning', 'urgent'],
    start_date_is_fixed: true,
    start_date_fixed: '2026-04-01',
    due_date_is_fixed: true,
    due_date_fixed: '2026-06-30',
    created_at: '2026-01-15T09:00:00.000Z',
  },
  {
    id: 603,
    iid: 3,
    title: 'Mend the countdown',
    description: 'It skips two.',
    author_id: 4,
    labels: ['urgent'],
    created_at: '2026-02-02T09:00:00.000Z',
  },
  {
    id: 604,
    iid: 4,
    title: 'A menu for the crew',
    author_id: 5,
    labels: [],
    reactions: [{ user_id: 1, name: 'rocket' }],
    created_at: '2026-02-10T09:00:00.000Z',
  },
  {
    id: 605,
    iid: 5,
    title: 'The price of a seat',
    description: 'For members only.',
    author_id: 2,
    labels: [],
    confidential: true,
    created_at: '2026-02-20T09:00:00.000Z',
  },
  {
    id: 606,
    iid: 6,
    title: 'Leave the ground',
    description: 'Done with 1.0.',
    author_id: 2,
    labels: [],
    state: 'closed',
    created_at: '2026-01-05T09:00:00.000Z',
    updated_at: '2026-02-06T12:00:00.000Z',
    closed_at: '2026-02-06T12:00:00.000Z',
  },
  {
    id: 607,
    iid: 1,
    group_id: 11,
    title: 'Measure the shaking',
    author_id: 3,
    labels: ['planning'],
    created_at: '2026-03-01T09:00:00.000Z',
  },
];

const issue = {
  project_id: 100,
  description: '',
  state: 'opened',
  confidential: false,
  author_id: 4,
  labels: [],
  due_date: null,
  closed_at: null,
} as const;

const issues: readonly Issue[] = [
  {
    ...issue,
    id: 801,
    iid: 1,
    title: 'Count the fuel twice',
    labels: ['urgent'],
    due_date: '2026-04-30',
    created_at: '2026-01-09T09:00:00.000Z',
    updated_at: '2026-02-11T09:00:00.000Z',
  },
  {
    ...issue,
    id: 802,
    iid: 2,
    title: 'Measure the thrust',
    state: 'closed',
    created_at: '2026-01-10T09:00:00.000Z',
    updated_at: '2026-02-01T09:00:00.000Z',
    closed_at: '2026-02-01T09:00:00.000Z',
  },
  {
    ...issue,
    id: 803,
    iid: 3,
    title: 'Name the supplier of the valves',
    confidential: true,
    author_id: 3,
    created_at: '2026-02-21T09:00:00.000Z',
    updated_at: '2026-02-21T09:00:00.000Z',
  },
];

const links: readonly (readonly [epic: number, issue: number, position: number])[] = [
  [601, 802, 10],
  [601, 801, 20],
  [601, 803, 30],
];

/** Six epics of the group acme, the first with issues of acme/rocket, and one epic of the subgroup acme/labs. */
export const epics: Seeder = (world) => {
  for (const [group_id, name, color, description] of labels) {
    world.table<Label>('labels').insert({ group_id, name, color, description });
  }
  for (const draft of drafts) {
    world.table<Epic>('epics').insert({
      ...epicDefaults,
      group_id: 10,
      updated_at: draft.created_at,
      ...draft,
    });
  }
  for (const row of issues) world.table<Issue>('issues').insert(row);
  for (const [epic_id, issue_id, relative_position] of links) {
    world.table<EpicIssue>('epic_issues').insert({ epic_id, issue_id, relative_position });
  }
};
