/** `svc apply --save-plan` and `--plan`. */
import { execFileSync } from 'node:child_process';
import { lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Reply, Request } from '../../../src/http/transport.ts';
import { folderWith } from '../../support/folders.ts';
import { bodyText } from '../../support/svc.ts';
import { exited, expectCode, isWrite, respond, stateWorldPerTest, writes, wroteNothing } from './world.ts';

const world = stateWorldPerTest();
let folder: string;
let plan: string;
beforeEach(async () => {
  folder = await folderWith();
  plan = join(folder, 'plan');
});

const file = (value: string) =>
  `svc: 1\nproject: acme/rocket\nvariables: [{ key: API_TOKEN, value: ${value} }]\n`;

test('--save-plan sends nothing, even with --yes, and holds no secret', async () => {
  await wroteNothing(0, world.state(`apply -f - --save-plan ${plan} --yes`, file('t0p-secret')));
  expect(await readFile(plan, 'utf8')).not.toMatch(/t0p-secret|not-a-real-token/);
  expect((await stat(plan)).mode & 0o777).toBe(0o600);
});

test('--save-plan with -o json prints that no step was started', async () => {
  const saved = await world.state(`apply -f - --save-plan ${plan} -o json`, file('t0p-secret'));
  expect(JSON.parse(saved.out)).toMatchObject([{ kind: 'variables', result: 'not_started', error: null }]);
});

test.each([
  ['an update', file('t0p-secret')],
  ['a deletion', 'svc: 1\nproject: acme/rocket\nvariables: { absent: [{ key: API_TOKEN }] }\n'],
])('--plan sends nothing if the service has changed what %s replaces', async (_, text) => {
  await world.state(`apply -f - --save-plan ${plan}`, text);
  // The plan is the same, so only the confirmation is missing.
  await wroteNothing(2, world.state(`apply -f - --plan ${plan}`, text));
  expect(await readFile(plan, 'utf8')).not.toContain('not-a-real-token');
  await world.run('variables update API_TOKEN changed-meanwhile -p acme/rocket');
  const ran = await wroteNothing(10, world.state(`apply -f - --plan ${plan} --yes`, text));
  expect(ran.err).toMatch(/^ {2}changed: (update|delete) variable API_TOKEN/m);
});

test('two plans of the same change do not show that their secrets are equal', async () => {
  await world.state(`apply -f - --save-plan ${plan}`, file('t0p-secret'));
  const first = await readFile(plan, 'utf8');
  await world.state(`apply -f - --save-plan ${plan}`, file('t0p-secret'));
  expect((await readFile(plan, 'utf8')).split('\n')[1]).not.toBe(first.split('\n')[1]);
});

test('another file is a usage error, and so is a plan with other flags', async () => {
  await world.state(`apply -f - --save-plan ${plan} --prune`, file('x'));
  await exited(2, world.state(`apply -f - --plan ${plan} --yes`, file('x')));
  await exited(2, world.state('apply -f - --plan /dev/null --yes', file('x')));
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
    isWrite(request) && bodyText(request).includes('"B"') ? respond(send, 503, '{}') : undefined;

  test('is continued with the same command', async () => {
    await world.state(`apply -f - --save-plan ${plan}`, three);
    await exited(11, world.state(`apply -f - --plan ${plan} --yes --retries 0`, three, fail));
    await world.run('variables delete B -p acme/rocket --yes');
    const next = await exited(0, world.state(`apply -f - --plan ${plan} --yes`, three));
    expect(writes(next)).toEqual(['POST /projects/acme%2Frocket/variables']);
    await wroteNothing(0, world.state(`apply -f - --plan ${plan} --yes`, three));
  });

  test('is refused with the changes that differ', async () => {
    await world.state(`apply -f - --save-plan ${plan}`, three);
    const more = `${three.replace('second-secret', 'other-secret')}  - { key: D, value: fourth-secret }\n`;
    const ran = await wroteNothing(10, world.state(`apply -f - --plan ${plan} --yes`, more));
    expect(ran.err).toContain('nothing was changed\n');
    expect(ran.err).toContain('changed: create variable B (scope *) of acme/rocket\n');
    expect(ran.err).toContain('new: create variable D (scope *) of acme/rocket\n');
    expect(ran.err).not.toContain('variable A');
  });

  test('is refused if a change became another action', async () => {
    await world.state(`apply -f - --save-plan ${plan}`, three);
    await world.run('variables create A other-value -p acme/rocket');
    const ran = await exited(10, world.state(`apply -f - --plan ${plan} --yes`, three));
    expect(ran.err).toContain('changed: update variable A (scope *) of acme/rocket\n');
  });

  test('is refused for another project', async () => {
    await world.state(`apply -f - --save-plan ${plan}`, three);
    const ran = await wroteNothing(10, world.state(`apply -f - --plan ${plan} --yes -p acme/website`, three));
    expect(ran.err).toContain('new: create variable A (scope *) of acme/website\n');
  });
});

/** Things that can be in place of a new plan; returns how to see that it is unchanged. */
const others: Readonly<Record<string, () => Promise<() => Promise<unknown>>>> = {
  'a state file': async () => {
    await writeFile(plan, file('x'));
    return () => readFile(plan, 'utf8');
  },
  'a file that contains a plan after its first line': async () => {
    await writeFile(plan, 'notes\n{"svc_plan":1,"salt":"AAAA"}\n');
    return () => readFile(plan, 'utf8');
  },
  'a link to an earlier plan': async () => {
    await world.state(`apply -f - --save-plan ${plan}-1`, file('x'));
    await symlink(`${plan}-1`, plan);
    return async () => [(await lstat(plan)).isSymbolicLink(), await readFile(plan, 'utf8')];
  },
  'a link to nothing': async () => {
    await symlink(join(folder, 'none'), plan);
    return async () => [(await lstat(plan)).isSymbolicLink(), await readdir(folder)];
  },
  'a pipe': async () => {
    execFileSync('mkfifo', [plan]);
    return async () => (await lstat(plan)).isFIFO();
  },
  'a folder': async () => {
    await mkdir(plan);
    return () => readdir(plan);
  },
};

test.skipIf(process.platform === 'win32').each(Object.entries(others))(
  '--save-plan keeps %s, and sends nothing',
  async (_what, make) => {
    const look = await make();
    const before = await look();
    const ran = await exited(2, world.state(`apply -f - --save-plan ${plan}`, file('t0p-secret')));
    expect(ran.err).toContain(`error: --save-plan: cannot write ${plan}: it `);
    expect(ran.requests).toEqual([]);
    expect(await look()).toEqual(before);
  },
);

test.runIf(process.getuid?.() === 0)('--save-plan keeps a device, and sends nothing', async () => {
  execFileSync('mknod', [plan, 'c', '1', '3']);
  const ran = await exited(2, world.state(`apply -f - --save-plan ${plan}`, file('x')));
  expect([ran.requests, (await lstat(plan)).isCharacterDevice()]).toEqual([[], true]);
});

test('--save-plan replaces an empty file and an earlier plan, and leaves no other file', async () => {
  await writeFile(plan, '');
  for (const value of ['one', 'two']) {
    await exited(0, world.state(`apply -f - --save-plan ${plan}`, file(value)));
    await exited(0, world.state(`apply -f - --plan ${plan} --dry-run`, file(value)));
  }
  expect(await readFile(plan, 'utf8')).toMatch(/^\{"svc_plan":1,/);
  expect(await readdir(folder)).toEqual(['plan']);
});

test('--save-plan keeps a file that appears while the plan is made', async () => {
  const ran = await world.state(`apply -f - --save-plan ${plan}`, file('x'), async (_request, send) => {
    await writeFile(plan, 'precious');
    return send();
  });
  expectCode(ran, 2);
  expect(await readFile(plan, 'utf8')).toBe('precious');
  expect(await readdir(folder)).toEqual(['plan']);
});
