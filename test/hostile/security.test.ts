import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const root = new URL('../../', import.meta.url);
const page = readFileSync(new URL('docs/security.md', root), 'utf8');

/** Each guarantee with its tests. */
const guarantees = page
  .split(/^- /m)
  .slice(1)
  .map((text) => ({
    guarantee: text.slice(0, 60).replaceAll('\n', ' '),
    tests: [...text.matchAll(/^ {2}- `([^`]+)`: (.+)$/gm)].map(([, file = '', name = '']) => ({
      file,
      name,
    })),
  }));

describe('docs/security.md', () => {
  it('names a test for each guarantee', () => {
    expect(guarantees.length).toBeGreaterThan(20);
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
