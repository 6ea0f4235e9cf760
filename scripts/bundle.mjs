// Bundles TypeScript for Node 20. Used by the build, scripts and tests.
import { rolldown } from 'rolldown';
import { textFiles } from './text-files.mjs';

/**
 * Bundle entry points into a folder, split at each dynamic import.
 * The output is CommonJS because Node 20 starts it faster than ESM (docs/decisions/0002).
 * @param {Record<string, string>} input name -> path
 * @param {string} dir
 * @param {Record<string, string>} define
 * @param {import('rolldown').OutputOptions} options
 */
export async function bundle(input, dir, define = {}, options = {}) {
  const build = await rolldown({
    input,
    platform: 'node',
    plugins: [textFiles],
    transform: { define, target: 'node20' },
    checks: { eval: false },
    onLog: (level, log, handler) => (level === 'warn' ? undefined : handler(level, log)),
  });
  const { output } = await build.write({
    dir,
    format: 'cjs',
    // V8 stores a text with other characters in twice the memory.
    charset: 'ascii',
    externalLiveBindings: false,
    // require() for built-in modules that are imported dynamically: import() takes up to 20 ms.
    dynamicImportInCjs: false,
    cleanDir: false,
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    ...options,
  });
  await build.close();
  return output.filter((file) => file.type === 'chunk');
}
