import { expect, test } from 'vitest';
import { describeDelivery, eventNameOf, placeOf } from '../../../src/tasks/hooks/calls.ts';
import { eventHeader, eventName, type HookFlag, hookFlags } from '../../../src/webhooks/events.ts';
import { samplePayload } from '../../../src/webhooks/samples.ts';

const noon = new Date(2026, 3, 1, 12, 1, 7).getTime();
const line = (flag: HookFlag, payload: unknown = samplePayload(flag)) =>
  describeDelivery({ event: eventNameOf(eventHeader(flag), payload), payload, when: noon });

test.each([
  ['push_events', '12:01:07  push  acme/rocket  main  3 commits'],
  ['tag_push_events', '12:01:07  tag_push  acme/rocket  v1.0.0'],
  ['pipeline_events', '12:01:07  pipeline  acme/rocket  main  success'],
  ['job_events', '12:01:07  job  acme/rocket  unit  failed'],
  ['releases_events', '12:01:07  releases  acme/rocket  v1.0.0  create'],
  ['wiki_page_events', '12:01:07  wiki_page  acme  Fuel tanks  create'],
  ['merge_requests_events', '12:01:07  merge_requests  acme/rocket  Add the landing legs  open'],
  ['member_events', '12:01:07  member  acme  developer'],
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
    expect(describeDelivery({ event: 'push', payload, when: noon })).toBe('12:01:07  push');
  const push = { event: 'push', id: '5121', payload: { ref: 'refs/heads/a\n\tb' }, when: noon };
  expect(describeDelivery(push, { status: 204, milliseconds: 11.6 })).toBe(
    '12:01:07  push  5121  a b  204  12 ms',
  );
});
