/** Tests that every area shares: output formats, and exit codes of errors. */
import { parse as parseCsv } from 'csv-parse/sync';
import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import { columnsOf, pathOfColumn } from '../../src/spec/column.ts';
import { calls } from '../support/catalogue.ts';
import { type How, openWorld, type Role, type World } from '../support/sandbox.ts';
import { words } from '../support/svc.ts';

const control = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/;

let open: Promise<World> | undefined;
/** Return one sandbox for all read-only tests of a file. */
function shared(): Promise<World> {
  open ??= openWorld();
  return open;
}

/** Return the endpoint of a command line. */
function endpointOf(line: string) {
  const [area = '', command = ''] = line.split(' ');
  const scope = / --(project|group) /.exec(line)?.[1];
  const found = calls.find(
    ({ entry, endpoint }) =>
      entry.name === area && endpoint.command.split(' ', 1)[0] === command && endpoint.scope?.name === scope,
  );
  if (!found) throw new Error(`no call for: ${line}`);
  return found.endpoint;
}

/**
 * Test reading commands on a terminal of 80 columns, in a pipe, as JSON and as CSV. Each must print a result.
 * @param lines command lines of a list or an object
 */
export function shows(...lines: readonly string[]): void {
  describe.each(lines)('svc %s', (line) => {
    const { columns, returns } = endpointOf(line);
    const ask = async (flags: string, how: How = {}) => {
      const ran = await (await shared()).run(`${line} ${flags}`, how);
      expect(ran.code, ran.err).toBe(0);
      expect(ran.out).not.toBe('');
      return ran.out;
    };
    test('fits a terminal of 80 columns', async () => {
      const out = await ask('', { terminal: 80, env: { TERM: 'xterm', NO_COLOR: '1' } });
      expect(out).not.toMatch(control);
      // Only tables fit: the detail view prints values in full.
      if (returns.kind !== 'list') return;
      for (const text of out.split('\n')) expect(stringWidth(text), text).toBeLessThanOrEqual(80);
    });
    test('prints plain columns in a pipe', async () => {
      const out = await ask('');
      expect(out).not.toMatch(control);
      if (returns.kind !== 'list') return;
      const header = out.split('\n', 1)[0]?.trim().split(/ {2,}/) ?? [];
      const labels = columnsOf(columns, returns.fields).map(({ label }) => label);
      expect(header).toEqual(labels);
    });
    test('prints JSON', async () => {
      const value = JSON.parse(await ask('--json'));
      expect(Array.isArray(value)).toBe(returns.kind === 'list');
      const first = returns.kind === 'list' ? value[0] : value;
      // The catalogue describes every attribute of a response.
      const known = 'fields' in returns ? Object.keys(returns.fields) : [];
      expect(Object.keys(first).filter((name) => !known.includes(name))).toEqual([]);
    });
    test('prints CSV with the columns as header', async () => {
      const out = await ask('--csv');
      const [header = [], ...rows] = parseCsv(out, {}) as string[][];
      if (columns.length > 0) expect(header.slice(0, columns.length)).toEqual(columns.map(pathOfColumn));
      expect(rows.length).toBeGreaterThan(0);
      for (const row of rows) expect(row).toHaveLength(header.length);
    });
    test('prints every attribute of the catalogue and of the response with --all-fields', async () => {
      const out = await ask('--all-fields --csv');
      const [header = [], ...rows] = parseCsv(out, {}) as string[][];
      const value = JSON.parse(await ask('--json'));
      const list = Array.isArray(value) ? value : [value];
      const known = 'fields' in returns ? Object.keys(returns.fields) : [];
      expect([...header].sort()).toEqual([...new Set([...known, ...list.flatMap(Object.keys)])].sort());
      expect(rows).toHaveLength(list.length);
    });
  });
}

/** Test that commands exit with this code as this role and print nothing to stdout. */
function ends(code: number, title: string, as: Role, lines: readonly string[]): void {
  test.each(lines)(`${title}: svc %s`, async (line) => {
    const ran = await (await shared()).run(words(line), { as });
    expect([ran.code, ran.out], ran.err).toEqual([code, '']);
    expect(ran.err).toMatch(/^error: /m);
  });
}

/** Test that commands exit with 5: not found. */
export const missing = (...lines: readonly string[]): void => ends(5, 'not found', 'admin', lines);
/** Test that commands exit with 5: the role cannot see the resource. */
export const unseen = (as: Role, ...lines: readonly string[]): void =>
  ends(5, `hidden from ${as}`, as, lines);
/** Test that commands exit with 4: the role is not sufficient. */
export const forbidden = (as: Role, ...lines: readonly string[]): void =>
  ends(4, `forbidden for ${as}`, as, lines);
/** Test that commands exit with 2 before they send a request. */
export const incomplete = (...lines: readonly string[]): void => {
  test.each(lines)('usage error: svc %s', async (line) => {
    const ran = await (await shared()).run(words(line));
    expect([ran.code, ran.out, ran.requests.length], ran.err).toEqual([2, '', 0]);
  });
};
/** Test that commands exit with 6: rejected by the service. */
export const rejected = (...lines: readonly string[]): void => ends(6, 'rejected', 'admin', lines);

/** Run a command that must succeed without output. */
export async function done(world: World, line: string, how: How = {}): Promise<void> {
  const ran = await world.run(words(line), how);
  expect([ran.code, ran.out], `${line}\n${ran.err}`).toEqual([0, '']);
}
