/** The sample payloads (section 6.1). */
import { expect, test } from 'vitest';
import { eventName, findFlag, hookFlags } from '../../src/webhooks/events.ts';
import { samplePayload } from '../../src/webhooks/samples.ts';

test('the sample of a push has exactly the fields of the specification', () => {
  const push = samplePayload('push_events') as Record<string, object>;
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

test.each(hookFlags)('the sample of %s names its kind and is about the given subject', (flag) => {
  const payload = samplePayload(flag, {
    instance: 'https://other.example',
    group: { id: 77, name: 'Guild', path: 'guild', full_path: 'guild' },
    project: {
      id: 78,
      name: 'Ship',
      description: null,
      path_with_namespace: 'guild/ship',
      default_branch: 'trunk',
      visibility: 'public',
    },
  }) as Record<string, unknown>;
  expect(payload['object_kind'] ?? payload['event_name']).toMatch(/^[a-z_]+$/);
  const text = JSON.stringify(payload);
  expect(text).toMatch(/guild|Guild/);
  expect(text).not.toMatch(/acme|rocket\.git|host\.example"/i);
});

test('event names are the flags without _events, with - or _', () => {
  expect(hookFlags.map(eventName)).toContain('wiki_page');
  expect(findFlag('wiki-page')).toBe('wiki_page_events');
  expect(findFlag('merge_requests')).toBe('merge_requests_events');
  expect(findFlag('tag-push')).toBe('tag_push_events');
  expect(findFlag('pushes')).toBeUndefined();
  expect(findFlag('toString')).toBeUndefined();
});
