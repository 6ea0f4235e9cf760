/** A third-party client while the sandbox has faults, another time, and a restored state. */
import { BroadcastMessages, Jobs, ProjectVariables } from '@gitbeaker/rest';
import { describe, expect, test } from 'vitest';
import { serveSandbox, statusOf } from './world.ts';

const rocket = 'acme/rocket';

describe('a client', () => {
  test('repeats throttled requests, and reads all pages', async () => {
    const world = await serveSandbox();
    const { control } = world.sandbox;
    control.faults.add({ match: 'GET /projects/*/jobs', status: 429, retry_after: 0, times: 2 });
    const jobs = await new Jobs(world.as('developer')).all(rocket, { perPage: 100 });
    expect(jobs.length).toBe(280);
    expect(control.requests.list().map(({ status }) => status)).toEqual([429, 429, 200, 200, 200]);
  });

  test('works at another time, also while it is throttled, and after a snapshot was loaded', async () => {
    const world = await serveSandbox();
    const { control } = world.sandbox;
    const variables = new ProjectVariables(world.as('maintainer'));
    await control.snapshots.save('before');
    control.clock.advance('30d');
    control.faults.add({ match: 'POST /**', status: 429, retry_after: 1, latency: 50, times: 1 });
    await variables.create(rocket, 'REGION', 'north');
    const written = control.requests.list().filter(({ method }) => method === 'POST');
    expect(written.map(({ status }) => status)).toEqual([429, 201]);
    const broadcasts = new BroadcastMessages(world.as('admin'));
    const { starts_at } = await broadcasts.create({ message: 'Hello' });
    expect(Date.parse(starts_at)).toBeGreaterThan(Date.now() + 29 * 86_400_000);
    await control.snapshots.load('before');
    expect(await statusOf(variables.show(rocket, 'REGION'))).toBe(404);
    expect(control.clock.show().offset).toBe(0);
  });
});
