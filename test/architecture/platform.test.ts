/** Differences between operating systems are in the code that owns them, and nowhere else. */
import { describe, expect, test } from 'vitest';
import { sources, withoutComments } from '../support/sources.ts';

const code = new Map([...sources].map(([name, text]) => [name, withoutComments(text)]));
const matching = (pattern: RegExp) =>
  [...code].flatMap(([name, text]) => (pattern.test(text) ? [name] : [])).sort();

test('reads all files', () => expect(code.size).toBeGreaterThan(200));

test('one module reads the platform; no path exists on one system only, outside of scripts for shells', () => {
  expect(matching(/process\.platform|\bplatform\b[^=;]*\} = process|os\.platform\(/)).toEqual([
    'support/system/platform.ts',
  ]);
  expect(matching(/['"`]\/(tmp|dev|etc|var|usr|bin|home)\b/)).toEqual([]);
  // Files that only Linux has, behind a check or a catch.
  expect(matching(/\/proc\//)).toEqual(['support/process.ts']);
});

test('slashes split only URLs, names of the API and paths in a repository', () => {
  const split = matching(/\.split\((['"`])\/\1/).filter((name) => !/^(api|spec|http|sandbox)\//.test(name));
  expect(split).toEqual([
    'cli/builtin/api/api.ts',
    'cli/builtin/api/request.ts',
    'cli/builtin/completion/complete.ts',
    'cli/call/hints.ts',
    // The path of a project.
    'cli/session/checkout.ts',
    'docs/completion/sources.ts',
    'support/url.ts',
    // Paths of wiki pages.
    'tasks/engine/codecs.ts',
    // Paths of groups.
    'tasks/variables/transfer.ts',
  ]);
});

test('files are renamed by the module that waits for other programs on Windows', () => {
  expect(matching(/\brename(Sync)?\b\s*[,}].*from 'node:fs|fs\.(promises\.)?rename(Sync)?\b/)).toEqual([
    'support/atomic-write.ts',
  ]);
});

test('users have numbers on some systems only', () => {
  expect(matching(/process\.(get|set)e?[ug]id\(/)).toEqual([]);
});

describe('a process that outlives the command', () => {
  const detached = matching(/detached: true/);
  test('exists', () => expect(detached.length).toBeGreaterThan(2));
  test.each(detached)('%s opens no window on Windows', (name) => {
    const text = code.get(name) ?? '';
    expect(text.match(/windowsHide: true/g)).toHaveLength((text.match(/detached: true/g) ?? []).length);
  });
});
