/** The seed data: rows with defaults, times relative to the clock, and rows to generate for tests of large lists. */
import { withFiles } from '../areas/snippets/snippet.ts';
import type { AnyRow, Group, Pipeline } from '../core/rows.ts';
import { day, hour, iso, minute } from '../core/time.ts';
import type { World } from '../core/world.ts';
import { generatedJobs } from './jobs.ts';

const kinds = [
  'users',
  'groups',
  'projects',
  'jobs',
  'variables',
  'badges',
  'epics',
  'hooks',
  'snippets',
] as const;
export const scaleNames: readonly string[] = kinds;

/** The number of rows that a new sandbox has of each kind, at least. */
export type Scale = { readonly [K in (typeof kinds)[number]]?: number };

const created = Date.UTC(2026, 2, 1, 8);

/** Return the attributes of a row by its number among the added ones, counted from 1, and its id. */
type Attributes = (number: number, id: number) => object;

const computed: {
  readonly [K in keyof Scale]: (world: World, data: SeedData, missing: number) => Attributes;
} = {
  users: () => (number) => ({ sign_in_count: number % 200 }),
  projects(world, { scale }) {
    const groups = world.table<Group>('groups');
    const parent = scale['projects']?.parent as Group;
    const { id } = groups.find((group) => group.full_path === parent.full_path) ?? groups.insert(parent);
    return () => ({ group_id: id });
  },
  jobs: (world, _, missing) =>
    generatedJobs(world.table('jobs'), world.table<Pipeline>('pipelines'), world.now(), missing),
  epics(world) {
    const last = world
      .table('epics')
      .filter(({ group_id }) => group_id === 10)
      .reduce((most, { iid }) => Math.max(most, Number(iid)), 0);
    return (number) => ({ iid: last + number });
  },
  snippets: () => (number) => ({
    versions: withFiles(
      [],
      [{ path: 'snippet.txt', content: `${number}\n` }],
      iso(created + number * minute),
    ),
  }),
};

/** Add rows until there are as many as requested, with the rows that the sandbox has anyway. */
export function applyScale(world: World, data: SeedData, scale: Scale): void {
  for (const name of kinds) {
    const { counts = {}, row = {} } = data.scale[name] ?? {};
    const { defaults } = data.tables[name] ?? {};
    const table = world.table(name);
    const doesCount = (one: AnyRow) => Object.entries(counts).every(([key, value]) => one[key] === value);
    const missing = (scale[name] ?? 0) - table.filter(doesCount).length;
    if (missing <= 0) continue;
    const attributes = computed[name]?.(world, data, missing);
    for (let number = 1; number <= missing; number++) {
      const texts = {
        number: (_: number, width = 0) => String(number).padStart(width, '0'),
        time: () => iso(created + number * minute),
      };
      table.insert({ ...defaults, ...filled(row, texts), ...attributes?.(number, table.last + 1) } as AnyRow);
    }
  }
}

export interface SeedData {
  readonly tables: Readonly<Record<string, { readonly defaults?: object; readonly rows: readonly object[] }>>;
  readonly scale: Readonly<Record<string, GeneratedRows>>;
}

interface GeneratedRows {
  readonly counts?: Readonly<Record<string, unknown>>;
  readonly parent?: { readonly full_path: string };
  readonly row: object;
}

/** Load the seed data, which only a new state needs. */
export async function loadSeedData(): Promise<SeedData> {
  const { default: data } = await import('./data/world.json', { with: { type: 'json' } });
  return data as unknown as SeedData;
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: minute, h: hour, d: day };

/** Replace `{name}`, `{name-2h}` and `{name:10}` in all texts and keys. @param texts by name @returns a copy */
export function filled<T>(
  value: T,
  texts: Readonly<Record<string, (offset: number, width: number | undefined) => string>>,
): T {
  const fill = (match: string, name: string, count = '0', unit = 's', width?: string) =>
    texts[name]?.(Number(count) * (units[unit] ?? 0), width === undefined ? undefined : Number(width)) ??
    match;
  const text = JSON.stringify(value).replace(/\{(\w+)(?:([+-]\d+)(ms|[smhd]))?(?::(\d+))?\}/g, fill);
  return JSON.parse(text) as T;
}

/** Fill an empty state. `{now-2h}` is a time, `{now-1d:10}` its first characters. */
export function seed(world: World, data: SeedData): void {
  const now = world.now();
  const tables = filled(data.tables, { now: (offset, width) => iso(now + offset).slice(0, width) });
  for (const [name, { defaults, rows }] of Object.entries(tables))
    for (const row of rows) world.table(name).insert({ ...defaults, ...row } as AnyRow);
}
