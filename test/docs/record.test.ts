/** Checks that the recorded session of README.md is what svc prints. Skipped without `script`. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { root } from './examples.ts';

const hasScript = existsSync('/usr/bin/script');

test.skipIf(!hasScript)('the recorded session is up to date', async () => {
  const args = [join(root, 'scripts/record.mjs'), '--check'];
  const { exitCode, stderr } = await execa('node', args, { reject: false });
  expect(exitCode, stderr).toBe(0);
});

test('each step of the first ten minutes has a picture of its commands', async () => {
  const page = await readFile(join(root, 'docs/first-ten-minutes.md'), 'utf8');
  const pictures = JSON.parse(await readFile(join(root, 'docs/pictures.json'), 'utf8'));
  const steps = page.split(/^## (?=\d)/m).slice(1);
  expect(steps).toHaveLength(5);
  for (const step of steps) {
    const names = [...step.matchAll(/public\/([\w-]+)\.svg/g)].map(([, name = '']) => name);
    expect(names.length, step).toBeGreaterThan(0);
    for (const { commands, setup = '' } of names.map((name) => pictures[name])) {
      expect(step).toContain(setup);
      const shown = commands.map((line: string) => line.replace(/^.*; /, '').replace('$URL', 'host.example'));
      for (const line of shown) expect(step).toContain(`\n${line}\n`);
    }
  }
});
