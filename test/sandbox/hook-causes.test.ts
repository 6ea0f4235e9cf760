/** Each kind of event is caused by a change in the sandbox, or sent only by `svc sandbox emit` (section 6.1). */
import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import type { SandboxEvent } from '../../src/sandbox/core/world.ts';
import { eventHeader, eventTrigger, type HookFlag, hookFlags } from '../../src/webhooks/events.ts';
import { samplePayload } from '../../src/webhooks/samples.ts';
import { presented } from '../support/endpoints.ts';
import { folderWith } from '../support/folders.ts';
import { configuration, entity } from '../support/migration.ts';
import type { ReceivedCall } from '../support/receiver.ts';
import { exampleFiles, openWorld } from '../support/sandbox.ts';
import { words } from '../support/svc.ts';
import { openSubscribed, recordEvents } from './ask.ts';

interface Cause {
  /** Below /api/v4. */
  readonly call: string;
  readonly json?: object;
  /** Advance the clock by this duration after the call. */
  readonly advance?: string;
  /** The kinds of events that follow, each delivered once. */
  readonly kinds: readonly HookFlag[];
}

const commit = { branch: 'develop', commit_message: 'Write', content: 'x' };

/** One for each kind of event that a change in the sandbox causes. */
const causes: readonly Cause[] = [
  {
    call: 'POST /projects/100/repository/files/new.txt',
    json: commit,
    kinds: ['push_events', 'repository_update_events'],
  },
  {
    call: 'POST /projects/100/releases',
    json: { tag_name: 'v9', ref: 'main', name: 'Nine', description: 'n' },
    kinds: ['tag_push_events', 'repository_update_events', 'releases_events'],
  },
  { call: 'POST /groups/10/wikis', json: { title: 'T', content: 'c' }, kinds: ['wiki_page_events'] },
  { call: 'POST /groups/10/epics', json: { title: 'T', labels: 'planning' }, kinds: ['issues_events'] },
  {
    call: 'POST /groups/10/epics',
    json: { title: 'T', labels: 'planning', confidential: true },
    kinds: ['confidential_issues_events'],
  },
  {
    call: 'POST /bulk_imports',
    json: { configuration, entities: [entity] },
    advance: '7s',
    kinds: ['subgroup_events'],
  },
  // A retry of the only job that failed in its pipeline: `test:e2e`.
  { call: 'POST /projects/100/jobs/5234/retry', advance: '5s', kinds: ['job_events', 'pipeline_events'] },
  { call: 'POST /projects/100/jobs/5262/play', advance: '5s', kinds: ['job_events', 'deployment_events'] },
];

/** The kinds of events that no change in the sandbox causes: it has no calls for these resources. */
const onlyEmitted: readonly HookFlag[] = [
  'merge_requests_events',
  'note_events',
  'confidential_note_events',
  'feature_flag_events',
  'emoji_events',
  'resource_access_token_events',
  'member_events',
];

/** The kinds of events that the examples of each write cause. Other writes cause none. */
const kindsByRoute: Readonly<Record<string, readonly HookFlag[]>> = {
  'POST /projects/:id/repository/files/:file_path': ['push_events', 'repository_update_events'],
  'PUT /projects/:id/repository/files/:file_path': ['push_events', 'repository_update_events'],
  'DELETE /projects/:id/repository/files/:file_path': ['push_events', 'repository_update_events'],
  'POST /projects/:id/repository/branches': ['push_events', 'repository_update_events'],
  'DELETE /projects/:id/repository/branches/:branch': ['push_events', 'repository_update_events'],
  'DELETE /projects/:id/repository/merged_branches': ['push_events', 'repository_update_events'],
  'POST /projects/:id/jobs/:job_id/retry': ['job_events'],
  'POST /projects/:id/jobs/:job_id/cancel': ['job_events'],
  'POST /projects/:id/jobs/:job_id/play': ['job_events'],
  'POST /projects/:id/pipeline': ['job_events', 'pipeline_events'],
  'POST /projects/:id/pipelines/:pipeline_id/retry': ['job_events', 'pipeline_events'],
  // A job that deploys is among the canceled ones.
  'POST /projects/:id/pipelines/:pipeline_id/cancel': ['deployment_events', 'job_events', 'pipeline_events'],
  'POST /groups/:id/wikis': ['wiki_page_events'],
  'PUT /groups/:id/wikis/:slug': ['wiki_page_events'],
  'DELETE /groups/:id/wikis/:slug': ['wiki_page_events'],
  'POST /groups/:id/epics': ['issues_events'],
  'PUT /groups/:id/epics/:epic_iid': ['issues_events'],
};

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
