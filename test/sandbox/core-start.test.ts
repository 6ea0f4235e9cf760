/** A command that starts its own sandbox must not load unused modules. */
import { expect, test, vi } from 'vitest';
import { openTestSandbox } from './ask.ts';

const loaded = vi.hoisted(() => new Set<string>());
vi.mock('isomorphic-git', (original) => {
  loaded.add('isomorphic-git');
  return original();
});
vi.mock('../../src/sandbox/git/repository.ts', (original) => {
  loaded.add('repository');
  return original();
});

test('the first request that reads a repository loads git', async () => {
  const { ask } = await openTestSandbox();
  expect((await ask('GET /projects/acme%2Frocket/jobs')).status).toBe(200);
  expect((await ask('PUT /projects/100/variables/DEPLOY_USER', { json: { value: 'x' } })).status).toBe(200);
  expect([...loaded]).toEqual([]);
  expect((await ask('GET /projects/100/repository/branches')).status).toBe(200);
  expect([...loaded].sort()).toEqual(['isomorphic-git', 'repository']);
});
