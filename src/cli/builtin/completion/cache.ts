/** A cache of completion values. */
import { readdir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { pathsOf } from '../../../config/paths.ts';
import { replaceFileSync } from '../../../support/atomic-write.ts';
import { isOwnFolder, makeFolder, readOwn } from '../../../support/own-files.ts';
import type { Context } from '../../context.ts';

/** Milliseconds. */
const lifetime = 60_000;

async function isFresh(file: string, now: number): Promise<boolean> {
  // File times are finer than milliseconds; rounding down keeps a new file out of the future.
  const age = now - Math.floor((await stat(file)).mtimeMs);
  return age >= 0 && age < lifetime;
}

async function removeExpired(folder: string, now: number): Promise<void> {
  for (const name of await readdir(folder)) {
    const file = join(folder, name);
    if (!(await isFresh(file, now).catch(() => true))) await unlink(file).catch(() => {});
  }
}

/**
 * Return a cached value, or fetch and cache it for a minute.
 * @param key identifies the value; must not contain secrets
 * @param isValid checks a value from the cache
 */
export async function cached<T>(
  { env, now }: Context,
  key: readonly unknown[],
  fetch: () => Promise<T>,
  isValid: (value: unknown) => value is T,
): Promise<T> {
  const { cache } = pathsOf(env);
  if (cache === undefined) return fetch();
  const folder = join(cache, 'completion');
  if (!isOwnFolder(folder)) return fetch();
  const { createHash } = process.getBuiltinModule('node:crypto');
  const file = join(folder, `${createHash('sha256').update(JSON.stringify(key)).digest('hex')}.json`);
  try {
    const value: unknown = (await isFresh(file, now()))
      ? JSON.parse(readOwn(file).toString('utf8'))
      : undefined;
    if (isValid(value)) return value;
  } catch {
    // Missing or damaged: fetch the value again.
  }
  const value = await fetch();
  try {
    makeFolder(folder);
    await removeExpired(folder, now());
    replaceFileSync(file, JSON.stringify(value));
  } catch {
    // Best effort.
  }
  return value;
}
