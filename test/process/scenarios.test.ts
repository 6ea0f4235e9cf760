// Every fault of test/support/scenarios.ts, met by the built program under a command that people use: what it prints, what it
// says, how it ends, and what arrived.
import { parse as parseCsv } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exitCodes } from '../../src/cli/exit-codes.ts';
import { type FaultServer, startFaults } from '../support/faults.ts';
import { type Home, makeHome, stackTrace, svc } from '../support/process.ts';
import { type Expectation, type Scenario, scenarios, token } from '../support/scenarios.ts';

let faults: FaultServer;
let home: Home;
beforeAll(async () => {
  [faults, home] = await Promise.all([startFaults(), makeHome()]);
});
afterAll(async () => {
  await Promise.all([faults.close(), home.remove()]);
});

/** What `svc` sends by itself where the table has a body of its own. */
const bodies: Readonly<Record<string, string>> = {
  POST: '{"key":"KEY","value":"sesame-4711"}',
  PUT: '{"value":"sesame-4711"}',
};

/** Where a command differs from the bare request that the table was written for. */
const instead: Readonly<Record<string, Partial<Expectation>>> = {
  // The first request has a query, so the link to the same path without one leads to a second page.
  'pages-same': { gives: [1, 1], requests: 2 },
  // Rows are printed as they come: one came before the answer broke off.
  'silent-body': { gives: [1] },
  'cut-chunked': { gives: [1] },
  'cut-length': { gives: [1] },
  'reset-in-body': { gives: [1] },
  'temporary-write': { gives: { method: 'POST', body: bodies['POST'] } },
  'permanent-write': { gives: { method: 'PUT', body: bodies['PUT'] } },
};

/** A command whose request has the scenario's method. */
function commandOf({ name, method = 'GET', list }: Scenario): readonly string[] {
  const project = ['--project', name];
  if (method === 'HEAD') return ['files', 'head', 'KEY', '--ref', 'main', ...project];
  if (method === 'POST') return ['variables', 'create', 'KEY', 'sesame-4711', ...project];
  if (method === 'PUT') return ['variables', 'update', 'KEY', 'sesame-4711', ...project];
  if (method === 'DELETE') return ['variables', 'delete', 'KEY', '--yes', ...project];
  return list ? ['jobs', 'list', '--all', ...project] : ['variables', 'get', 'KEY', ...project];
}

/** A timeout that only those feel whose service stays silent: elsewhere a busy machine must not run into it. */
function timeoutOf({ name, expect: { says = [] } }: Scenario): string {
  return says.some((part) => String(part).includes('0.4 s'))
    ? '0.4'
    : name.startsWith('silent')
      ? '1.5'
      : '20';
}

const wantedOf = (scenario: Scenario): Expectation => ({ ...scenario.expect, ...instead[scenario.name] });

function columnsOf({ gives }: Expectation): readonly string[] {
  return typeof gives === 'object' && gives !== null && !Array.isArray(gives) ? Object.keys(gives) : ['id'];
}

function run(scenario: Scenario, more: readonly string[]) {
  const flags = ['--base-url', faults.root, '--retries', '1', '--max-wait', '5'];
  return svc(
    home,
    [
      ...commandOf(scenario),
      ...flags,
      ...(scenario.retryUnsafe ? ['--retry-unsafe'] : []),
      '--timeout',
      timeoutOf(scenario),
      ...more,
    ],
    { env: { SVC_TOKEN: token } },
  );
}

/** What was printed, in the shape of the table. */
function printed(out: string, gives: unknown): unknown {
  const rows = parseCsv(out, { columns: true, skip_empty_lines: true }) as Record<string, string>[];
  return Array.isArray(gives) ? rows.map(({ id }) => Number(id)) : rows[0];
}

/** What is said, without what stands before it, and with URLs as the table knows them. */
const plain = (err: string): string =>
  err
    .replace(/^(svc: | {2}hint: | {2})/gm, '')
    .replace(/projects\/([a-z0-9-]+)\/(jobs|variables(\/KEY)?|repository\/files\/KEY)/g, '$1');

const asText = (gives: object) => Object.fromEntries(Object.entries(gives).map(([k, v]) => [k, String(v)]));

describe.concurrent.each(scenarios.map((scenario) => [scenario.name, scenario] as const))(
  '%s',
  (name, scenario) => {
    it('is told in plain words, with the right code', async ({ expect }) => {
      const wanted = wantedOf(scenario);
      const deletes = scenario.method === 'DELETE';
      const output = deletes ? [] : ['-o', 'csv', '--fields', columnsOf(wanted).join(',')];
      const { code, out, err } = await run(scenario, output);
      expect({ code, err }).toEqual({ code: wanted.kind ? exitCodes[wanted.kind] : 0, err });
      const { gives } = wanted;
      if (deletes || gives === undefined) expect(out).toMatch(/^(id\r\n(""\r\n)?)?$/);
      else expect(printed(out, gives)).toEqual(Array.isArray(gives) ? gives : asText(gives as object));
      if (wanted.kind === undefined) {
        for (const line of err.split('\n').filter(Boolean)) expect(line).toMatch(/^svc: /);
      } else {
        const [first, ...rest] = err
          .trimEnd()
          .split('\n')
          .filter((line) => !/^svc: .*; waiting /.test(line));
        expect(first).toMatch(/^svc: \S/);
        // What follows the one line belongs to it, and is indented so.
        for (const line of rest) expect(line).toMatch(/^ {2}\S/);
        for (const part of wanted.says ?? []) expect(plain(err)).toMatch(part);
      }
      for (const part of wanted.hides ?? []) expect(err).not.toMatch(part);
      expect(err).not.toMatch(stackTrace);
      expect(err + out).not.toContain(token);
      expect(err).not.toContain('sesame-4711');
      expect(err).not.toMatch(/<\/?(html|body|h1)\b/i);
      const seen = faults.seen(name);
      expect(seen).toHaveLength(wanted.requests);
      for (const one of seen) {
        expect(one.method).toBe(scenario.method ?? 'GET');
        expect(one.headers).toContainEqual(['private-token', token]);
        expect(one.body).toBe(bodies[one.method] ?? '');
      }
      const waits = err.split('\n').filter((line) => /; waiting /.test(line));
      if (wanted.waits) expect(waits).toHaveLength(wanted.waits.length);
    });
  },
);

describe('the same failures of svc api, for a program that reads them', () => {
  // Every third of those that need no wait; the kinds of all are held above. A text is nothing wrong to `api`.
  const some = scenarios
    .filter(({ expect: { kind, waits = [] } }) => kind !== undefined && waits.length === 0)
    .filter(({ name }) => name !== 'plain-text')
    .filter((_, at) => at % 3 === 0);

  it.concurrent.each(some.map((one) => [one.name, one] as const))(
    '%s is one JSON object',
    async (_, scenario) => {
      const { name, method = 'GET', list, sends, expect: wanted } = scenario;
      const { code, err } = await svc(
        home,
        [
          ...[
            'api',
            method,
            name,
            ...(list ? ['--all'] : []),
            ...(sends === undefined ? [] : ['--input', '-']),
          ],
          ...['--base-url', faults.root, '--retries', '0', '--timeout', timeoutOf(scenario), '-o', 'ndjson'],
        ],
        {
          env: { SVC_TOKEN: token },
          ...(sends === undefined ? {} : { stdin: JSON.stringify(sends) }),
        },
      );
      expect({ code, err }).toEqual({ code: exitCodes[wanted.kind!], err });
      const lines = err.split('\n').filter((line) => !line.startsWith('svc: '));
      expect(lines).toHaveLength(2);
      const { error } = JSON.parse(lines[0]!) as { error: Record<string, unknown> };
      expect(error).toMatchObject({ kind: wanted.kind, message: expect.stringMatching(/\S/) });
      expect(Object.keys(error)).toEqual(
        expect.arrayContaining(['kind', 'message', 'status', 'method', 'url', 'body', 'request_id', 'hint']),
      );
      expect(err).not.toContain(token);
      expect(err).not.toMatch(stackTrace);
    },
  );
});

describe('the other origin', () => {
  // The tests above run before this one, all of them.
  it('was never asked for anything, with a credential or without', () => {
    expect(faults.strangers()).toEqual([]);
  });
});
