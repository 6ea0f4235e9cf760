/** Ways through the history of a repository. */
import type { Objects } from './objects.ts';

/** Every commit that can be reached from this one, itself included, newest first as `git log` gives them. */
export async function* walk(objects: Objects, sha: string): AsyncGenerator<string> {
  const queue = [{ sha, time: 0 }];
  const seen = new Set([sha]);
  for (let next = queue.shift(); next; next = queue.shift()) {
    yield next.sha;
    for (const parent of (await objects.commit(next.sha)).parent) {
      if (seen.has(parent)) continue;
      seen.add(parent);
      const time = (await objects.commit(parent)).committer.timestamp;
      const place = queue.findIndex((other) => other.time < time);
      queue.splice(place < 0 ? queue.length : place, 0, { sha: parent, time });
    }
  }
}

/** Whether `ancestor` can be reached from `sha`; a commit reaches itself. */
export async function reaches(objects: Objects, sha: string, ancestor: string): Promise<boolean> {
  for await (const at of walk(objects, sha)) if (at === ancestor) return true;
  return false;
}

/**
 * The last commit that changed a path, as `git log -1 -- path` finds it: past each merge along a parent that has the path as
 * the merge has it.
 * @param sha a commit that has the path
 */
export async function lastChange(objects: Objects, sha: string, path: string): Promise<string> {
  const { parent: parents, tree } = await objects.commit(sha);
  const here = await objects.entry(tree, path);
  for (const parent of parents) {
    const there = await objects.entry((await objects.commit(parent)).tree, path);
    if (there?.oid === here?.oid && there?.mode === here?.mode) return lastChange(objects, parent, path);
  }
  return sha;
}
