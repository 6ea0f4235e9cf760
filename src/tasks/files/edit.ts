/** Change a file of a repository in an editor, without overwriting the change of another person. */
import { dirname } from 'node:path';
import { listBranches } from '../../api/branches.ts';
import { getFile, updateFile } from '../../api/files.ts';
import { Failure, usage } from '../../errors.ts';
import type { Call } from '../../spec/request.ts';
import { done, sayNote } from '../../spec/result.ts';
import { decode } from '../../support/bytes.ts';
import { commandLine } from '../../support/shell.ts';
import { safeFileName } from '../../support/system/file-name.ts';
import { createDraft, type Draft } from '../../support/system/leftovers.ts';
import { editorCommand } from '../../support/system/programs.ts';
import { type Caller, projectOf, type TaskContext, type TaskWith } from '../context.ts';

type Slots = Readonly<Record<string, string>>;

async function readVersion(task: Caller, slots: Slots, ref: string) {
  const { value } = await task.call({ endpoint: getFile, slots, values: { ref } });
  const encoding = value['encoding'] === 'base64' ? 'base64' : 'utf8';
  return {
    bytes: Buffer.from(String(value['content'] ?? ''), encoding),
    /** The commit that last changed the file. */
    commit: String(value['last_commit_id']),
  };
}

async function defaultBranch(task: Caller, { id = '' }: Slots): Promise<string> {
  for await (const row of task.rows({ endpoint: listBranches, slots: { id }, values: {} }))
    if (row['default'] === true) return String(row['name']);
  throw usage('--branch is missing, and the project has no default branch');
}

/** Let the user edit the draft. It is removed if nothing can be lost with it. @throws Failure that names the file otherwise */
async function openEditor(task: TaskContext, editor: string | undefined, draft: Draft, before: Buffer) {
  const [program, ...args] = editorCommand(editor, draft.path);
  try {
    const code = await task.openEditor(program, args);
    task.signal.throwIfAborted();
    const edited = code === 0 ? await draft.read().catch(() => undefined) : undefined;
    if (edited) return edited;
    const problem = code === 0 ? 'left no file' : `ended with exit code ${code}`;
    throw new Failure('internal', `the editor ${problem}; nothing was changed`, {
      hint: `editor: ${editor ?? 'the default'}, from VISUAL or EDITOR`,
    });
  } catch (error) {
    const isChanged = !(await draft.read().catch(() => before)).equals(before);
    // The editor may still be open, or may have left a file to recover from.
    const isKept = isChanged || task.signal.aborted || (await draft.hasOthers());
    if (!isKept) await draft.remove();
    throw isKept && error instanceof Failure ? error.withHints(`your version: ${draft.path}`) : error;
  }
}

async function explain(
  task: TaskContext,
  error: unknown,
  { slots, values }: Call,
  draft: Draft,
  edited: Buffer,
): Promise<Failure> {
  const { path } = draft;
  const yours = `your version is kept in ${path}`;
  if (!(error instanceof Failure)) throw error;
  const branch = String(values['branch']);
  const now = await readVersion(task, slots, branch).catch(() => undefined);
  if (!now || now.commit === values['last_commit_id']) return error.withHints(yours);
  if (now.bytes.equals(edited)) return error.withHints(`${branch} already contains your version`, yours);
  const theirs = await draft.add('.theirs', now.bytes);
  const file = slots['file_path'] ?? '';
  const message = ['--commit-message', String(values['commit_message'])];
  const again = ['files', 'update', file, '--content', `@${path}`, '--branch', branch, ...message];
  return new Failure('rejected', `${file} was changed on ${branch} while you edited it`, {
    details: [`your version:  ${path}`, `their version: ${theirs}`],
    hint: [
      `compare them: ${commandLine(['diff', theirs, path])}`,
      `then: ${task.resumeCommand([...again, '--last-commit-id', now.commit])}`,
    ],
    ...(error.exchange ? { exchange: error.exchange } : {}),
    cause: error,
  });
}

/** An editor that cannot write, as on a full disk, leaves an empty file, and perhaps another file to recover from. */
async function emptied(task: TaskContext, draft: Draft, update: readonly string[]): Promise<Failure> {
  const empty = task.resumeCommand([...update, '--content', '', '--commit-message', 'Empty the file']);
  const isKept = await draft.hasOthers();
  if (!isKept) await draft.remove();
  return new Failure('internal', 'the file is empty after editing; nothing was changed', {
    hint: [`to empty it: ${empty}`, ...(isKept ? [`files of the editor: ${dirname(draft.path)}`] : [])],
  });
}

export const editFile: TaskWith<{ branch: string; commitMessage: string }> = async (task, options) => {
  task.requireWrite('PUT');
  const editor = task.env('VISUAL') || task.env('EDITOR') || undefined;
  if (editor === undefined && !task.canPrompt)
    throw usage('no editor is set, and the default one requires a terminal', 'set VISUAL or EDITOR');
  const { id } = projectOf(task);
  const file = task.line.words[0] ?? '';
  const slots = { id, file_path: file };
  const branch = options.branch ?? (await defaultBranch(task, slots));
  const before = await readVersion(task, slots, branch);
  const draft = await createDraft(safeFileName(file, true) ?? 'file', before.bytes);
  const edited = await openEditor(task, editor, draft, before.bytes);
  if (edited.equals(before.bytes)) {
    await draft.remove();
    return done({ notes: [sayNote('No changes; nothing was committed')] });
  }
  if (edited.length === 0) throw await emptied(task, draft, ['files', 'update', file, '--branch', branch]);
  const text = decode(edited);
  const content =
    text === undefined ? { content: edited.toString('base64'), encoding: 'base64' } : { content: text };
  const commit = { commit_message: options.commitMessage ?? `Update ${file}`, last_commit_id: before.commit };
  const call: Call = { endpoint: updateFile, slots, values: { branch, ...commit, ...content } };
  if (!task.dryRun)
    try {
      task.confirmed(call, await task.call(call));
    } catch (error) {
      throw await explain(task, error, call, draft, edited);
    }
  await draft.remove();
  return task.dryRun ? task.requests([call]) : done();
};
