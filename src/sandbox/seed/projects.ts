import type { Group, Member, Moved, Project, Visibility } from '../core/rows.ts';
import { iso } from '../core/time.ts';
import type { Seeder } from './seeder.ts';

type Namespace = readonly [
  id: number,
  path: string,
  name: string,
  visibility: Visibility,
  description: string,
];

const groups: readonly Namespace[] = [
  [10, 'acme', 'Acme', 'public', 'Rockets and their parts'],
  [11, 'acme/labs', 'Labs', 'public', 'Prototypes'],
  [12, 'umbrella', 'Umbrella', 'private', 'Nothing to see here'],
  [13, 'acme/legacy', 'Legacy', 'internal', 'Archived projects'],
];

const projects: readonly Namespace[] = [
  [100, 'acme/rocket', 'Rocket', 'public', 'A small simulation of a launch'],
  [101, 'acme/website', 'Website', 'private', 'The public website of Acme'],
  [102, 'acme/labs/probe', 'Probe', 'internal', 'Measures the flight of the rocket'],
];

/** Members of the group acme: user and access level. */
const members: readonly (readonly [user: number, level: number])[] = [
  [2, 50],
  [3, 40],
  [4, 30],
  [5, 20],
  [6, 10],
  [9, 30],
  [12, 30],
  [13, 30],
  [14, 20],
];

const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));
const tailOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
const createdAt = (index: number): string => iso(Date.UTC(2026, 0, 2 + index, 9, 30));

/** Create groups, projects, their members, and the merge request that other seeds refer to. */
export const namespaces: Seeder = (world) => {
  const table = world.table<Group>('groups');
  const groupId = (path: string) => table.find((group) => group.full_path === path)?.id ?? null;
  for (const [index, [id, path, name, visibility, description]] of groups.entries()) {
    table.insert({
      id,
      name,
      path: tailOf(path),
      full_path: path,
      parent_id: groupId(parentOf(path)),
      visibility,
      description,
      created_at: createdAt(index),
    });
  }
  for (const [index, [id, path, name, visibility, description]] of projects.entries()) {
    const group_id = groupId(parentOf(path));
    if (group_id === null) throw new Error(`no group for ${path}`);
    world.table<Project>('projects').insert({
      id,
      name,
      path: tailOf(path),
      path_with_namespace: path,
      group_id,
      visibility,
      description,
      default_branch: 'main',
      created_at: createdAt(index + 2),
    });
  }
  const people = world.table<Member>('members');
  for (const [user_id, access_level] of members) {
    people.insert({ user_id, project_id: null, group_id: 10, access_level });
  }
  people.insert({ user_id: 8, project_id: 100, group_id: null, access_level: 30 });
  people.insert({ user_id: 11, project_id: 100, group_id: null, access_level: 20 });
  for (const path of ['acme/rocket-old', 'acme/old-name']) {
    world.table<Moved>('moved').insert({ path, project_id: 100, group_id: null });
  }
  world.table('merge_requests').insert({
    id: 707,
    iid: 7,
    project_id: 100,
    title: 'Ask who is launching',
    state: 'opened',
    source_branch: 'feature/login',
    target_branch: 'main',
    author_id: 4,
    created_at: '2026-03-12T14:25:00.000Z',
  });
};
