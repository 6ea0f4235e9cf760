/** Each kind of event is caused by a change in the sandbox, or sent only by `svc sandbox emit` (section 6.1). */
import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import type { SandboxEvent } from '../../src/sandbox/core/world.ts';
import { eventHeader, eventTrigger, type HookFlag, hookFlags } from '../../src/webhooks/events.ts';
import { samplePayload } from '../../src/webhooks/samples.ts';
import { presented } from '../support/endpoints.ts';
import { folderWith } from '../support/folders.ts';
import type { ReceivedCall } from '../support/receiver.ts';
import { exampleFiles, openWorld } from '../support/sandbox.ts';
import { words } from '../support/svc.ts';
import { recordEvents } from './ask.ts';
import { causes, kindsByRoute, onlyEmitted, openSubscribed } from './hook-causes.ts';

async function perform(
  { ask, sandbox }: Awaited<ReturnType<typeof openSubscribed>>,
  cause: (typeof causes)[number],
) {
  const { call, json, advance } = cause;
  const response = await ask(call, json ? { json } : {});
  expect(response.status, response.text).toBe(201);
  if (advance !== undefined) sandbox.control.clock.advance(advance);
  await sandbox.close();
}

/** The paths of all keys. Lists count by their first entry; the keys below `changes` depend on the event. */
function pathsOf(value: unknown, at = ''): string[] {
  if (Array.isArray(value)) return value.length === 0 ? [] : pathsOf(value[0], `${at}[]`);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const path = `${at}.${key}`;
    return [path, ...(key === 'changes' && !Array.isArray(inner) ? [] : pathsOf(inner, path))];
  });
}

const uuid = expect.stringMatching(/^[0-9a-f-]{36}$/);

function expectDelivery(flag: HookFlag, sent: ReceivedCall | undefined): void {
  expect(sent?.headers).toEqual({
    host: expect.any(String),
    connection: 'close',
    'content-length': String(Buffer.byteLength(sent?.body ?? '')),
    'content-type': 'application/json',
    'user-agent': expect.any(String),
    'idempotency-key': uuid,
    'x-service-event': eventHeader(flag),
    'x-service-webhook-uuid': uuid,
    'x-service-instance': 'http://sandbox.localhost',
    'x-service-event-uuid': uuid,
    'x-service-token': 'hook-secret',
  });
  const keys = pathsOf(JSON.parse(sent?.body ?? 'null'));
  expect([...new Set(keys)].sort()).toEqual([...new Set(pathsOf(samplePayload(flag)))].sort());
}

test('each kind is in one of the two lists', () => {
  const caused = [...new Set(causes.flatMap(({ kinds }) => kinds))];
  expect([...caused, ...onlyEmitted].sort()).toEqual([...hookFlags].sort());
});

test('docs/sandbox.md lists each kind once, with the kinds that only emit sends', async () => {
  const page = await readFile(new URL('../../docs/sandbox.md', import.meta.url), 'utf8');
  const [, table = ''] = /\| Events \| Caused by \|\n\|---\|---\|\n((?:\|.*\n)+)/.exec(page) ?? [];
  const rows = table
    .trim()
    .split('\n')
    .map((line) => line.split(' | '));
  const kindsIn = (cell = '') => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => `${name}_events`);
  expect(rows.flatMap(([cell]) => kindsIn(cell)).sort()).toEqual([...hookFlags].sort());
  const emitted = rows.filter(([, cause]) => cause?.startsWith('Only')).flatMap(([cell]) => kindsIn(cell));
  expect(emitted.sort()).toEqual([...onlyEmitted].sort());
});

const pairs = causes.flatMap((cause) => cause.kinds.map((flag) => [flag, cause.call, cause] as const));

describe('is delivered once to a hook that subscribes to it, in the shape of the sample', () => {
  test.each(pairs)('%s, caused by %s', async (flag, _, cause) => {
    const opened = await openSubscribed([flag]);
    await perform(opened, cause);
    const sent = opened.calls.filter(({ headers }) => headers['x-service-event'] === eventHeader(flag));
    // A job that runs changes its status more than once.
    if (flag === 'job_events') expect(sent.length).toBeGreaterThan(0);
    else expect(sent).toHaveLength(1);
    expect(opened.calls).toHaveLength(sent.length);
    expectDelivery(flag, sent.at(-1));
    const log = (await opened.ask(`GET /groups/10/hooks/${opened.hook}/events`)).body;
    expect(log[0]).toMatchObject({
      trigger: eventTrigger(flag),
      request_headers: { 'X-Service-Token': '[REDACTED]' },
    });
  });

  test.each(onlyEmitted)('%s, sent by emit', async (flag) => {
    const opened = await openSubscribed([flag]);
    await opened.sandbox.control.emit({ event: flag.replace(/_events$/, ''), project: 'acme/rocket' });
    await opened.sandbox.close();
    expect(opened.calls).toHaveLength(1);
    expectDelivery(flag, opened.calls[0]);
  });
});

test.each(causes)('$call is not delivered to a hook that subscribes to everything else', async (cause) => {
  const opened = await openSubscribed(hookFlags.filter((flag) => !cause.kinds.includes(flag)));
  await perform(opened, cause);
  expect(opened.calls).toEqual([]);
});

const flagsOf = ({ kind }: SandboxEvent): readonly HookFlag[] =>
  kind === 'push' || kind === 'tag_push' ? [`${kind}_events`, 'repository_update_events'] : [kind];

const writes = presented.filter(({ reads }) => !reads).map(({ endpoint }) => endpoint);

test.each(writes.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const))(
  'the examples of %s cause the events of the table, and no others',
  async (route, { examples }) => {
    const folder = await folderWith(exampleFiles);
    const seen: HookFlag[] = [];
    for (const { run } of examples) {
      const world = await openWorld();
      const events = recordEvents(world.sandbox);
      expect((await world.run(words(run), { cwd: folder })).code, run).toBe(0);
      seen.push(...events.flatMap(flagsOf));
    }
    expect([...new Set(seen)].sort()).toEqual([...(kindsByRoute[route] ?? [])].sort());
  },
);
