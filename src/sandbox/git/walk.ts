import type { Objects } from './objects.ts';

/** Return a commit and its ancestors, newest first, in the order of `git log`. */
export async function* walk(objects: Objects, sha: string): AsyncGenerator<string> {
  const queue = [{ sha, time: 0 }];
  const seen = new Set([sha]);
  for (let next = queue.shift(); next; next = queue.shift()) {
    yield next.sha;
    for (const parent of (await objects.commit(next.sha)).parent) {
      if (seen.has(parent)) continue;
      seen.add(parent);
      const time = (await objects.commit(parent)).committer.timestamp;
      const index = queue.findIndex((other) => other.time < time);
      queue.splice(index < 0 ? queue.length : index, 0, { sha: parent, time });
    }
  }
}

/** Whether `ancestor` is reachable from `sha`. A commit reaches itself. */
export async function reaches(objects: Objects, sha: string, ancestor: string): Promise<boolean> {
  for await (const at of walk(objects, sha)) if (at === ancestor) return true;
  return false;
}

/**
 * Return the last commit that changed a path, like `git log -1 -- path`: at a merge, follow a parent with the same content.
 * @param sha a commit that contains the path
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
