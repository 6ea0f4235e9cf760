/** What every area is asked: how its answers look, and how it refuses. */
import { parse as parseCsv } from 'csv-parse/sync';
import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import { calls } from '../support/catalogue.ts';
import { type How, openWorld, type Role, type World } from '../support/sandbox.ts';
import { words } from '../support/svc.ts';

const control = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/;

let open: Promise<World> | undefined;
/** One sandbox for all of a file that changes nothing. */
function shared(): Promise<World> {
  open ??= openWorld();
  return open;
}

/** The call that a command line means. */
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
 * Reading commands, each on a terminal of 80 columns, in a pipe, as JSON and as CSV. They must have something to show.
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
    test('on a terminal of 80 columns', async () => {
      const out = await ask('', { terminal: 80, env: { TERM: 'xterm', NO_COLOR: '1' } });
      expect(out).not.toMatch(control);
      // A table fits; the lines of one object hold each value whole, to be copied.
      if (returns.kind !== 'list') return;
      for (const text of out.split('\n')) expect(stringWidth(text), text).toBeLessThanOrEqual(80);
    });
    test('in a pipe', async () => {
      const out = await ask('');
      expect(out).not.toMatch(control);
      if (returns.kind !== 'list') return;
      const header = out.split('\n', 1)[0]?.trim().split(/ +/) ?? [];
      expect(header.map((name) => name.toLowerCase())).toEqual(columns.map((name) => name.toLowerCase()));
    });
    test('as JSON', async () => {
      const value = JSON.parse(await ask('--json'));
      expect(Array.isArray(value)).toBe(returns.kind === 'list');
      const first = returns.kind === 'list' ? value[0] : value;
      // What the service sends is what the catalogue says that it does.
      const known = 'fields' in returns ? Object.keys(returns.fields) : [];
      expect(Object.keys(first).filter((name) => !known.includes(name))).toEqual([]);
    });
    test('as CSV, with the columns as its header', async () => {
      const out = await ask('--csv');
      const [header = [], ...rows] = parseCsv(out, {}) as string[][];
      if (columns.length > 0) expect(header.slice(0, columns.length)).toEqual(columns);
      expect(rows.length).toBeGreaterThan(0);
      for (const row of rows) expect(row).toHaveLength(header.length);
    });
  });
}

/** Commands that end with this exit code, as this role, and print nothing. */
function ends(code: number, title: string, as: Role, lines: readonly string[]): void {
  test.each(lines)(`${title}: svc %s`, async (line) => {
    const ran = await (await shared()).run(words(line), { as });
    expect([ran.code, ran.out], ran.err).toEqual([code, '']);
    expect(ran.err).toMatch(/^svc: /);
  });
}

/** What is not there: exit 5. */
export const missing = (...lines: readonly string[]): void => ends(5, 'not found', 'admin', lines);
/** What the role may not even know of: exit 5. */
export const unseen = (as: Role, ...lines: readonly string[]): void =>
  ends(5, `not to be seen as ${as}`, as, lines);
/** What the role may not do: exit 4. */
export const forbidden = (as: Role, ...lines: readonly string[]): void =>
  ends(4, `not allowed as ${as}`, as, lines);
/** What is refused before it is sent: exit 2. */
export const incomplete = (...lines: readonly string[]): void => {
  test.each(lines)('incomplete: svc %s', async (line) => {
    const ran = await (await shared()).run(words(line));
    expect([ran.code, ran.out, ran.requests.length], ran.err).toEqual([2, '', 0]);
  });
};
/** What the service refuses: exit 6. */
export const refused = (...lines: readonly string[]): void => ends(6, 'rejected', 'admin', lines);

/** Run a command that must work and say nothing of use. */
export async function done(world: World, line: string, how: How = {}): Promise<void> {
  const ran = await world.run(words(line), how);
  expect([ran.code, ran.out], `${line}\n${ran.err}`).toEqual([0, '']);
}
