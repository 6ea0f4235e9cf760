/** The comparisons with other tools: the commands of their last column run in one sandbox, in the order of the page. */
import { mkdtempSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sharedFolder } from '../support/folders.ts';
import { openFastWorld } from '../support/sandbox.ts';
import { words } from '../support/svc.ts';

const folder = sharedFolder();
const docs = new URL('../../docs/coming-from/', import.meta.url);

describe.each(['glab', 'gh', 'python-gitlab', 'curl'])('docs/coming-from/%s.md', async (name) => {
  const page = await readFile(new URL(`${name}.md`, docs), 'utf8');
  const lines = [...page.matchAll(/\| `svc ([^`]+)` \|$/gm)].map(([, line = '']) =>
    line.replaceAll('\\|', '|'),
  );
  const world = await openFastWorld();
  const cwd = mkdtempSync(join(folder, 'run-'));

  test('has commands', () => expect(lines.length).toBeGreaterThan(8));

  test.each(lines)('svc %s', async (line) => {
    // A line may say which exit code a script accepts.
    const [, command = '', accepted = '0'] = /^(.+?)(?: \|\| \[ \$\? -eq (\d+) \])?$/.exec(line) ?? [];
    const { code, err } = await world.run(words(command), {
      cwd,
      env: { SVC_PROJECT: 'acme/rocket', HOME: cwd },
    });
    expect(code, err).toBe(Number(accepted));
  });
});
