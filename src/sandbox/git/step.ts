/** One commit of a seeded history, and how it is made. */
import type { Signature } from './objects.ts';
import type { Repository } from './repository.ts';
import type { Action } from './writing.ts';

/** Who commits, by user name. */
const authors = {
  olivia: { name: 'Olivia Owner', email: 'olivia@example.com' },
  mia: { name: 'Mia Maintainer', email: 'mia@example.com' },
  devon: { name: 'Devon Developer', email: 'devon@example.com' },
} as const satisfies Record<string, Signature>;

/** Old and new text: what a commit does to a file that exists. */
export type Edits = readonly (readonly [old: string, next: string])[];
type Content = string | Uint8Array | Edits;

export interface Step {
  /** Branch; made from `from` where it does not exist. */
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

/** Edits find their text exactly once, or the history would silently be another one. */
function applyEdits(text: string, edits: Edits): string {
  return edits.reduce((before, [old, next]) => {
    if (before.split(old).length !== 2) throw new Error(`an edit of the seeded history fits nowhere: ${old}`);
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
  const text = typeof content === 'string' || content instanceof Uint8Array;
  const whole = text ? content : applyEdits(Buffer.from(old?.bytes ?? []).toString('utf8'), content);
  return {
    action: old ? 'update' : 'create',
    path,
    bytes: typeof whole === 'string' ? Buffer.from(whole, 'utf8') : whole,
    ...(step.executable ? { executable: true } : {}),
  };
}

/** Make a commit, with its branch and its tag where it names them. */
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
    // As `git commit` ends a message.
    message: `${step.message}\n`,
    committer,
    time,
    actions,
    ...(merged ? { alsoParents: [merged] } : {}),
  });
  if (step.tag)
    await repository.createTag(step.tag, step.on, { message: step.message, tagger: committer, time });
}
