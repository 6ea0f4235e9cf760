import fc from 'fast-check';
import { expect, test } from 'vitest';
import { redactor } from '../../src/http/redact.ts';
import { percent } from '../support/percent.ts';
import { forAll } from '../support/runs.ts';

test('masks every form of any secret', () => {
  const spelled = fc.string({ minLength: 6, maxLength: 40 }).filter((text) => /^\S{6,}$/.test(text));
  forAll(spelled, (text) => {
    const forms = [text, encodeURIComponent(text), percent(text), JSON.stringify(text).slice(1, -1)];
    for (const form of forms) expect(redactor([text])(`<${form}>`)).toBe('<***>');
  });
});
