/** `svc apply --save-plan` and `--plan`. */
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Reply, Request } from '../../../src/http/transport.ts';
import { expectCode, isWrite, openStateWorld, type StateWorld, withBody, writes } from './world.ts';

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

test('--save-plan with -o json prints that no step was started', async () => {
  const saved = await world.state(`apply -f - --save-plan ${plan} -o json`, file('t0p-secret'));
  expect(JSON.parse(saved.out)).toMatchObject([{ kind: 'variables', result: 'not_started', error: null }]);
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

describe('a plan that was executed in part', () => {
  const three = `svc: 1
project: acme/rocket
variables:
  - { key: A, value: first-secret }
  - { key: B, value: second-secret }
  - { key: C, value: third-secret }
`;
  const fail = (request: Request, send: () => Promise<Reply>) =>
    isWrite(request) && sendsKey(request, 'B')
      ? send().then((reply) => withBody({ ...reply, status: 503 }, () => '{}'))
      : undefined;
  const sendsKey = ({ body }: Request, key: string) =>
    body !== undefined && 'bytes' in body && Buffer.from(body.bytes).includes(`"${key}"`);

  test('is continued with the same command', async () => {
    await world.state(`apply -f - --save-plan ${plan}`, three);
    const first = await world.state(`apply -f - --plan ${plan} --yes --retries 0`, three, fail);
    expectCode(first, 11);
    await world.run('variables delete B -p acme/rocket --yes');
    const next = await world.state(`apply -f - --plan ${plan} --yes`, three);
    expectCode(next, 0);
    expect(writes(next)).toEqual(['POST /projects/acme%2Frocket/variables']);
    const last = await world.state(`apply -f - --plan ${plan} --yes`, three);
    expectCode(last, 0);
    expect(writes(last)).toEqual([]);
  });

  test('is refused with the changes that differ', async () => {
    await world.state(`apply -f - --save-plan ${plan}`, three);
    const more = `${three.replace('second-secret', 'other-secret')}  - { key: D, value: fourth-secret }\n`;
    const ran = await world.state(`apply -f - --plan ${plan} --yes`, more);
    expectCode(ran, 10);
    expect(writes(ran)).toEqual([]);
    expect(ran.err).toContain('nothing was changed\n');
    expect(ran.err).toContain('  changed: create variable B (scope *) of acme/rocket\n');
    expect(ran.err).toContain('  new: create variable D (scope *) of acme/rocket\n');
    expect(ran.err).not.toContain('variable A');
  });

  test('is refused if a change became another action', async () => {
    await world.state(`apply -f - --save-plan ${plan}`, three);
    await world.run('variables create A other-value -p acme/rocket');
    const ran = await world.state(`apply -f - --plan ${plan} --yes`, three);
    expectCode(ran, 10);
    expect(ran.err).toContain('  changed: update variable A (scope *) of acme/rocket\n');
  });

  test('is refused for another project', async () => {
    await world.state(`apply -f - --save-plan ${plan}`, three);
    const ran = await world.state(`apply -f - --plan ${plan} --yes -p acme/website`, three);
    expectCode(ran, 10);
    expect(writes(ran)).toEqual([]);
    expect(ran.err).toContain('  new: create variable A (scope *) of acme/website\n');
  });
});
