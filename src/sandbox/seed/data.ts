/** The seed data: rows with defaults, times relative to the clock, and rows to generate. */

import type { AnyRow, Job, Pipeline } from '../core/rows.ts';
import { day, hour, iso, minute } from '../core/time.ts';
import type { World } from '../core/world.ts';
import { type JobEntry, seedJobs } from './jobs.ts';

export interface SeedData {
  readonly tables: Readonly<Record<string, { readonly defaults?: object; readonly rows: readonly object[] }>>;
  readonly jobs: readonly JobEntry[];
  readonly scale: Readonly<Record<string, GeneratedRows>>;
}

interface GeneratedRows {
  /** Values of the existing rows that count. */
  readonly counts?: Readonly<Record<string, unknown>>;
  /** A group that is created for the first row. */
  readonly parent?: { readonly full_path: string };
  readonly row: object;
}

/** Load the seed data, which only a new state needs. */
export async function loadSeedData(): Promise<SeedData> {
  const { default: data } = await import('./data/world.json', { with: { type: 'json' } });
  return data as unknown as SeedData;
}

const units: Readonly<Record<string, number>> = { s: 1000, m: minute, h: hour, d: day };

/** Replace `{name}`, `{name-2h}` and `{name:10}` in all texts and keys. @param texts by name @returns a copy */
export function filled<T>(
  value: T,
  texts: Readonly<Record<string, (offset: number, width: number | undefined) => string>>,
): T {
  const fill = (match: string, name: string, count = '0', unit = 's', width?: string) =>
    texts[name]?.(Number(count) * (units[unit] ?? 0), width === undefined ? undefined : Number(width)) ??
    match;
  const text = JSON.stringify(value).replace(/\{(\w+)(?:([+-]\d+)([smhd]))?(?::(\d+))?\}/g, fill);
  return JSON.parse(text) as T;
}

/** Fill an empty state. `{now-2h}` is a time, `{now-1d:10}` its first characters. */
export function seed(world: World, data: SeedData): void {
  const now = world.now();
  const tables = filled(data.tables, { now: (offset, width) => iso(now + offset).slice(0, width) });
  for (const [name, { defaults, rows }] of Object.entries(tables))
    for (const row of rows) world.table(name).insert({ ...structuredClone(defaults), ...row } as AnyRow);
  seedJobs(data.jobs, world.table<Pipeline>('pipelines'), world.table<Job>('jobs'), now);
}
