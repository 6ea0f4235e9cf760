/** `svc man`: show the manual. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { areas } from '../../api/index.ts';
import type { Catalogue } from '../../docs/model.ts';
import { Failure, usage } from '../../errors.ts';
import { choice } from '../../spec/field.ts';
import { pageNames } from '../../spec/names.ts';
import { suggest } from '../../support/suggest.ts';
import { findArea } from '../areas.ts';
import type { Context } from '../context.ts';
import { runEditor } from '../terminal/child.ts';
import { createTerminal } from '../terminal/terminal.ts';
import { released, version } from '../version.ts';
import { command } from './define.ts';

const names = pageNames(areas);

/** Return the title of a page: `svc-jobs` for `jobs`, `svc-jobs` or `svc-jobs(1)`. @throws Failure `usage` */
function titleOf(typed: string, { builtins }: Catalogue): string {
  const bare = typed.replace(/(\(\d\)|\.\d)$/, '').replace(/^svc-/, '');
  const name = findArea(bare)?.name ?? bare;
  if (names.includes(name)) return name === 'svc' ? name : `svc-${name}`;
  throw usage(
    `no manual page ${JSON.stringify(typed)}`,
    builtins.some((one) => one.name === name)
      ? ['svc(1) describes it: svc man', `or see svc help ${name}`]
      : [...suggest(bare, names), 'svc man lists all pages in its last section'],
  );
}

/** Show a page with `man`. @returns false if that is not possible */
async function showFormatted(file: string, source: string, context: Context): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-man-'));
  try {
    // All implementations read a file if its name contains a slash.
    const path = join(folder, file);
    await writeFile(path, source);
    return (await runEditor('man', [path], context)) === 0;
  } catch (error) {
    // The program is not installed.
    if (error instanceof Failure && error.kind === 'usage') return false;
    throw error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export const man = command({
  args: '[page]',
  of: { page: choice(names, 'Page') },
  doc: 'There is a page for the program, svc(1), which is the default, for each area, and for most topics of svc help. On a terminal, the program man shows the page; elsewhere or without that program, svc prints it as text. The pages are generated, so they always describe this version. Packages for npm and Debian also install them.',
  flags: {},
  examples: {
    'Show the page of an area': 'man jobs',
    'Show the page of a topic': 'man exit-codes',
  },
  async run({ words: [typed = 'svc'] }, context, services) {
    const catalogue = await services.catalogue();
    const title = titleOf(typed, catalogue);
    const { manPages, pagesOf } = await import('../../docs/man/man.ts');
    if (context.stdout.isTTY) {
      const origin = `Printed by svc man, version ${version}.`;
      const sources = await manPages({ ...catalogue, version, date: released, origin });
      for (const [file, source] of sources)
        if (file.startsWith(`${title}.`) && (await showFormatted(file, source, context))) return 0;
      context.signal.throwIfAborted();
    }
    const { manualText } = await import('../../docs/topic.ts');
    const { color, screen } = createTerminal({}, context);
    const page = (await pagesOf(catalogue)).find((one) => one.name === title);
    if (page) context.stdout.write(manualText(page, { width: screen?.width ?? 80, color }));
    return 0;
  },
});
