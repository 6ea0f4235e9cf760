import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, test } from 'vitest';
import { loadCatalogue } from '../../src/cli/catalogue.ts';
import type { Request } from '../../src/http/transport.ts';
import { ask } from '../sandbox/ask.ts';
import { seededCalls } from '../sandbox/seeded-calls.ts';
import { seededWrites } from '../sandbox/seeded-writes.ts';
import { folderWith } from '../support/folders.ts';
import { checkRequest, type OpenApi, type Operation, responseProblems } from '../support/openapi-mock.ts';
import { exampleFiles, openWorld } from '../support/sandbox.ts';
import { svc, words } from '../support/svc.ts';
import { linesOf, routes } from '../support/table.ts';

const printed = await svc('schema --openapi');
const document = JSON.parse(printed.out) as OpenApi;
const unspecified = new Set(
  linesOf(new URL('../unspecified.txt', import.meta.url)).map((line) => line.split('\t')[1] ?? ''),
);

const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({
    route: `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`,
    operation,
  })),
);

test('is valid OpenAPI 3.1', async () => {
  expect([printed.code, printed.err]).toEqual([0, '']);
  const validator = new Validator();
  const result = await validator.validate(JSON.parse(printed.out));
  expect(result.errors).toBeUndefined();
  expect([result.valid, validator.version]).toEqual([true, '3.1']);
});

test('has the 117 operations of the specification, with unique ids', () => {
  expect(operations).toHaveLength(117);
  expect(operations.map(({ route }) => route).sort()).toEqual(routes.map(({ route }) => route).sort());
  expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(117);
});

test('refers only to components that exist, and uses each of them', () => {
  const names = [...printed.out.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name);
  expect([...new Set(names)].sort()).toEqual(Object.keys(document.components.schemas).sort());
});

test('declares each parameter of a path', () => {
  for (const { route, operation } of operations) {
    const slots = [...route.matchAll(/:(\w+)/g)].map(([, name]) => name);
    const declared = operation.parameters.filter((one) => one.in === 'path').map(({ name }) => name);
    expect(declared, route).toEqual(slots);
  }
});

/** The requests of every example, each run in a separate sandbox if it writes. */
async function requestsOf(area: string): Promise<Map<string, readonly Request[]>> {
  const catalogue = await loadCatalogue();
  const commands = catalogue.areas.find(({ name }) => name === area)?.commands ?? [];
  const found = new Map<string, readonly Request[]>();
  for (const { endpoints, examples } of commands.filter((one) => one.endpoints.length > 0)) {
    const reads = endpoints.every(({ method }) => method === 'GET' || method === 'HEAD');
    const shared = reads ? await openWorld() : undefined;
    for (const { run } of examples) {
      const folder = await folderWith(exampleFiles);
      const ran = await (shared ?? (await openWorld())).run(words(run), { cwd: folder });
      expect(ran.code, `${run}: ${ran.err}`).toBe(0);
      // A body that is a file cannot be read again when the folder is gone.
      for (const request of ran.requests)
        found.set(run, [...(found.get(run) ?? []), await checked(request, run)]);
    }
  }
  return found;
}

const seen = new Set<string>();

async function checked(request: Request, run: string): Promise<Request> {
  const { problems, template, operation } = await checkRequest(document, request);
  const path = request.url.replace(/^.*\/api\/v4|\?.*$/g, '');
  const patternOf = (route: string) => route.replace(/:path/, '.+').replace(/:\w+/g, '[^/]+');
  const isUnspecified = [...unspecified].some((route) =>
    new RegExp(`^${patternOf(route)}$`).test(`${request.method} ${path}`),
  );
  if (isUnspecified && !operation) return request;
  expect(problems, `${run}: ${request.method} ${path}`).toEqual([]);
  seen.add(`${request.method} ${template?.replace(/\{(\w+)\}/g, ':$1')}`);
  return request;
}

describe('a strict mock made from it accepts every request of the examples', () => {
  const areas = [
    ...new Set(operations.flatMap(({ operation }) => (operation as Operation & { tags: string[] }).tags)),
  ];
  test.each(areas)('of svc %s', async (area) => {
    expect((await requestsOf(area)).size).toBeGreaterThan(0);
  });

  test('which cover almost every operation', () => {
    expect(operations.map(({ route }) => route).filter((route) => !seen.has(route)).length).toBeLessThan(12);
  });
});

test('the mock rejects what the document does not describe', async () => {
  const url = 'https://host.example/api/v4/projects/1/variables';
  const headers = Object.entries({ 'content-type': 'application/json', 'private-token': 'x' });
  const post = (body: unknown) => {
    return { method: 'POST', url, headers, body: { bytes: Buffer.from(JSON.stringify(body)) } };
  };
  const problemsOf = async (request: Request) => (await checkRequest(document, request)).problems.length;
  expect(await problemsOf(post({ key: 'A', value: 'b' }))).toBe(0);
  expect(await problemsOf(post({ key: 'A' }))).toBe(1);
  expect(await problemsOf(post({ key: 'A', value: 'b', other: 1 }))).toBe(1);
  expect(await problemsOf(post({ key: 'A', value: 'b', masked: 'yes' }))).toBe(1);
  expect(await problemsOf({ method: 'GET', url: `${url}?per_page=101`, headers })).toBe(1);
  expect(await problemsOf({ method: 'GET', url: `${url}?other=1`, headers })).toBe(1);
  expect(await problemsOf({ method: 'GET', url, headers: [] })).toBe(1);
  expect(await problemsOf({ method: 'PATCH', url, headers })).toBe(1);
});

test('every response of the sandbox agrees with its operation', async () => {
  const shared = await openWorld();
  const checked = { reads: 0, writes: 0 };
  const reads = seededCalls('GET');
  const details = reads
    .filter(({ endpoint }) => 'with_labels_details' in endpoint.takes)
    .map((call) => ({ ...call, request: `${call.request}?with_labels_details=true` }));
  const all = [...reads, ...details, ...seededCalls('DELETE'), ...seededWrites()];
  for (const { request, how, route, title, endpoint } of all) {
    const operation = operations.find((one) => one.route === route)?.operation;
    if (!operation) continue;
    const isRead = endpoint.method === 'GET';
    const response = await ask((isRead ? shared : await openWorld()).sandbox, request, how);
    const declared = operation.responses[response.status] as
      | { content?: Record<string, { schema: object }> }
      | undefined;
    expect(declared, `${title}: status ${response.status} is not in the document`).toBeDefined();
    const types = Object.keys(declared?.content ?? {});
    const [type] = response.headers.get('content-type')?.split(';') ?? [];
    if (types.length > 0) expect([type, '*/*'], title).toContain(types[0]);
    const json = declared?.content?.['application/json'];
    if (!json) continue;
    expect(responseProblems(document, json.schema, response.body), title).toEqual([]);
    checked[isRead ? 'reads' : 'writes']++;
  }
  expect(checked.reads).toBeGreaterThan(40);
  expect(checked.writes).toBeGreaterThan(60);
});

/** Transcribed by hand from section 7. */
const errors = [400, 401, 403, 404, 405, 409, 412, 414, 422, 429, 500, 503];

test('lists each status on its own, which generators of clients require', () => {
  for (const { route, operation } of operations) {
    const statuses = Object.keys(operation.responses).map(Number);
    const failures = statuses.filter((status) => !(status < 300));
    expect(failures, route).toEqual(errors);
    expect(Math.min(...statuses), route).toBe(200);
  }
});
