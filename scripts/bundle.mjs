// Bundles TypeScript for Node 20. Used by the build, scripts and tests.
import { rolldown } from 'rolldown';

/** Replacements for modules that packages load and `svc` never uses. They would add 10 ms to each start. */
const unused = {
  undici: [
    // HTTP/2, SOCKS and fetch bodies: the transport uses HTTP/1.1 and sends bytes.
    { id: /(?:^|\/)(?:client-h2|h2c-client|socks5-[a-z-]+|web\/fetch\/body)(?:\.js)?$/, code: '{}' },
    // undici uses only one class and one constant of it.
    { id: /^node:http$/, code: '{ IncomingMessage: class {}, maxHeaderSize: 16384 }' },
  ],
  // Only for subcommands in separate executables.
  commander: [{ id: /^node:child_process$/, code: '{}' }],
};
const withoutUnused = {
  name: 'svc-unused',
  resolveId(id, importer = '') {
    for (const [name, stubs] of Object.entries(unused)) {
      const at = importer.includes(`node_modules/${name}/`)
        ? stubs.findIndex((stub) => stub.id.test(id))
        : -1;
      if (at >= 0) return `\0unused-${name}-${at}`;
    }
  },
  load(id) {
    const [, name, at] = /^\0unused-(\w+)-(\d+)$/.exec(id) ?? [];
    return name && `module.exports = ${unused[name][at].code};`;
  },
};

/**
 * Bundle entry points into a folder, split at each dynamic import.
 * The output is CommonJS because Node 20 starts it faster than ESM (docs/decisions/0002).
 * @param {Record<string, string>} input name -> path
 * @param {string} dir
 * @param {Record<string, string>} define
 * @param {{ minify?: boolean, sourcemap?: boolean, groups?: { name: string, test: RegExp }[] }} options groups: modules that share a file
 */
export async function bundle(
  input,
  dir,
  define = {},
  { minify = true, sourcemap = false, groups = [] } = {},
) {
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
    // require() for built-in modules that are imported dynamically: import() takes up to 20 ms.
    dynamicImportInCjs: false,
    minify,
    sourcemap,
    cleanDir: false,
    codeSplitting: { includeDependenciesRecursively: false, groups },
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
  });
  await build.close();
  return output;
}
