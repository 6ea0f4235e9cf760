// Writes on a terminal: the prompt shows what would be affected, then one line confirms the result.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Home, makeHome, svc } from '../support/process.ts';
import { hasTerminals, onTerminal, quoted } from '../support/terminal.ts';

let home: Home;
beforeAll(async () => {
  home = await makeHome();
});
afterAll(() => home.remove());

const project = ['-p', 'acme/rocket'];
const at = (argv: readonly string[], more: Record<string, string> = {}, redirect = '') =>
  onTerminal(home, `${quoted(['--sandbox', ...argv])} ${redirect}`, { NO_COLOR: '1', ...more });

describe.skipIf(!hasTerminals)('on a terminal', () => {
  it('lists the merged branches before it deletes them, and says that the deletion is scheduled', async () => {
    const run = at(['branches', 'delete-merged', ...project]);
    await run.sees('to continue: ');
    run.type('acme/rocket\r');
    const { code, lines } = await run.end();
    expect(code).toBe(0);
    const text = lines.join('\n');
    expect(text).toMatch(/\n2 merged branches:\n {2}feature\/search\n {2}hotfix\/typo\n/);
    expect(text).toMatch(/✓ Scheduled deletion of the merged branches of acme\/rocket$/);
  });

  it('shows the resource before it deletes it', async () => {
    const run = at(['badges', 'delete', '81', ...project]);
    await run.sees('[y/N] ');
    run.type('y\r');
    const { code, lines } = await run.end();
    expect(code).toBe(0);
    expect(lines.join('\n')).toMatch(/Delete a badge\n {2}badge id: 81\n {2}name: +build\n/);
    expect(lines.at(-1)).toBe('✓ Deleted badge 81 in acme/rocket');
  });

  it('never shows the secret that it sets, and needs neither color nor Unicode', async () => {
    await writeFile(join(home.path, 'secret'), 's3cret-word\n');
    for (const [env, mark] of [
      [{}, '✓ '],
      [{ LANG: 'C' }, ''],
      [{ SVC_ACCESSIBLE: '1' }, ''],
    ] as const) {
      const { code, lines, seen } = await at(['variables', 'set', 'KEY', '@secret', ...project], env).end();
      expect([code, lines.at(-1)]).toEqual([
        0,
        expect.stringMatching(`^${mark}\\w+ variable KEY in acme/rocket$`),
      ]);
      expect(seen).not.toContain('s3cret');
    }
  });

  it.skipIf(process.platform !== 'linux')('says that the write was done if the disk is full', async () => {
    const { code, lines } = await at(
      ['branches', 'create', 'b1', '--ref', 'main', ...project, '--csv'],
      {},
      '>/dev/full',
    ).end();
    expect(code).toBe(1);
    expect(lines).toContain('✓ Created branch b1 in acme/rocket');
    expect(lines.join(' ')).toMatch(/hint: the service carried out the request: created branch b1/);
  });
});

describe('commands of the program', () => {
  it('confirm each change on standard error, unless --quiet', async () => {
    const err = async (...argv: string[]) => (await svc(home, argv)).err;
    expect(await err('profiles', 'set', 'project', 'acme/rocket', '--profile', 'one')).toBe(
      'Set project in profile one\n',
    );
    expect(await err('profiles', 'set', 'group', 'acme', '--profile', 'two', '--quiet')).toBe('');
    expect(await err('profiles', 'use', 'two')).toBe('Using profile two\n');
    expect(await err('profiles', 'remove', 'one', '--yes')).toBe('Removed profile one\n');
    expect(await err('sandbox', 'reset', '--yes')).toBe('Reset the sandbox to its seed data\n');
    const started = await svc(home, ['sandbox', 'start', '--detach', '--json']);
    const { base_url } = JSON.parse(started.out) as { base_url: string };
    expect(started.err).toBe(
      `Started a sandbox at ${base_url}\n  To use it:   svc --sandbox jobs list --project acme/rocket\n  To log in:   svc login --base-url ${base_url}\n  To stop it:  svc sandbox stop\n`,
    );
    expect(await err('sandbox', 'stop')).toMatch(`Stopped the sandbox at ${base_url}`);
  });
});
