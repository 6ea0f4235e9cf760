/** Checks that the recorded session of README.md is what svc prints. Skipped without the packages of docs/ or `script`. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { root } from './examples.ts';

const missing = [
  ...(existsSync(join(root, 'docs/node_modules/@xterm/headless'))
    ? []
    : ['the packages of docs/ (npm run docs)']),
  ...(existsSync('/usr/bin/script') ? [] : ['script']),
];
if (missing.length > 0)
  console.warn(`test/docs/record.test.ts is skipped: ${missing.join(' and ')} not installed`);

test.skipIf(missing.length > 0)(
  'the recorded session is up to date',
  async () => {
    const { exitCode, stderr } = await execa('node', [join(root, 'scripts/record.mjs'), '--check'], {
      reject: false,
    });
    expect(exitCode, stderr).toBe(0);
  },
  60_000,
);
