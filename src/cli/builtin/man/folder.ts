/** Find the folder of manual pages of this user, and the pages in it. */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { basesOf, type Env } from '../../../config/paths.ts';
import { usage } from '../../../errors.ts';
import { platform as current } from '../../../support/system/platform.ts';
import type { Context } from '../../context.ts';
import { hasMark, readIfPresent } from '../placing.ts';

/** Identifies pages that svc installed. */
export const pageMark = 'Written by svc man install';

export const pageSections = [1, 5, 7] as const;

/**
 * Return the folder that `man` should search: `~/.local/share/man`, or the first folder of MANPATH in the home if that one is not in it.
 * @param platform the operating system
 * @returns undefined on Windows and without a home
 */
export function userFolder(env: Env, platform: NodeJS.Platform = current): string | undefined {
  const bases = basesOf(env, platform);
  if (platform === 'win32' || !bases) return undefined;
  const usual = path.join(bases.data, 'man');
  const searched = (env['MANPATH'] ?? '')
    .split(path.delimiter)
    .filter((one) => path.isAbsolute(one))
    .map((one) => path.resolve(one));
  if (searched.includes(usual)) return usual;
  return searched.find((one) => one.startsWith(path.join(bases.home, path.sep))) ?? usual;
}

/** Return the folder that stays without pages: the one of shared data for the usual folder, otherwise the folder itself. */
export function baseOf(folder: string, env: Env): string {
  const data = basesOf(env)?.data;
  return data !== undefined && folder === path.join(data, 'man') ? data : folder;
}

/** @throws Failure `usage` if there is no folder */
export function chosenFolder(
  dir: string | undefined,
  { env, cwd }: Context,
  platform: NodeJS.Platform = current,
): string {
  if (dir === '') throw usage('--dir requires a path');
  if (dir !== undefined) return path.resolve(cwd, dir);
  const folder = userFolder(env, platform);
  if (folder !== undefined) return folder;
  const instead = 'choose a folder with --dir <dir>';
  throw platform === 'win32'
    ? usage('no program shows manual pages on Windows', [
        'show a page with svc man <page>, or a topic with svc help <topic>',
        `for another system, ${instead}`,
      ])
    : usage('no home directory', instead);
}

/** List the files of a folder that have the name of a page of svc. */
export async function pagesIn(folder: string): Promise<string[]> {
  const found = await Promise.all(
    pageSections.map(async (section) => {
      const names = await readdir(path.join(folder, `man${section}`)).catch(() => []);
      return names
        .filter((name) => /^svc(-[\w-]+)?\.\d$/.test(name))
        .map((name) => path.join(folder, `man${section}`, name));
    }),
  );
  return found.flat();
}

/** Return the version of the pages that svc installed in a folder. */
export async function installedVersion(folder: string): Promise<string | undefined> {
  const text = await readIfPresent(path.join(folder, 'man1', 'svc.1'));
  if (text === undefined || !hasMark(text, pageMark)) return undefined;
  return new RegExp(`${pageMark}, version ([^\\s]+)\\.$`, 'm').exec(text)?.[1];
}
