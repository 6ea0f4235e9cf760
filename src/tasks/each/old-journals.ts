/** Removes old journals of completed runs from the state folder. */
import { lstat, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isRecord } from '../../support/record.ts';
import { acquireLock } from '../../support/waiting/lock.ts';

/** The names of journals that the user did not choose: the time, and a random number. */
const ownName = /^\d{8}T\d{6}Z-[0-9a-f]{8}\.ndjson$/;
const day = 24 * 60 * 60 * 1000;
/** Milliseconds since the last line. */
const keptFor = 30 * day;
/** More bytes than the last line has. The name of a target is a project, a group or a number. */
const tail = 4096;

/** Create the name of a journal. */
export function journalName(now: number, random: Buffer): string {
  const time = new Date(now).toISOString().replace(/[-:]|\.\d+/g, '');
  return `${time}-${random.toString('hex', 0, 4)}.ndjson`;
}

/**
 * Remove journals of runs that were completed more than 30 days ago. Journals with something to resume, journals in use and other
 * files stay. Errors are ignored: the next run tries again.
 */
export async function removeOldJournals(folder: string, now: number): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((one) => ownName.test(one))) {
    const path = join(folder, name);
    try {
      if (!(await isOldAndComplete(path, now))) continue;
      const lock = await acquireLock(`${path}.lock`, 0);
      try {
        // Another process may have resumed it meanwhile.
        if (await isOldAndComplete(path, now)) await rm(path);
      } finally {
        lock.release();
      }
    } catch {}
  }
}

async function isOldAndComplete(path: string, now: number): Promise<boolean> {
  const found = await lstat(path);
  if (!found.isFile() || now - found.mtimeMs < keptFor) return false;
  const handle = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(
      Buffer.alloc(tail),
      0,
      tail,
      Math.max(0, found.size - tail),
    );
    const text = buffer.toString('utf8', 0, bytesRead);
    // A line without its end is not a whole line.
    const last: unknown = text.endsWith('\n')
      ? JSON.parse(text.slice(text.lastIndexOf('\n', text.length - 2) + 1))
      : undefined;
    return isRecord(last) && last['complete'] === true;
  } finally {
    await handle.close();
  }
}
