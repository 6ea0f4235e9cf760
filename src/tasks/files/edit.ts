/** Change a file of a repository in an editor, without overwriting the change of another person. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listBranches } from '../../api/branches.ts';
import { getFile, updateFile } from '../../api/files.ts';
import { Failure, usage } from '../../errors.ts';
import type { Call } from '../../spec/request.ts';
import { decode } from '../../support/bytes.ts';
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

/** Open a file in the editor. The variable may contain arguments, as in `code --wait`. @throws Failure `usage` */
async function openEditor(task: TaskContext, path: string): Promise<void> {
  const editor = task.env('VISUAL') || task.env('EDITOR');
  const [program, ...args] = editorCommand(editor, path, platform);
  const code = await task.spawn(program, args, {});
  if (code !== 0)
    throw usage(`the editor ended with exit code ${code}; nothing was changed`, [
      `editor: ${editor || 'the default'}, from VISUAL or EDITOR`,
      `your version: ${path}`,
    ]);
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
  return new Failure('rejected', `${slots['file_path']} was changed on ${branch} while you edited it`, {
    details: [`your version:  ${path}`, `their version: ${theirs}`],
    hint: [
      `compare them: diff ${theirs} ${path}`,
      `then: svc files update ${slots['file_path']} --content @${path} --branch ${branch} --last-commit-id ${now.commit}`,
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
): Promise<void> {
  task.requireWrite();
  const scoped = task.scoped();
  if (scoped?.scope !== 'project') throw usage('--project is missing', 'or set SVC_PROJECT');
  const file = task.line.words[0] ?? '';
  const slots = { id: scoped.id, file_path: file };
  const branch = chosen ?? (await defaultBranch(task, slots));
  const before = await readVersion(task, slots, branch);
  const folder = await mkdtemp(join(tmpdir(), 'svc-edit-'));
  const path = join(folder, safeFileName(file, true) ?? 'file');
  await writeFile(path, before.bytes, { mode: 0o600 });
  await openEditor(task, path);
  const edited = await readFile(path);
  if (edited.equals(before.bytes)) {
    await rm(folder, { recursive: true, force: true });
    task.note('No changes; nothing was committed');
    return;
  }
  const call = updateCall(slots, edited, {
    branch,
    commit_message: commitMessage ?? `Update ${file}`,
    last_commit_id: before.commit,
  });
  if (task.dryRun) await task.show(call);
  else {
    try {
      task.confirmed(call, await task.call(call));
    } catch (error) {
      throw await explain(task, error, { slots, branch, before, edited, path });
    }
  }
  await rm(folder, { recursive: true, force: true });
}
