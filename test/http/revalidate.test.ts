import { expect, test } from 'vitest';
import { revalidatingTransport } from '../../src/http/policy/revalidate.ts';
import { header, type Request } from '../../src/http/transport.ts';
import { collect } from '../../src/support/bytes.ts';
import { type Canned, canned } from '../support/svc.ts';

const url = 'https://host.example/api/v4/projects/1/jobs';
const get: Request = { method: 'GET', url, headers: [['accept', 'application/json']] };

function open(respond: Parameters<typeof canned>[0]) {
  const conditions: (string | undefined)[] = [];
  const inner = canned((request, number) => {
    conditions.push(header(request.headers, 'if-none-match'));
    return respond(request, number);
  })('https://host.example', { timeout: 1_000 });
  const transport = revalidatingTransport(inner);
  const read = async (request = get) => {
    const reply = await transport.send(request);
    return [reply.status, header(reply.headers, 'link'), String(await collect(reply.body))];
  };
  return { conditions, read };
}

// RFC 9110 sections 13.1.2 and 15.4.5.
test('a page that has not changed is the page that was read before, with new links', async () => {
  const headers = [['etag', 'W/"a"'] as const, ['link', '<x>; rel=next'] as const];
  const { conditions, read } = open((_, number) =>
    number === 0
      ? { headers, body: '[1]' }
      : { status: 304, headers: [['etag', 'W/"a"'], ...(number === 2 ? [['link', '<y>'] as const] : [])] },
  );
  const first = [200, '<x>; rel=next', '[1]'];
  expect([await read(), await read(), await read()]).toEqual([first, first, [200, '<y>', '[1]']]);
  expect(conditions).toEqual([undefined, 'W/"a"', 'W/"a"']);
});

test('a page that has changed replaces the one before', async () => {
  const { conditions, read } = open((_, number) => ({
    headers: [['etag', `"${number}"`]],
    body: `[${number}]`,
  }));
  expect([(await read())[2], (await read())[2], (await read())[2]]).toEqual(['[0]', '[1]', '[2]']);
  expect(conditions).toEqual([undefined, '"0"', '"1"']);
});

test.each<[string, Request, Canned]>([
  ['a page without a tag', get, { body: '[]' }],
  ['a write', { ...get, method: 'POST' }, { headers: [['etag', '"a"'] as const], body: '{}' }],
  ['a failure', get, { status: 404, headers: [['etag', '"a"'] as const], body: '{}' }],
  ['a 304 that was not asked for', get, { status: 304, headers: [['etag', '"a"'] as const] }],
])('%s is neither kept nor asked for again', async (_, request, reply) => {
  const { conditions, read } = open(() => reply);
  expect((await read(request))[0]).toBe(reply.status ?? 200);
  await read(request);
  expect(conditions).toEqual([undefined, undefined]);
});
