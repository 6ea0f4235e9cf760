/** Report folders that `svc` does not use because of their permissions. */
import { unusable } from '../errors.ts';
import { checkOwnFolder } from '../support/own-files.ts';

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
