import type { Signature } from './objects.ts';
import type { Repository } from './repository.ts';
import type { Action } from './writing.ts';

const authors = {
  olivia: { name: 'Olivia Owner', email: 'olivia@example.com' },
  mia: { name: 'Mia Maintainer', email: 'mia@example.com' },
  devon: { name: 'Devon Developer', email: 'devon@example.com' },
} as const satisfies Record<string, Signature>;

/** Replacements in an existing file. */
export type Edits = readonly (readonly [old: string, next: string])[];
type Content = string | Uint8Array | Edits;

/** One commit of a seeded history. */
export interface Step {
  /** Branch, created from `from` if that is set. */
  readonly on: string;
  readonly from?: string;
  readonly by: keyof typeof authors;
  /** UTC. */
  readonly at: string;
  readonly message: string;
  readonly files: Readonly<Record<string, Content>>;
  readonly executable?: true;
  /** The branch that this commit merges. */
  readonly merges?: string;
  /** An annotated tag on it. */
  readonly tag?: string;
}

/** Each text must occur exactly once, because any other result would change the SHAs. */
function applyEdits(text: string, edits: Edits): string {
  return edits.reduce((before, [old, next]) => {
    if (before.split(old).length !== 2)
      throw new Error(`the seeded history does not contain exactly once: ${old}`);
    return before.replace(old, () => next);
  }, text);
}

async function actionFor(
  repository: Repository,
  step: Step,
  path: string,
  content: Content,
): Promise<Action> {
  const old = await repository.readFile(step.on, path);
  const isContent = typeof content === 'string' || content instanceof Uint8Array;
  const next = isContent ? content : applyEdits(Buffer.from(old?.bytes ?? []).toString('utf8'), content);
  return {
    action: old ? 'update' : 'create',
    path,
    bytes: typeof next === 'string' ? Buffer.from(next, 'utf8') : next,
    ...(step.executable ? { executable: true } : {}),
  };
}

/** Create a commit, and its branch and tag. */
export async function commitStep(repository: Repository, step: Step): Promise<void> {
  const committer = authors[step.by];
  const time = new Date(step.at);
  if (step.from) await repository.createBranch(step.on, step.from);
  const actions: Action[] = [];
  for (const [path, content] of Object.entries(step.files))
    actions.push(await actionFor(repository, step, path, content));
  const merged = step.merges && (await repository.resolve(step.merges));
  await repository.commitFiles({
    branch: step.on,
    message: `${step.message}\n`,
    committer,
    time,
    actions,
    ...(merged ? { alsoParents: [merged] } : {}),
  });
  if (step.tag)
    await repository.createTag(step.tag, step.on, { message: step.message, tagger: committer, time });
}
