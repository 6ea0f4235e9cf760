/** Deliveries of every kind of event that a request to the sandbox can cause (section 6.1). */
import { expect, test } from 'vitest';
import { type HookFlag, hookFlags } from '../../src/webhooks/events.ts';
import { calls } from '../support/catalogue.ts';
import { until } from '../support/process.ts';
import { openReceiver } from '../support/receiver.ts';
import { openClocked, openSubscribed } from './ask.ts';

/** Send requests while one hook subscribes to these events, and return the payloads in order. */
async function delivered(
  subscribed: readonly HookFlag[],
  calls: readonly (readonly [string, object?])[],
  group = 10,
) {
  const opened = await openSubscribed(subscribed, group);
  for (const [call, json] of calls) {
    const before = opened.calls.length;
    const response = await opened.ask(call, { json });
    expect(response.status, `${call}: ${response.text}`).toBeLessThan(300);
    await until(`a delivery after ${call}`, () => opened.calls.length > before);
  }
  await opened.sandbox.close();
  return opened.calls.map(({ body }) => JSON.parse(body));
}

test('knows every event flag of the specification', () => {
  // The parameters of the catalogue are those of the specification.
  const create = calls.find(({ route }) => route === 'POST /groups/:id/hooks');
  const known = Object.keys(create?.endpoint.takes ?? {}).filter((name) => name.endsWith('_events'));
  expect(known).toHaveLength(18);
  expect([...hookFlags].sort()).toEqual(known.sort());
});

const page = '/groups/10/wikis';
const epics = '/groups/10/epics';
test('delivers created, changed and deleted wiki pages', async () => {
  const bodies = await delivered(
    ['wiki_page_events'],
    [
      [`POST ${page}`, { title: 'Fuel tanks', content: 'one' }],
      [`PUT ${page}/Fuel-tanks`, { content: 'two' }],
      [`DELETE ${page}/Fuel-tanks`],
    ],
  );
  expect(bodies.map(({ object_attributes: { action, content } }) => [action, content])).toEqual([
    ['create', 'one'],
    ['update', 'two'],
    ['delete', 'two'],
  ]);
  expect(bodies[0]).toMatchObject({
    object_kind: 'wiki_page',
    user: { id: 1, username: 'root', name: 'Administrator' },
    group: { group_id: 10, group_name: 'Acme', full_path: 'acme' },
    wiki: { web_url: 'http://sandbox.localhost/groups/acme/-/wikis/home', default_branch: 'main' },
    object_attributes: {
      title: 'Fuel tanks',
      slug: 'Fuel-tanks',
      format: 'markdown',
      url: 'http://sandbox.localhost/groups/acme/-/wikis/Fuel-tanks',
      version_id: expect.stringMatching(/^[0-9a-f]{40}$/),
    },
  });
  expect(bodies[1].object_attributes.version_id).not.toBe(bodies[0].object_attributes.version_id);
});

test('delivers opened, changed, closed and reopened epics with their changes', async () => {
  const bodies = await delivered(
    ['issues_events'],
    [
      [`POST ${epics}`, { title: 'Land', labels: 'planning' }],
      [`PUT ${epics}/7`, { title: 'Land softly', add_labels: 'urgent' }],
      [`PUT ${epics}/7`, { state_event: 'close' }],
      [`PUT ${epics}/7`, { state_event: 'reopen' }],
    ],
  );
  const actions = bodies.map(({ object_attributes }) => object_attributes.action);
  expect(actions).toEqual(['open', 'update', 'close', 'reopen']);
  expect(bodies[1]).toMatchObject({
    object_kind: 'work_item',
    group: { group_id: 10 },
    object_attributes: { iid: 7, type: 'Epic', title: 'Land softly', state: 'opened' },
    labels: [{ title: 'planning' }, { title: 'urgent' }],
  });
  expect(bodies[1].changes).toEqual({
    title: { previous: 'Land', current: 'Land softly' },
    labels: { previous: ['planning'], current: ['planning', 'urgent'] },
  });
  expect(bodies[2].changes.state).toEqual({ previous: 'opened', current: 'closed' });
});

test('delivers created, changed and deleted releases, and the tag push of a new one', async () => {
  const path = '/projects/100/releases';
  const bodies = await delivered(
    ['releases_events', 'tag_push_events'],
    [
      [`POST ${path}`, { tag_name: 'v1.0.0-a', ref: 'v1.0.0', name: 'Rocket A' }],
      [`PUT ${path}/v1.0.0-a`, { description: 'Notes' }],
      [`DELETE ${path}/v1.0.0-a`],
    ],
  );
  const releases = bodies.filter(({ object_kind }) => object_kind === 'release');
  expect(releases.map(({ action, description }) => [action, description])).toEqual([
    ['create', ''],
    ['update', 'Notes'],
    ['delete', 'Notes'],
  ]);
  expect(releases[0]).toMatchObject({
    name: 'Rocket A',
    tag: 'v1.0.0-a',
    url: 'http://sandbox.localhost/acme/rocket/-/releases/v1.0.0-a',
    project: { id: 100, path_with_namespace: 'acme/rocket' },
    commit: { id: expect.stringMatching(/^[0-9a-f]{40}$/) },
  });
  expect(bodies.filter(({ object_kind }) => object_kind === 'tag_push')).toMatchObject([
    { ref: 'refs/tags/v1.0.0-a', before: '0'.repeat(40), after: releases[0].commit.id },
  ]);
});

test('delivers a subgroup that a migration created to the hooks of the groups above it', async () => {
  const receiver = await openReceiver();
  const { ask, sandbox, wait } = await openClocked();
  for (const group of [10, 11]) {
    const json = { url: `${receiver.url}/${group}`, subgroup_events: true, push_events: false };
    await ask(`POST /groups/${group}/hooks`, { json });
  }
  const configuration = { url: 'https://old.example.com', access_token: 'source-secret' };
  const entity = { source_type: 'group_entity', source_full_path: 'tools', destination_slug: 'tools' };
  const entities = [{ ...entity, destination_namespace: 'acme' }];
  const { body } = await ask('POST /bulk_imports', { json: { configuration, entities } });
  wait(7);
  for (const _ of [1, 2]) await ask(`GET /bulk_imports/${body.id}`);
  await sandbox.close();
  expect(receiver.calls.map(({ url, headers }) => [url, headers['x-service-event']])).toEqual([
    ['/10', 'Subgroup Hook'],
  ]);
  expect(JSON.parse(receiver.calls[0]?.body ?? '')).toMatchObject({
    event_name: 'subgroup_create',
    full_path: 'acme/tools',
    parent_group_id: 10,
    parent_full_path: 'acme',
  });
});

test('delivers one repository update with refs per push', async () => {
  const bodies = await delivered(
    ['repository_update_events'],
    [['POST /projects/100/repository/branches', { branch: 'fresh', ref: 'main' }]],
  );
  expect(bodies).toEqual([
    expect.objectContaining({
      event_name: 'repository_update',
      user_id: 1,
      project_id: 100,
      refs: ['refs/heads/fresh'],
      changes: [
        { ref: 'refs/heads/fresh', before: '0'.repeat(40), after: expect.stringMatching(/^[1-9a-f]/) },
      ],
    }),
  ]);
});

test('delivers events of a subgroup only to hooks of the groups above it', async () => {
  const call = ['POST /groups/11/wikis', { title: 'T', content: 'c' }] as const;
  expect(await delivered(['wiki_page_events'], [call], 10)).toMatchObject([{ group: { group_id: 11 } }]);
  expect(await delivered(['wiki_page_events'], [call], 11)).toHaveLength(1);
  const { ask, sandbox, calls } = await openSubscribed(['wiki_page_events'], 11);
  await ask(`POST ${page}`, { json: { title: 'T', content: 'c' } });
  await sandbox.close();
  expect(calls).toEqual([]);
});
