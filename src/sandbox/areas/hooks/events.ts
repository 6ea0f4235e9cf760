/** The log of what hooks sent, and the sending that fills it (sections 2.16, 6.1). */
import { randomUUID } from 'node:crypto';
import { type HookFlag, hookEvents } from '../../../api/hook-events.ts';
import { ancestry } from '../../core/access.ts';
import type { SandboxEvent, World } from '../../core/behavior.ts';
import { ordered } from '../../core/order.ts';
import type { Project, Row } from '../../core/rows.ts';
import type { Rows } from '../../store/store.ts';
import { protecting } from '../branches/protection.ts';
import { deliver } from './delivery.ts';
import { fillTemplate, type Hook, headersOf, type Message, wantsBranch } from './hook.ts';
import { pushPayload, updatePayload } from './payload.ts';

export interface HookEvent extends Row {
  hook_id: number;
  url: string;
  trigger: string;
  created_at: string;
  message: Message;
  /** As they may be seen. */
  request_headers: Readonly<Record<string, string>>;
  response_headers: Readonly<Record<string, string>>;
  response_body: string;
  response_status: string;
  /** Seconds. */
  execution_duration: number;
}

/** Milliseconds: the log holds seven days (section 8). */
const week = 7 * 24 * 60 * 60 * 1000;

/** The log. What is older than seven days is forgotten. */
function log(world: World): Rows<HookEvent> {
  const table = world.table<HookEvent>('hook_events');
  for (const row of table.filter(({ created_at }) => Date.parse(created_at) < world.now() - week))
    table.remove(row);
  return table;
}

/** What a hook sent in the last seven days, the newest first. */
export function recentEvents(world: World, hook: Hook): HookEvent[] {
  const rows = log(world).filter((row) => row.hook_id === hook.id);
  return ordered(rows, (row) => Date.parse(row.created_at), 'desc');
}

/** Call a hook's address and log it. */
export async function send(world: World, hook: Hook, trigger: string, message: Message): Promise<HookEvent> {
  const created_at = world.time();
  const outcome = await deliver({
    url: hook.url,
    headers: headersOf(hook, message, world.origin, 'secrets'),
    body: message.body,
    verify: hook.enable_ssl_verification,
  });
  return log(world).insert({
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
  });
}

/** What a hook would send of an event. */
export function messageOf(hook: Hook, flag: HookFlag, payload: object): Message {
  const { custom_webhook_template: template } = hook;
  return {
    event: hookEvents[flag].header,
    body: template === '' ? JSON.stringify(payload) : fillTemplate(template, payload),
    idempotencyKey: randomUUID(),
    eventUuid: randomUUID(),
  };
}

/** One kind of delivery that an event causes. */
interface Delivery {
  readonly flag: HookFlag;
  readonly group_id: number;
  readonly payload: object;
  /** The branch of a push, for filters. */
  readonly branch?: string;
}

/** A push is delivered to those who subscribed to pushes, and to those who subscribed to updates of repositories. */
function deliveriesOf(event: SandboxEvent, world: World): Delivery[] {
  if ('payload' in event) {
    return [{ flag: event.kind, group_id: event.group_id, payload: event.payload(world) }];
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
      payload: pushPayload(world, event, isProtected),
      ...(isBranch ? { branch } : {}),
    },
    { flag: 'repository_update_events', group_id, payload: updatePayload(world, event) },
  ];
}

async function wants(hook: Hook, { flag, branch }: Delivery): Promise<boolean> {
  return hook[flag] === true && (branch === undefined || wantsBranch(hook, branch));
}

/** Tell the hooks of the group where it happened, and of the groups above it. */
export async function tellHooks(event: SandboxEvent, world: World): Promise<void> {
  await Promise.all(
    deliveriesOf(event, world).flatMap((delivery) => {
      const groups = ancestry(world.store, delivery.group_id).map(({ id }) => id);
      const hooks = world.table<Hook>('hooks').filter((hook) => groups.includes(hook.group_id));
      return hooks.map(async (hook) => {
        if (!(await wants(hook, delivery))) return;
        const { flag, payload } = delivery;
        await send(world, hook, hookEvents[flag].trigger, messageOf(hook, flag, payload));
      });
    }),
  );
}
