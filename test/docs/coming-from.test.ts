/** The comparisons with other tools: the commands of their last column run in one sandbox, in the order of the page. */
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { folderWith } from '../support/folders.ts';
import { openFastWorld } from '../support/sandbox.ts';
import { words } from '../support/svc.ts';

test.each(['glab', 'gh', 'python-gitlab', 'curl'])('docs/coming-from/%s.md', async (name) => {
  const page = await readFile(new URL(`../../docs/coming-from/${name}.md`, import.meta.url), 'utf8');
  const lines = [...page.matchAll(/\| `svc ([^`]+)` \|$/gm)].map(([, line = '']) =>
    line.replaceAll('\\|', '|'),
  );
  expect(lines.length).toBeGreaterThan(8);
  const world = await openFastWorld();
  const cwd = await folderWith();
  for (const line of lines) {
    const [, command = '', code = '0'] = /^(.+?)(?: \|\| \[ \$\? -eq (\d+) \])?$/.exec(line) ?? [];
    const ran = await world.run(words(command), { cwd, env: { SVC_PROJECT: 'acme/rocket', HOME: cwd } });
    expect(ran.code, `${line}\n${ran.err}`).toBe(Number(code));
  }
});
