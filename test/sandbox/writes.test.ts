/** A write returns the same resource as a later read, and a deleted resource is not found. */
import { expect, test } from 'vitest';
import { sandboxPerTest } from './ask.ts';
import { seededCalls } from './seeded-calls.ts';
import { seededWrites } from './seeded-writes.ts';

const ask = sandboxPerTest();

const readable = seededCalls('GET').map(({ endpoint }) => endpoint.path);
const pathOf = (request: string) => request.replace(/^\w+ |\?.*$/g, '');
/** A commit is not a file, an upload is read as its bytes, and a page moves if its title changes. */
const others = /\/(:file_path|uploads|wikis\/:slug)$/;

const writes = seededWrites().flatMap((call) => {
  const { method, path } = call.endpoint;
  if (others.test(path)) return [];
  if (method !== 'POST') return readable.includes(path) ? [[call.title, call, ''] as const] : [];
  const item = readable.find((other) => /^\/:\w+$/.test(other.replace(path, ''))) ?? '';
  const [attribute] = /(i?id|key|slug|name|branch)$/.exec(item) ?? [];
  return attribute ? [[call.title, call, attribute.replace('branch', 'name')] as const] : [];
});
test.each(writes)('%s returns the same resource as a later read', async (_, { request, how }, attribute) => {
  const { status, body } = await ask(request, how);
  const name = attribute && `/${encodeURIComponent(body[attribute])}`;
  const read = await ask(`GET ${pathOf(request)}${name}`);
  expect([status, body]).toEqual([attribute ? 201 : 200, read.body]);
});

const deletions = seededCalls('DELETE')
  .filter(({ endpoint: { path } }) => readable.includes(path) && !/file_path|context_commits/.test(path))
  .map((call) => [call.title, call] as const);
test.each(deletions)('%s returns no content, and the resource is not found', async (_, { request, how }) => {
  const { status, text } = await ask(request, how);
  expect([status, text]).toEqual([204, '']);
  for (const method of ['GET', 'DELETE'])
    expect((await ask(`${method} ${pathOf(request)}`, how)).status).toBe(404);
});
