/** The version of this program, how it is installed, and which runtime executes it. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

declare const __EXECUTABLE__: boolean | undefined;
declare const __VERSION__: string | undefined;

export const version: string = typeof __VERSION__ === 'string' ? __VERSION__ : '0.0.0-source';

/** Whether the program is a single file that contains its runtime. `npm run package` inserts the value. */
const isExecutable: boolean = typeof __EXECUTABLE__ === 'boolean';

export type Installation = ReturnType<typeof installation>;

/**
 * Return the kind of installation, its path and its runtime. An executable has no files beside it. A package is installed by npm and contains
 * man pages and completions. The path is that of the executable, or the folder of the package or checkout.
 */
export function installation() {
  const { bun, node } = process.versions;
  const runtime = bun === undefined ? `Node.js ${node}` : `Bun ${bun}`;
  if (isExecutable) return { kind: 'executable' as const, path: process.execPath, runtime };
  // The build puts this module into dist/.
  const path = dirname(import.meta.dirname);
  const isPackage = existsSync(join(path, 'package.json')) && !existsSync(join(path, 'src'));
  return { kind: isPackage ? ('package' as const) : ('checkout' as const), path, runtime };
}

/** Return the words that start the program, before its arguments. */
export function selfCommand(argv: readonly string[]): readonly string[] {
  return isExecutable ? [process.execPath] : [process.execPath, ...argv.slice(1, 2)];
}
