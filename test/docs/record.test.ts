/** Checks that the recorded session of README.md is what svc prints. Skipped without `script`. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { root } from './examples.ts';

const hasScript = existsSync('/usr/bin/script');

test.skipIf(!hasScript)(
  'the recorded session is up to date',
  async () => {
    const { exitCode, stderr } = await execa('node', [join(root, 'scripts/record.mjs'), '--check'], {
      reject: false,
    });
    expect(exitCode, stderr).toBe(0);
  },
  60_000,
);
