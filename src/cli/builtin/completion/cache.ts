/** A cache of completion values. */
import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathsOf } from '../../../config/paths.ts';
import { replaceFileSync } from '../../../support/atomic-write.ts';
import { checkOwnFolder, makeFolder, readOwn } from '../../../support/own-files.ts';
import type { Context } from '../../context.ts';

/** Identifies a value; must not contain secrets. */
export type CacheKey = readonly unknown[];

/** Milliseconds in which a value is used without a request. */
const freshTime = 60_000;
/** Milliseconds in which a value is used while a new one is fetched. */
const lifetime = 24 * 60 * 60_000;
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
export function claim(context: Context, key: CacheKey): boolean {
  try {
    const file = `${placeOf(context, key)}.claim`;
    makeFolder(dirname(file));
    if (existsSync(file) && !isYoung(file, context.now(), claimTime)) rmSync(file);
    writeFileSync(file, '', { flag: 'wx', mode: 0o600 });
    return true;
  } catch {
    return false;
  }
}

function isYoung(file: string, now: number, limit: number): boolean {
  // File times are finer than milliseconds; rounding down keeps a new file out of the future.
  const age = now - Math.floor(statSync(file).mtimeMs);
  return age >= 0 && age < limit;
}

/** A value in the cache. */
export interface Kept {
  readonly value: unknown;
  /** Whether it is younger than a minute. */
  readonly isFresh: boolean;
}

/** Read a value of the last day. @returns undefined if it is missing, damaged or older */
export function readCache(context: Context, key: CacheKey): Kept | undefined {
  try {
    const file = `${placeOf(context, key)}.json`;
    if (!isYoung(file, context.now(), lifetime)) return undefined;
    const value: unknown = JSON.parse(readOwn(file).toString('utf8'));
    return { value, isFresh: isYoung(file, context.now(), freshTime) };
  } catch {
    return undefined;
  }
}

/** Write a value, and remove those that are too old. Best effort. */
export function writeCache(context: Context, key: CacheKey, value: unknown): void {
  try {
    const place = placeOf(context, key);
    const folder = dirname(place);
    makeFolder(folder);
    for (const name of readdirSync(folder))
      if (!isYoung(join(folder, name), context.now(), lifetime)) rmSync(join(folder, name), { force: true });
    replaceFileSync(`${place}.json`, JSON.stringify(value));
  } catch {
    // The next completion asks the service again.
  }
}
