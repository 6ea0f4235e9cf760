// npm run executable [-- file [platform]]: compiles svc with its runtime into one file (docs/decisions/0016).
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { identity } from './identity.mjs';
import { removeSignature } from './package/macho.mjs';
import { ownPlatform, platforms, runtimeFor } from './package/runtime.mjs';

const entries = ['src/main.ts', 'src/cli/call/jq/jq-worker.js'];

/**
 * Compile the executable of a platform. The same source, runtime and file name give the same bytes, in any folder.
 * @param {{ platform: string, file: string }} target
 * @returns {Promise<string[]>} the paths of the modules that it contains
 */
export async function buildExecutable({ platform, file }) {
  const host = ownPlatform();
  if (!host) throw new Error(`no runtime for this machine: ${process.platform}-${process.arch}`);
  mkdirSync(dirname(file), { recursive: true });
  const metafile = `${file}.meta.json`;
  const defines = Object.entries({ ...(await identity('.')), __EXECUTABLE__: 'true' });
  const args = [
    'build',
    '--compile',
    '--bytecode',
    '--minify',
    '--splitting',
    '--format=esm',
    `--target=bun-${platform}`,
    `--compile-executable-path=${await runtimeFor(platform)}`,
    // Files of the current folder must not change the program.
    '--no-compile-autoload-dotenv',
    '--no-compile-autoload-bunfig',
    // Only code of the executable runs: BUN_OPTIONS cannot preload a file, and no debugger can be attached.
    '--compile-exec-argv=--disallow-code-generation-from-strings=strict',
    // A command is over before optimized code pays off.
    '--compile-jit-policy=16',
    // The worker is started by its path beside the entry point.
    '--entry-naming=[name].[ext]',
    ...defines.map(([name, value]) => `--define=${name}=${value}`),
    ...entries,
    `--outfile=${file}`,
    `--metafile=${metafile}`,
  ];
  const { status, stderr } = spawnSync(await runtimeFor(host), args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`the executable for ${platform} was not built:\n${stderr}`);
  if (platform === 'darwin-x64') removeSignature(file);
  const { outputs } = JSON.parse(readFileSync(metafile, 'utf8'));
  rmSync(metafile);
  return Object.values(outputs).flatMap(({ inputs }) =>
    Object.keys(inputs).filter((path) => inputs[path].bytesInOutput > 0),
  );
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [file = 'node_modules/.cache/svc/bin/svc', platform = ownPlatform()] = process.argv.slice(2);
  if (!platforms.includes(platform))
    throw new Error(`unknown platform: ${platform}; known: ${platforms.join(', ')}`);
  await buildExecutable({ platform, file: resolve(file) });
  console.log(resolve(file));
}
