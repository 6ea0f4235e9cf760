import { createHash } from 'node:crypto';

/** Return the commit SHA of a new version of a wiki page or snippet. */
export function revisionAfter(before: string | undefined, state: unknown, time: string): string {
  return createHash('sha1')
    .update(JSON.stringify([before ?? null, state, time]))
    .digest('hex');
}
