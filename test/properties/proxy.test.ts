import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isBypassed } from '../../src/http/proxy/choose.ts';
import { forAll } from '../support/runs.ts';

it('accepts any text', () => {
  const noise = fc.string({ unit: fc.constantFrom(...'ab.:*/[]0123456789, %é') });
  forAll(noise, (entries) => {
    expect(typeof isBypassed('host.example', '443', entries)).toBe('boolean');
    expect(typeof isBypassed('10.1.2.3', '443', entries)).toBe('boolean');
    expect(typeof isBypassed('fd00::1', '443', entries)).toBe('boolean');
  });
});

it('includes subdomains and no other names', () => {
  const label = fc.stringMatching(/^[a-z0-9]{1,8}$/);
  forAll(fc.array(label, { minLength: 1, maxLength: 4 }), label, (labels, more) => {
    const host = `${labels.join('.')}.test`;
    expect(isBypassed(`${more}.${host}`, '443', host)).toBe(true);
    expect(isBypassed(`${more}${host}`, '443', host)).toBe(false);
  });
});
