import { readFile } from 'node:fs/promises';
import { describe, expect, test, vi } from 'vitest';
import { Failure } from '../../../src/errors.ts';
import type { LoggedRequest } from '../../../src/sandbox/control/types.ts';
import { fileForm, noon } from '../ask.ts';
import { type Served, serveControlled } from './serving.ts';

const page = await readFile(new URL('../../../docs/testing.md', import.meta.url), 'utf8');
const [, statusTable = ''] = /\| Status \| Cause \|\n\|---\|---\|\n((?:\|.*\n)+)/.exec(page) ?? [];

/** Calls of the control interface, by the status of their error. */
const failing: Readonly<Record<number, readonly ((served: Served) => Promise<Response>)[]>> = {
  400: [
    ({ control }) => control('PUT /clock', { now: 'x' }),
    ({ control }) => control('GET /requests?limit=x'),
  ],
  403: [({ control, url }) => control('GET /clock', undefined, { origin: url })],
  404: [
    ({ control }) => control('GET /unknown'),
    ({ control }) => control('GET /constructor'),
    ({ control }) => control('GET /snapshots/unknown'),
    ({ control }) => control('POST /emit', { event: 'pipeline', project: 'acme/unknown' }),
  ],
  405: [({ control }) => control('POST /clock', {})],
  500: [
    ({ control, sandbox }) => {
      vi.spyOn(sandbox.control.snapshots, 'load').mockRejectedValue(new Failure('internal', 'damaged'));
      return control('POST /snapshots/x/load');
    },
  ],
};

const logged = async ({ control }: Served, query = ''): Promise<LoggedRequest[]> =>
  (await control(`GET /requests${query}`)).json() as Promise<LoggedRequest[]>;

describe('the request log', () => {
  test('has the method, path, query, status, duration, caller, body and fault of each request', async () => {
    const served = await serveControlled();
    const path = '/projects/acme%2Frocket/variables';
    await served.api(`GET ${path}?per_page=1`, undefined, 'sandbox-mia');
    await served.api(`POST ${path}`, { key: 'PLAIN', description: 'seen' }, 'sandbox-maintainer');
    await served.control('POST /faults', { match: 'GET /**', status: 503 });
    await served.api('GET /version');
    const times = { at: new Date(noon).toISOString(), duration: expect.any(Number) };
    const plain = { ...times, query: '', caller: null, body: null, fault: null };
    const [get, post] = ['GET', 'POST'].map((method) => ({ ...plain, method, path: `/api/v4${path}` }));
    expect(await logged(served)).toEqual([
      { ...get, id: 1, query: '?per_page=1', status: 401 },
      { ...post, id: 2, status: 400, caller: 'mia', body: { key: 'PLAIN', description: 'seen' } },
      { ...get, id: 3, path: '/api/v4/version', status: 503, caller: 'root', fault: 'GET /**' },
    ]);
  });

  test('contains no secrets', async () => {
    const served = await serveControlled();
    const secret = 'correct-horse-battery';
    await served.api('POST /projects/100/variables', { key: 'A', value: secret });
    await served.api(`POST /projects/100/variables?key=B&value=${secret}&private_token=${secret}`);
    await served.api('POST /groups/acme/hooks', { url: 'http://127.0.0.1:9/', token: secret });
    await served.api('POST /unknown', { nested: [{ access_token: secret }] });
    const form = new URLSearchParams({ key: 'C', value: secret });
    await fetch(`${served.url}/api/v4/projects/100/variables`, { method: 'POST', body: form });
    const text = JSON.stringify(await logged(served));
    expect(text).toContain('"key":"A","value":"***"');
    expect(text).toContain('"key":"C","value":"***"');
    expect(text).not.toContain(secret);
    expect(text).not.toContain('sandbox-admin');
  });

  test('describes other bodies by their size', async () => {
    const served = await serveControlled();
    const send = (body: string | FormData, type?: string) =>
      fetch(`${served.url}/api/v4/projects/100/uploads`, {
        method: 'POST',
        body,
        headers: type === undefined ? {} : { 'content-type': type },
      });
    await send('{"broken', 'application/json');
    await send(`{"content":"${'x'.repeat(20_000)}"}`, 'application/json');
    await send(fileForm('four', 'notes.txt'));
    expect((await logged(served)).map(({ body }) => body)).toEqual([
      '(8 bytes)',
      '(20014 bytes)',
      { file: '(file notes.txt, 4 bytes)' },
    ]);
  });

  test('keeps the last 1,000 requests, lists some of them, and is cleared', async () => {
    const served = await serveControlled();
    const { sandbox } = served;
    const request = () => sandbox.handle(new Request('http://sandbox.localhost/api/v4/version'));
    for (let index = 0; index < 1_100; index++) await request();
    const ids = async (query = '') => (await logged(served, query)).map(({ id }) => id);
    const all = await ids();
    expect([all.length, all[0], all.at(-1)]).toEqual([1_000, 101, 1_100]);
    for (let index = 0; index < 1_000; index++) await request();
    expect((await ids()).length).toBe(1_000);
    expect(await ids('?limit=2')).toEqual([2_099, 2_100]);
    expect(await ids('?after=2098')).toEqual([2_099, 2_100]);
    expect((await served.control('DELETE /requests')).status).toBe(204);
    expect(await ids()).toEqual([]);
  });
});

describe('the control interface', () => {
  test.each(['GET /ready', 'GET /requests', 'POST /faults', 'PUT /clock', 'DELETE /faults'])(
    'rejects %s with an Origin header, even of this machine',
    async (call) => {
      const { control, url } = await serveControlled();
      const value = call.startsWith('GET') ? undefined : {};
      for (const origin of [url, 'http://localhost', 'http://example.com', 'null']) {
        expect((await control(call, value, { origin })).status).toBe(403);
      }
    },
  );

  test.each(Object.keys(failing))(
    'responds with an error of status %s, as docs/testing.md says',
    async (status) => {
      expect(statusTable).toContain(`| ${status} |`);
      const served = await serveControlled();
      for (const call of failing[Number(status)] ?? []) {
        const response = await call(served);
        expect(response.status).toBe(Number(status));
        expect(await response.json()).toEqual({ error: expect.any(String) });
      }
    },
  );

  test('docs/testing.md lists no other status of errors', () => {
    const listed = [...statusTable.matchAll(/^\| (\d+)/gm)].map(([, status]) => status);
    expect(listed).toEqual(Object.keys(failing));
  });

  test('rejects other methods of a path, and invalid JSON', async () => {
    const { control, url } = await serveControlled();
    const wrong = await control('POST /clock', {});
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, PUT, HEAD']);
    const unknown = await fetch(`${url}/-/sandbox/reset`, { method: 'PATCH', body: '{}' });
    expect([unknown.status, unknown.headers.get('allow')]).toEqual([405, 'POST']);
    const response = await fetch(`${url}/-/sandbox/faults`, { method: 'POST', body: '{' });
    expect([response.status, await response.json()]).toEqual([
      400,
      { error: 'the request body must be JSON' },
    ]);
  });
});
