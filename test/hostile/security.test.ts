import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const root = new URL('../../', import.meta.url);
const page = readFileSync(new URL('docs/security.md', root), 'utf8');

/** Each promise with the tests below it. */
const promises = page
  .split(/^- /m)
  .slice(1)
  .map((text) => ({
    promise: text.slice(0, 60).replaceAll('\n', ' '),
    tests: [...text.matchAll(/^ {2}- `([^`]+)`: (.+)$/gm)].map(([, file = '', name = '']) => ({
      file,
      name,
    })),
  }));

describe('docs/security.md', () => {
  it('has a test for each promise', () => {
    expect(promises.length).toBeGreaterThan(20);
    expect(promises.filter(({ tests }) => tests.length === 0)).toEqual([]);
  });

  it.each(promises.flatMap(({ tests }) => tests).map(({ file, name }) => [file, name] as const))(
    '%s: %s',
    (file, name) => {
      const path = new URL(file, root);
      expect(existsSync(path)).toBe(true);
      const source = readFileSync(path, 'utf8');
      const quotes = [`'${name}'`, `"${name}"`, `\`${name}\``, `'${name.replaceAll("'", "\\'")}'`];
      // As the name of a test, or of a case in a table of them.
      expect(quotes.some((one) => source.includes(one))).toBe(true);
    },
  );
});
