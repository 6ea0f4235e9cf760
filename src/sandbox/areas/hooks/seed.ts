import { eventTrigger } from '../../../webhooks/events.ts';
import { type PushFacts, push as pushPayload } from '../../../webhooks/payloads.ts';
import { defined } from '../../core/lookup.ts';
import type { Group, Project } from '../../core/rows.ts';
import { userFacts } from '../../core/summary.ts';
import { hour, iso } from '../../core/time.ts';
import { seededShas } from '../../git/history.ts';
import type { Seeder } from '../../seed/seeder.ts';
import { type HookEvent, messageOf } from './events.ts';
import { flagsOf, type Hook, headersOf, hookDefaults, type Message } from './hook.ts';

/** Responses of the receiver. */
const responses: readonly (readonly [id: number, status: string, body: string, hours: number])[] = [
  [401, '200', 'thanks', 50],
  [402, '500', 'the disk is full', 26],
  [403, '404', 'no such path', 2],
];

const push: PushFacts = {
  kind: 'push',
  ref: 'refs/heads/main',
  before: seededShas['main~3'],
  after: seededShas.main,
  commits: [
    {
      id: seededShas.main,
      message: 'Say how to read the output',
      title: 'Say how to read the output',
      created_at: '2026-03-13T11:20:00.000Z',
      author_name: 'Devon Developer',
      author_email: 'devon@example.com',
      added: [],
      modified: ['README.md'],
      removed: [],
    },
  ],
};

const uuid = (id: number): string => `00000000-0000-8000-8000-${String(id).padStart(12, '0')}`;

/** Two hooks of the group acme, and recent deliveries of the first one. */
export const hooks: Seeder = (world) => {
  const table = world.table<Hook>('hooks');
  const first = table.insert({
    ...hookDefaults,
    ...flagsOf(['push_events', 'tag_push_events']),
    group_id: 10,
    id: 301,
    uuid: uuid(301),
    url: 'http://127.0.0.1:9/hook',
    name: 'Builder',
    description: 'Builds every push',
    created_at: '2026-01-10T09:00:00.000Z',
    token: 'not-a-real-token',
  });
  table.insert({
    ...hookDefaults,
    ...flagsOf(['pipeline_events', 'releases_events']),
    group_id: 10,
    id: 302,
    uuid: uuid(302),
    url: 'http://127.0.0.1:9/chat',
    name: 'Chat',
    description: 'Posts releases to the team chat',
    created_at: '2026-02-01T09:00:00.000Z',
  });
  const project = defined(world.table<Project>('projects').get(100));
  const subject = {
    instance: world.origin,
    user: userFacts(world, 4),
    group: defined(world.table<Group>('groups').get(project.group_id)),
    project,
  };
  for (const [id, response_status, response_body, hours] of responses) {
    const message: Message = {
      ...messageOf(first, 'push_events', pushPayload(subject, push, true)),
      idempotencyKey: uuid(id),
      eventUuid: uuid(id + 1000),
    };
    world.table<HookEvent>('hook_events').insert({
      id,
      hook_id: first.id,
      url: first.url,
      trigger: eventTrigger('push_events'),
      created_at: iso(world.now() - hours * hour),
      message,
      request_headers: headersOf(first, message, world.origin, 'log'),
      response_headers: { 'content-type': 'text/plain', 'content-length': String(response_body.length) },
      response_body,
      response_status,
      execution_duration: 0.1 + hours / 1000,
    });
  }
};
