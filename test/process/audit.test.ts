/** Parallel processes share one audit log. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { command, svc, testHome } from '../support/process.ts';
import { json, serve } from '../support/service.ts';

test('lines of a file that is standard error are not overwritten by messages', async () => {
  const home = await testHome();
  const url = await serve((request, response) => void request.resume().on('end', () => json(response, {})));
  const own = { SVC_BASE_URL: url, SVC_TOKEN: 'token-1', SVC_AUDIT_LOG: '/dev/stderr' };
  const line = [...command, 'variables', 'update', 'KEY', 'value', '-p', 'acme/rocket'];
  const options = { env: { ...home.env, ...own }, cwd: home.path, extendEnv: false };
  await execa('sh', ['-c', '"$0" "$@" 2> err.txt', ...line], options);
  const [intent = '', result = '', message] = (await readFile(join(home.path, 'err.txt'), 'utf8')).split(
    '\n',
  );
  expect([JSON.parse(intent).phase, JSON.parse(result).phase]).toEqual(['intent', 'result']);
  expect(message).toBe('Updated variable KEY in acme/rocket');
});

test('20 processes at once lose no line of the audit log', async () => {
  const home = await testHome();
  const url = await serve((request, response) => {
    request.resume().on('end', () => json(response, { key: 'KEY' }));
  });
  const log = join(home.path, 'audit.log');
  const env = { SVC_BASE_URL: url, SVC_TOKEN: 'token-1', SVC_AUDIT_LOG: log };
  const keys = Array.from({ length: 20 }, (_, at) => `KEY_${at}_${'x'.repeat(200)}`);
  const ended = await Promise.all(
    keys.map((key) => svc(home, ['variables', 'update', key, 'value', '-p', 'acme/rocket'], { env })),
  );
  expect(ended.map(({ code }) => code)).toEqual(keys.map(() => 0));
  const lines = (await readFile(log, 'utf8')).trimEnd().split('\n');
  const entries = lines.map((line) => JSON.parse(line) as { id: string; phase: string; target: string });
  expect(entries).toHaveLength(40);
  for (const { id } of entries)
    expect(entries.filter((one) => one.id === id).map(({ phase }) => phase)).toEqual(['intent', 'result']);
  expect(new Set(entries.map(({ target }) => target)).size).toBe(20);
});
