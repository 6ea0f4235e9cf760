/** Saves the compiled code of the program (docs/decisions/0005). Most runs do not load it. */
import fs from 'node:fs';
import path from 'node:path';
import type { Script } from 'node:vm';
import { replaceFileSync } from './atomic-write.ts';
import { makeFolder } from './own-files.ts';

/** Milliseconds until code that no command has used is removed, such as that of an earlier version. */
const unusedLimit = 60 * 24 * 60 * 60_000;

/** Save the code of scripts, by the names of their files in a folder. Code in use is saved again from time to time. */
export function saveCode(folder: string, scripts: Iterable<readonly [name: string, script: Script]>): void {
  try {
    makeFolder(folder);
    for (const [name, script] of scripts) replaceFileSync(path.join(folder, name), script.createCachedData());
    // The folders beside it are those of other versions of Node.
    for (const place of [folder, path.dirname(folder)]) removeUnused(place);
  } catch {
    // The disk is full, the home is read-only, or another process removed a file.
  }
}

function removeUnused(folder: string): void {
  for (const name of fs.readdirSync(folder)) {
    const place = path.join(folder, name);
    if (Date.now() - fs.statSync(place).mtimeMs > unusedLimit)
      fs.rmSync(place, { recursive: true, force: true });
  }
}
