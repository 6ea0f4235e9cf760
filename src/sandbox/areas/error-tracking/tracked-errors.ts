/** Errors that applications reported. Events with the same fingerprint are one error (section 6.2). */
import { createHash } from 'node:crypto';
import { isRecord } from '../../../support/record.ts';
import { removeWhere } from '../../core/lookup.ts';
import type { Hash } from '../../core/request/params.ts';
import type { AnyRow, Row } from '../../core/rows.ts';
import { day, hour, iso } from '../../core/time.ts';
import type { World } from '../../core/world.ts';
import type { Rows } from '../../store/store.ts';

export interface TrackedError extends AnyRow {
  project_id: number;
  name: string;
  description: string;
  last_seen_at: string;
  events_count: number;
  /** Digests of the affected users, for counting only. */
  users: readonly string[];
  /** Events by hour, such as `2026-01-05T09`. */
  hourly: Readonly<Record<string, number>>;
}

const hash = (value: unknown): Hash => (isRecord(value) ? value : {});
const text = (value: unknown): string => (typeof value === 'string' ? value.slice(0, 1000) : '');
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const digest = (value: string): string => createHash('sha256').update(value).digest('hex').slice(0, 32);

/** Milliseconds from the last event until an error is deleted. */
const lifetime = 90 * day;

/** Return the attributes of an error from an event: from the last exception of its chain, or else from its message. */
function factsOf(event: Hash) {
  const chain = event['exception'];
  const exception = hash(list(Array.isArray(chain) ? chain : hash(chain)['values']).at(-1));
  const frames = list(hash(exception['stacktrace'])['frames']);
  const inner = hash(frames.at(-1));
  const entry = hash(event['logentry'] ?? event['message']);
  const message = text(event['message']) || text(entry['formatted']) || text(entry['message']);
  const name = text(exception['type']) || message || 'unknown';
  return {
    name,
    description: text(exception['value']) || message,
    actor: text(event['transaction']) || text(event['culprit']) || text(inner['function']),
    platform: text(event['platform']) || 'other',
    level: text(event['level']) || 'error',
    environment: text(event['environment']),
    stack_trace: frames,
  };
}

function fingerprintOf(event: Hash, facts: ReturnType<typeof factsOf>): string {
  const custom = list(event['fingerprint']).map(text);
  const isCustom = custom.length > 0 && !custom.includes('{{ default }}');
  return digest(JSON.stringify(isCustom ? custom : [facts.name, facts.actor, facts.platform]));
}

function userOf(event: Hash): string | undefined {
  const user = hash(event['user']);
  const id = user['id'] ?? user['email'] ?? user['username'] ?? user['ip_address'];
  return id === undefined || id === null ? undefined : digest(String(id));
}

function current(world: World): Rows<TrackedError> {
  const table = world.table<TrackedError>('errors');
  removeWhere(table, ({ last_seen_at }) => Date.parse(last_seen_at) < world.now() - lifetime);
  return table;
}

/** Attributes that a seed file can leave out. */
const defaults: Pick<TrackedError, 'events_count' | 'users' | 'hourly'> = {
  events_count: 0,
  users: [],
  hourly: {},
};

export const errorsOf = (world: World, projectId: number): TrackedError[] =>
  current(world)
    .filter((row) => row.project_id === projectId)
    .map((row) => ({ ...defaults, ...row }));

/** Return the number of events in each of the last 24 hours, oldest first: pairs of Unix time and count. */
export function frequencyOf({ hourly }: TrackedError, now: number): [time: number, count: number][] {
  const last = Math.floor(now / hour) * hour;
  return Array.from({ length: 24 }, (_, index) => {
    const time = last - (23 - index) * hour;
    return [time / 1000, hourly[iso(time).slice(0, 13)] ?? 0];
  });
}

export function countEvent(world: World, projectId: number, event: Hash): void {
  const table = current(world);
  const time = world.time();
  const facts = factsOf(event);
  const fingerprint = fingerprintOf(event, facts);
  const known = table.find((row) => row.project_id === projectId && row.fingerprint === fingerprint);
  const before = { ...defaults, ...known };
  const user = userOf(event);
  const users = new Set([...before.users, ...(user === undefined ? [] : [user])]);
  const key = time.slice(0, 13);
  const seen = {
    ...facts,
    last_seen_at: time,
    events_count: before.events_count + 1,
    users: [...users],
    hourly: { ...before.hourly, [key]: (before.hourly[key] ?? 0) + 1 },
  };
  if (known) table.update(known, seen);
  else table.insert({ project_id: projectId, fingerprint, first_seen_at: time, ...seen });
}

export interface ErrorTracking extends Row {
  project_id: number;
  active?: boolean;
  /** Whether errors are sent to this instance rather than to another service. */
  integrated?: boolean;
}

export const settingsOf = (world: World, projectId: number): ErrorTracking | undefined =>
  world.table<ErrorTracking>('error_tracking').find((row) => row.project_id === projectId);
