/** `hooks replay`: ask the service to resend events of a webhook. */
import { Failure, isFromSignal, mayBeExecuted, usage } from '../../errors.ts';
import { momentOf } from '../../spec/flag.ts';
import { counted } from '../../spec/names.ts';
import type { Row } from '../../spec/resource.ts';
import { done, type Note, type Result } from '../../spec/result.ts';
import { decode } from '../../support/bytes.ts';
import { groupBy, isRecord, scalarText } from '../../support/record.ts';
import { type Maybe, type SavedState, type TaskContext, valuesOf } from '../context.ts';
import { attributeOf } from '../engine/wait.ts';
import {
  eventsCall,
  isSuccess,
  keyOf,
  noteUnknownTimes,
  openHookState,
  resendCall,
  timeOf,
  wasDelivered,
} from './calls.ts';

/** Resends of each webhook and user in a minute (section 8). */
const perMinute = 5;
const minute = 60_000;

type Options = Maybe<{ status: string; since: string }>;

/** The progress of a replay, which is saved so that an interrupted one can be continued. */
interface Progress {
  /** Ids of all events, in order. */
  readonly plan: readonly string[];
  /** The status of each event that was resent. */
  readonly done: Map<string, number>;
  readonly times: number[];
  /** Events that were planned and are no longer in the log. */
  readonly expired?: readonly string[];
}

const save = (state: SavedState, { done, ...progress }: Progress, sending?: string): Promise<void> =>
  state.save({ ...progress, done: [...done], sending });

function readIds(task: TaskContext): string[] {
  const words = valuesOf(task, 'event').flatMap((word) => word.split(','));
  const wrong = words.find((word) => !/^[1-9]\d{0,18}$/.test(word));
  if (wrong !== undefined) throw usage(`--event must be the id of an event, not ${JSON.stringify(wrong)}`);
  return [...new Set(words)];
}

const idOf = (event: Row): string => attributeOf(event, 'id');

/**
 * Read the events of the log that the flags select, oldest first. Of several attempts of a delivery, only the first is one of them, and
 * none if another one succeeded.
 * @throws Failure `usage` for an id that is not in the log
 */
async function select(task: TaskContext, options: Options, ids: readonly string[]): Promise<Row[]> {
  const since = momentOf(options.since, task.now(), 'since');
  const found = new Map<string, Row>();
  let unknown = 0;
  for await (const row of task.rows(await eventsCall(task, options.status), { mayChange: true })) {
    const time = timeOf(row);
    if (since !== undefined && time === undefined) unknown += 1;
    if (since === undefined || time === undefined || time >= since) found.set(idOf(row), row);
  }
  noteUnknownTimes(task, unknown);
  const missing = ids.filter((id) => !found.has(id));
  if (missing.length > 0)
    throw usage(
      `not among these events of the log: ${missing.join(', ')}`,
      `list them with: ${task.resumeCommand(['hooks', 'events', task.line.words[0] ?? ''])}`,
    );
  const rows = [...found]
    .filter(([id]) => ids.length === 0 || ids.includes(id))
    .sort(([a], [b]) => Number(a) - Number(b))
    .map(([, row]) => row);
  if (ids.length > 0) return rows;
  const delivered = new Set<string>();
  for await (const row of task.rows(await eventsCall(task), { mayChange: true }))
    if (wasDelivered(row)) delivered.add(keyOf(row));
  return [...groupBy(rows, keyOf)].flatMap(([key, attempts]) =>
    delivered.has(key) && !attempts.some(wasDelivered) ? [] : attempts.slice(0, 1),
  );
}

async function waitForLimit(task: TaskContext, times: number[]): Promise<void> {
  const oldest = times.at(-perMinute) ?? Number.NEGATIVE_INFINITY;
  const wait = oldest + minute - task.now();
  if (wait <= 0) return;
  const seconds = Math.ceil(Math.min(wait, minute) / 1000);
  task.note(`waiting ${seconds}s: the service allows ${perMinute} resends per minute`);
  await task.pause(seconds * 1000);
}

async function resendAll(task: TaskContext, state: SavedState, replayed: Progress): Promise<void> {
  const { plan, done, times } = replayed;
  const progress = task.progress('resending events', plan.length - done.size);
  for (const id of plan) {
    if (done.has(id)) continue;
    task.signal.throwIfAborted();
    progress.step(id);
    await waitForLimit(task, times);
    const call = await resendCall(task, id);
    // The service counts a resend at a time between its request and its response.
    await save(state, { ...replayed, times: [...times, task.now()] }, id);
    const { value } = await task.call(call).catch(async (error: unknown) => {
      const isKnown = error instanceof Failure && !isFromSignal(error) && !mayBeExecuted(error);
      if (isKnown) await save(state, replayed);
      throw error;
    });
    const status = Number(value['response_status']) || 0;
    done.set(id, status);
    times.push(task.now());
    await save(state, replayed);
    const tone = isSuccess(status) ? 'plain' : 'warning';
    await task.paint([[tone, `${id}  ${status === 0 ? 'no response' : status}`]]);
  }
  progress.end();
}

const workFor = (count: number): string => {
  const minutes = Math.ceil(count / perMinute) - 1;
  return `${counted(count, 'event')}${minutes === 0 ? '' : `, which takes about ${counted(minutes, 'minute')}`}`;
};

async function expiredOf(task: TaskContext, { plan, done }: Progress): Promise<string[]> {
  const logged = new Set<string>();
  for await (const row of task.rows(await eventsCall(task), { mayChange: true })) logged.add(idOf(row));
  const expired = plan.filter((id) => !done.has(id) && !logged.has(id));
  if (expired.length > 0) task.warn(`no longer in the log: ${expired.join(', ')}`);
  return expired;
}

/** Continue an interrupted replay, or plan a new one. @returns undefined if there is nothing to do */
async function planned(
  task: TaskContext,
  options: Options,
  ids: readonly string[],
  { value }: SavedState,
): Promise<Progress | undefined> {
  if (isRecord(value)) {
    // The value has the form in which `save` wrote it.
    const saved = value as unknown as Progress & { readonly sending?: string };
    const done = new Map(saved.done);
    const expired = await expiredOf(task, { ...saved, done });
    const plan = saved.plan.filter((id) => !expired.includes(id));
    const left = plan.length - done.size;
    task.note(`continuing: ${done.size} of ${counted(plan.length, 'event')} were resent before`);
    if (saved.sending !== undefined)
      task.warn(
        `the outcome of event ${saved.sending} is unknown; it is resent with the same Idempotency-Key`,
      );
    if (!task.dryRun) await task.confirm(`Resend the other ${workFor(left)}?`);
    return { plan, done, times: [...saved.times], expired: [...(saved.expired ?? []), ...expired] };
  }
  const rows = await select(task, options, ids);
  if (rows.length === 0) {
    task.note('no events to resend');
    return undefined;
  }
  const facts = (row: Row) => [row['id'], row['trigger'], row['response_status']].map(scalarText);
  if (!task.dryRun) {
    await task.paint(rows.map((row) => ['plain', `resend ${facts(row).join('  ')}`]));
    await task.confirm(`Resend ${workFor(rows.length)}?`);
  }
  return { plan: rows.map(idOf), done: new Map(), times: [] };
}

/** `hooks resend`: fails if the receiver did not accept the event. */
export async function resend(task: TaskContext): Promise<Result> {
  const call = await task.prepare();
  const result = await task.run(call);
  if (result.kind !== 'written') return result;
  // A resending that is only scheduled (202) has no response yet.
  const text = decode(result.body)?.trim() || '{}';
  const { response_status } = JSON.parse(text) as Row;
  const status = Number(response_status) || 0;
  if (response_status === undefined || isSuccess(status)) return result;
  const { hook_id, hook_event_id } = call.slots;
  const response = status === 0 ? 'did not respond' : `responded with status ${status}`;
  const failure = new Failure('unsuccessful', `the receiver of event ${hook_event_id} ${response}`, {
    hint: `check the receiver: ${task.resumeCommand(['hooks', 'get', hook_id ?? ''])} shows its URL`,
  });
  return { ...result, failure };
}

export async function replay(task: TaskContext, options: Options): Promise<Result> {
  const ids = readIds(task);
  const call = await eventsCall(task, options.status);
  const parts = [options.status, options.since, ids.join(',')];
  const state = await openHookState(task, 'replay', call, parts);
  try {
    const progress = await planned(task, options, ids, state);
    if (!progress) return done();
    if (task.dryRun) {
      const left = progress.plan.filter((one) => !progress.done.has(one));
      return task.requests(await Promise.all(left.map((id) => resendCall(task, id))));
    }
    await save(state, progress);
    await resendAll(task, state, progress);
    await state.remove();
    const failed = [...progress.done].filter(([, status]) => !isSuccess(status)).map(([id]) => id);
    const sent = progress.done.size - failed.length;
    const text = `Resent ${counted(sent, 'event')} of webhook ${call.slots['hook_id']}`;
    const notes: Note[] = sent > 0 ? [{ how: 'done', text }] : [];
    if (failed.length === 0)
      return done({ notes, ...(progress.expired?.length ? { ending: 'partial' } : {}) });
    const refused = `${counted(failed.length, 'event')}: ${failed.join(', ')}`;
    notes.push({ how: 'warn', text: `the receiver did not accept ${refused}` });
    return done({ notes, ending: 'unsuccessful' });
  } finally {
    state.close();
  }
}
