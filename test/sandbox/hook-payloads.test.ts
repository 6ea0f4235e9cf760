/** The sample payloads of the catalogue and the deliveries of the sandbox have the same keys (section 6.1). */
import { afterEach, expect, test } from 'vitest';
import { type HookFlag, hookEvents } from '../../src/api/hook-events.ts';
import { hookEventNames, hookFlagOf, hookPayload } from '../../src/api/hook-payloads.ts';
import { closeReceivers, openReceiver } from '../support/receiver.ts';
import { openTestSandbox } from './ask.ts';

afterEach(closeReceivers);

const flags = Object.keys(hookEvents) as HookFlag[];

/** The paths of all keys. Lists count by their first entry; the keys below `changes` depend on the event. */
function pathsOf(value: unknown, at = ''): string[] {
  if (Array.isArray(value)) return value.length === 0 ? [] : pathsOf(value[0], `${at}[]`);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const path = `${at}.${key}`;
    return [path, ...(key === 'changes' && !Array.isArray(inner) ? [] : pathsOf(inner, path))];
  });
}

const causes: readonly (readonly [flags: readonly HookFlag[], call: string, json: object])[] = [
  [
    ['push_events', 'repository_update_events'],
    'POST /projects/100/repository/files/new.txt',
    { branch: 'develop', commit_message: 'Write', content: 'x' },
  ],
  [
    ['tag_push_events', 'releases_events'],
    'POST /projects/100/releases',
    { tag_name: 'v9', ref: 'main', name: 'Nine', description: 'n' },
  ],
  [['wiki_page_events'], 'POST /groups/10/wikis', { title: 'T', content: 'c' }],
  [['issues_events'], 'POST /groups/10/epics', { title: 'T', labels: 'planning' }],
  [
    ['confidential_issues_events'],
    'POST /groups/10/epics',
    { title: 'T', labels: 'planning', confidential: true },
  ],
];

test.each(causes)('samples of %s have the keys of the deliveries', async (subscribed, call, json) => {
  const receiver = await openReceiver();
  const { ask, sandbox } = await openTestSandbox();
  const chosen = Object.fromEntries(flags.map((flag) => [flag, subscribed.includes(flag)]));
  await ask('POST /groups/10/hooks', { json: { ...chosen, url: receiver.url, token: 'hook-secret' } });
  const response = await ask(call, { json });
  expect(response.status, response.text).toBe(201);
  await sandbox.close();
  expect(receiver.calls).toHaveLength(subscribed.length);
  for (const flag of subscribed) {
    const sent = receiver.calls.find(({ headers }) => headers['x-service-event'] === hookEvents[flag].header);
    const keys = pathsOf(JSON.parse(sent?.body ?? 'null'));
    // The list of changed files depends on the push.
    expect([...new Set(pathsOf(hookPayload(flag)))].sort(), flag).toEqual([...new Set(keys)].sort());
  }
});

test('the sample of a push has exactly the fields of the specification', () => {
  const push = hookPayload('push_events') as Record<string, object>;
  const words = (text: string) => text.split(/[ ,]+/).sort();
  expect(Object.keys(push).sort()).toEqual(
    words(
      'object_kind event_name before after ref ref_protected checkout_sha message user_id user_name user_username user_email user_avatar project_id project commits total_commits_count push_options repository',
    ),
  );
  expect(Object.keys(push['project'] ?? {}).sort()).toEqual(
    words(
      'id name description web_url avatar_url git_ssh_url git_http_url namespace visibility_level path_with_namespace default_branch ci_config_path homepage url ssh_url http_url',
    ),
  );
  expect(Object.keys(push['repository'] ?? {}).sort()).toEqual(
    words('name url description homepage git_http_url git_ssh_url visibility_level'),
  );
  const [commit] = push['commits'] as object[];
  expect(Object.keys(commit ?? {}).sort()).toEqual(
    words('id message title timestamp url author added modified removed'),
  );
});

test.each(flags)('the sample of %s names its kind and is about the given subject', (flag) => {
  const payload = hookPayload(flag, {
    instance: 'https://other.example',
    group: { id: 77, name: 'Guild', path: 'guild', full_path: 'guild' },
    project: {
      id: 78,
      name: 'Ship',
      description: null,
      path_with_namespace: 'guild/ship',
      default_branch: 'trunk',
      visibility_level: 20,
    },
  });
  expect(payload['object_kind'] ?? payload['event_name']).toMatch(/^[a-z_]+$/);
  const text = JSON.stringify(payload);
  expect(text).toMatch(/guild|Guild/);
  expect(text).not.toMatch(/acme|rocket\.git|host\.example"/i);
});

test('event names are the flags without _events, with - or _', () => {
  expect(hookEventNames).toContain('wiki_page');
  expect(hookFlagOf('wiki-page')).toBe('wiki_page_events');
  expect(hookFlagOf('merge_requests')).toBe('merge_requests_events');
  expect(hookFlagOf('tag-push')).toBe('tag_push_events');
  expect(hookFlagOf('pushes')).toBeUndefined();
  expect(hookFlagOf('toString')).toBeUndefined();
});
