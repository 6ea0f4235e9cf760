/**
 * What `bin/svc.js` starts: `main.ts`, with V8's compiled code kept between runs. Compiling is half of the time of a short command
 * (docs/decisions/0005). All of it is best effort: without a cache the program is slower, and the same.
 */
import fs from 'node:fs';
import Module from 'node:module';
import path from 'node:path';
import vm from 'node:vm';

const { env, versions, arch, platform } = process;

/** V8 refuses the code of another version, and of other flags. */
const key = `${versions.v8}-${arch}`;

/** The folder of this user: what is in it is run, so it counts only where nobody else can write. */
function ownFolder(): string | undefined {
  const cache =
    platform === 'win32'
      ? env['LOCALAPPDATA']
      : env['XDG_CACHE_HOME'] || (env['HOME'] && `${env['HOME']}/.cache`);
  if (!cache || !path.isAbsolute(cache)) return undefined;
  const folder = path.join(cache, 'svc', 'code', key);
  const found = fs.statSync(folder, { throwIfNoEntry: false });
  const safe =
    !found || platform === 'win32' || (found.uid === process.getuid?.() && (found.mode & 0o022) === 0);
  return safe ? folder : undefined;
}

const disabled = env['NODE_DISABLE_COMPILE_CACHE'] || env['NODE_V8_COVERAGE'];
const built = env['SVC_BUILD_CODE'];

/** Where code is looked for, each found when it is needed: what the build made for this very Node, then the user's own. */
const folders: readonly (() => string | undefined)[] = disabled
  ? []
  : built
    ? [() => path.join(built, key)]
    : [() => path.join(import.meta.dirname, 'code', key), once(ownFolder)];

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Loaded in this run, with no code kept for them: by the name of their file in the cache. */
const missing = new Map<string, vm.Script>();

/** A name that a file of another build has not. */
function nameOf(file: string, source: string): string {
  let hash = 5381;
  for (let at = 0; at < source.length; at += 97) hash = (hash * 33) ^ source.charCodeAt(at);
  return `${path.basename(file, '.js')}-${source.length}-${(hash >>> 0).toString(36)}.bin`;
}

function keptCode(name: string): Buffer | undefined {
  for (const find of folders) {
    try {
      const folder = find();
      if (folder) return fs.readFileSync(path.join(folder, name));
    } catch {
      // Not in this one.
    }
  }
  return undefined;
}

function load(module: NodeJS.Module, file: string): void {
  const source = fs.readFileSync(file, 'utf8');
  const name = nameOf(file, source);
  const cachedData = keptCode(name);
  const text = `(function (exports, require, module, __filename, __dirname) { ${source}\n})`;
  const importModuleDynamically = vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;
  const script = new vm.Script(text, {
    filename: file,
    importModuleDynamically,
    ...(cachedData ? { cachedData } : {}),
  });
  if (!cachedData) {
    if (missing.size === 0) keepInTime();
    missing.set(name, script);
  }
  const run = script.runInThisContext() as (...args: unknown[]) => void;
  run.call(module.exports, module.exports, module.require.bind(module), module, file, path.dirname(file));
}

/** Node's own `recursive` never returns where a file system takes no folders, as /proc. */
function makeFolder(folder: string): void {
  if (fs.existsSync(folder)) return;
  makeFolder(path.dirname(folder));
  fs.mkdirSync(folder, { mode: 0o700 });
}

/** Keep what was compiled, each file whole or not at all. */
function keep(): void {
  const units = [...missing];
  missing.clear();
  try {
    const folder = folders.at(-1)?.();
    if (!folder) return;
    makeFolder(folder);
    for (const [name, script] of units) {
      const beside = path.join(folder, `${name}.${process.pid}`);
      fs.writeFileSync(beside, script.createCachedData(), { mode: 0o600 });
      fs.renameSync(beside, path.join(folder, name));
    }
  } catch {
    // A full disk, a home that can't be written.
  }
}

/** Before the process ends; and before a flag of V8 is set, since code that is made after that would be refused later. */
function keepInTime(): void {
  const v8 = process.getBuiltinModule('node:v8');
  const setFlags = v8.setFlagsFromString;
  v8.setFlagsFromString = (flags) => {
    keep();
    setFlags(flags);
  };
  process.once('exit', keep);
}

interface Loader {
  _extensions: Record<string, (module: NodeJS.Module, file: string) => void>;
}

const loaders = (Module as unknown as Loader)._extensions;
const usual = loaders['.js'] as Loader['_extensions'][string];
loaders['.js'] = (module, file) =>
  path.dirname(file) === import.meta.dirname ? load(module, file) : usual(module, file);

void import('./main.ts');
