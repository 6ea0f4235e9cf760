/** Parallel processes share one audit log. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { svc, testHome } from '../support/process.ts';
import { json, serve } from '../support/service.ts';

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
}, 120_000);
