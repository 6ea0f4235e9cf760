import { expect, test } from 'vitest';
import { describeDelivery, eventNameOf, placeOf } from '../../../src/tasks/hooks/describe.ts';
import { eventHeader, eventName, type HookFlag, hookFlags } from '../../../src/webhooks/events.ts';
import { samplePayload } from '../../../src/webhooks/samples.ts';

const noon = new Date(2026, 3, 1, 12, 1, 7).getTime();
const line = (flag: HookFlag, payload: unknown = samplePayload(flag)) =>
  describeDelivery(eventNameOf(eventHeader(flag), payload), payload, noon);

test.each([
  ['push_events', 'push  acme/rocket  main  3 commits  12:01:07'],
  ['tag_push_events', 'tag_push  acme/rocket  v1.0.0  12:01:07'],
  ['pipeline_events', 'pipeline  acme/rocket  main  success  12:01:07'],
  ['job_events', 'job  acme/rocket  unit  failed  12:01:07'],
  ['releases_events', 'releases  acme/rocket  v1.0.0  create  12:01:07'],
  ['wiki_page_events', 'wiki_page  acme  Fuel tanks  create  12:01:07'],
  ['merge_requests_events', 'merge_requests  acme/rocket  Add the landing legs  open  12:01:07'],
  ['member_events', 'member  acme  developer  12:01:07'],
] as const)('describes %s', (flag, expected) => {
  expect(line(flag)).toBe(expected);
});

test.each(hookFlags)('names %s after its flag, with a place', (flag) => {
  expect(eventNameOf(eventHeader(flag), {})).toBe(eventName(flag));
  expect(placeOf(samplePayload(flag))).toMatch(/^acme/);
});

test.each([
  ['../../etc/passwd', undefined, 'etc_passwd'],
  [undefined, { object_kind: 'Custom Thing' }, '_custom_thing'],
  [undefined, 'text', '_unknown'],
  ['\u0000\u001b', undefined, '_'],
])('makes a safe name of header %j and payload %j', (header, payload, expected) => {
  const name = eventNameOf(header, payload);
  expect(name).toMatch(/^[a-z0-9_]+$/);
  expect(name).toContain(expected.replace(/^_/, ''));
});

test('describes payloads of any shape', () => {
  for (const payload of [null, [], 'text', 7, { project: null }, { object_attributes: [] }, { refs: 'x' }])
    expect(describeDelivery('push', payload, noon)).toBe('push  12:01:07');
  expect(describeDelivery('push', { ref: 'refs/heads/a\n\tb' }, noon)).toBe('push  a b  12:01:07');
});
