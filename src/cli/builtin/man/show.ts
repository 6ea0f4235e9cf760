/** Show a manual page. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Catalogue } from '../../../docs/model.ts';
import { Failure, usage } from '../../../errors.ts';
import { pageNames } from '../../../spec/names.ts';
import { suggest } from '../../../support/suggest.ts';
import { findArea } from '../../areas.ts';
import type { Context } from '../../context.ts';
import type { ExitCode } from '../../exit-codes.ts';
import { runEditor } from '../../terminal/child.ts';
import { createTerminal } from '../../terminal/terminal.ts';
import { released, version } from '../../version.ts';
import type { Services } from '../define.ts';

/** Return the name of a page: `jobs` for `svc-jobs(1)`. @throws Failure `usage` */
function pageNamed(typed: string, { areas, builtins }: Catalogue): string {
  const bare = typed.replace(/(\(\d\)|\.\d)$/, '').replace(/^svc-/, '');
  const name = findArea(bare)?.name ?? bare;
  const known = pageNames(areas);
  if (known.includes(name)) return name;
  const inRoot = builtins.some((one) => one.name === name);
  throw usage(
    `no manual page ${JSON.stringify(typed)}`,
    inRoot
      ? ['svc(1) describes it: svc man', `or see svc help ${name}`]
      : [...suggest(bare, known), 'svc man lists all pages in its last section'],
  );
}

/** Format a page with `man`. @returns false if that is not possible */
async function format(name: string, source: string, context: Context): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-man-'));
  try {
    const file = join(folder, name);
    await writeFile(file, source);
    // All implementations read a file if its name contains a slash.
    return (await runEditor('man', [file], context)) === 0;
  } catch (error) {
    // The program is not installed.
    if (error instanceof Failure && error.kind === 'usage') return false;
    throw error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Show a page on a terminal with `man`, elsewhere as text. */
export async function showPage(
  typed: string | undefined,
  context: Context,
  services: Services,
): Promise<ExitCode> {
  const catalogue = await services.catalogue();
  const name = pageNamed(typed ?? 'svc', catalogue);
  const title = name === 'svc' ? name : `svc-${name}`;
  const { manPages, pagesOf } = await import('../../../docs/man/man.ts');
  if (context.stdout.isTTY) {
    const origin = `Printed by svc man, version ${version}.`;
    const sources = await manPages({ ...catalogue, version, date: released, origin });
    const [file = '', source = ''] = [...sources].find(([one]) => one.startsWith(`${title}.`)) ?? [];
    if (await format(file, source, context)) return 0;
    context.signal.throwIfAborted();
  }
  const { manualText } = await import('../../../docs/topic.ts');
  const { color, screen } = createTerminal({}, context);
  const page = (await pagesOf(catalogue)).find((one) => one.name === title);
  if (page) context.stdout.write(manualText(page, { width: screen?.width ?? 80, color }));
  return 0;
}
