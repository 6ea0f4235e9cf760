// How every TypeScript entry of the project becomes something that Node 20 runs. Used by the build, by scripts and by tests.
import { rolldown } from 'rolldown';

/** undici loads these at import and never uses them for HTTP/1.1: HTTP/2 alone costs 7 ms at start. */
const unused = /(?:^|\/)(?:client-h2|h2c-client|socks5-[a-z-]+)(?:\.js)?$/;
const withoutUnused = {
  name: 'svc-unused-undici',
  resolveId: (id, importer) => (unused.test(id) && importer?.includes('undici') ? '\0unused' : undefined),
  load: (id) => (id === '\0unused' ? 'module.exports = {}' : undefined),
};

/**
 * Bundle entries into a folder, split at each dynamic import.
 * CommonJS and not ESM: Node 20 starts it a quarter faster (docs/decisions/0002).
 * @param {Record<string, string>} input name -> path
 * @param {string} dir
 * @param {Record<string, string>} define
 */
export async function bundle(input, dir, define = {}, { minify = true, sourcemap = false } = {}) {
  const build = await rolldown({
    input,
    platform: 'node',
    plugins: [withoutUnused],
    transform: { define, target: 'node20' },
    checks: { eval: false },
    onLog: (level, log, handler) => (level === 'warn' ? undefined : handler(level, log)),
  });
  const { output } = await build.write({
    dir,
    format: 'cjs',
    minify,
    sourcemap,
    cleanDir: false,
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
  });
  await build.close();
  return output;
}
