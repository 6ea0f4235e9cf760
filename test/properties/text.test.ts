import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fitWidths, Measure } from '../../src/output/table/width.ts';
import { printable } from '../../src/output/text.ts';
import { runs } from '../support/runs.ts';

describe('printable', () => {
  test('removes everything that a terminal would interpret', () => {
    const pieces = fc.constantFrom(
      '\u001b',
      '[',
      ']',
      '0;',
      'm',
      '\u0007',
      '\u009b',
      '\u009d',
      '\u009c',
      '\\',
      'P',
      'x',
      '\n',
      '\r',
      '\u0090',
      '(',
      ' ',
    );
    const text = fc.oneof(
      fc.array(pieces).map((parts) => parts.join('')),
      fc.string({ unit: 'binary' }),
    );
    fc.assert(
      fc.property(text, fc.boolean(), (value, multiline) => {
        const shown = printable(value, { multiline });
        expect(shown).not.toMatch(multiline ? /[\x00-\x09\x0b-\x1f\x7f-\x9f]/ : /[\x00-\x1f\x7f-\x9f]/);
        expect(printable(shown, { multiline })).toBe(shown);
      }),
      { numRuns: runs },
    );
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
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 12 }), (text, width) => {
        const cut = measure.cut(printable(text), width, '…');
        expect(measure.width(cut)).toBeLessThanOrEqual(width);
      }),
      { numRuns: runs },
    );
  });

  test('fit if there is space for each column', () => {
    const column = fc.record({
      cell: fc.nat(300),
      header: fc.nat(30),
      priority: fc.constantFrom('text' as const, 'word' as const, 'rigid' as const),
    });
    fc.assert(
      fc.property(
        fc.array(column, { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 12, max: 200 }),
        (columns, room) => {
          const widths = fitWidths(
            columns.map(({ cell }) => cell),
            columns.map(({ header }) => header),
            columns.map(({ priority }) => priority),
            room,
          );
          expect(widths.reduce((sum, width) => sum + width, 0)).toBeLessThanOrEqual(room);
          expect(Math.min(...widths)).toBeGreaterThan(0);
        },
      ),
      { numRuns: runs },
    );
  });
});
