/** Section 7 of the specification: 202 means accepted: scheduled for processing, for every command. */
import { describe, expect, test } from 'vitest';
import type { Request } from '../../src/http/transport.ts';
import { presented } from '../support/endpoints.ts';
import { exampleFiles } from '../support/sandbox.ts';
import { type Canned, words } from '../support/svc.ts';
import { ask, folderWith } from './service.ts';

const writes = presented.flatMap(({ title, endpoint, reads }) => {
  const run = endpoint.examples.find((example) => !/--(wait|dry-run)/.test(example.run))?.run;
  return reads || run === undefined ? [] : [{ title, run }];
});

test('covers every area that writes', () => {
  expect(writes.length).toBeGreaterThan(40);
  const some = ['variables set (project)', 'branches delete-merged (project)', 'license refresh'];
  expect(writes.map(({ title }) => title)).toEqual(expect.arrayContaining(some));
});

describe.each([
  ['without a body', ''],
  ['with a body', '{"id":1,"success":true,"message":"202 Accepted"}'],
])('a write with the response 202 %s is reported as scheduled, not as done', (_, body) => {
  test.each(writes)('$title', async ({ run }) => {
    const cwd = await folderWith(exampleFiles);
    const answer = ({ method }: Request): Canned =>
      method === 'GET' ? { body: '{"files":[]}' } : { status: 202, body };
    const ran = await ask(words(run), answer, { cwd, terminal: 80 });
    expect(ran.code, ran.err).toBe(0);
    expect(ran.err.replace(/^.*warning:.*\n/, '')).toMatch(/^✓ Scheduled [a-z]+ of \S.*\n$/);
  });
});

test('svc api reports a scheduled request', async () => {
  for (const body of ['', '{"message":"202 Accepted"}'])
    expect((await ask('api DELETE /projects/1', { status: 202, body })).err).toMatch(/^Scheduled: /);
});

test('a read with the response 202 is reported as not ready yet', async () => {
  const body = '{"id":1,"has_finished":false}';
  const ran = await ask('dependency-exports get 1 --json', { status: 202, body });
  expect([ran.code, ran.err]).toEqual([0, expect.stringMatching(/not ready yet/)]);
  expect((await ask('dependency-exports get 1', { body })).err).toBe('');
  expect((await ask('dependency-exports get 1', { status: 202, body: '202' })).code).toBe(9);
});
