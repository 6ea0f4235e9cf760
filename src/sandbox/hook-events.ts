/** The log of what hooks sent, and the sending that fills it (sections 2.16, 6.1). */
import { randomUUID } from 'node:crypto';
import { ancestry } from './access.ts';
import type { Event, World } from './behaviour.ts';
import { protecting } from './behaviours/protection.ts';
import { deliver } from './delivery.ts';
import { fillTemplate, type Hook, headersOf, type Message, wantsBranch } from './hook.ts';
import { ordered } from './order.ts';
import { pushPayload } from './payload.ts';
import type { Project, Row } from './rows.ts';
import type { Rows } from './store.ts';

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

export const triggers = {
  push: { event: 'Push Hook', trigger: 'push_hooks', flag: 'push_events' },
  tag_push: { event: 'Tag Push Hook', trigger: 'tag_push_hooks', flag: 'tag_push_events' },
} as const;

/** What a hook would send of an event. */
export function messageOf(world: World, hook: Hook, event: Event): Message {
  const project = world.table<Project>('projects').get(event.project_id) as Project;
  const branch = event.ref.replace(/^refs\/(heads|tags)\//, '');
  const isProtected = event.kind === 'push' && protecting(world, project, branch).length > 0;
  const payload = pushPayload(world, event, isProtected);
  const { custom_webhook_template: template } = hook;
  return {
    event: triggers[event.kind].event,
    body: template === '' ? JSON.stringify(payload) : fillTemplate(template, payload),
    idempotencyKey: randomUUID(),
    eventUuid: randomUUID(),
  };
}

async function wants(hook: Hook, event: Event): Promise<boolean> {
  if (hook[triggers[event.kind].flag] !== true) return false;
  return event.kind !== 'push' || wantsBranch(hook, event.ref.replace('refs/heads/', ''));
}

/** Tell the hooks of the project's group, and of the groups above it. */
export async function tellHooks(event: Event, world: World): Promise<void> {
  const project = world.table<Project>('projects').get(event.project_id);
  if (!project) return;
  const groups = ancestry(world.store, project.group_id).map(({ id }) => id);
  const hooks = world.table<Hook>('hooks').filter((hook) => groups.includes(hook.group_id));
  await Promise.all(
    hooks.map(async (hook) => {
      if (!(await wants(hook, event))) return;
      await send(world, hook, triggers[event.kind].trigger, messageOf(world, hook, event));
    }),
  );
}
