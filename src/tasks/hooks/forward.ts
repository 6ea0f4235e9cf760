/** `hooks forward`: send the events in the log of a webhook to another URL. */
import { Failure, isFromSignal } from '../../errors.ts';
import { momentOf } from '../../spec/flag.ts';
import type { Row } from '../../spec/resource.ts';
import { done, type Result } from '../../spec/result.ts';
import { jsonText } from '../../support/json.ts';
import { isRecord } from '../../support/record.ts';
import type { Incoming, Maybe, SavedState, TaskContext } from '../context.ts';
import {
  describeDelivery,
  eventNameOf,
  eventsCall,
  isSuccess,
  notAccepted,
  noteUnknownTimes,
  openHookState,
  plannedPosts,
  readSecret,
  readTarget,
  stoppedAfter,
  timeOf,
} from './calls.ts';

/** Headers of one connection. */
const perHop =
  /^(host|connection|content-length|transfer-encoding|te|trailer|upgrade|expect|keep-alive|accept-encoding|proxy-.*)$/i;
const tokenHeader = /^x-[a-z0-9]+-token$/i;
const eventHeader = /^x-([a-z0-9]+)-event$/i;
const redacted = /^\W*(redacted|filtered|masked)\W*$/i;

/** The headers of a logged event, with the token in place of the redacted one. */
function forwardedHeaders(event: Row, token: string | undefined): [string, string][] {
  const { request_headers: logged } = event;
  const headers = Object.entries(isRecord(logged) ? logged : {})
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

/** Whether the service logged no payload: `{"oversize":true}`. */
const isOversize = ({ request_data: data }: Row): boolean =>
  isRecord(data) && data['oversize'] === true && Object.keys(data).length === 1;

type LoggedEvent = Row & { readonly id: number };

/** The last event that was sent, or that the first run leaves out. Ids grow. */
interface Reached {
  readonly sent: number;
  /** Milliseconds since the epoch, if the log shows the time of the event. */
  readonly time?: number | undefined;
}

/** Which logged events are still to be sent. The state survives restarts, so that nothing is lost or sent twice. */
export function forwarding(state: SavedState) {
  const { sent: last, time: at, sending } = isRecord(state.value) ? state.value : {};
  const time = typeof at === 'number' ? at : undefined;
  let reached: Reached | undefined = typeof last === 'number' ? { sent: last, time } : undefined;
  let hasRestarted = false;
  let isBehind = false;
  const reach = (event: LoggedEvent | undefined) => {
    reached = { sent: event?.id ?? 0, time: event && timeOf(event) };
    return state.save(reached);
  };
  return {
    /** An event that may have been sent, because an earlier run ended while it was sending it. */
    uncertain: sending,
    isNew: () => reached === undefined,
    /** Whether the log of the last call began again with smaller ids, as after a restart of a sandbox. */
    hasRestarted: () => hasRestarted,
    /** Whether the log of the last call lacked the last event, without a later one. */
    isBehind: () => isBehind,
    /**
     * Read the log and return the events to send, oldest first.
     * @param since milliseconds since the epoch: the first event of a first run; by default, one after all that the log contains
     */
    async next(log: AsyncIterable<Row>, since?: number): Promise<LoggedEvent[]> {
      // Events that are logged meanwhile shift the pages, so that a row can arrive twice.
      const events = new Map<number, LoggedEvent>();
      const { sent = 0, time = 0 } = reached ?? {};
      let newest: LoggedEvent | undefined;
      let last = Number.POSITIVE_INFINITY;
      for await (const row of log) {
        const { id } = row;
        if (typeof id !== 'number' || !Number.isSafeInteger(id))
          throw new Failure('server_error', 'an event in the log has no id');
        const event = { ...row, id };
        events.set(id, event);
        if (id >= (newest?.id ?? 0)) newest = event;
        const isNewestFirst = id < last && last !== Number.POSITIVE_INFINITY;
        if (isNewestFirst && id <= sent && (newest?.id ?? 0) >= sent) break;
        last = id;
      }
      // A response without the last events, such as that of a replica, shows no later event.
      const isLater = newest !== undefined && (timeOf(newest) ?? Infinity) > time;
      hasRestarted = newest !== undefined && newest.id < sent && isLater;
      isBehind = newest !== undefined && newest.id < sent && !isLater;
      const all = [...events.values()].sort((a, b) => a.id - b.id);
      if (!reached)
        await reach(all.filter((event) => since === undefined || (timeOf(event) ?? since) < since).at(-1));
      const start = hasRestarted ? 0 : (reached?.sent ?? 0);
      reached = { ...reached, sent: start };
      return all.filter(({ id }) => id > start);
    },
    /** Send one event. It counts as sent if the receiver responds with 2xx. */
    async send(event: LoggedEvent, post: () => Promise<Incoming>): Promise<Incoming> {
      await state.save({ ...reached, sending: event.id });
      const response = await post();
      if (isSuccess(response.status)) await reach(event);
      else await state.save({ ...reached });
      return response;
    },
  };
}

export async function forward(
  task: TaskContext,
  options: { readonly to: string } & Maybe<{ since: string; token: string; interval: number; once: true }>,
): Promise<Result> {
  const { interval = 10 } = options;
  const url = readTarget(options.to);
  const since = momentOf(options.since, task.now(), 'since');
  task.requireWrite();
  const token = await readSecret(task, options.token, '--token');
  const call = await eventsCall(task);
  const saved = await openHookState(task, 'forward', call, [url.href]);
  // A dry run sends nothing, so the next run begins at the same event.
  const state = task.dryRun ? { ...saved, save: async () => {} } : saved;
  const requestOf = (event: LoggedEvent) => {
    const { request_data: data = '' } = event;
    return {
      url,
      headers: forwardedHeaders(event, token),
      body: Buffer.from(typeof data === 'string' ? data : jsonText(data)),
      secrets: token === undefined ? [] : [token],
      complete: true,
    } as const;
  };
  let sent = 0;
  try {
    const forwarded = forwarding(state);
    task.note('payloads in the log may be redacted or shortened; --token sets the secret token again');
    const { uncertain } = forwarded;
    if (uncertain !== undefined)
      task.warn(
        `an earlier run ended while it sent event ${uncertain}, which is sent again with the same Idempotency-Key`,
      );
    if (!forwarded.isNew() && since !== undefined)
      task.note('continuing after the events that were sent before; --since applies to the first run only');
    for (;;) {
      const isFirst = forwarded.isNew();
      const events = await forwarded.next(task.rows(call, { numbers: 'exact', mayChange: true }), since);
      if (forwarded.hasRestarted())
        task.warn('the log starts again with smaller ids: all of its events are sent');
      if (forwarded.isBehind())
        task.warn('the log lacks the last event that was sent; nothing is sent until it has a later one');
      if (isFirst && since !== undefined)
        noteUnknownTimes(task, events.filter((event) => timeOf(event) === undefined).length);
      if (task.dryRun && events.length > 0) return plannedPosts(...events.map(requestOf));
      for (const event of events) {
        task.signal.throwIfAborted();
        if (isOversize(event))
          task.warn(
            `event ${event.id} was too large for the log: a placeholder is sent in place of its payload`,
          );
        const begun = task.now();
        const request = requestOf(event);
        const response = await forwarded.send(event, () => task.post(request));
        if (!isSuccess(response.status))
          throw notAccepted(url, `event ${event.id}`, response, [
            'the next run with the same hook and --to sends this event again, then those after it',
          ]);
        sent += 1;
        const now = task.now();
        const header = request.headers.find(([name]) => eventHeader.test(name))?.[1];
        const { request_data: payload = '' } = event;
        const facts = { event: eventNameOf(header, payload), id: String(event.id), payload };
        const answer = { status: response.status, milliseconds: now - begun };
        const line = describeDelivery({ ...facts, when: timeOf(event) ?? now }, answer);
        if (!(await task.paint([['plain', line]]))) return done();
      }
      if (options.once || task.dryRun) {
        if (events.length === 0) task.note('no new events');
        return done();
      }
      await task.pause(interval * 1000);
    }
  } catch (error) {
    if (options.once || !isFromSignal(error)) throw error;
    return stoppedAfter(error, sent);
  } finally {
    state.close();
  }
}
