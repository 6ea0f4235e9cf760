import fc from 'fast-check';
import { expect, test } from 'vitest';
import { redactor } from '../../src/http/redact.ts';
import { runs } from '../support/runs.ts';

const percent = (text: string) =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');

test('masks every form of any secret', () => {
  const spelled = fc.string({ minLength: 6, maxLength: 40 }).filter((text) => /^\S{6,}$/.test(text));
  const marks = fc.constantFrom('', '\u202e', '\u007f', '\u200d', '\u0090');
  fc.assert(
    fc.property(spelled, fc.array(marks, { minLength: 1, maxLength: 5 }), (text, cycle) => {
      const marked = [...text].map((c, at) => c + (cycle[at % cycle.length] ?? '')).join('');
      // Of a secret that itself looks encoded, only the unchanged text is certain to be found.
      const upper = text.toUpperCase();
      const others = /[%\\&]/.test(text) ? [] : [upper, percent(text), marked, percent(marked)];
      for (const form of [text, ...others]) expect(redactor([text])(`<${form}>`)).not.toContain(form);
    }),
    { numRuns: runs },
  );
});
