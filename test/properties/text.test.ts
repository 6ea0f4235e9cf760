import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fitColumns, type Sized } from '../../src/output/table/fit.ts';
import { Measure } from '../../src/output/table/width.ts';
import { printable } from '../../src/support/text/printable.ts';
import { forAll } from '../support/runs.ts';

describe('printable', () => {
  test('removes everything that a terminal would interpret', () => {
    const pieces = fc.constantFrom('0;', ...'\u001b[]m\u0007\u009b\u009d\u009c\\Px\n\r\u0090( ');
    const text = fc.oneof(
      fc.array(pieces).map((parts) => parts.join('')),
      fc.string({ unit: 'binary' }),
    );
    forAll(text, fc.boolean(), (value, multiline) => {
      const shown = printable(value, { multiline });
      expect(shown).not.toMatch(multiline ? /[\x00-\x09\x0b-\x1f\x7f-\x9f]/ : /[\x00-\x1f\x7f-\x9f]/);
      expect(printable(shown, { multiline })).toBe(shown);
    });
  });
});

describe('widths', () => {
  test('cut text fits, keeps whole characters and ends with an ellipsis', async () => {
    const measure = new Measure();
    await measure.prepare(['日']);
    expect(measure.cut('abcdef', 6, '…')).toBe('abcdef');
    expect(measure.cut('abcdefg', 6, '…')).toBe('abcde…');
    expect(measure.cut('abcdefg', 6, '...')).toBe('abc...');
    expect(measure.cut('abcdefg', 2, '...')).toBe('..');
    expect(measure.cut('日本語', 6, '…')).toBe('日本語');
    expect(measure.cut('日本語', 5, '…')).toBe('日本…');
    expect(measure.cut('日本語', 4, '…')).toBe('日…');
    expect(measure.cut('e\u0301e\u0301e\u0301', 2, '…')).toBe('e\u0301…');
    forAll(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 12 }), (text, width) => {
      const cut = measure.cut(printable(text), width, '…');
      expect(measure.width(cut)).toBeLessThanOrEqual(width);
    });
  });

  test('fit on a line, except identifying columns, which are whole', () => {
    const column: fc.Arbitrary<Sized> = fc
      .record({
        kind: fc.constantFrom('name', 'state', 'flag', 'time', 'duration', 'number', 'person', 'text'),
        label: fc.integer({ min: 1, max: 14 }),
        cell: fc.nat(300),
        filled: fc.boolean(),
      })
      .map((sized) => ({ ...sized, brief: sized.cell, keep: false }) as Sized);
    const id = fc
      .record({ label: fc.integer({ min: 2, max: 14 }), cell: fc.nat(60) })
      .map((sized): Sized => ({ ...sized, kind: 'id', brief: sized.cell, filled: true, keep: false }));
    forAll(
      id,
      fc.array(fc.oneof({ weight: 5, arbitrary: column }, id), { maxLength: 12 }),
      fc.integer({ min: 12, max: 200 }),
      (first, others, room) => {
        const columns = [first, ...others];
        const { widths } = fitColumns(columns, room, 2);
        const kept = columns.flatMap((sized, at) =>
          widths[at] === undefined ? [] : [{ sized, width: widths[at] }],
        );
        for (const { sized, width } of kept) expect(width).toBeGreaterThanOrEqual(sized.label);
        const ids = columns.filter(({ kind }) => kind === 'id');
        const shown = kept.filter(({ sized }) => sized.kind === 'id');
        expect(shown.map(({ width }) => width)).toEqual(ids.map(({ label, cell }) => Math.max(label, cell)));
        const total = kept.reduce((sum, { width }) => sum + width, 2 * (kept.length - 1));
        if (total > room) expect(kept.length).toBe(shown.length);
      },
    );
  });
});
