/** Deliveries of events to hooks, and their log (sections 2.16, 6.1). */
import { randomUUID } from 'node:crypto';
import { eventHeader, eventTrigger, type HookFlag } from '../../../webhooks/events.ts';
import { push, repositoryUpdate } from '../../../webhooks/payloads.ts';
import type { GroupSubject } from '../../../webhooks/shapes.ts';
import { ancestry } from '../../core/access.ts';
import { defined, removeWhere } from '../../core/lookup.ts';
import { ordered } from '../../core/pages.ts';
import type { Group, Project, Row } from '../../core/rows.ts';
import { userFacts } from '../../core/summary.ts';
import { day } from '../../core/time.ts';
import type { SandboxEvent, World } from '../../core/world.ts';
import { KeyedQueue } from '../../store/gate.ts';
import type { Rows } from '../../store/store.ts';
import { protecting } from '../branches/protection.ts';
import { deliver } from './delivery.ts';
import {
  fillTemplate,
  type Hook,
  headersOf,
  isDisabled,
  type Message,
  recordOutcome,
  wantsBranch,
} from './hook.ts';

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
  const outcome = await deliver(
    {
      url: hook.url,
      headers: headersOf(hook, message, world.origin, 'secrets'),
      body: message.body,
      verify: hook.enable_ssl_verification,
    },
    world,
  );
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

export function messageOf(hook: Hook, flag: HookFlag, payload: object): Message {
  const { custom_webhook_template: template } = hook;
  return {
    event: eventHeader(flag),
    body: template === '' ? JSON.stringify(payload) : fillTemplate(template, payload),
    idempotencyKey: randomUUID(),
    eventUuid: randomUUID(),
  };
}

/** A payload, and the subscription that it is for. */
interface Notification {
  readonly flag: HookFlag;
  readonly group_id: number;
  readonly project_id?: number;
  readonly payload: object;
  /** The branch of a push, for branch filters. */
  readonly branch?: string | undefined;
}

/** Return the notifications of an event, none if its project was deleted. A push is also a repository update. */
function notificationsOf(event: SandboxEvent, world: World): Notification[] {
  const user = userFacts(world, event.user_id);
  const subjectOf = (group_id: number): GroupSubject => ({
    instance: world.origin,
    user,
    group: defined(world.table<Group>('groups').get(group_id)),
  });
  if ('group_id' in event) {
    const { kind: flag, group_id } = event;
    return [{ flag, group_id, payload: event.payload(subjectOf(group_id)) }];
  }
  const project = world.table<Project>('projects').get(event.project_id);
  if (!project) return [];
  const { id: project_id, group_id } = project;
  const place = { project_id, group_id };
  const subject = { ...subjectOf(group_id), project };
  if ('payload' in event) {
    const { kind: flag, payload, branch } = event;
    return [{ flag, ...place, payload: payload(subject), branch }];
  }
  const branch = event.kind === 'push' ? event.ref.replace(/^refs\/heads\//, '') : undefined;
  const isProtected = branch !== undefined && protecting(world, project, branch).length > 0;
  return [
    { flag: `${event.kind}_events`, ...place, payload: push(subject, event, isProtected), branch },
    { flag: 'repository_update_events', ...place, payload: repositoryUpdate(subject, event) },
  ];
}

export function hooksOf(
  world: World,
  { group_id, project_id }: Pick<Notification, 'group_id' | 'project_id'>,
): Hook[] {
  const groups: unknown[] = ancestry(world.store, group_id).map(({ id }) => id);
  return world
    .table<Hook>('hooks')
    .filter(
      (hook) =>
        groups.includes(hook.group_id) || (project_id !== undefined && hook.project_id === project_id),
    );
}

/** Whether a hook gets an event: by its health and its subscriptions, and for a push by its branch filter. */
export async function isSubscribed(
  world: World,
  hook: Hook,
  { flag, branch }: Pick<Notification, 'flag' | 'branch'>,
): Promise<boolean> {
  return !isDisabled(hook, world) && hook[flag] && (branch === undefined || wantsBranch(hook, branch));
}

/** Deliver an event to the hooks of its project, its group and the groups above it. Each hook gets its events one after another, in order. */
export async function deliverEvent(event: SandboxEvent, world: World): Promise<void> {
  const queue = queueOf(world);
  await Promise.all(
    notificationsOf(event, world).flatMap((notification) => {
      const { flag, payload } = notification;
      return hooksOf(world, notification).map((hook) =>
        queue.run(String(hook.id), async () => {
          // Meanwhile, the hook may have been deleted, or the state replaced.
          if (queueOf(world) !== queue || !world.table<Hook>('hooks').get(hook.id)) return;
          if (!(await isSubscribed(world, hook, notification))) return;
          await send(world, hook, eventTrigger(flag), messageOf(hook, flag, payload));
        }),
      );
    }),
  );
}
