/** One line about a delivery: `12:01:07  push  5121  acme/rocket  main  3 commits`. */
import type { Failure } from '../../errors.ts';
import { counted } from '../../spec/names.ts';
import { type Result, stopped } from '../../spec/result.ts';
import { ExactNumber, valueAt } from '../../support/record.ts';
import { eventHeader, eventName, hookFlags } from '../../webhooks/events.ts';

/** The name of an event: from its header, or else from the payload. */
export function eventNameOf(header: string | undefined, payload: unknown): string {
  const known = hookFlags.find((flag) => eventHeader(flag) === header);
  if (known) return eventName(known);
  const kind = textAt(payload, 'object_kind') ?? textAt(payload, 'event_name') ?? header ?? 'unknown';
  const name = kind
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .slice(0, 40);
  return name || 'unknown';
}

function textAt(value: unknown, path: string): string | undefined {
  const found = valueAt(value, path);
  if (typeof found === 'number' || found instanceof ExactNumber) return String(found);
  return typeof found === 'string' && found !== '' ? found : undefined;
}

const firstText = (payload: unknown, paths: readonly string[]): string | undefined =>
  paths.map((path) => textAt(payload, path)).find((text) => text !== undefined);

/** The path of the project, or else of the group. */
export function placeOf(payload: unknown): string | null {
  const places = ['project.path_with_namespace', 'group.full_path', 'full_path', 'group_path'];
  return firstText(payload, places) ?? null;
}

const subjects = [
  'object_attributes.ref',
  'object_attributes.title',
  'build_name',
  'environment',
  'tag',
  'ref',
  'object_attributes.name',
  'name',
  'user_username',
  'refs.0',
];

const states = ['object_attributes.status', 'build_status', 'object_attributes.action', 'action', 'status'];

function detailOf(payload: unknown): string | undefined {
  const commits = textAt(payload, 'total_commits_count');
  if (textAt(payload, 'object_kind') === 'push' && commits !== undefined && /^\d/.test(commits))
    return commits === '1' ? '1 commit' : `${commits} commits`;
  return firstText(payload, states);
}

/** Describe a delivery in one line of plain text. @param answer the response of the receiver */
export function describeDelivery(
  delivery: {
    readonly event: string;
    /** The id of the event, if the service sent one. */
    readonly id?: string | undefined;
    readonly payload: unknown;
    /** Milliseconds since the epoch. */
    readonly when: number;
  },
  answer?: { readonly status: number; readonly milliseconds: number },
): string {
  const { event, id, payload, when } = delivery;
  const clock = new Date(when).toTimeString().slice(0, 8);
  const subject = firstText(payload, subjects)?.replace(/^refs\/(heads|tags)\//, '');
  const parts = [clock, event, id, placeOf(payload), subject, detailOf(payload)];
  const response = answer && [String(answer.status), `${Math.round(answer.milliseconds)} ms`];
  return [...parts, ...(response ?? [])]
    .filter((part) => part !== null && part !== undefined)
    .map((part) => part.replace(/\s+/g, ' ').slice(0, 100))
    .join('  ');
}

/** The end of a command that listens until a signal: `Stopped. 5 deliveries.` */
export const stoppedAfter = (signal: Failure, deliveries: number): Result =>
  stopped(signal, `Stopped. ${counted(deliveries, 'delivery')}.`);
