/** Change a file of a repository in an editor, without overwriting the change of another person. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listBranches } from '../../api/branches.ts';
import { getFile, updateFile } from '../../api/files.ts';
import { Failure, usage } from '../../errors.ts';
import type { Call } from '../../spec/request.ts';
import { done, type Result, sayNote } from '../../spec/result.ts';
import { decode } from '../../support/bytes.ts';
import { commandLine } from '../../support/shell.ts';
import { editorCommand } from '../../support/system/editor.ts';
import { safeFileName } from '../../support/system/file-name.ts';
import { platform } from '../../support/system/platform.ts';
import type { TaskContext } from '../context.ts';

type Slots = Readonly<Record<string, string>>;

interface Version {
  readonly bytes: Buffer;
  /** The commit that last changed the file. */
  readonly commit: string;
}

async function readVersion(task: TaskContext, slots: Slots, ref: string): Promise<Version> {
  const { value } = await task.call({ endpoint: getFile, slots, values: { ref } });
  const encoding = value['encoding'] === 'base64' ? 'base64' : 'utf8';
  return {
    bytes: Buffer.from(String(value['content'] ?? ''), encoding),
    commit: String(value['last_commit_id']),
  };
}

/** @throws Failure `usage` if the project has no default branch */
async function defaultBranch(task: TaskContext, { id = '' }: Slots): Promise<string> {
  for await (const row of task.rows({ endpoint: listBranches, slots: { id }, values: {} }))
    if (row['default'] === true) return String(row['name']);
  throw usage('--branch is missing, and the project has no default branch');
}

/** The editor of the user. The default one requires a terminal. @throws Failure `usage` */
function editorOf(task: TaskContext): string | undefined {
  const editor = task.env('VISUAL') || task.env('EDITOR') || undefined;
  if (editor === undefined && !task.canPrompt)
    throw usage('no editor is set, and the default one requires a terminal', 'set VISUAL or EDITOR');
  return editor;
}

/**
 * Open a file in the editor, whose variable may contain arguments, as in `code --wait`.
 * @throws Failure `usage`, or the reason of an interruption
 */
async function openEditor(task: TaskContext, editor: string | undefined, path: string): Promise<void> {
  const [program, ...args] = editorCommand(editor, path, platform);
  const code = await task.openEditor(program, args);
  task.signal.throwIfAborted();
  if (code !== 0)
    throw usage(
      `the editor ended with exit code ${code}; nothing was changed`,
      `editor: ${editor ?? 'the default'}, from VISUAL or EDITOR`,
    );
}

/** Let the user edit bytes. Without a change, the file is removed again. @throws Failure that names the file otherwise */
async function editBytes(
  task: TaskContext,
  editor: string | undefined,
  bytes: Buffer,
  name: string,
): Promise<{ readonly edited: Buffer; readonly path: string; readonly remove: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-edit-'));
  const path = join(folder, name);
  const remove = () => rm(folder, { recursive: true, force: true });
  await writeFile(path, bytes, { mode: 0o600 });
  try {
    await openEditor(task, editor, path);
  } catch (error) {
    const isChanged = !(await readFile(path).catch(() => bytes)).equals(bytes);
    if (!isChanged) await remove();
    throw isChanged && error instanceof Failure ? error.withHints(`your version: ${path}`) : error;
  }
  return { edited: await readFile(path), path, remove };
}

function updateCall(slots: Slots, bytes: Buffer, values: Call['values']): Call {
  const text = decode(bytes);
  const content =
    text === undefined ? { content: bytes.toString('base64'), encoding: 'base64' } : { content: text };
  return { endpoint: updateFile, slots, values: { ...values, ...content } };
}

/** Explain why a change was rejected. Both versions are kept if the file was changed meanwhile. */
async function explain(
  task: TaskContext,
  error: unknown,
  {
    slots,
    branch,
    before,
    edited,
    path,
  }: { slots: Slots; branch: string; before: Version; edited: Buffer; path: string },
): Promise<Failure> {
  const yours = `your version is kept in ${path}`;
  if (!(error instanceof Failure)) throw error;
  const now = await readVersion(task, slots, branch).catch(() => undefined);
  if (!now || now.commit === before.commit) return error.withHints(yours);
  if (now.bytes.equals(edited)) return error.withHints(`${branch} already contains your version`, yours);
  const theirs = `${path}.theirs`;
  await writeFile(theirs, now.bytes, { mode: 0o600 });
  const update = ['files', 'update', slots['file_path'] ?? '', '--content', `@${path}`];
  const on = ['--branch', branch, '--last-commit-id', now.commit];
  return new Failure('rejected', `${slots['file_path']} was changed on ${branch} while you edited it`, {
    details: [`your version:  ${path}`, `their version: ${theirs}`],
    hint: [
      `compare them: ${commandLine(['diff', theirs, path])}`,
      `then: ${task.resumeCommand([...update, ...on], 'scoped')}`,
    ],
    ...(error.exchange ? { exchange: error.exchange } : {}),
    cause: error,
  });
}

/** Edit a file of a project and commit it. */
export async function editFile(
  task: TaskContext,
  {
    branch: chosen,
    commitMessage,
  }: { readonly branch?: string | undefined; readonly commitMessage?: string | undefined },
): Promise<Result> {
  task.requireWrite('PUT');
  const editor = editorOf(task);
  const scoped = task.scoped();
  if (scoped?.scope !== 'project') throw usage('--project is missing', 'or set SVC_PROJECT');
  const file = task.line.words[0] ?? '';
  const slots = { id: scoped.id, file_path: file };
  const branch = chosen ?? (await defaultBranch(task, slots));
  const before = await readVersion(task, slots, branch);
  const name = safeFileName(file, true) ?? 'file';
  const { edited, path, remove } = await editBytes(task, editor, before.bytes, name);
  if (edited.equals(before.bytes)) {
    await remove();
    return done({ notes: [sayNote('No changes; nothing was committed')] });
  }
  const call = updateCall(slots, edited, {
    branch,
    commit_message: commitMessage ?? `Update ${file}`,
    last_commit_id: before.commit,
  });
  if (!task.dryRun)
    try {
      task.confirmed(call, await task.call(call));
    } catch (error) {
      throw await explain(task, error, { slots, branch, before, edited, path });
    }
  await remove();
  return task.dryRun ? task.requests([call]) : done();
}
