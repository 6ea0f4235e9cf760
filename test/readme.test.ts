/** Runs the first commands of README.md. test/docs/recipes.test.ts runs its examples. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sharedFolder } from './support/folders.ts';
import { command } from './support/process.ts';

const root = resolve(import.meta.dirname, '..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const home = sharedFolder();

function run(argv: readonly string[]): { out: string; err: string } {
  const env = { PATH: process.env['PATH'], HOME: home, XDG_STATE_HOME: home, XDG_CONFIG_HOME: home };
  const out = join(home, 'err');
  const shell = `"$0" "$@" 2> ${JSON.stringify(out)}`;
  const text = execFileSync('sh', ['-c', shell, ...command, ...argv], {
    cwd: home,
    env,
    encoding: 'utf8',
  });
  return { out: text, err: readFileSync(out, 'utf8') };
}

describe('README.md', () => {
  test('the first example prints twenty jobs and says that there are more', () => {
    expect(readme).toContain('npm ci && npx svc --sandbox jobs list --project acme/rocket');
    const { out, err } = run(['--sandbox', 'jobs', 'list', '--project', 'acme/rocket']);
    expect(out.trim().split('\n')).toHaveLength(21);
    expect(err).toMatch(/^Showing 20 of 280 jobs\. Use --all/);
  });

  test('documents the commands that CI runs', () => {
    const ci = readFileSync(join(root, '.ci/run'), 'utf8');
    const commands = ci
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#') && !line.startsWith('set '));
    expect(commands).toEqual(['npm cit', 'npm run check']);
    expect(readme).toContain('npm cit && npm run check');
  });
});
