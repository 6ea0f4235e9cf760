/** The calls of the log of a webhook, and the values that several commands read. */
import { createHash } from 'node:crypto';
import { deliveryCalls, resendCalls } from '../../api/hooks.ts';
import { Failure, usage } from '../../errors.ts';
import type { Endpoint } from '../../spec/endpoint.ts';
import type { Call } from '../../spec/request.ts';
import type { Row } from '../../spec/resource.ts';
import { isRecord } from '../../support/record.ts';
import { parseUrl } from '../../support/url.ts';
import { type Incoming, readText, type SavedState, startOf, type TaskContext } from '../context.ts';

function prepared(
  task: TaskContext,
  endpoints: readonly Endpoint[],
  args: Record<string, string>,
  fields: Record<string, string> = {},
): Promise<Call> {
  const line = { ...task.line, args, words: Object.values(args), fields, options: {}, repeated: [] };
  return task.prepare({ endpoints, line });
}

const hookIdOf = (task: TaskContext): string => task.line.words[0] ?? '';

export function eventsCall(task: TaskContext, status?: string): Promise<Call> {
  return prepared(task, deliveryCalls, { hook_id: hookIdOf(task) }, status === undefined ? {} : { status });
}

export function resendCall(task: TaskContext, id: string): Promise<Call> {
  return prepared(task, resendCalls, { hook_id: hookIdOf(task), hook_event_id: id });
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
export async function readSecret(
  task: TaskContext,
  typed: string | undefined,
  flag: string,
): Promise<string | undefined> {
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

/** Parse a URL to send events to. @throws Failure `usage` */
export function readTarget(typed: string, flag = '--to'): URL {
  const url = parseUrl(typed);
  if (!url || !/^https?:$/.test(url.protocol)) throw usage(`${flag} must be a URL with http:// or https://`);
  if (url.username !== '' || url.password !== '')
    throw usage(`${flag} must not contain a user name or password`);
  url.hash = '';
  return url;
}

/** A URL for messages: a query can contain a secret. */
export const shownUrl = (url: URL): string => `${url.origin}${url.pathname}`;

/** The time that `--since` gives, in milliseconds. */
export const sinceTime = (
  task: TaskContext,
  { since }: { since?: number | undefined },
): number | undefined => (since === undefined ? undefined : task.now() - since * 1000);

/** The time of an event of the log in milliseconds, as far as the log gives it. */
export function timeOf({ created_at, response_headers: headers }: Row): number | undefined {
  const date = isRecord(headers)
    ? Object.entries(headers).find(([name]) => name.toLowerCase() === 'date')?.[1]
    : undefined;
  return [created_at, date].map((text) => Date.parse(String(text))).find((time) => !Number.isNaN(time));
}

/** Note that `--since` does not leave out events whose time the log does not show. */
export function noteUnknownTimes(task: TaskContext, count: number): void {
  if (count > 0) task.note(`the log has no time for ${count} events; --since does not leave them out`);
}

export const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** The failure of an event that a receiver did not accept, with the start of its response. @param event `event 7` */
export function notAccepted(url: URL, event: string, response: Incoming, hint: string[] = []): Failure {
  const message = `${shownUrl(url)} responded to ${event} with status ${response.status}`;
  return new Failure('unsuccessful', message, { details: startOf(response), hint });
}
