/** Many rows of one kind, for tests of large lists. */

import { epicDefaults } from '../areas/epics/epic.ts';
import { flagsOf, hookDefaults } from '../areas/hooks/hook.ts';
import { plan, runner } from '../areas/jobs/seed.ts';
import { withFiles } from '../areas/snippets/snippet.ts';
import { plain } from '../areas/variables/seed.ts';
import type { World } from '../core/behavior.ts';
import { defined } from '../core/lookup.ts';
import type { AnyRow, Group, Pipeline } from '../core/rows.ts';
import { iso, minute } from '../core/time.ts';
import { seededShas } from '../git/history.ts';
import { seededRandom } from './random.ts';

/** The project and the group that contain the rows. */
const project_id = 100;
const group_id = 10;
const created = Date.UTC(2026, 2, 1, 8);
const isOurs = (row: AnyRow) => row['project_id'] === project_id;
const isOfGroup = (row: AnyRow) => row['group_id'] === group_id;
const padded = (number: number): string => String(number).padStart(4, '0');

interface Kind {
  readonly table: string;
  /** Whether a row counts. Default: every row. */
  readonly counts?: (row: AnyRow) => boolean;
  rows(world: World, count: number): MakeRow;
}

/** Return a row by its number among the added ones, counted from 1, and its id. */
type MakeRow = (number: number, id: number) => object;

/** The group of the projects, with its path; created for the first one. */
function groupOfProjects(world: World): Group {
  const groups = world.table<Group>('groups');
  const full_path = 'acme/scale';
  return (
    groups.find((group) => group.full_path === full_path) ??
    groups.insert({
      name: 'Scale',
      path: 'scale',
      full_path,
      parent_id: group_id,
      visibility: 'public',
      description: 'Generated projects',
      created_at: iso(created),
    })
  );
}

const jobsPerPipeline = 20;
const jobStatuses = ['success', 'success', 'success', 'success', 'failed', 'canceled'];

/** Ended jobs, one each ten seconds until now. */
function jobRows(world: World, count: number): MakeRow {
  const roll = seededRandom(count);
  const pipelines = world.table<Pipeline>('pipelines');
  const { id: _, ...model } = defined(pipelines.find((row) => row.project_id === project_id));
  const runners = [1, 2, 3].map((id) => runner(id, iso(created)));
  let pipeline: Pipeline | undefined;
  return (number, id) => {
    const startedAt = world.now() - (count - number + 60) * 10_000;
    if (pipeline === undefined || number % jobsPerPipeline === 1) {
      const at = iso(startedAt);
      const fresh = { ref: 'main', sha: seededShas.main, status: 'success', created_at: at, updated_at: at };
      pipeline = pipelines.insert({ ...model, ...fresh, parent_id: null });
    }
    const [name, stage] = defined(plan[number % plan.length]);
    const status = defined(jobStatuses[roll(jobStatuses.length)]);
    const seconds = 20 + roll(400) + roll(1000) / 1000;
    return {
      project_id,
      pipeline_id: pipeline.id,
      user_id: pipeline.user_id,
      bridge: false,
      retried: false,
      downstream_pipeline_id: null,
      name,
      stage,
      status,
      ref: pipeline.ref,
      tag: false,
      web_url: `/acme/rocket/-/jobs/${id}`,
      coverage: null,
      allow_failure: false,
      failure_reason: status === 'failed' ? 'script_failure' : null,
      created_at: iso(startedAt - minute),
      started_at: iso(startedAt),
      finished_at: iso(startedAt + seconds * 1000),
      duration: seconds,
      queued_duration: 60,
      tag_list: ['linux'],
      ...runners[number % runners.length],
    };
  };
}

/** By the name that `--scale` takes. */
const kinds = {
  users: {
    table: 'users',
    rows: () => (number) => {
      const username = `user-${padded(number)}`;
      return {
        username,
        name: `User ${padded(number)}`,
        email: `${username}@example.com`,
        state: 'active',
        is_admin: false,
        bot: false,
        external: false,
        web_url: `/${username}`,
        avatar_url: `/uploads/avatars/${username}.png`,
        created_at: iso(created + number * minute),
        sign_in_count: number % 200,
      };
    },
  },
  groups: {
    table: 'groups',
    rows: () => (number) => ({
      name: `Group ${padded(number)}`,
      path: `group-${padded(number)}`,
      full_path: `acme/group-${padded(number)}`,
      parent_id: group_id,
      visibility: 'public',
      description: 'Generated',
      created_at: iso(created + number * minute),
    }),
  },
  projects: {
    table: 'projects',
    rows: (world) => {
      const { id, full_path } = groupOfProjects(world);
      return (number) => ({
        name: `Project ${padded(number)}`,
        path: `project-${padded(number)}`,
        path_with_namespace: `${full_path}/project-${padded(number)}`,
        group_id: id,
        visibility: 'public',
        description: 'Generated',
        default_branch: 'main',
        created_at: iso(created + number * minute),
      });
    },
  },
  jobs: { table: 'jobs', counts: (row) => isOurs(row) && row['bridge'] !== true, rows: jobRows },
  variables: {
    table: 'variables',
    counts: isOurs,
    rows: () => (number) => ({ ...plain, key: `SCALE_${padded(number)}`, value: `value ${number}` }),
  },
  badges: {
    table: 'badges',
    counts: isOurs,
    rows: () => (number) => ({
      project_id,
      group_id: null,
      name: `badge ${padded(number)}`,
      link_url: `https://badges.example/${number}`,
      image_url: `https://badges.example/${number}.svg`,
    }),
  },
  epics: {
    table: 'epics',
    counts: isOfGroup,
    rows: (world) => {
      const epics = world.table('epics').filter(isOfGroup);
      const last = epics.reduce((most, { iid }) => Math.max(most, Number(iid)), 0);
      return (number) => ({
        ...epicDefaults,
        group_id,
        iid: last + number,
        title: `Epic ${padded(number)}`,
        author_id: 2,
        labels: [],
        created_at: iso(created + number * minute),
        updated_at: iso(created + number * minute),
      });
    },
  },
  hooks: {
    table: 'hooks',
    counts: isOfGroup,
    rows: () => (number) => ({
      ...hookDefaults,
      ...flagsOf([]),
      group_id,
      uuid: `00000000-0000-8000-9000-${String(number).padStart(12, '0')}`,
      url: `http://127.0.0.1:9/hooks/${number}`,
      name: `Hook ${padded(number)}`,
      created_at: iso(created + number * minute),
    }),
  },
  snippets: {
    table: 'snippets',
    counts: isOurs,
    rows: () => (number) => {
      const at = iso(created + number * minute);
      return {
        project_id,
        author_id: 4,
        title: `Snippet ${padded(number)}`,
        description: '',
        visibility: 'public',
        created_at: at,
        updated_at: at,
        versions: withFiles([], [{ path: 'snippet.txt', content: `${number}\n` }], at),
        user_agent: 'Mozilla/5.0',
        ip_address: '192.0.2.10',
        antispam_submitted: false,
      };
    },
  },
} as const satisfies Readonly<Record<string, Kind>>;

/** The number of rows that a new sandbox has of each kind, at least. */
export type Scale = { readonly [K in keyof typeof kinds]?: number };

export const scaleNames = Object.keys(kinds);

/** Add rows until there are as many as requested, with the rows that the sandbox has anyway. */
export function applyScale(world: World, scale: Scale): void {
  for (const [name, kind] of Object.entries<Kind>(kinds)) {
    const wanted = scale[name as keyof Scale] ?? 0;
    const table = world.table(kind.table);
    const missing = wanted - table.filter(kind.counts ?? (() => true)).length;
    if (missing <= 0) continue;
    const row = kind.rows(world, missing);
    for (let number = 1; number <= missing; number++) table.insert(row(number, table.last + 1) as AnyRow);
  }
}
