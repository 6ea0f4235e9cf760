/**
 * The seeded history of repositories, with fixed SHAs. To change a stream of history.json, import its lines with `git fast-import`, commit,
 * and export them with `git fast-export --all`. Blobs that are not text are named by SHA, and written before.
 */

import type { Project } from '../core/rows.ts';
import streams from '../seed/data/history.json' with { type: 'json' };
import logo from '../seed/data/logo.json' with { type: 'json' };
import { type Files, type Rows, Store } from '../store/store.ts';
import { type GitFile, gitFiles } from './files.ts';
import { type Entry, Objects, type RepositoryStorage, type Signature } from './objects.ts';
import { Repository } from './repository.ts';

interface Command {
  readonly name: string;
  readonly argument: string;
  readonly lines: Map<string, string[]>;
  data: Buffer;
}

function* commandsOf(stream: string): Generator<Command> {
  const bytes = Buffer.from(stream);
  let command: Command | undefined;
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(10, at);
    const line = bytes.toString('utf8', at, end);
    at = end + 1;
    const [, word = '', rest = ''] = /^(\S*) ?(.*)$/.exec(line) ?? [];
    if (['blob', 'commit', 'reset', 'tag'].includes(word)) {
      if (command) yield command;
      command = { name: word, argument: rest, lines: new Map(), data: Buffer.alloc(0) };
    } else if (word === 'data' && command) {
      command.data = bytes.subarray(at, at + Number(rest));
      at += Number(rest);
    } else command?.lines.set(word, [...(command.lines.get(word) ?? []), rest]);
  }
  if (command) yield command;
}

function signatureOf(line = ''): Signature & { readonly time: Date } {
  const [, name = '', email = '', seconds] = /^(.*) <(.*)> (\d+) /.exec(line) ?? [];
  return { name, email, time: new Date(Number(seconds) * 1000) };
}

/** Write the objects and refs of a stream. @param objects an empty repository, or one with the blobs that the stream names by SHA */
async function importStream(objects: Objects, stream: string): Promise<void> {
  const marks = new Map<string, string>();
  const shaOf = (name = ''): string => marks.get(name) ?? name;
  const refs = new Map<string, string>();
  for (const { name, argument, lines, data } of commandsOf(stream)) {
    const [from, mark = ''] = [lines.get('from')?.[0], lines.get('mark')?.[0]];
    if (name === 'blob') marks.set(mark, await objects.writeBlob(data));
    else if (name === 'reset' && from) refs.set(argument, shaOf(from));
    else if (name === 'tag') {
      const { time, ...tagger } = signatureOf(lines.get('tagger')?.[0]);
      // writeTag adds the last line feed.
      const message = data.toString().replace(/\n$/, '');
      const tag = await objects.writeTag(argument, shaOf(from), message, tagger, time);
      refs.set(`refs/tags/${argument}`, tag);
    } else if (name === 'commit') {
      const files = new Map<string, Entry>();
      for (const line of lines.get('M') ?? []) {
        const [, mode = '', blob, path = ''] = /^(\d+) (\S+) (.+)$/.exec(line) ?? [];
        files.set(path, { mode, oid: shaOf(blob), type: 'blob' });
      }
      const parents = [...(from ? [from] : []), ...(lines.get('merge') ?? [])].map(shaOf);
      const before = parents[0] && (await objects.commitObject(parents[0])).tree;
      const tree = (await objects.rewrite(before, files)) ?? (await objects.writeTree(new Map()));
      const [author, committer] = ['author', 'committer'].map((by) => signatureOf(lines.get(by)?.[0]));
      if (!author || !committer) throw new Error('a commit without author');
      const commit = { tree, parents, message: data.toString(), author, committer, time: committer.time };
      const sha = await objects.writeCommit(commit);
      marks.set(mark, sha);
      refs.set(argument, sha);
    }
  }
  for (const [ref, sha] of refs) {
    const [, kind, ...path] = ref.split('/');
    await objects.writeRef(kind === 'tags' ? 'tags' : 'heads', path.join('/'), sha);
  }
}

type Introduced = Pick<Project, 'name' | 'description' | 'default_branch' | 'path_with_namespace'>;

/** Fill an empty repository: with the seeded history of the project, or with one commit of a README. */
export async function seedHistory(storage: RepositoryStorage, project: Introduced): Promise<void> {
  const { name, description, default_branch, path_with_namespace: path } = project;
  if (Object.hasOwn(streams, path)) {
    const objects = new Objects(storage);
    // The streams are text, so they name this blob by its SHA.
    await objects.writeBlob(Buffer.from(logo, 'base64'));
    const lines = (streams as Readonly<Record<string, readonly string[]>>)[path] ?? [];
    return importStream(objects, `${lines.join('\n')}\n`);
  }
  const readme = `# ${name}\n${description ? `\n${description}\n` : ''}`;
  await new Repository(storage).commitFile({
    branch: default_branch,
    message: 'Start the project\n',
    committer: { name: 'Olivia Owner', email: 'olivia@example.com' },
    time: new Date('2026-01-05T10:00:00Z'),
    change: { action: 'create', path: 'README.md', bytes: Buffer.from(readme) },
  });
}

type FileContents = readonly (readonly [path: string, bytes: Uint8Array])[];

/** Create the files of a repository with its history. */
async function createFiles(project: Introduced): Promise<FileContents> {
  const contents: Uint8Array[] = [];
  const files: Files = {
    put: async (bytes) => String(contents.push(bytes) - 1),
    get: async (reference) => contents[Number(reference)],
  };
  const table = new Store(() => 0).table<GitFile>('git_files');
  const fs = gitFiles(table, files);
  await seedHistory({ fs, gitdir: '/', defaultBranch: project.default_branch }, project);
  return table.all().map(({ path, content }) => [path, contents[Number(content)] ?? Buffer.alloc(0)]);
}

const seeded = new Map<string, Promise<FileContents>>();

/** The files of a new repository. Seeded histories are the same in each sandbox, so a process creates them once. */
function filesOf(project: Introduced): Promise<FileContents> {
  const { path_with_namespace: path, default_branch } = project;
  if (!Object.hasOwn(streams, path)) return createFiles(project);
  const key = `${path} ${default_branch}`;
  const created = seeded.get(key) ?? createFiles(project);
  seeded.set(key, created);
  return created;
}

/** Open the repository of a project, and create it with its history if it does not exist. */
export async function openRepository(
  project: Pick<Project, 'id'> & Introduced,
  table: Rows<GitFile>,
  files: Files,
): Promise<Repository> {
  if (table.where('path', `${project.id}/HEAD`).length === 0) {
    const rows: Pick<GitFile, 'path' | 'content'>[] = [];
    for (const [path, bytes] of await filesOf(project))
      rows.push({ path: `${project.id}/${path}`, content: await files.put(bytes) });
    // All at once, so that no save finds a part of the history.
    for (const row of rows) table.insert(row);
  }
  const fs = gitFiles(table, files);
  return new Repository({ fs, gitdir: `/${project.id}`, defaultBranch: project.default_branch });
}
