/** A command opens a file for writing with the checks of one module, or creates it where nothing else can be. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const src = resolve(import.meta.dirname, '../../src');
const opening =
  /(?<!(handle|draft|promises)\.)\b(writeFile|appendFile)(Sync)?\(|\bfs\.(promises\.)?(appendFile|writeFile|open)(Sync)?\(|await open\(|createWriteStream\(/;

/** What makes it safe: a check of a link and of what exists, a new file, reading only, or a new folder of this process. */
const safe = /\bappendFlags\(|\bisStream\(|\bcreateOrReplace\(|'wx\+?'|open\(\w+, 'r'\)|\bmkdtemp(Sync)?\(/;

test('files are opened for writing only with a check', () => {
  const names = (readdirSync(src, { recursive: true }) as string[])
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.ts') && name !== 'cached-loader.ts');
  const code = (name: string) => readFileSync(join(src, name), 'utf8');
  const found = names.filter((name) => code(name).includes("'node:fs") && opening.test(code(name)));
  expect(found.length).toBeGreaterThan(10);
  const unchecked = found.filter((name) => !safe.test(code(name)));
  expect(unchecked.sort()).toEqual([
    // Reads.
    'config/profiles.ts',
    // The folder of a sandbox belongs to the user.
    'sandbox/store/folder.ts',
    // These read.
    'support/bytes.ts',
    'support/own-files.ts',
  ]);
});
