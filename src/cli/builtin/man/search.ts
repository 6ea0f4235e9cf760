/** Ask the program `man` whether it finds the installed pages. */
import path from 'node:path';
import { errorCode } from '../../../support/errno.ts';
import { shellQuote } from '../../../support/shell.ts';
import type { Context } from '../../context.ts';

export interface Search {
  readonly message: string;
  /** Absent unless `man` finds another page or none. */
  readonly remedy?: string;
}

/** Tell whether `man svc` shows the page in a folder. */
export async function searchOf(folder: string, context: Context): Promise<Search> {
  const page = path.join(folder, 'man1', 'svc.1');
  const found = await locate(context);
  if (found === 'missing')
    return { message: 'The program man is not installed. svc man shows the pages without it.' };
  if (found !== undefined && path.resolve(found) === page) return { message: 'Try it: man svc' };
  const setting = `export MANPATH=${shellQuote(folder)}:`;
  return {
    message: found === undefined ? 'man does not search this folder' : `man shows another page: ${found}`,
    remedy: `add to your shell profile: ${setting}"$MANPATH"`,
  };
}

/** Return the file that `man svc` shows; `missing` if there is no such program. */
function locate({ env, cwd }: Context): Promise<string | 'missing' | undefined> {
  const { execFile } = process.getBuiltinModule('node:child_process');
  return new Promise((done) => {
    execFile('man', ['-w', 'svc'], { env: { ...env }, cwd, timeout: 5_000 }, (error, stdout) => {
      if (errorCode(error) === 'ENOENT') done('missing');
      else done(stdout.trim().split('\n')[0] || undefined);
    });
  });
}
