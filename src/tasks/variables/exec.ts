/** Run a command with the variables that a job would get. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { usage } from '../../errors.ts';
import type { Row } from '../../spec/resource.ts';
import { safeFileName } from '../../support/system/file-name.ts';
import type { TaskContext } from '../context.ts';
import { variablesFor } from './scopes.ts';
import { projectOf, readVariables, withValues } from './transfer.ts';

/** Names that differ only in case are one file on some systems. */
function fileName(key: string, taken: Set<string>): string {
  const name = safeFileName(key) ?? 'value';
  for (let number = 1; ; number++) {
    const found = number === 1 ? name : `${name}-${number}`;
    if (taken.has(found.toLowerCase())) continue;
    taken.add(found.toLowerCase());
    return found;
  }
}

/** Write the variables of type `file` to files that only this user can read. */
async function environmentOf(
  rows: readonly Row[],
  folder: () => Promise<string>,
): Promise<Record<string, string>> {
  const environment: Record<string, string> = {};
  const taken = new Set<string>();
  for (const row of rows) {
    const key = String(row['key']);
    const value = String(row['value']);
    if (row['variable_type'] !== 'file') {
      if (value.includes('\0')) throw usage(`the value of ${key} contains a null byte`);
      environment[key] = value;
      continue;
    }
    const path = join(await folder(), fileName(key, taken));
    await writeFile(path, value, { mode: 0o600, flag: 'wx' });
    environment[key] = path;
  }
  return environment;
}

/** Run a command with the variables that a job of the environment gets. @returns its exit code */
export async function runWithVariables(
  task: TaskContext,
  { environment }: { readonly environment?: string | undefined },
): Promise<number> {
  const [command, ...args] = task.line.tail;
  if (command === undefined)
    throw usage('no command given', 'use svc variables exec -- <command> [arguments]');
  const { readable, hidden } = withValues(
    variablesFor(await readVariables(task, projectOf(task)), environment),
  );
  for (const name of hidden) task.note(`not included, because its value is hidden: ${name}`);
  let made: string | undefined;
  const folder = async () => (made ??= await mkdtemp(join(tmpdir(), 'svc-')));
  try {
    return await task.spawn(command, args, await environmentOf(readable, folder));
  } finally {
    if (made !== undefined) await rm(made, { recursive: true, force: true });
  }
}
