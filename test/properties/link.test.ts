import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linkTo } from '../../src/http/policy/pages.ts';
import { forAll } from '../support/runs.ts';

const base = 'https://host.example/api/v4/projects/7/jobs?page=1';

// Expectations from RFC 8288 section 3 and appendix B.
describe('linkTo', () => {
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
    forAll(fc.array(link, { maxLength: 5 }), fc.boolean(), (links, apart) => {
      const written = links.map(({ path, rel, params }) =>
        [
          `<https://h.example/${path}>`,
          `rel=${quote(rel.join(' '))}`,
          ...Object.entries(params).map(([name, value]) => `${name}=${quote(value)}`),
        ].join('; '),
      );
      const lines = apart ? written : [written.join(', ')];
      const reply = { headers: lines.map((line) => ['link', line] as const), url: 'https://base.example/' };
      for (const type of links.flatMap(({ rel }) => rel)) {
        const first = links.find(({ rel }) => rel.includes(type));
        expect(linkTo(reply, type)).toBe(new URL(`https://h.example/${first?.path}`).href);
      }
    });
  });

  it('accepts any text and returns absolute targets', () => {
    const noise = fc.string({ unit: fc.constantFrom(...'<>;,="\\ \tarel next/:?#[]é\u0000') });
    forAll(fc.array(noise), (values) => {
      const headers = values.map((value) => ['link', value] as const);
      const target = linkTo({ headers, url: base }, 'rel');
      expect(target === undefined || URL.canParse(target) || !URL.canParse(target, base)).toBe(true);
    });
  });
});
