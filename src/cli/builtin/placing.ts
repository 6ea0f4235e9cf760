/** Files that svc writes for other programs, such as completion scripts and manual pages. A mark in each distinguishes them from other files. */
import { existsSync } from 'node:fs';
import { readFile, rm, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { Failure, unusable } from '../../errors.ts';
import { replaceFile } from '../../support/atomic-write.ts';
import { errorCode } from '../../support/errno.ts';
import { makeFolder } from '../../support/own-files.ts';
import type { Options } from '../argv/flags.ts';
import type { Context } from '../context.ts';
import { confirmAction } from '../terminal/prompt.ts';

type Action = 'write' | 'replace' | 'keep' | 'remove';

export interface Change {
  readonly file: string;
  readonly action: Action;
  readonly content: string;
}

/** Read a file. @returns undefined if it does not exist */
export async function readIfPresent(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return undefined;
    throw unusable('a file', error);
  }
}

/** Lines that mark a file as written by svc. The first line of a zsh script is for zsh. */
const marked = 3;

/** Whether svc wrote a file. */
export function hasMark(content: string, mark: string): boolean {
  return content.split('\n', marked).some((line) => line.includes(mark));
}

/**
 * Compare the wanted files with the present ones.
 * @param others files that may be of an earlier version, which are removed if they have the mark
 * @throws Failure if a wanted file exists and svc did not write it
 */
export async function planFiles(
  wanted: ReadonlyMap<string, string>,
  others: readonly string[],
  mark: string,
): Promise<Change[]> {
  const changes: Change[] = [];
  for (const [file, content] of wanted) {
    const old = await readIfPresent(file);
    if (old !== undefined && !hasMark(old, mark))
      throw new Failure('internal', `${file} already exists and is not from svc`, {
        hint: 'move the file away and try again',
      });
    const action = old === undefined ? 'write' : old === content ? 'keep' : 'replace';
    changes.push({ file, action, content });
  }
  for (const file of others.filter((one) => !wanted.has(one)))
    if (hasMark((await readIfPresent(file)) ?? '', mark))
      changes.push({ file, action: 'remove', content: '' });
  return changes;
}

/** How files are written, and the texts for the user. */
export interface Placing {
  /** Completes a question in the imperative: `write the zsh completion in /home/mia/x`. */
  readonly question: string;
  /** Names the folder in an error: `the folder of manual pages`. */
  readonly what: string;
  /** What to do if the folder cannot be written. */
  readonly hint: string;
  /** Folders of several programs, which are kept. The folders of a file in them are removed if they are empty. */
  readonly bases: readonly string[];
  /** The mode of new folders. The default is 0700. */
  readonly folderMode?: number;
}

/** Return the folders that contain a file, the innermost first, up to the first one that `isEnd`. */
function foldersOf(file: string, isEnd: (folder: string) => boolean): string[] {
  const folder = path.dirname(file);
  return folder === file || isEnd(folder) ? [] : [folder, ...foldersOf(folder, isEnd)];
}

/** Remove the folders that are empty. */
async function removeEmpty(folders: readonly string[]): Promise<void> {
  for (const folder of folders) await rmdir(folder).catch(() => {});
}

async function writeNew(file: string, content: string, folderMode: number | undefined): Promise<void> {
  const missing = foldersOf(file, existsSync);
  try {
    makeFolder(path.dirname(file), folderMode);
    await replaceFile(file, (handle) => handle.writeFile(content), { mode: 0o644 });
  } catch (error) {
    await removeEmpty(missing);
    throw error;
  }
}

/**
 * Make the changes, after a confirmation. With `--dry-run`, print them instead.
 * @returns whether files were changed
 */
export async function placeFiles(
  changes: readonly Change[],
  { question, what, hint, bases, folderMode }: Placing,
  options: Pick<Options, 'dryRun' | 'yes' | 'noInput'>,
  context: Context,
): Promise<boolean> {
  if (options.dryRun === true) {
    context.stdout.write(changes.map(({ action, file }) => `${action} ${file}\n`).join(''));
    return false;
  }
  const kept = new Set(bases.map((base) => path.resolve(base)));
  const effective = changes.filter(({ action }) => action !== 'keep');
  if (effective.length === 0) return false;
  await confirmAction(context, options, question);
  try {
    for (const { file, action, content } of effective) {
      if (action === 'remove') {
        await rm(file);
        await removeEmpty(foldersOf(file, (folder) => kept.has(folder)));
      } else await writeNew(file, content, folderMode);
    }
  } catch (error) {
    throw unusable(what, error, hint);
  }
  return true;
}
