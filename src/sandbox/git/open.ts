import { dirname } from 'node:path';
import { syncFolder } from '../../support/atomic-write.ts';
import { renameFile } from '../../support/system/rename.ts';
import type { Project } from '../core/rows.ts';
import { durableFs, removeDrafts, syncTree } from '../store/durable.ts';
import { seedHistory } from './history.ts';
import { MemoryFiles } from './memory.ts';
import type { RepositoryStorage } from './objects.ts';
import { Repository } from './repository.ts';

export function memoryStorage(defaultBranch = 'main', fs = new MemoryFiles()): RepositoryStorage {
  return { fs, gitdir: '/repository.git', defaultBranch };
}

/** Open the repository of a project in memory. @param known its files; without them, it is created with its seeded history */
export async function openInMemory(
  project: Project,
  known: MemoryFiles | undefined,
): Promise<{ readonly repository: Repository; readonly files: MemoryFiles }> {
  const files = known ?? new MemoryFiles();
  const storage = memoryStorage(project.default_branch, files);
  if (!known) await seedHistory(storage, project);
  return { repository: new Repository(storage), files };
}

/**
 * Open the repository of a project, and create it with its seeded history if it does not exist. A folder appears complete or not at all.
 * @param dir the folder of the repository
 * @throws the file system's errors if the folder cannot be written
 */
export async function openRepository(project: Project, dir: string): Promise<Repository> {
  const defaultBranch = project.default_branch;
  const fs = await import('node:fs');
  if (fs.existsSync(`${dir}/HEAD`)) await removeDrafts(dir);
  else {
    const draft = `${dir}.new`;
    await fs.promises.rm(draft, { recursive: true, force: true });
    await fs.promises.mkdir(draft, { recursive: true });
    await seedHistory({ fs, gitdir: draft, defaultBranch }, project);
    await syncTree(draft);
    if (fs.existsSync(dir)) await fs.promises.rmdir(dir);
    await renameFile(draft, dir);
    await syncFolder(dirname(dir));
  }
  return new Repository({ fs: durableFs(dir), gitdir: dir, defaultBranch });
}
