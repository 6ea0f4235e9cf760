import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseLink } from '../../src/http/policy/link.ts';
import { runs } from '../support/runs.ts';

const base = 'https://host.example/api/v4/projects/7/jobs?page=1';

// Expectations from RFC 8288 section 3 and appendix B.
describe('parseLink', () => {
  const token = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/);

  const quotable = fc.string({ unit: fc.constantFrom(...'abc ,;<>="\\') });

  const link = fc.record({
    path: fc
      .stringMatching(/^[a-z0-9/,;=&?%-]{0,20}$/)
      .filter((path) => URL.canParse(`https://h.example/${path}`)),
    rel: fc.array(token, { minLength: 1, maxLength: 3 }),
    params: fc.dictionary(
      token.filter((name) => name !== 'rel' && name !== '__proto__'),
      quotable,
      { maxKeys: 3 },
    ),
  });

  it('parses generated links on one line or several', () => {
    const quote = (text: string) => `"${text.replace(/["\\]/g, '\\$&')}"`;
    fc.assert(
      fc.property(fc.array(link, { maxLength: 5 }), fc.boolean(), (links, apart) => {
        const written = links.map(({ path, rel, params }) =>
          [
            `<https://h.example/${path}>`,
            `rel=${quote(rel.join(' '))}`,
            ...Object.entries(params).map(([name, value]) => `${name}=${quote(value)}`),
          ].join('; '),
        );
        const parsed = parseLink(apart ? written : [written.join(', ')], 'https://base.example/');
        expect(parsed.map(({ target, rel, params }) => ({ target, rel, params: { ...params } }))).toEqual(
          links.map(({ path, rel, params }) => ({
            target: new URL(`https://h.example/${path}`).href,
            rel,
            params: { ...params },
          })),
        );
      }),
      { numRuns: runs },
    );
  });

  it('accepts any text and returns absolute targets', () => {
    const noise = fc.string({ unit: fc.constantFrom(...'<>;,="\\ \tarel next/:?#[]é\u0000') });
    fc.assert(
      fc.property(fc.array(noise), (values) => {
        for (const { target } of parseLink(values, base))
          expect(URL.canParse(target) || !URL.canParse(target, base)).toBe(true);
      }),
      { numRuns: runs },
    );
  });
});
