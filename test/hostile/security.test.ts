import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const root = new URL('../../', import.meta.url);
const first = readFileSync(new URL('docs/security.md', root), 'utf8');
const second = readFileSync(new URL('docs/security-tests.md', root), 'utf8');

/** The first sentence of each guarantee. */
const promised = first
  .split(/^- /m)
  .slice(1)
  .map((text) =>
    text
      .split(/^\n|^#/m)[0]
      ?.replace(/\s+/g, ' ')
      .split(/(?<=\.) /)[0]
      ?.trim(),
  );

/** The same on the second page, with the tests. */
const guarantees = second
  .split(/^- /m)
  .slice(1)
  .map((text) => ({
    guarantee: text.split('\n')[0],
    tests: [...text.matchAll(/^ {2}- `([^`]+)`: (.+)$/gm)].map(([, file = '', name = '']) => ({
      file,
      name,
    })),
  }));

describe('docs/security.md', () => {
  it('names a test for each guarantee', () => {
    expect(promised.length).toBeGreaterThan(20);
    expect(guarantees.map(({ guarantee }) => guarantee)).toEqual(promised);
    expect(guarantees.filter(({ tests }) => tests.length === 0)).toEqual([]);
  });

  it.each(guarantees.flatMap(({ tests }) => tests).map(({ file, name }) => [file, name] as const))(
    '%s: %s',
    (file, name) => {
      const path = new URL(file, root);
      expect(existsSync(path)).toBe(true);
      const source = readFileSync(path, 'utf8');
      const quotes = [`'${name}'`, `"${name}"`, `\`${name}\``, `'${name.replaceAll("'", "\\'")}'`];
      // The title of a test, or a case of test.each.
      expect(quotes.some((one) => source.includes(one))).toBe(true);
    },
  );
});
