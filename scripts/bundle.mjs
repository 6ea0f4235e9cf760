// How every TypeScript entry of the project becomes something that Node 20 runs. Used by the build, by scripts and by tests.
import { rolldown } from 'rolldown';

/** What packages load at import and `svc` never uses, each with what stands in its place. It costs 10 ms at start. */
const unused = {
  undici: [
    // HTTP/2, SOCKS, and the bodies of fetch: the transport speaks HTTP/1.1 and sends bytes.
    { id: /(?:^|\/)(?:client-h2|h2c-client|socks5-[a-z-]+|web\/fetch\/body)(?:\.js)?$/, code: '{}' },
    // Asked for one class and one default size.
    { id: /^node:http$/, code: '{ IncomingMessage: class {}, maxHeaderSize: 16384 }' },
  ],
  // For commands that are programs of their own.
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
 * Bundle entries into a folder, split at each dynamic import.
 * CommonJS and not ESM: Node 20 starts it a quarter faster (docs/decisions/0002).
 * @param {Record<string, string>} input name -> path
 * @param {string} dir
 * @param {Record<string, string>} define
 * @param {{ minify?: boolean, sourcemap?: boolean, groups?: { name: string, test: RegExp }[] }} options groups: what is loaded together
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
    // A builtin that is imported when it is needed is required: an import() of one costs up to 20 ms.
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
