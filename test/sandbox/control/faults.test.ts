import { describe, expect, test } from 'vitest';
import { openWorld } from '../../support/sandbox.ts';
import { json, type Served, serveControlled } from './serving.ts';

const variables = '/projects/acme%2Frocket/variables';
const list = `GET ${variables}`;

describe('faults', () => {
  test('replace the response of matching requests, as often as requested', async () => {
    const { control, api } = await serveControlled();
    const fault = { match: 'POST /projects/*/variables', status: 429, retry_after: 7, times: 2 };
    const added = await control('POST /faults', fault);
    expect([added.status, await added.json()]).toEqual([201, fault]);
    const create = () => api(`POST ${variables}`, { key: 'FAULTY', value: 'x' });
    const first = await create();
    expect([first.status, first.headers.get('retry-after')]).toEqual([429, '7']);
    expect(await first.json()).toEqual({ message: '429 Too Many Requests' });
    expect(await json(control('GET /faults'))).toEqual([{ ...fault, times: 1 }]);
    expect((await api(list)).status).toBe(200);
    expect((await create()).status).toBe(429);
    // The faulty requests did not run.
    expect((await create()).status).toBe(201);
    expect(await (await control('GET /faults')).json()).toEqual([]);
  });

  test.each([
    ['GET /projects/*/variables', true],
    ['get /projects/*/variables', true],
    ['* /projects/*/variables', true],
    ['/projects/*/variables', true],
    ['/api/v4/projects/acme%2Frocket/variables', true],
    ['/**', true],
    ['/projects/**', true],
    ['/**/variables', true],
    ['POST /projects/*/variables', false],
    ['/projects/*', false],
    ['/projects/*/variables/*', false],
    ['/projects/100/variables', false],
    ['/groups/**', false],
  ])('%s matches: %s', async (match, matches) => {
    const { control, api } = await serveControlled();
    await control('POST /faults', { match, status: 500 });
    expect((await api(list)).status).toBe(matches ? 500 : 200);
  });

  const listing = async ({ api }: Served, times: number) => {
    const statuses: number[] = [];
    for (let index = 0; index < times; index++) statuses.push((await api(list)).status);
    return statuses;
  };

  test('with the same seed fail the same requests', async () => {
    const outcomes = async (seed: number) => {
      const served = await serveControlled();
      await served.control('POST /faults', { match: list, status: 503, probability: 0.5, seed });
      return listing(served, 40);
    };
    const first = await outcomes(7);
    expect(await outcomes(7)).toEqual(first);
    expect(await outcomes(8)).not.toEqual(first);
    const failed = first.filter((status) => status === 503).length;
    expect(failed).toBeGreaterThan(8);
    expect(failed).toBeLessThan(32);
  });

  test('without a seed get one that is listed and repeats them', async () => {
    const served = await serveControlled();
    const { control } = served;
    const fault = await json(control('POST /faults', { match: list, status: 503, probability: 0.5 }));
    expect(fault.seed).toEqual(expect.any(Number));
    const first = await listing(served, 20);
    expect((await control('DELETE /faults')).status).toBe(204);
    const [listed] = await json(control('POST /faults', [fault]));
    expect(listed).toEqual(fault);
    expect(await listing(served, 20)).toEqual(first);
  });

  test('delay a request', async () => {
    const { control, api } = await serveControlled();
    await control('POST /faults', { match: list, latency: 120 });
    const started = performance.now();
    expect((await api(list)).status).toBe(200);
    expect(performance.now() - started).toBeGreaterThanOrEqual(115);
  });

  test('do not delay the end of the sandbox', async () => {
    const { sandbox } = await openWorld();
    sandbox.control.faults.add({ match: list, latency: 600_000 });
    const delayed = sandbox.handle(new Request(`http://localhost/api/v4${list.split(' ')[1]}`));
    await sandbox.close();
    expect((await delayed).status).toBe(503);
  });

  test('close the connection before the headers, after the request ran, or in the body', async () => {
    const { control, api } = await serveControlled();
    await control('POST /faults', { match: 'POST /**', cut: 'headers', times: 1 });
    await expect(api(`POST ${variables}`, { key: 'LOST', value: 'x' })).rejects.toThrow('fetch failed');
    expect((await api(`GET ${variables}/LOST`)).status).toBe(200);
    await control('POST /faults', { match: list, cut: 'body' });
    const response = await api(list);
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow('terminated');
  });

  test('apply in the order in which they were added', async () => {
    const { control, api } = await serveControlled();
    await control('POST /faults', [
      { match: list, status: 500, times: 1 },
      { match: list, status: 502 },
    ]);
    expect([(await api(list)).status, (await api(list)).status]).toEqual([500, 502]);
  });

  test('do not apply to the control interface', async () => {
    const { control } = await serveControlled();
    await control('POST /faults', { match: '/**', status: 500 });
    expect((await control('GET /ready')).status).toBe(200);
  });

  test.each([
    [{ status: 500 }, 'match must be a method or *, and a path'],
    [{ match: 'POST', status: 500 }, 'match must be a method or *, and a path'],
    [{ match: '/a?b=c', status: 500 }, 'match must be a method or *, and a path'],
    [{ match: 'GET /a /b', status: 500 }, 'match must be a method or *, and a path'],
    [{ match: 7, status: 500 }, 'match must be a method or *, and a path'],
    [{ match: 'GET a/b', status: 500 }, 'match must be a method or *, and a path'],
    [{ match: 'PSOT /a', status: 500 }, 'match must be a method or *, and a path'],
    [{ match: '/a' }, 'requires status, latency or cut'],
    [{ match: '/a', status: 200 }, 'status must be between 400 and 599'],
    [{ match: '/a', status: 'x' }, 'status must be a whole number'],
    [{ match: '/a', cut: 'foot' }, 'cut must be'],
    [{ match: '/a', status: 500, times: 0 }, 'times must be 1 or more'],
    [{ match: '/a', status: 500, probability: 0 }, 'probability must be greater than 0'],
    [{ match: '/a', status: 500, probability: 2 }, 'probability must be between 0 and 1'],
    [{ match: '/a', status: 500, seed: 1 }, 'seed requires probability'],
    [{ match: '/a', latency: 1, retry_after: 1 }, 'retry_after requires status'],
    [{ match: '/a', status: 500, tmies: 1 }, 'unknown member of a fault: tmies'],
    ['x', 'a fault must be a JSON object'],
  ])('%j is rejected', async (value, message) => {
    const { control } = await serveControlled();
    const response = await control('POST /faults', [{ match: '/b', status: 500 }, value]);
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ error: expect.stringContaining(message) });
    expect(await (await control('GET /faults')).json()).toEqual([]);
  });

  test('accepts null for members that are not set', async () => {
    const { control } = await serveControlled();
    const response = await control('POST /faults', { match: '/a', status: 500, times: null, seed: null });
    expect([response.status, await response.json()]).toEqual([201, { match: '/a', status: 500 }]);
  });
});
