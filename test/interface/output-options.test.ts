import { expect, test } from 'vitest';
import { flagsFor } from '../../src/cli/argv/flags.ts';
import { plainRun } from '../support/catalogue.ts';
import { presented } from '../support/endpoints.ts';
import { exampleFiles } from '../support/sandbox.ts';
import { words } from '../support/svc.ts';
import { ask, folderWith } from './service.ts';

const env = { SVC_SOURCE_TOKEN: 'svcpat-Kd72NnQx' };

test.each(presented)('$title', async ({ endpoint, reads }) => {
  const flags = flagsFor([endpoint]).map(({ name }) => name);
  const wrong = [
    ...(flags.includes('fields') ? [['--fields', ','], ['--fields', ''], ['--raw-strings']] : []),
    ...(flags.includes('jq') && !reads ? [['--jq', '.[']] : []),
    ...(flags.includes('output-file') ? [['--output-file', '/nonexistent/folder/file']] : []),
    ...(flags.includes('download') ? [['--wait', '--download', '/nonexistent/folder/file']] : []),
  ];
  const cwd = await folderWith(exampleFiles);
  for (const options of wrong) {
    const argv = [...words(plainRun(endpoint)).filter((word) => word !== '--wait'), ...options];
    const { code, requests, err } = await ask(argv, { body: '[]' }, { env, cwd });
    expect([argv, err, code, requests.length]).toEqual([argv, err, err.includes('/nonexistent') ? 1 : 2, 0]);
  }
});

test('svc api checks its output options for every method', async () => {
  for (const method of ['GET', 'POST', 'DELETE'])
    for (const options of ['--fields ,', '--jq .[', '-r', '--output-file /nonexistent/a/b']) {
      const { requests, code } = await ask(`api ${method} x ${options}`);
      expect([code > 0, requests.length]).toEqual([true, 0]);
    }
});

test('--fields help sends nothing for a command that makes several requests', async () => {
  const { code, out, requests } = await ask('variables set A b -p 1 --fields help');
  expect([code, requests.length]).toEqual([0, 0]);
  expect(out).toContain('environment_scope');
});
