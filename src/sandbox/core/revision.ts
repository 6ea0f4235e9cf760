/** Commits of what keeps a history of its own: wiki pages and snippets. */
import { createHash } from 'node:crypto';

/** A SHA for a state that follows another one. */
export function revisionAfter(before: string | undefined, state: unknown, time: string): string {
  return createHash('sha1')
    .update(JSON.stringify([before ?? null, state, time]))
    .digest('hex');
}
