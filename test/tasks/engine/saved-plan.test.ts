/** `svc apply --save-plan` and `--plan`. */
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { expectCode, openStateWorld, type StateWorld, writes } from './world.ts';

let world: StateWorld;
let folder: string;
let plan: string;
beforeEach(async () => {
  world = await openStateWorld();
  folder = await mkdtemp(join(tmpdir(), 'svc-plan-'));
  plan = join(folder, 'plan');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const file = (value: string) =>
  `svc: 1\nproject: acme/rocket\nvariables: [{ key: API_TOKEN, value: ${value} }]\n`;

test('--save-plan sends nothing, even with --yes, and holds no secret', async () => {
  const saved = await world.state(`apply -f - --save-plan ${plan} --yes`, file('t0p-secret'));
  expectCode(saved, 0);
  expect(writes(saved)).toEqual([]);
  expect(await readFile(plan, 'utf8')).not.toMatch(/t0p-secret|not-a-real-token/);
  expect((await stat(plan)).mode & 0o777).toBe(0o600);
});

test('--plan executes the saved plan', async () => {
  await world.state(`apply -f - --save-plan ${plan}`, file('t0p-secret'));
  const ran = await world.state(`apply -f - --plan ${plan} --yes`, file('t0p-secret'));
  expectCode(ran, 0);
  expect(writes(ran)).toHaveLength(1);
});

test('--plan sends nothing if a secret differs', async () => {
  await world.state(`apply -f - --save-plan ${plan}`, file('t0p-secret'));
  const ran = await world.state(`apply -f - --plan ${plan} --yes`, file('other-secret'));
  expectCode(ran, 10);
  expect(writes(ran)).toEqual([]);
});

test('--plan sends nothing if the service has changed', async () => {
  await world.state(`apply -f - --save-plan ${plan}`, file('t0p-secret'));
  await world.run('variables update API_TOKEN changed-meanwhile -p acme/rocket');
  const ran = await world.state(`apply -f - --plan ${plan} --yes`, file('t0p-secret'));
  expectCode(ran, 10);
  expect(writes(ran)).toEqual([]);
});

test('two plans of the same change do not show that their secrets are equal', async () => {
  await world.state(`apply -f - --save-plan ${plan}`, file('t0p-secret'));
  const first = await readFile(plan, 'utf8');
  await world.state(`apply -f - --save-plan ${plan}`, file('t0p-secret'));
  expect((await readFile(plan, 'utf8')).split('\n')[1]).not.toBe(first.split('\n')[1]);
});

test('another file is a usage error', async () => {
  expectCode(await world.state('apply -f - --plan /dev/null --yes', file('x')), 2);
});
