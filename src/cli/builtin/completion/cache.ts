/** A cache of completion values. */
import { open, readdir, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathsOf } from '../../../config/paths.ts';
import { replaceFileSync } from '../../../support/atomic-write.ts';
import { checkOwnFolder, makeFolder, readOwn } from '../../../support/own-files.ts';
import type { Context } from '../../context.ts';

/** Identifies a value; must not contain secrets. */
export type CacheKey = readonly unknown[];

/** Milliseconds in which a value is used without a request. */
const lifetime = 60_000;
/** Milliseconds in which a value is used if the service does not respond in time. */
const staleLifetime = 24 * 60 * 60_000;
/** Milliseconds in which one background process fetches a value. */
const claimTime = 10_000;

/** The path of a value without its suffix. @throws Error if there is no folder that only this user can change */
function placeOf({ env }: Context, key: CacheKey): string {
  const { cache } = pathsOf(env);
  if (cache === undefined) throw new Error('no cache folder');
  const folder = join(cache, 'completion');
  checkOwnFolder(folder);
  const { createHash } = process.getBuiltinModule('node:crypto');
  return join(folder, createHash('sha256').update(JSON.stringify(key)).digest('hex'));
}

/** Claim to fetch a value. @returns false if another process has claimed it a moment ago, or if it cannot be cached */
export async function claim(context: Context, key: CacheKey): Promise<boolean> {
  try {
    const file = `${placeOf(context, key)}.claim`;
    makeFolder(dirname(file));
    if (!(await isFresh(file, context.now(), claimTime).catch(() => true))) await unlink(file);
    await (await open(file, 'wx', 0o600)).close();
    return true;
  } catch {
    return false;
  }
}

async function isFresh(file: string, now: number, limit: number): Promise<boolean> {
  // File times are finer than milliseconds; rounding down keeps a new file out of the future.
  const age = now - Math.floor((await stat(file)).mtimeMs);
  return age >= 0 && age < limit;
}

async function removeExpired(folder: string, now: number): Promise<void> {
  for (const name of await readdir(folder)) {
    const file = join(folder, name);
    if (!(await isFresh(file, now, staleLifetime).catch(() => true))) await unlink(file).catch(() => {});
  }
}

/**
 * Return a cached value, or fetch and cache it for a minute.
 * @param isValid checks a value from the cache
 * @param onStale receives a value of the last day before a new one is fetched
 */
export async function cached<T>(
  context: Context,
  key: CacheKey,
  fetch: () => Promise<T>,
  isValid: (value: unknown) => value is T,
  onStale: (value: T) => void,
): Promise<T> {
  const now = context.now();
  try {
    const file = `${placeOf(context, key)}.json`;
    const isKept = await isFresh(file, now, staleLifetime);
    const value: unknown = isKept ? JSON.parse(readOwn(file).toString('utf8')) : undefined;
    if (isValid(value)) {
      if (await isFresh(file, now, lifetime)) return value;
      onStale(value);
    }
  } catch {
    // Missing, damaged or not usable: fetch the value again.
  }
  const value = await fetch();
  try {
    const file = `${placeOf(context, key)}.json`;
    makeFolder(dirname(file));
    await removeExpired(dirname(file), context.now());
    replaceFileSync(file, JSON.stringify(value));
  } catch {
    // Best effort.
  }
  return value;
}
