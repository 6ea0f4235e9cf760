/**
 * Rename a file over another. On Windows this fails while another process, such as a virus scanner, has one of them open, so it is tried
 * again for about a second.
 */
import fs from 'node:fs';
import { errorCode } from '../errno.ts';
import { platform as current } from './platform.ts';

/** Milliseconds before each further attempt. */
const delays: readonly number[] = [10, 20, 40, 80, 160, 320, 640];

const busy: ReadonlySet<string | undefined> = new Set(['EPERM', 'EACCES', 'EBUSY']);

/** How to rename and wait. Tests replace them. */
export interface Renaming {
  readonly platform?: NodeJS.Platform;
  readonly rename?: (from: string, to: string) => void;
  readonly wait?: (milliseconds: number) => void;
}

/** @throws the errors of the file system */
export function renameFileSync(from: string, to: string, renaming: Renaming = {}): void {
  const { platform = current, rename = fs.renameSync, wait = pause } = renaming;
  for (const delay of platform === 'win32' ? delays : []) {
    try {
      rename(from, to);
      return;
    } catch (error) {
      if (!busy.has(errorCode(error))) throw error;
      wait(delay);
    }
  }
  rename(from, to);
}

/** The same, for callers that expect a promise. */
export const renameFile = async (from: string, to: string): Promise<void> => renameFileSync(from, to);

function pause(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}
