/** What completion asked for a moment ago: a person types faster than lists change. */
import { readdir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { pathsOf } from '../../../config/paths.ts';
import { isOwnFolder, makeFolder, readOwn, writeOwn } from '../../../support/own-files.ts';
import type { Context } from '../../context.ts';

/** Milliseconds. */
const lifetime = 60_000;

async function fresh(file: string, now: number): Promise<boolean> {
  // Files are dated finer than `now` is: one of this very millisecond is not from the future.
  const age = now - Math.floor((await stat(file)).mtimeMs);
  return age >= 0 && age < lifetime;
}

/** What is no longer fresh is taken away: it is of no use to anybody. */
async function tidy(folder: string, now: number): Promise<void> {
  for (const name of await readdir(folder)) {
    const file = join(folder, name);
    if (!(await fresh(file, now).catch(() => true))) await unlink(file).catch(() => {});
  }
}

/**
 * A value that is asked for at most once a minute.
 * @param key what it depends on; no secret among it
 */
export async function cached<T>(
  { env, now }: Context,
  key: readonly unknown[],
  ask: () => Promise<T>,
): Promise<T> {
  const { cache } = pathsOf(env);
  if (cache === undefined) return ask();
  const folder = join(cache, 'completion');
  if (!isOwnFolder(folder)) return ask();
  const { createHash } = process.getBuiltinModule('node:crypto');
  const file = join(folder, `${createHash('sha256').update(JSON.stringify(key)).digest('hex')}.json`);
  try {
    if (await fresh(file, now())) return JSON.parse(readOwn(file).toString('utf8')) as T;
  } catch {
    // Not there, or not whole: asked for anew.
  }
  const value = await ask();
  try {
    makeFolder(folder);
    await tidy(folder, now());
    writeOwn(file, JSON.stringify(value));
  } catch {
    // A convenience that this machine refuses.
  }
  return value;
}
