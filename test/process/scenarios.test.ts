// Every fault of test/support/scenarios.ts against the built program: output, messages, exit code and the requests received.
import { parse as parseCsv } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { exitCodes } from '../../src/cli/exit-codes.ts';
import { sharedFaults } from '../support/faults.ts';
import { sharedHome, stackTrace, svc } from '../support/process.ts';
import { type Expectation, type Scenario, scenarios, timeoutOf, token } from '../support/scenarios.ts';

const home = await sharedHome();
const faults = await sharedFaults();

/** Request bodies that the commands send in place of those in the table. */
const bodies: Readonly<Record<string, string>> = {
  POST: '{"key":"KEY","value":"sesame-4711"}',
  PUT: '{"value":"sesame-4711"}',
};

/** Expectations that differ between a command and a bare request. */
const overrides: Readonly<Record<string, Partial<Expectation>>> = {
  // The first request has a query, so the link to the same path without one leads to a second page.
  'pages-same': { prints: [1, 1], requests: 2 },
  // Rows are printed as they arrive: one arrived before the response was interrupted.
  'silent-body': { prints: [1] },
  'cut-chunked': { prints: [1] },
  'cut-length': { prints: [1] },
  'reset-in-body': { prints: [1] },
  'temporary-write': { prints: { method: 'POST', body: bodies['POST'] } },
  'permanent-write': { prints: { method: 'PUT', body: bodies['PUT'] } },
};

function commandOf({ name, method = 'GET', list }: Scenario): readonly string[] {
  const project = ['--project', name];
  if (method === 'HEAD') return ['files', 'head', 'KEY', '--ref', 'main', ...project];
  if (method === 'POST') return ['variables', 'create', 'KEY', 'sesame-4711', ...project];
  if (method === 'PUT') return ['variables', 'update', 'KEY', 'sesame-4711', ...project];
  if (method === 'DELETE') return ['variables', 'delete', 'KEY', '--yes', ...project];
  return list ? ['jobs', 'list', '--all', ...project] : ['variables', 'get', 'KEY', ...project];
}

const wantedOf = (scenario: Scenario): Expectation => ({ ...scenario, ...overrides[scenario.name] });

function run(scenario: Scenario, more: readonly string[]) {
  const flags = ['--base-url', faults.root, '--retries', '1', '--max-wait', '5'];
  const unsafe = scenario.retryUnsafe ? ['--retry-unsafe'] : [];
  const argv = [
    ...commandOf(scenario),
    ...flags,
    ...unsafe,
    '--timeout',
    String(timeoutOf(scenario) / 1000),
    ...more,
  ];
  return svc(home, argv, { env: { SVC_TOKEN: token, SVC_ERRORS: 'text' } });
}

/** The output, in the form of the table: the ids of rows, or an object. */
function printed(out: string, { list }: Scenario): unknown {
  if (!list) return JSON.parse(out);
  const rows = parseCsv(out, { columns: true, skip_empty_lines: true }) as Record<string, string>[];
  return rows.map(({ id }) => Number(id));
}

/** Error text without prefixes, and with URLs as in the table. */
const plain = (err: string): string =>
  err
    .replace(/^(error: |hint: | {2})/gm, '')
    .replace(/projects\/([a-z0-9-]+)\/(jobs|variables(\/KEY)?|repository\/files\/KEY)/g, '$1');

describe.concurrent.each(scenarios.map((scenario) => [scenario.name, scenario] as const))(
  '%s',
  (name, scenario) => {
    it('has the expected output, messages and exit code', async ({ expect }) => {
      const wanted = wantedOf(scenario);
      const deletes = scenario.method === 'DELETE';
      const output = deletes ? [] : scenario.list ? ['-o', 'csv', '--fields', 'id'] : ['-o', 'json'];
      const { code, out, err } = await run(scenario, output);
      expect({ code, err }).toEqual({ code: wanted.kind ? exitCodes[wanted.kind] : 0, err });
      const { prints } = wanted;
      if (deletes || prints === undefined) expect(out).toMatch(/^(id\r\n|\{.*\}\n)?$/);
      else expect(printed(out, scenario)).toEqual(prints);
      if (wanted.kind === undefined) {
        for (const line of err.split('\n').filter(Boolean)) expect(line).not.toMatch(/^(error|hint): /);
      } else {
        const [first, ...rest] = err
          .trimEnd()
          .split('\n')
          .filter((line) => !/; retrying in /.test(line));
        expect(first).toMatch(/^error: \S/);
        // The lines after the message are indented, or hints.
        for (const line of rest) expect(line).toMatch(/^( {2}|hint: )\S/);
        for (const part of wanted.includes ?? []) expect(plain(err)).toMatch(part);
      }
      for (const part of wanted.excludes ?? []) expect(err).not.toMatch(part);
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
      const waits = err.split('\n').filter((line) => /; retrying in /.test(line));
      expect(waits).toHaveLength(wanted.waits.length);
    });
  },
);

describe('the other origin', () => {
  // All tests above run before this one.
  it('received no request', () => {
    expect(faults.elsewhereRequests()).toEqual([]);
  });
});
