/** URLs in responses are absolute, and those of the API and of files resolve. */
import { expect, test } from 'vitest';
import { type Fields, keysOf } from '../../src/spec/field.ts';
import { returned } from '../support/catalogue.ts';
import { fileForm, sandboxPerTest } from './ask.ts';
import { seededCalls } from './seeded-calls.ts';

const ask = sandboxPerTest();

const origin = 'http://sandbox.localhost';

function* urls(fields: Fields, value: unknown): Generator<string> {
  if (Array.isArray(value)) for (const item of value) yield* urls(fields, item);
  else if (typeof value === 'object' && value !== null)
    for (const [name, field] of Object.entries(fields)) {
      const inner = (value as Record<string, unknown>)[name];
      if (field.placeholder === 'url' && typeof inner === 'string' && inner !== '') yield inner;
      yield* urls(keysOf(field) ?? {}, inner);
    }
}

/** The sandbox has no web pages, so only the format of their URLs is checked. */
const isFetched = (url: string): boolean =>
  url.startsWith(`${origin}/api/`) || url.startsWith(`${origin}/uploads/`) || /\/raw(\/|$)/.test(url);

const reads = seededCalls('GET').filter(({ endpoint }) => Object.keys(returned(endpoint)).length > 0);
test.each(reads.map((call) => [call.title, call] as const))(
  'URLs in the response of %s',
  async (_, { request, how, endpoint }) => {
    const { body } = await ask(request, how);
    for (const url of new Set(urls(returned(endpoint), body))) {
      expect(url).toMatch(/^https?:\/\/[^/]/);
      if (!isFetched(url)) continue;
      const [path, as] = [url.slice(origin.length), url.includes('/uploads/avatars/') ? 'none' : 'admin'];
      expect([url, (await ask(`GET ${path}`, { as })).status]).toEqual([url, 200]);
    }
  },
);

test('the full_path of an upload returns its bytes; the raw_url of a snippet returns its text', async () => {
  const { full_path } = (await ask('POST /projects/100/uploads', { form: fileForm() })).body;
  const sent = await ask(`GET ${full_path}`);
  expect([sent.status, sent.text]).toEqual([200, 'bytes']);
  const { raw_url } = (await ask('GET /projects/100/snippets/51')).body;
  expect((await ask(`GET ${raw_url.slice(origin.length)}`)).text).toContain('Hello, rocket');
});
