/** `svc license report`. */
import { describe, expect, test } from 'vitest';
import { getCurrentLicense } from '../../../src/api/license.ts';
import { Failure } from '../../../src/errors.ts';
import { reportLicense } from '../../../src/tasks/license.ts';
import { openWorld } from '../../support/sandbox.ts';
import { exited } from '../engine/world.ts';
import { fakeTask } from '../fake.ts';

const key = 'eyJkYXRhIjoic2Vjb25kIn0=';
const license = {
  ...{ id: 2, plan: 'premium', user_limit: 100, active_users: 95, overage: -5, historical_max: 97 },
  ...{ expires_at: '1970-01-11', expired: false, licensee: { Name: 'Olivia' }, key },
};
const usageFile = (...days: string[]) =>
  [`License Key,${key}`, 'Email,olivia@example.com', '', 'Date,Billable User Count', ...days, ''].join('\n');

async function report(more: object = {}, failOver?: number, text = usageFile('2026-01-01 12:00:05,90')) {
  const fake = fakeTask({ endpoint: getCurrentLicense, responses: [{ ...license, ...more }], text });
  const kind = await fake.take(reportLicense(fake.task, { failOver })).then(
    () => undefined,
    (caught: unknown) => (caught instanceof Failure ? caught.kind : caught),
  );
  return { value: fake.recorded.printed[0], kind };
}

describe('the report', () => {
  const days = ['2026-01-03 12:00:05,96', '2026-01-01 12:00:05,90', '2026-01-02 12:00:05,96'];
  test.each([
    ['has the peak with its first day', days, { peak: 96, peak_day: '2026-01-02' }],
    ['has no peak without a count', [], { peak: null, peak_day: null }],
  ])('%s', async (_, counts, expected) => {
    expect((await report({}, undefined, usageFile(...counts))).value).toMatchObject(expected);
  });
  test.each([
    ['1970-01-11', 10],
    ['1970-01-01', 0],
    ['1969-12-30', -2],
    [null, null],
  ])('a license that expires on %s has %s days left', async (expires_at, days) => {
    expect((await report({ expires_at })).value?.['days_to_expiry']).toBe(days);
  });
  test('has the days that its picture shows, and no overage for free seats', async () => {
    const days = [{ date: '2026-01-01 12:00:05', billable_users: 90 }];
    expect((await report()).value).toMatchObject({
      days,
      seats: 100,
      used: 95,
      used_percent: 95,
      overage: 0,
    });
  });
  test('has null for what the response lacks', async () => {
    const unknown = await report({ active_users: undefined, overage: null });
    expect(unknown.value).toMatchObject({ used: null, used_percent: null, overage: null });
  });
  test('does not contain the key or the holder', async () => {
    expect(JSON.stringify((await report()).value)).not.toMatch(/eyJ|Olivia|olivia/);
  });
});

test.each([
  [{}, 95, undefined],
  [{}, 94.9, 'unsuccessful'],
  [{ active_users: 9501, user_limit: 10_000 }, 95, 'unsuccessful'],
  [{ active_users: 28, user_limit: 100 }, 28, undefined],
  [{ active_users: 57, user_limit: 200 }, 28.499, 'unsuccessful'],
  [{ overage: 1 }, 100, 'unsuccessful'],
  [{ overage: 1 }, undefined, undefined],
  [{ user_limit: 0 }, 1, undefined],
  [{ active_users: null }, 95, 'server_error'],
  [{ active_users: undefined }, undefined, undefined],
  [{ user_limit: null }, 95, 'server_error'],
])('--fail-over: %o with %s', async (more, failOver, expected) => {
  expect((await report(more, failOver)).kind).toBe(expected);
});

test('in the sandbox, exits with 9 above the percentage, and requires an administrator', async () => {
  const world = await openWorld();
  const ran = await exited(9, world.run('license report --fail-over 20%'));
  expect(ran.err).toContain('28 of 100 seats are used, more than 20%');
  await exited(0, world.run('license report --fail-over 95%'));
  await exited(4, world.run('license report', { as: 'developer' }));
});
