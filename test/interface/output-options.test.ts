/** Every command checks its output options before sending. */
import { rm } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import { areas } from '../../src/api/index.ts';
import { flagsFor } from '../../src/cli/argv/flags.ts';
import { commandName } from '../../src/spec/command.ts';
import { plainRun } from '../support/catalogue.ts';
import { endpointsOf } from '../support/endpoints.ts';
import { makeExampleFolder } from '../support/sandbox.ts';
import { canned, svc, words } from '../support/svc.ts';

const env = {
  SVC_BASE_URL: 'https://host.example',
  SVC_TOKEN: 'svcpat-Zq81LmPw',
  SVC_SOURCE_TOKEN: 'svcpat-Kd72NnQx',
};

const commands = (
  await Promise.all(
    areas.map(async (entry) =>
      (
        await endpointsOf(entry)
      ).map((endpoint) => ({
        title: `${entry.name} ${commandName(endpoint)} (${endpoint.scope?.name ?? 'no scope'})`,
        flags: flagsFor([endpoint]).map(({ name }) => name),
        writes: endpoint.method !== 'GET' && endpoint.method !== 'HEAD',
        run: plainRun(endpoint),
      })),
    ),
  )
).flat();

test.each(commands.map((one) => [one.title, one] as const))('%s', async (_, { flags, run, writes }) => {
  const wrong = [
    ...(flags.includes('fields') ? [['--fields', ','], ['--fields', ''], ['--raw-strings']] : []),
    ...(flags.includes('jq') && writes ? [['--jq', '.[']] : []),
    ...(flags.includes('output-file') ? [['--output-file', '/nonexistent/folder/file']] : []),
    ...(flags.includes('download') ? [['--wait', '--download', '/nonexistent/folder/file']] : []),
  ];
  const cwd = await makeExampleFolder();
  onTestFinished(() => rm(cwd, { recursive: true, force: true }));
  for (const options of wrong) {
    const argv = [...words(run).filter((word) => word !== '--wait'), ...options];
    const { code, requests, err } = await svc(argv, { env, cwd, transport: canned(() => ({ body: '[]' })) });
    expect([argv, err, code, requests.length]).toEqual([argv, err, err.includes('/nonexistent') ? 1 : 2, 0]);
  }
});

test('svc api checks its output options for every method', async () => {
  for (const method of ['GET', 'POST', 'DELETE'])
    for (const options of [
      ['--fields', ','],
      ['--jq', '.['],
      ['-r'],
      ['--output-file', '/nonexistent/a/b'],
    ]) {
      const { requests, code } = await svc(['api', method, 'x', ...options], {
        env,
        transport: canned(() => ({ body: '{}' })),
      });
      expect([code > 0, requests.length]).toEqual([true, 0]);
    }
});

test('--fields help sends nothing for a command that makes several requests', async () => {
  const { code, out, requests } = await svc(['variables', 'set', 'A', 'b', '-p', '1', '--fields', 'help'], {
    env,
    transport: canned(() => ({ body: '{}' })),
  });
  expect([code, requests.length]).toEqual([0, 0]);
  expect(out).toContain('environment_scope');
});
