/** A command opens a file for writing with the checks of one module, or creates it where nothing else can be. */
import { expect, test } from 'vitest';
import { sources } from '../support/sources.ts';

const opening =
  /(?<!(handle|draft|promises)\.)\b(writeFile|appendFile)(Sync)?\(|\bopenSync\(|\bpromises\.(appendFile|writeFile|open)\(|await open\(|createWriteStream\(/;

/** The checks that make it safe: a check of links and existing files, a new file, reading only, or a new folder of this process. */
const safe = /\bappendFlags\(|\bisStream\(|\bcreateOrReplace\(|'wx\+?'|open\(\w+, 'r'\)|\bmkdtemp(Sync)?\(/;

test('files are opened for writing only with a check', () => {
  const found = [...sources].filter(
    ([name, code]) => name !== 'cached-loader.ts' && code.includes("'node:fs") && opening.test(code),
  );
  expect(found.length).toBeGreaterThan(10);
  const unchecked = found.filter(([, code]) => !safe.test(code));
  expect(unchecked.map(([name]) => name).sort()).toEqual([
    // An existing log, in a folder of the user.
    'cli/builtin/sandbox/running.ts',
    // Reads.
    'config/profiles.ts',
    // The folder of a sandbox belongs to the user.
    'sandbox/store/folder.ts',
    // These read.
    'support/bytes.ts',
    'support/own-files.ts',
  ]);
});
