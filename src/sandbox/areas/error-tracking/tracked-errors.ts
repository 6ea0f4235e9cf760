/** The errors that applications reported: events that are alike are one error, with counts (section 6.2). */
import { createHash } from 'node:crypto';
import type { World } from '../../core/behavior.ts';
import { type Hash, isHash } from '../../core/params.ts';
import type { Row } from '../../core/rows.ts';

export interface TrackedError extends Row {
  project_id: number;
  /** What makes two events one error. */
  fingerprint: string;
  /** Class of the exception, or the message itself. */
  name: string;
  description: string;
  /** Function or transaction in which it happened. */
  actor: string;
  platform: string;
  level: string;
  environment: string;
  first_seen_at: string;
  last_seen_at: string;
  events_count: number;
  /** Digests of the users that met it: nobody needs to know who they are. */
  users: readonly string[];
  /** Events by hour: `2026-01-05T09`. */
  hourly: Readonly<Record<string, number>>;
  /** Of the last event. */
  stack_trace: readonly unknown[];
}

const hash = (value: unknown): Hash => (isHash(value) ? value : {});
const text = (value: unknown): string => (typeof value === 'string' ? value.slice(0, 1000) : '');
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const digest = (value: string): string => createHash('sha256').update(value).digest('hex').slice(0, 32);

/** Milliseconds: errors are kept for ninety days. */
const lifetime = 90 * 24 * 60 * 60 * 1000;
/** Users and frames that are remembered of one error, and hours. */
const manyUsers = 1000;
const manyFrames = 100;
const manyHours = 24 * 90;

/** What an event says of the error behind it: the last exception of the chain is the one that was seen, else its message. */
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
    stack_trace: frames.slice(-manyFrames),
  };
}

function fingerprintOf(event: Hash, facts: ReturnType<typeof factsOf>): string {
  const own = list(event['fingerprint']).map(text);
  const isOwn = own.length > 0 && !own.includes('{{ default }}');
  return digest(JSON.stringify(isOwn ? own : [facts.name, facts.actor, facts.platform]));
}

function userOf(event: Hash): string | undefined {
  const user = hash(event['user']);
  const who = user['id'] ?? user['email'] ?? user['username'] ?? user['ip_address'];
  return who === undefined || who === null ? undefined : digest(String(who));
}

/** Forget errors whose latest occurrence is too long ago. */
function forget(world: World): void {
  const table = world.table<TrackedError>('errors');
  for (const row of table.filter(({ last_seen_at }) => Date.parse(last_seen_at) < world.now() - lifetime)) {
    table.remove(row);
  }
}

/** The errors of a project. */
export function errorsOf(world: World, projectId: number): TrackedError[] {
  forget(world);
  return world.table<TrackedError>('errors').filter((row) => row.project_id === projectId);
}

const hour = 60 * 60 * 1000;

/** How often an error occurred in each of the last 24 hours, oldest first: pairs of Unix time and count. */
export function frequencyOf({ hourly }: TrackedError, now: number): [time: number, count: number][] {
  const last = Math.floor(now / hour) * hour;
  return Array.from({ length: 24 }, (_, index) => {
    const time = last - (23 - index) * hour;
    return [time / 1000, hourly[new Date(time).toISOString().slice(0, 13)] ?? 0];
  });
}

/** Count one event of a project. */
export function countEvent(world: World, projectId: number, event: Hash): void {
  const table = world.table<TrackedError>('errors');
  const time = world.time();
  forget(world);
  const facts = factsOf(event);
  const fingerprint = fingerprintOf(event, facts);
  const known = table.find((row) => row.project_id === projectId && row.fingerprint === fingerprint);
  const user = userOf(event);
  const users = new Set([...(known?.users ?? []), ...(user === undefined ? [] : [user])]);
  const at = time.slice(0, 13);
  const hourly = { ...known?.hourly, [at]: (known?.hourly[at] ?? 0) + 1 };
  const seen = {
    ...facts,
    last_seen_at: time,
    events_count: (known?.events_count ?? 0) + 1,
    users: [...users].slice(0, manyUsers),
    hourly: Object.fromEntries(Object.entries(hourly).slice(-manyHours)),
  };
  if (known) table.update(known, seen);
  else table.insert({ project_id: projectId, fingerprint, first_seen_at: time, ...seen });
}
