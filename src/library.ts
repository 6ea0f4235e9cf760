/** `import { createSandbox } from '<package>/sandbox'`. The build bundles this file separately from the program. `start-library.ts` loads it. */
import type { SandboxOptions, TestSandbox } from './sandbox/control/types.ts';
import { checkOptions, createSandbox as create } from './sandbox/library.ts';

/** Start a sandbox in the memory of this process, on a port of 127.0.0.1. Any number can run at the same time. */
export async function createSandbox(given: SandboxOptions = {}): Promise<TestSandbox> {
  const options = checkOptions(given);
  const { seedFile } = options;
  if (seedFile === undefined) return create(options);
  const { readSeedFile } = await import('./cli/builtin/sandbox/seed-file.ts');
  return create(options, await readSeedFile(seedFile, { cwd: process.cwd(), env: process.env }));
}
