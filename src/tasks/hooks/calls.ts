/** Parts of several commands for webhooks: the calls of the log, values of the command line, and one line about a delivery. */
import { createHash } from 'node:crypto';
import { deliveryCalls, resendCalls } from '../../api/hooks.ts';
import { Failure, usage } from '../../errors.ts';
import { isSecretHeader, maskedQuery } from '../../spec/mask.ts';
import { counted } from '../../spec/names.ts';
import type { Call } from '../../spec/request.ts';
import type { Row } from '../../spec/resource.ts';
import { type Result, stopped } from '../../spec/result.ts';
import { attempt } from '../../support/errno.ts';
import { jsonText } from '../../support/json.ts';
import { mask } from '../../support/mask.ts';
import { ExactNumber, isRecord, valueAt } from '../../support/record.ts';
import { parseExactly } from '../../support/text/exact-json.ts';
import { parseUrl } from '../../support/url.ts';
import { eventHeader, eventName, hookFlags } from '../../webhooks/events.ts';
import {
  type Incoming,
  type Outgoing,
  readText,
  type SavedState,
  startOf,
  type TaskContext,
  type TaskLine,
} from '../context.ts';

const hookIdOf = (task: TaskContext): string => task.line.words[0] ?? '';

export function eventsCall(task: TaskContext, status?: string): Promise<Call> {
  const fields: TaskLine['fields'] = status === undefined ? {} : { status };
  return task.prepare({ endpoints: deliveryCalls, line: { args: { hook_id: hookIdOf(task) }, fields } });
}

export function resendCall(task: TaskContext, id: string): Promise<Call> {
  const args = { hook_id: hookIdOf(task), hook_event_id: id };
  return task.prepare({ endpoints: resendCalls, line: { args, fields: {} } });
}

/** Open the state of a command about the webhook of a call. @param parts what else distinguishes its runs */
export function openHookState(
  task: TaskContext,
  command: 'forward' | 'replay',
  { slots }: Call,
  parts: readonly unknown[],
): Promise<SavedState> {
  const key = [task.server(), slots['hook_id'], ...parts].join('\n');
  const digest = createHash('sha256').update(key).digest('hex').slice(0, 32);
  return task.openState(`hooks-${command}-${digest}`);
}

const secretLimit = 64 * 1024;

/** Read a secret: `@file`, `-`, or the secret itself. @throws Failure `usage` */
export async function readSecret(task: TaskContext, typed: string | undefined, flag: string) {
  if (typed === undefined) return undefined;
  const source = typed === '-' ? typed : /^@(?!@)/.test(typed) ? typed.slice(1) : undefined;
  let secret = typed.replace(/^@@/, '@');
  if (source !== undefined) {
    if (source === '') throw usage(`${flag}: @ must be followed by a path`);
    secret = (await readText(task, source, flag, secretLimit)).replace(/\r?\n$/, '');
  }
  if (secret === '') throw usage(`${flag} is empty`);
  if (/[^\x20-\x7e]/.test(secret)) throw usage(`${flag} contains characters that a header cannot contain`);
  task.conceal([secret]);
  return secret;
}

/** Parse the URL of `--to`. @throws Failure `usage` */
export function readTarget(typed: string): URL {
  const url = parseUrl(typed);
  if (!url || !/^https?:$/.test(url.protocol)) throw usage('--to must be a URL with http:// or https://');
  if (url.username !== '' || url.password !== '')
    throw usage('--to must not contain a user name or password');
  url.hash = '';
  return url;
}

/** A URL for messages: a query can contain a secret. */
export const shownUrl = (url: URL): string => `${url.origin}${url.pathname}`;

/** The requests to another server that a dry run prints, with their secrets masked. */
export function plannedPosts(...requests: readonly Outgoing[]): Result {
  const lines = requests.map(({ url, headers, body }) => {
    const shown = headers.map(([name, value]) => [name.toLowerCase(), isSecretHeader(name) ? mask : value]);
    const text = Buffer.from(body).toString();
    const described = { method: 'POST', url: maskedQuery(url.href), headers: Object.fromEntries(shown) };
    return `${jsonText({ ...described, body: attempt(() => parseExactly(text)) ?? text })}\n`;
  });
  return { kind: 'text', text: lines.join('') };
}

/** The time of an event of the log in milliseconds, as far as the log gives it. */
export function timeOf({ created_at, response_headers }: Row): number | undefined {
  const texts = [created_at, headerOf(response_headers, 'date')];
  return texts.map((text) => Date.parse(String(text))).find((time) => !Number.isNaN(time));
}

const headerOf = (headers: unknown, name: string): unknown =>
  Object.entries(isRecord(headers) ? headers : {}).find(([one]) => one.toLowerCase() === name)?.[1];

/** Note that `--since` does not leave out events whose time the log does not show. */
export function noteUnknownTimes(task: TaskContext, count: number): void {
  if (count > 0)
    task.note(`the log has no time for ${counted(count, 'event')}; --since does not leave them out`);
}

export const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** The key of the delivery that an event of the log belongs to: a resend has that of the first attempt. */
export function keyOf({ id, request_headers }: Row): string {
  return String(headerOf(request_headers, 'idempotency-key') ?? `event ${id}`);
}

export const wasDelivered = ({ response_status: status }: Row): boolean => isSuccess(Number(status));

/** The failure of an event that a receiver did not accept, with the start of its response. @param event `event 7` */
export function notAccepted(url: URL, event: string, response: Incoming, hint: string[] = []): Failure {
  const message = `${shownUrl(url)} responded to ${event} with status ${response.status}`;
  return new Failure('unsuccessful', message, { details: startOf(response), hint });
}

/** The name of an event: from its header, or else from the payload. */
export function eventNameOf(header: string | undefined, payload: unknown): string {
  const known = hookFlags.find((flag) => eventHeader(flag) === header);
  if (known) return eventName(known);
  const kind = textAt(payload, 'object_kind') ?? textAt(payload, 'event_name') ?? header ?? 'unknown';
  const name = kind.toLowerCase().replace(/[^a-z0-9]+/g, '_');
  return name.slice(0, 40) || 'unknown';
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
