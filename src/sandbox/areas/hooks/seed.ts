import { type HookFlag, hookEvents } from '../../../api/hook-events.ts';
import type { PushEvent } from '../../core/behavior.ts';
import { seededShas } from '../../git/history.ts';
import type { Seeder } from '../../seed/seeder.ts';
import { type HookEvent, messageOf } from './events.ts';
import { type Hook, headersOf, type Message } from './hook.ts';
import { pushPayload } from './payload.ts';

const subscribed = (...flags: HookFlag[]) =>
  Object.fromEntries(Object.keys(hookEvents).map((flag) => [flag, flags.includes(flag as HookFlag)]));

const common = {
  group_id: 10,
  alert_status: 'executable',
  disabled_until: null,
  branch_filter_strategy: 'wildcard',
  enable_ssl_verification: true,
  custom_webhook_template: '',
  custom_headers: [],
  url_variables: [],
} as const;

/** The end of all answers of a made-up address: id, status, body, hours ago. */
const answers: readonly (readonly [id: number, status: string, body: string, hours: number])[] = [
  [401, '200', 'thanks', 50],
  [402, '500', 'the disk is full', 26],
  [403, '404', 'nobody here', 2],
];

const push: PushEvent = {
  kind: 'push',
  project_id: 100,
  user_id: 4,
  ref: 'refs/heads/main',
  before: seededShas['main~3'],
  after: seededShas.main,
  commits: [
    {
      id: seededShas.main,
      message: 'Say how to read the output',
      title: 'Say how to read the output',
      timestamp: '2026-03-13T11:20:00.000Z',
      author: { name: 'Devon Developer', email: 'devon@example.com' },
      added: [],
      modified: ['README.md'],
      removed: [],
    },
  ],
};

const uuid = (id: number): string => `00000000-0000-8000-8000-${String(id).padStart(12, '0')}`;

/** Two hooks of the group acme, and what the first has sent lately. */
export const hooks: Seeder = (world) => {
  const table = world.table<Hook>('hooks');
  const first = table.insert({
    ...common,
    ...subscribed('push_events', 'tag_push_events'),
    id: 301,
    uuid: uuid(301),
    url: 'http://127.0.0.1:9/hook',
    name: 'Builder',
    description: 'Builds what is pushed',
    created_at: '2026-01-10T09:00:00.000Z',
    push_events_branch_filter: '',
    token: 'not-a-real-token',
  } as unknown as Omit<Hook, 'id'>);
  table.insert({
    ...common,
    ...subscribed('pipeline_events', 'releases_events'),
    id: 302,
    uuid: uuid(302),
    url: 'http://127.0.0.1:9/chat',
    name: 'Chat',
    description: 'Tells the team of releases',
    created_at: '2026-02-01T09:00:00.000Z',
    push_events_branch_filter: '',
    token: null,
  } as unknown as Omit<Hook, 'id'>);
  for (const [id, response_status, response_body, hours] of answers) {
    const message: Message = {
      ...messageOf(first, 'push_events', pushPayload(world, push, true)),
      idempotencyKey: uuid(id),
      eventUuid: uuid(id + 1000),
    };
    world.table<HookEvent>('hook_events').insert({
      id,
      hook_id: first.id,
      url: first.url,
      trigger: hookEvents.push_events.trigger,
      created_at: new Date(world.now() - hours * 3_600_000).toISOString(),
      message,
      request_headers: headersOf(first, message, world.origin, 'log'),
      response_headers: { 'content-type': 'text/plain', 'content-length': String(response_body.length) },
      response_body,
      response_status,
      execution_duration: 0.1 + hours / 1000,
    });
  }
};
