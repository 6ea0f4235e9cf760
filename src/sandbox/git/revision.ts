import type { Objects } from './objects.ts';

/** See `Repository.resolve`. */
export async function resolve(objects: Objects, ref: string): Promise<string | undefined> {
  const [base, ...steps] = ref.split(/(?=[~^])/);
  let sha = await resolveName(objects, base ?? '');
  for (const step of steps) {
    const number = /^.(\d{0,6})$/.exec(step)?.[1];
    if (number === undefined || sha === undefined) return undefined;
    sha = await follow(objects, sha, step[0] ?? '', number === '' ? 1 : Number(number));
  }
  return sha;
}

async function resolveName(objects: Objects, ref: string): Promise<string | undefined> {
  if (/^[0-9a-f]{40}$/i.test(ref)) return objects.peel(ref.toLowerCase());
  if (ref === 'HEAD') return objects.ref('heads', await objects.head());
  const [, kind, rest = ref] = /^refs\/(heads|tags)\/(.+)$/.exec(ref) ?? [];
  const oid =
    (kind !== 'tags' ? await objects.ref('heads', rest) : undefined) ??
    (kind !== 'heads' ? await objects.ref('tags', rest) : undefined) ??
    (/^[0-9a-f]{4,39}$/i.test(ref) ? await objects.expand(ref.toLowerCase()) : undefined);
  return oid ? objects.peel(oid) : undefined;
}

async function follow(
  objects: Objects,
  sha: string,
  kind: string,
  number: number,
): Promise<string | undefined> {
  if (kind === '^') return number === 0 ? sha : (await objects.commit(sha)).parent[number - 1];
  let at: string | undefined = sha;
  for (let step = 0; step < number && at !== undefined; step++) at = (await objects.commit(at)).parent[0];
  return at;
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
