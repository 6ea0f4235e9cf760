/** Deliveries of events to hooks, and their log (sections 2.16, 6.1). */
import { randomUUID } from 'node:crypto';
import { type HookFlag, hookEvents } from '../../../api/hook-events.ts';
import { ancestry } from '../../core/access.ts';
import type { SandboxEvent, World } from '../../core/behavior.ts';
import { removeWhere } from '../../core/lookup.ts';
import { ordered } from '../../core/pages.ts';
import type { Project, Row } from '../../core/rows.ts';
import { day } from '../../core/time.ts';
import { KeyedQueue } from '../../store/queue.ts';
import type { Rows } from '../../store/store.ts';
import { protecting } from '../branches/protection.ts';
import { deliver } from './delivery.ts';
import { isDisabled, recordOutcome } from './health.ts';
import { fillTemplate, type Hook, headersOf, type Message, wantsBranch } from './hook.ts';
import { pushPayload, updatePayload } from './payload.ts';

export interface HookEvent extends Row {
  hook_id: number;
  url: string;
  trigger: string;
  created_at: string;
  message: Message;
  /** With secrets redacted. */
  request_headers: Readonly<Record<string, string>>;
  response_headers: Readonly<Record<string, string>>;
  response_body: string;
  response_status: string;
  /** Seconds. */
  execution_duration: number;
}

/** Return the log, which holds seven days (section 8). */
function log(world: World): Rows<HookEvent> {
  const table = world.table<HookEvent>('hook_events');
  removeWhere(table, ({ created_at }) => Date.parse(created_at) < world.now() - 7 * day);
  return table;
}

/** Return the deliveries of a hook in the last seven days, newest first. */
export function recentEvents(world: World, hook: Hook): HookEvent[] {
  return ordered(
    log(world).filter((row) => row.hook_id === hook.id),
    { by: 'created_at', sort: 'desc' },
  );
}

/** The deliveries of each hook. It is another object after the state was replaced. */
const queueOf = (world: World): KeyedQueue => world.cached('hook-deliveries', () => new KeyedQueue());

/** Deliver a message to the URL of a hook and log it, unless the state was replaced meanwhile. */
export async function send(world: World, hook: Hook, trigger: string, message: Message): Promise<HookEvent> {
  const created_at = world.time();
  const queue = queueOf(world);
  const outcome = await deliver({
    url: hook.url,
    headers: headersOf(hook, message, world.origin, 'secrets'),
    body: message.body,
    verify: hook.enable_ssl_verification,
  });
  const event: Omit<HookEvent, 'id'> = {
    hook_id: hook.id,
    url: hook.url,
    trigger,
    created_at,
    message,
    request_headers: headersOf(hook, message, world.origin, 'log'),
    response_headers: outcome.headers,
    response_body: outcome.body,
    response_status: outcome.status,
    execution_duration: outcome.duration,
  };
  if (queueOf(world) !== queue) return { id: 0, ...event };
  recordOutcome(world, hook, /^2\d\d$/.test(outcome.status));
  return log(world).insert(event);
}

/** Return the message that a hook sends for an event. */
export function messageOf(hook: Hook, flag: HookFlag, payload: object): Message {
  const { custom_webhook_template: template } = hook;
  return {
    event: hookEvents[flag].header,
    body: template === '' ? JSON.stringify(payload) : fillTemplate(template, payload),
    idempotencyKey: randomUUID(),
    eventUuid: randomUUID(),
  };
}

/** A payload, and the subscription that it is for. */
interface Notification {
  readonly flag: HookFlag;
  readonly group_id: number;
  readonly payload: object;
  /** The branch of a push, for branch filters. */
  readonly branch?: string;
}

/** Return the notifications of an event. A push is also a repository update. */
function notificationsOf(event: SandboxEvent, world: World): Notification[] {
  if ('payload' in event) {
    const { kind: flag, payload, ...target } = event;
    return [{ flag, payload: payload(world), ...target }];
  }
  const project = world.table<Project>('projects').get(event.project_id);
  if (!project) return [];
  const { group_id } = project;
  const branch = event.ref.replace(/^refs\/(heads|tags)\//, '');
  const isBranch = event.kind === 'push';
  const isProtected = isBranch && protecting(world, project, branch).length > 0;
  return [
    {
      flag: isBranch ? 'push_events' : 'tag_push_events',
      group_id,
      payload: pushPayload(world, event, project, isProtected),
      ...(isBranch ? { branch } : {}),
    },
    { flag: 'repository_update_events', group_id, payload: updatePayload(world, event, project) },
  ];
}

/** Whether a hook gets an event: by its subscriptions, and for a push by its branch filter. */
export async function isSubscribed(
  hook: Hook,
  { flag, branch }: Pick<Notification, 'flag' | 'branch'>,
): Promise<boolean> {
  return hook[flag] && (branch === undefined || wantsBranch(hook, branch));
}

/** Deliver an event to the hooks of its group and of the groups above it. Each hook gets its events one after another, in order. */
export async function deliverEvent(event: SandboxEvent, world: World): Promise<void> {
  const queue = queueOf(world);
  await Promise.all(
    notificationsOf(event, world).flatMap((notification) => {
      const { flag, group_id, payload } = notification;
      const groups = ancestry(world.store, group_id).map(({ id }) => id);
      const hooks = world.table<Hook>('hooks').filter((hook) => groups.includes(hook.group_id));
      return hooks.map((hook) =>
        queue.run(String(hook.id), async () => {
          // Meanwhile, the hook may have been deleted, or the state replaced.
          if (queueOf(world) !== queue || !world.table<Hook>('hooks').get(hook.id)) return;
          if (isDisabled(hook, world) || !(await isSubscribed(hook, notification))) return;
          await send(world, hook, hookEvents[flag].trigger, messageOf(hook, flag, payload));
        }),
      );
    }),
  );
}
