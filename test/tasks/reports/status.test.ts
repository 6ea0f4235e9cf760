/** `svc status`: its facts, its requests, and the parts that a token may not read. */
import { expect, test } from 'vitest';
import { openWorld } from '../../support/sandbox.ts';
import { jsonLines } from '../../support/svc.ts';
import { at, exited, intercepted, withStatus } from '../engine/world.ts';

const world = await openWorld();

test('shows the seeded failure, migration and branches with at most six requests', async () => {
  const shown = await exited(0, world.run('status -p acme/rocket -o json'));
  const value = JSON.parse(shown.out);
  expect(value.branches.map(({ ref }: { ref: string }) => ref)).toEqual(['main', 'release/1.x']);
  expect(value.last_failure).toMatchObject({ id: 1011, next: expect.stringContaining('jobs digest 1011') });
  expect(value.migrations).toMatchObject([{ id: 23 }]);
  expect(value.hooks).toEqual([]);
  expect(value.license_days).toBeGreaterThan(0);
  const planned = await world.run('status -p acme/rocket --dry-run');
  const requests = jsonLines(planned.out);
  expect(requests.length).toBeLessThanOrEqual(6);
  expect(requests.every(({ method }) => method === 'GET')).toBe(true);
  const sent = shown.requests.map(({ url }) => url);
  expect(sent).toEqual(expect.arrayContaining(requests.map(({ url }) => url)));
});

test('does not cut the command that explains the failure on a narrow terminal, and prints one value for a script', async () => {
  const { out } = await exited(0, world.run('status -p acme/rocket', { terminal: 40 }));
  expect(out).toContain('\n    svc jobs digest 1011 --project acme/rocket\n');
  const value = await exited(0, world.run('status -p acme/rocket --csv --fields license_days --no-header'));
  expect(value.out).toMatch(/^\d+\r\n$/);
});

test('leaves out what the token may not read', async () => {
  const shown = await world.run('status -p acme/rocket -o json', { as: 'developer' });
  expect(Object.keys(JSON.parse(shown.out))).not.toContain('license_days');
  const transport = intercepted(world, withStatus(at(/rocket\/|license|imports/), 403));
  const { err } = await exited(0, world.run('status -p acme/rocket', { transport }));
  expect(err).toBe('warning: no part of the state can be read with this token\n');
});

test('a project that does not exist is an error, although the license could be read', async () => {
  expect(await world.run('status -p acme/nope --json')).toMatchObject({ code: 5, out: '' });
});

test('says that a list is longer than what it read, and sends no further request', async () => {
  const names = Array.from({ length: 101 }, (_, at) => `zz${at}`).join(' ');
  await exited(0, world.run(`branches protect ${names} -p acme/rocket`));
  const { err, requests } = await exited(0, world.run('status -p acme/rocket'));
  expect(err).toBe('warning: only the first 100 protected branches were read\n');
  expect(requests.length).toBeLessThanOrEqual(6);
});

test('requires a project', async () => {
  const { err } = await world.run('status');
  expect(err).toMatch(/^error: status requires --project <id\|path>\n/);
});
