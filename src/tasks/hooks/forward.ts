/** `hooks forward`: send the events in the log of a webhook to another URL. */
import type { Row } from '../../spec/resource.ts';
import { done, type Result } from '../../spec/result.ts';
import { jsonText } from '../../support/json.ts';
import { isRecord } from '../../support/record.ts';
import type { Outgoing, TaskContext } from '../context.ts';
import { eventsCall, isSuccess, notAccepted, openHookJournal, readSecret, readTarget } from './calls.ts';
import { describeDelivery, eventNameOf } from './describe.ts';
import { Forwarding, type LoggedEvent, timeOf } from './forwarding.ts';

/** Seconds between two reads of the log. */
const defaultInterval = 10;

/** Headers of one connection. */
const perHop =
  /^(host|connection|content-length|transfer-encoding|te|trailer|upgrade|expect|keep-alive|accept-encoding|proxy-.*)$/i;
const tokenHeader = /^x-[a-z0-9]+-token$/i;
const eventHeader = /^x-([a-z0-9]+)-event$/i;
const redacted = /^\W*(redacted|filtered|masked)\W*$/i;

/** The headers of a logged event, with the token in place of the redacted one. */
export function forwardedHeaders(event: Row, token: string | undefined): [string, string][] {
  const logged = isRecord(event['request_headers']) ? Object.entries(event['request_headers']) : [];
  const headers = logged
    .map(([name, value]): [string, string] => [name, String(value)])
    .filter(
      ([name, value]) =>
        !perHop.test(name) &&
        !tokenHeader.test(name) &&
        !redacted.test(value) &&
        /^[\w!#$%&'*+.^`|~-]+$/.test(name) &&
        /^[\t\x20-\x7e\x80-\xff]*$/.test(value),
    );
  if (!headers.some(([name]) => /^content-type$/i.test(name)))
    headers.push(['Content-Type', 'application/json']);
  const vendor = headers.map(([name]) => eventHeader.exec(name)?.[1]).find((name) => name !== undefined);
  if (token !== undefined) headers.push([`X-${vendor ?? 'Service'}-Token`, token]);
  return headers;
}

function requestFor(event: LoggedEvent, url: URL, token: string | undefined): Outgoing {
  const { request_data: data } = event;
  const text = typeof data === 'string' ? data : data === undefined ? '' : jsonText(data);
  return {
    url,
    headers: forwardedHeaders(event, token),
    body: Buffer.from(text),
    secrets: token === undefined ? [] : [token],
    complete: true,
  };
}

function lineOf(event: LoggedEvent, status: number, now: number): string {
  const header = forwardedHeaders(event, undefined).find(([name]) => eventHeader.test(name))?.[1];
  const name = eventNameOf(header, event['request_data']);
  return `${event.id}  ${describeDelivery(name, event['request_data'], timeOf(event) ?? now)}  ${status}`;
}

/** The flags of the command. */
export interface ForwardOptions {
  readonly to: string;
  readonly since?: number | undefined;
  readonly token?: string | undefined;
  readonly interval?: number | undefined;
  readonly once?: true | undefined;
}

/** Send one event. @throws Failure `unsuccessful` if the receiver does not accept it */
async function sendEvent(
  task: TaskContext,
  forwarding: Forwarding,
  event: LoggedEvent,
  request: Outgoing,
): Promise<void> {
  task.signal.throwIfAborted();
  const response = await forwarding.send(event, () => task.post(request));
  if (!isSuccess(response.status))
    throw notAccepted(
      request.url,
      `event ${event.id}`,
      response,
      'the next run with the same hook and --to sends this event again, then those after it',
    );
  await task.paint([['plain', lineOf(event, response.status, task.now())]]);
}

/** Print what the user must know about a record that begins or continues. */
function announce(task: TaskContext, forwarding: Forwarding, since: number | undefined): void {
  task.note('payloads in the log may be redacted or shortened; --token sets the secret token again');
  const { uncertain, isNew } = forwarding;
  if (uncertain !== undefined)
    task.warn(
      `an earlier run ended while it sent event ${uncertain}, which is sent again with the same Idempotency-Key`,
    );
  if (!isNew && since !== undefined)
    task.note('continuing after the events that were sent before; --since applies to the first run only');
}

/** Say for how many events the log does not show whether they are recent enough. */
function noteUnknown(task: TaskContext, events: readonly LoggedEvent[]): void {
  const unknown = events.filter((event) => timeOf(event) === undefined).length;
  if (unknown > 0)
    task.note(
      `the log has no time for ${unknown} of ${events.length} events; --since does not leave them out`,
    );
}

export async function forward(task: TaskContext, options: ForwardOptions): Promise<Result> {
  const url = readTarget(options.to);
  const interval = options.interval ?? defaultInterval;
  const since = options.since === undefined ? undefined : task.now() - options.since * 1000;
  task.requireWrite();
  const token = await readSecret(task, options.token, '--token');
  const call = await eventsCall(task);
  const journal = await openHookJournal(task, 'forward', call, [url.href]);
  try {
    const forwarding = new Forwarding(journal);
    announce(task, forwarding, since);
    for (;;) {
      const isFirst = forwarding.isNew;
      const events = await forwarding.next(task.exactRows(call), since);
      if (isFirst && since !== undefined) noteUnknown(task, events);
      for (const event of events) await sendEvent(task, forwarding, event, requestFor(event, url, token));
      if (options.once) {
        if (events.length === 0) task.note('no new events');
        return done();
      }
      await task.pause(interval * 1000);
    }
  } finally {
    journal.close();
  }
}
