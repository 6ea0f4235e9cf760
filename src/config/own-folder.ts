/** Folders that only this user can change. */
import path from 'node:path';
import { unusable, usage } from '../errors.ts';
import { checkOwnFolder, makeFolder } from '../support/own-files.ts';
import { type Env, pathsOf } from './paths.ts';

/**
 * Check that only this user can change a folder, which need not exist.
 * @param what with its path: `the sandbox folder /home/mia/x`
 * @throws Failure `internal` with the cause
 */
export function requireOwnFolder(folder: string, what: string, hint: string): void {
  try {
    checkOwnFolder(folder);
  } catch (error) {
    throw unusable(what, error, hint);
  }
}

/**
 * Return the path of a file in the state folder of this user, and create its folder.
 * @throws Failure `usage` without a state folder, `internal` if it cannot be used
 */
export function stateFile(env: Env, name: string): string {
  const { state, remedy } = pathsOf(env);
  if (state === undefined) throw usage('no folder for the state of this command', remedy);
  const file = path.join(state, name);
  const folder = path.dirname(file);
  try {
    checkOwnFolder(folder);
    makeFolder(folder);
  } catch (error) {
    throw unusable(`the folder ${folder}`, error, remedy);
  }
  return file;
}
