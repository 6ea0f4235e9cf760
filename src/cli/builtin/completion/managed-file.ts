/** A file that svc writes for another program. A mark in it distinguishes it from files of others. */
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { Failure, unusable } from '../../../errors.ts';
import { replaceFile } from '../../../support/atomic-write.ts';
import { errorCode } from '../../../support/errno.ts';
import { makeFolder } from '../../../support/own-files.ts';

/** Lines that can contain the mark. The first line of a zsh script is for zsh. */
const marked = 3;

async function readIfPresent(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return undefined;
    throw unusable('a file', error);
  }
}

const hasMark = (content: string, mark: string): boolean =>
  content.split('\n', marked).some((line) => line.includes(mark));

/** Whether svc wrote a file. */
export async function isManaged(file: string, mark: string): Promise<boolean> {
  return hasMark((await readIfPresent(file)) ?? '', mark);
}

/** What writing a file would do. @throws Failure if svc did not write the present file */
export async function changeOf(
  file: string,
  content: string,
  mark: string,
): Promise<'write' | 'replace' | 'keep'> {
  const present = await readIfPresent(file);
  if (present === undefined) return 'write';
  if (!hasMark(present, mark))
    throw new Failure('internal', `${file} already exists and is not from svc`, {
      hint: 'move the file away and try again',
    });
  return present === content ? 'keep' : 'replace';
}

/** Write a file that other programs can read, with its folders. @throws Failure with a hint */
export async function writeManaged(file: string, content: string, hint: string): Promise<void> {
  try {
    makeFolder(path.dirname(file));
    await replaceFile(file, (handle) => handle.writeFile(content), { mode: 0o644 });
  } catch (error) {
    throw unusable('the completion folder', error, hint);
  }
}

/** @throws Failure with a hint */
export async function removeManaged(file: string): Promise<void> {
  try {
    await rm(file);
  } catch (error) {
    throw unusable('the completion folder', error, 'delete the file yourself');
  }
}
