/** Install the manual pages, and remove them. */
import path from 'node:path';
import type { Options } from '../../argv/flags.ts';
import type { Context } from '../../context.ts';
import type { ExitCode } from '../../exit-codes.ts';
import { confirmChange } from '../../terminal/log.ts';
import { released, version } from '../../version.ts';
import type { Services } from '../define.ts';
import { type Change, placeFiles, planFiles } from '../placing.ts';
import { baseOf, chosenFolder, pageMark, pagesIn } from './folder.ts';
import { searchOf } from './search.ts';

interface ManOptions extends Pick<Options, 'dryRun' | 'yes' | 'noInput' | 'quiet'> {
  readonly dir?: string | undefined;
}

const placing = (folder: string, { env }: Context) => ({
  what: 'the folder of manual pages',
  hint: 'choose another folder with --dir <dir>',
  bases: [baseOf(folder, env)],
  /** As in other folders of manual pages: all users can read them. */
  folderMode: 0o755,
});

const count = (changes: readonly Change[], ...actions: readonly Change['action'][]): number =>
  changes.filter(({ action }) => actions.includes(action)).length;

export async function installPages(
  options: ManOptions,
  context: Context,
  services: Services,
): Promise<ExitCode> {
  const folder = chosenFolder(options.dir, context);
  const origin = `${pageMark}, version ${version}.`;
  const { manPages } = await import('../../../docs/man/man.ts');
  const pages = manPages({ ...(await services.catalogue()), version, date: released, origin });
  const wanted = new Map(
    [...pages].map(([name, source]) => [path.join(folder, `man${name.slice(-1)}`, name), source]),
  );
  const changes = await planFiles(wanted, await pagesIn(folder), pageMark);
  const written = count(changes, 'write', 'replace');
  const removed = count(changes, 'remove');
  const also = removed > 0 ? `, and remove ${removed} of an earlier version` : '';
  const question = `write ${written} manual pages to ${folder}${also}`;
  const isChanged = await placeFiles(changes, { ...placing(folder, context), question }, options, context);
  if (options.dryRun === true) return 0;
  const search = await searchOf(folder, context);
  const gone = removed > 0 ? ` and removed ${removed} of an earlier version` : '';
  confirmChange(context, options, [
    isChanged
      ? `Wrote ${written} manual pages to ${folder}${gone}`
      : `The manual pages in ${folder} are up to date`,
    search.message,
    ...(search.remedy === undefined ? [] : [`Next step: ${search.remedy}`]),
  ]);
  return 0;
}

export async function removePages(options: ManOptions, context: Context): Promise<ExitCode> {
  const folder = chosenFolder(options.dir, context);
  const changes = await planFiles(new Map(), await pagesIn(folder), pageMark);
  const question = `remove ${changes.length} manual pages from ${folder}`;
  const isChanged = await placeFiles(changes, { ...placing(folder, context), question }, options, context);
  if (options.dryRun === true) return 0;
  const text = isChanged
    ? `Removed ${changes.length} manual pages from ${folder}`
    : `svc installed no manual pages in ${folder}`;
  confirmChange(context, options, text);
  return 0;
}
