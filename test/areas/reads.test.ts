/** Every command that reads a list or an object prints its result in every format. The lines are the examples of the catalogue. */
import { parse as parseCsv } from 'csv-parse/sync';
import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import { columnsOf, pathOfColumn } from '../../src/spec/column.ts';
import { calls, plainRun } from '../support/catalogue.ts';
import { type How, openWorld } from '../support/sandbox.ts';

const control = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/;

const world = await openWorld();

const reads = calls.flatMap(({ endpoint }) => {
  const { columns, returns } = endpoint;
  const isRead = endpoint.method === 'GET' || endpoint.method === 'HEAD';
  // A service may return failures of migrations as a list or as an object.
  const isKnown = 'fields' in returns && !endpoint.command.startsWith('failures');
  return isRead && isKnown ? [{ line: plainRun(endpoint), columns, returns }] : [];
});

test('all areas but uploads of files have a command that reads', () => {
  expect(reads.length).toBeGreaterThan(50);
});

describe.each(reads)('svc $line', ({ line, columns, returns }) => {
  const isList = returns.kind === 'list';
  const known = Object.keys(returns.fields);
  const print = async (flags: string, how: How = {}) => {
    const { code, out, err } = await world.run(`${line} ${flags}`, how);
    expect(code, err).toBe(0);
    expect(out).not.toBe('');
    return out;
  };

  test('prints plain columns in a pipe, and fits a terminal of 80 columns', async () => {
    const piped = await print('');
    const shown = await print('', { terminal: 80, env: { TERM: 'xterm', NO_COLOR: '1' } });
    expect(piped + shown).not.toMatch(control);
    // Only tables fit: the detail view prints values in full.
    if (!isList) return;
    const header = piped.split('\n', 1)[0]?.trim().split(/ {2,}/);
    expect(header).toEqual(columnsOf(columns, returns.fields).map(({ label }) => label));
    for (const text of shown.split('\n')) expect(stringWidth(text), text).toBeLessThanOrEqual(80);
  });

  test('prints JSON with attributes that the catalogue describes, and CSV with the same', async () => {
    const value = JSON.parse(await print('--json'));
    expect(Array.isArray(value)).toBe(isList);
    const records: object[] = isList ? value : [value];
    const received = [...new Set(records.flatMap(Object.keys))];
    expect(received.filter((name) => !known.includes(name))).toEqual([]);

    const [header = [], ...rows] = parseCsv(await print('--csv'), {}) as string[][];
    if (columns.length > 0) expect(header.slice(0, columns.length)).toEqual(columns.map(pathOfColumn));
    expect(rows).toHaveLength(records.length);

    const [all = []] = parseCsv(await print('--all-fields --csv'), {}) as string[][];
    expect([...all].sort()).toEqual([...known].sort());
  });
});
