/** `hooks health`: which webhooks are broken, and the command that repairs each. */
import { deliveryCalls, listCalls } from '../../api/hooks.ts';
import { Failure } from '../../errors.ts';
import { counted } from '../../spec/names.ts';
import type { Row } from '../../spec/resource.ts';
import { type Result, rowsResult, sayNote } from '../../spec/result.ts';
import type { TaskContext } from '../context.ts';
import { allRows, ifAvailable } from '../engine/codecs.ts';
import { keyOf, timeOf, wasDelivered } from './calls.ts';

/** Describe a webhook by the events of its log, the newest first. @param repair returns the command that resends events */
export function healthOf(hook: Row, events: readonly Row[], repair: (ids: string) => string) {
  const delivered = new Set(events.filter(wasDelivered).map(keyOf));
  // The newest attempt of each event that never got through.
  const lost = events.toReversed().filter((event) => !delivered.has(keyOf(event)));
  const open = new Map(lost.map((event) => [keyOf(event), event['id']]));
  const times = events.flatMap((event) => (wasDelivered(event) ? (timeOf(event) ?? []) : []));
  const [latest] = events;
  const isDisabled = (hook['alert_status'] ?? 'executable') !== 'executable';
  return {
    id: hook['id'],
    url: hook['url'],
    alert_status: hook['alert_status'] ?? 'executable',
    disabled_until: hook['disabled_until'] ?? null,
    last_success: times.length > 0 ? new Date(Math.max(...times)).toISOString() : null,
    events: events.length,
    failures: events.filter((event) => !wasDelivered(event)).length,
    not_delivered: open.size,
    broken: isDisabled || (latest !== undefined && !wasDelivered(latest)),
    repair: open.size > 0 ? repair([...open.values()].join(',')) : null,
  };
}

/** Read the log of each webhook of the project or group, with a failure if one is broken. */
export async function describeHealth(task: TaskContext): Promise<Result> {
  const list = await task.prepare({ endpoints: listCalls });
  const endpoint = deliveryCalls.find(({ scope }) => scope === list.endpoint.scope);
  if (!endpoint) throw new Error('no list of deliveries for this scope');
  if (task.dryRun) return task.requests([list]);
  const hooks = await allRows(task.rows(list));
  const progress = task.progress('reading webhooks', hooks.length);
  const rows: ReturnType<typeof healthOf>[] = [];
  const unread: string[] = [];
  let read = 0;
  for (const hook of hooks) {
    const hook_id = String(hook['id']);
    progress.step(hook_id);
    const log = { endpoint, slots: { ...list.slots, hook_id }, values: {} };
    // The webhook may have been deleted in the meantime.
    const events = await ifAvailable(allRows(task.rows(log, { mayChange: true })));
    if (!events) {
      unread.push(hook_id);
      continue;
    }
    read += events.length;
    events.sort((a, b) => Number(b['id']) - Number(a['id']));
    const words = ['hooks', 'replay', hook_id, '--event'];
    rows.push(healthOf(hook, events, (ids) => task.resumeCommand([...words, ids])));
  }
  progress.end();
  const missing = `the log of ${counted(unread.length, 'webhook')} cannot be read: ${unread.join(', ')}`;
  const broken = rows.filter((row) => row.broken).map(({ id }) => id);
  if (unread.length > 0 && broken.length > 0) task.warn(missing);
  const message = `${counted(broken.length, 'webhook')} of ${rows.length} broken: ${broken.join(', ')}`;
  const partial = unread.length > 0 ? new Failure('partial', missing) : undefined;
  const commands = rows.flatMap(({ repair }) => (repair === null ? [] : `  ${repair}`));
  return rowsResult(rows, task.command.prints, {
    // The terminal wraps a command, so that it can be copied as a whole.
    picture: (pen) =>
      commands.length > 0 ? ['', ...commands.map((line) => pen.paint('changed', line))] : [],
    notes: [sayNote(`${counted(read, 'event')} of the last seven days read`)],
    failure: broken.length > 0 ? new Failure('unsuccessful', message) : partial,
  });
}
