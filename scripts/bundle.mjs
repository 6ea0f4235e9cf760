// Bundles TypeScript for Node 20. Used by the build, scripts and tests.
import { rolldown } from 'rolldown';
import { textFiles } from './text-files.mjs';

/** Replacements for modules that packages load and `svc` never uses. They would add 10 ms to each start. */
const unused = {
  undici: [
    // HTTP/2, SOCKS and fetch bodies: the transport uses HTTP/1.1 and sends bytes.
    { id: /(?:^|\/)(?:client-h2|h2c-client|socks5-[a-z-]+|web\/fetch\/body)(?:\.js)?$/, code: '{}' },
    // undici uses only one class and one constant of it.
    { id: /^node:http$/, code: '{ IncomingMessage: class {}, maxHeaderSize: 16384 }' },
  ],
  // Only for prompts to the user of an agent, which svc does not send.
  '@modelcontextprotocol/sdk': [
    { id: /\/validation\/ajv-provider\.js$/, code: '{ AjvJsonSchemaValidator: class {} }' },
  ],
  commander: [
    // Only for subcommands in separate executables.
    { id: /^node:child_process$/, code: '{}' },
    // svc writes its own help and suggestions.
    { id: /\/help(?:\.js)?$/, code: '{ Help: class {}, stripColor: (text) => text }' },
    { id: /\/suggestSimilar(?:\.js)?$/, code: "{ suggestSimilar: () => '' }" },
  ],
};
const withoutUnused = {
  name: 'svc-unused',
  resolveId(id, importer = '') {
    for (const [name, stubs] of Object.entries(unused)) {
      const at = importer.includes(`node_modules/${name}/`)
        ? stubs.findIndex((stub) => stub.id.test(id))
        : -1;
      if (at >= 0) return `\0unused:${name}:${at}`;
    }
  },
  load(id) {
    const [, name, at] = /^\0unused:(.+):(\d+)$/.exec(id) ?? [];
    return name && `module.exports = ${unused[name][at].code};`;
  },
};

/**
 * A fast import of built-in modules and CommonJS packages: rolldown's own copies every property of the module, also those that
 * are never used and those that load more modules when they are read.
 */
const lightInterop = {
  name: 'svc-light-interop',
  transform: {
    filter: { id: /^\0rolldown\/runtime\.js$/ },
    handler: (code) => code.replace(/export var __toESM = .*?\n\);\n/s, toEsm),
  },
};
const toEsm = `export var __toESM = (mod, isNodeMode) =>
  !isNodeMode && mod && mod.__esModule && __hasOwnProp.call(mod, 'default')
    ? mod
    : __create(mod, { default: { value: mod, enumerable: true } });
`;

/** The files that every command loads. */
const frequent = /^(?:main|spec|call)-/;

/**
 * Export all names of a file by one object: a getter for each takes longer than most functions. The frequent files export a function
 * from the position of a name to its value, because even the object takes 1 % of a short command. No module changes what it exports.
 */
const plainExports = {
  name: 'svc-plain-exports',
  renderChunk(code, { fileName, exports }, _options, { chunks }) {
    const values = new Map();
    const rest = code
      .replace(
        /^Object\.defineProperty\(exports, "([\w$]+)", \{\s*enumerable: true,\s*get: function \(\) \{\s*return ([\w$]+);\s*\}\s*\}\);\n?/gm,
        (_, name, value) => {
          values.set(name, value);
          return '';
        },
      )
      .replace(/^exports\.([\w$]+) = ([\w$]+);\n?/gm, (_, name, value) => {
        values.set(name, value);
        return '';
      });
    const exported = frequent.test(fileName)
      ? `(at) => { switch (at) { ${exports.map((name, at) => `case ${at}: return ${values.get(name)};`).join(' ')} } }`
      : `{ ${Array.from(values, ([name, value]) => `${name}: ${value}`).join(', ')} }`;
    return byNumber(values.size > 0 ? `${rest}\nmodule.exports = ${exported};\n` : code, chunks);
  },
};

const required = String.raw`require\("\./([^"]+)"\)`;
const staticImport = new RegExp(String.raw`^const ([\w$]+) = ${required};$`, 'gm');
const dynamicImport = new RegExp(String.raw`${required}\)\.then\(\(n\) => n\.([\w$]+)\)`, 'g');

/** Replace the names that frequent files export by their positions. */
function byNumber(code, chunks) {
  let imports = 0;
  const at = (fileName, name) => {
    const position = chunks[fileName].exports.indexOf(name);
    if (position < 0) throw new Error(`${fileName} does not export ${name}`);
    return position;
  };
  let changed = code.replace(dynamicImport, (found, fileName, name) => {
    if (!frequent.test(fileName)) return found;
    imports++;
    return found.replace(`n.${name}`, `n(${at(fileName, name)})`);
  });
  for (const [, variable, fileName] of code.matchAll(staticImport)) {
    if (!frequent.test(fileName)) continue;
    imports++;
    const name = variable.replaceAll('$', String.raw`\$`);
    const use = new RegExp(String.raw`(new )?(?<![\w$])${name}\.([\w$]+)`, 'g');
    changed = changed.replace(use, (_, isNew, name) => {
      const value = `${variable}(${at(fileName, name)})`;
      return isNew ? `new (${value})` : value;
    });
  }
  const all = [...code.matchAll(new RegExp(required, 'g'))].filter(([, fileName]) => frequent.test(fileName));
  if (all.length !== imports)
    throw new Error('a frequent file is imported in a form that byNumber does not know');
  return changed;
}

const wrapper = {
  postBanner: '(function (exports, require, module, __filename, __dirname) {',
  postFooter: '})',
};

/**
 * Bundle entry points into a folder, split at each dynamic import.
 * The output is CommonJS because Node 20 starts it faster than ESM (docs/decisions/0002).
 * @param {Record<string, string>} input name -> path
 * @param {string} dir
 * @param {Record<string, string>} define
 * @param {{ minify?: boolean, sourcemap?: boolean, groups?: { name: string, test: RegExp }[], wrap?: boolean }} options groups: modules that share a file; wrap: write functions
 *   that src/start.ts calls, as Node makes them of CommonJS files
 */
export async function bundle(
  input,
  dir,
  define = {},
  { minify = true, sourcemap = false, groups = [], wrap = false } = {},
) {
  const build = await rolldown({
    input,
    platform: 'node',
    plugins: [textFiles, withoutUnused, lightInterop, ...(wrap ? [plainExports] : [])],
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
    minify,
    sourcemap,
    cleanDir: false,
    codeSplitting: { includeDependenciesRecursively: false, groups },
    ...(wrap ? wrapper : {}),
    entryFileNames: wrap ? '[name]-[hash].js' : '[name].js',
    chunkFileNames: '[name]-[hash].js',
  });
  await build.close();
  return output;
}
