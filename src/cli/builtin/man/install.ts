/** Install the manual pages, and remove them. */
import path from 'node:path';
import { errorCode } from '../../../support/errno.ts';
import { shellQuote } from '../../../support/shell.ts';
import type { Options } from '../../argv/flags.ts';
import type { Context } from '../../context.ts';
import type { ExitCode } from '../../exit-codes.ts';
import { confirmChange } from '../../terminal/log.ts';
import { released, version } from '../../version.ts';
import type { Services } from '../define.ts';
import { type Change, placeFiles, planFiles } from '../placing.ts';
import { chosenFolder, pageMark, pagesIn } from './folder.ts';

interface ManOptions extends Pick<Options, 'dryRun' | 'yes' | 'noInput' | 'quiet'> {
  readonly dir?: string | undefined;
}

const what = 'the folder of manual pages';
const hint = 'choose another folder with --dir <dir>';
/** As in other folders of manual pages: all users can read them. */
const folderMode = 0o755;

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
  const isChanged = await placeFiles(changes, { question, what, hint, folderMode }, options, context);
  if (options.dryRun === true) return 0;
  const gone = removed > 0 ? ` and removed ${removed} of an earlier version` : '';
  confirmChange(context, options, [
    isChanged
      ? `Wrote ${written} manual pages to ${folder}${gone}`
      : `The manual pages in ${folder} are up to date`,
    ...(await nextSteps(folder, context)),
  ]);
  return 0;
}

export async function removePages(options: ManOptions, context: Context): Promise<ExitCode> {
  const folder = chosenFolder(options.dir, context);
  const changes = await planFiles(new Map(), await pagesIn(folder), pageMark);
  const question = `remove ${changes.length} manual pages from ${folder}`;
  const isChanged = await placeFiles(changes, { question, what, hint }, options, context);
  if (options.dryRun === true) return 0;
  const text = isChanged
    ? `Removed ${changes.length} manual pages from ${folder}`
    : `svc installed no manual pages in ${folder}`;
  confirmChange(context, options, text);
  return 0;
}

/** Ask `man` whether it finds the page. */
async function nextSteps(folder: string, context: Context): Promise<string[]> {
  const page = path.join(folder, 'man1', 'svc.1');
  const found = await locate(context);
  if (found === 'missing') return ['The program man is not installed. svc man shows the pages without it.'];
  if (found !== undefined && path.resolve(found) === page) return ['Try it: man svc'];
  const setting = `export MANPATH=${shellQuote(folder)}:`;
  return [
    found === undefined ? 'man does not search this folder.' : `man shows another page: ${found}`,
    `Next step: add to your shell profile: ${setting}"$MANPATH"`,
  ];
}

/** Return the file that `man svc` shows; `missing` if there is no such program. */
function locate({ env, cwd }: Context): Promise<string | 'missing' | undefined> {
  const { execFile } = process.getBuiltinModule('node:child_process');
  return new Promise((done) => {
    execFile('man', ['-w', 'svc'], { env: { ...env }, cwd, timeout: 5_000 }, (error, stdout) => {
      if (errorCode(error) === 'ENOENT') done('missing');
      else done(stdout.trim().split('\n')[0] || undefined);
    });
  });
}
