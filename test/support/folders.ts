import { mkdtempSync, rmSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';

const prefix = join(tmpdir(), 'svc-test-');

/** Create a folder with these files, which is removed after the test. */
export async function folderWith(files: Readonly<Record<string, string | Uint8Array>> = {}): Promise<string> {
  const folder = await mkdtemp(prefix);
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files))
    await writeFile(join(folder, name), content, { mode: 0o600 });
  return folder;
}

/** The paths of the files below a folder. */
export async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
}

/** Create a folder that is removed after all tests of the file or group. */
export function sharedFolder(): string {
  const folder = mkdtempSync(prefix);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
