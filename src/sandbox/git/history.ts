/**
 * The seeded history of repositories, with fixed SHAs. To change a stream of history.json, import its lines with `git fast-import`, commit,
 * and export them with `git fast-export --all`. Blobs that are not text are named by SHA, and written before.
 */
import type { Project } from '../core/rows.ts';
import streams from '../seed/data/history.json' with { type: 'json' };
import logo from '../seed/data/logo.json' with { type: 'json' };
import { type Files, type Rows, Store } from '../store/store.ts';
import { type GitFile, gitFiles } from './files.ts';
import { importStream } from './import.ts';
import { Objects, type RepositoryStorage } from './objects.ts';
import { Repository } from './repository.ts';

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
  await new Repository(storage).commitFiles({
    branch: default_branch,
    message: 'Start the project\n',
    committer: { name: 'Olivia Owner', email: 'olivia@example.com' },
    time: new Date('2026-01-05T10:00:00Z'),
    actions: [{ action: 'create', path: 'README.md', bytes: Buffer.from(readme) }],
  });
}

/** Open the repository of a project, and create it with its history if it does not exist. */
export async function openRepository(
  project: Pick<Project, 'id'> & Introduced,
  table: Rows<GitFile>,
  files: Files,
): Promise<Repository> {
  const storageIn = (rows: Rows<GitFile>): RepositoryStorage => ({
    fs: gitFiles(rows, files),
    gitdir: `/${project.id}`,
    defaultBranch: project.default_branch,
  });
  if (table.where('path', `${project.id}/HEAD`).length === 0) {
    const draft = new Store(() => 0).table<GitFile>('git_files');
    await seedHistory(storageIn(draft), project);
    // All at once, so that no save finds a part of the history.
    for (const { id: _, ...row } of draft.values()) table.insert(row);
  }
  return new Repository(storageIn(table));
}
