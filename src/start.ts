/**
 * The entry point of `bin/svc.js`. It loads `main.ts` and caches compiled code between runs, since compiling takes half of the time
 * of a short command (docs/decisions/0005). The cache is best effort: without it the program is only slower.
 */
import fs from 'node:fs';
import path from 'node:path';
import vm from 'node:vm';
import { replaceFileSync } from './support/atomic-write.ts';
import { isOwnFolder, makeFolder, readOwn } from './support/own-files.ts';

/** The file of `main.ts`. The build inserts its name, which contains a hash of its content. */
declare const __MAIN__: string;

const { env, versions, arch, platform } = process;

/** V8 rejects code of another version. */
const cacheKey = `${versions.v8}-${arch}`;

const disabled = env['NODE_DISABLE_COMPILE_CACHE'] || env['NODE_V8_COVERAGE'];

/**
 * Return the code cache of this user. Its content is executed, so only this user and root may be able to change it. The home must
 * belong to the effective user, because `sudo` can keep the HOME of another user.
 */
function findUserFolder(): string | undefined {
  const home = env[platform === 'win32' ? 'USERPROFILE' : 'HOME'];
  const cache =
    platform === 'win32' ? env['LOCALAPPDATA'] : env['XDG_CACHE_HOME'] || (home && path.join(home, '.cache'));
  if (!home || !cache || !path.isAbsolute(cache)) return undefined;
  const owner = fs.statSync(home, { throwIfNoEntry: false })?.uid;
  if (platform !== 'win32' && owner !== process.geteuid?.()) return undefined;
  const folder = path.join(cache, 'svc', 'code', cacheKey);
  return isOwnFolder(folder, true) ? folder : undefined;
}

const userFolder = once(findUserFolder);

/** Return the code that the build made for this version of Node; empty in a published package. */
const packageFolder = once(() => {
  const folder = path.join(import.meta.dirname, 'code', cacheKey);
  return fs.existsSync(folder) ? folder : '';
});

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Scripts that the cache does not contain, by the name of their file in the cache. */
const uncached = new Map<string, vm.Script>();

/** Return a name that is unique to the content of a file, together with the hash that the build adds to the name of the file. */
function nameOf(file: string, source: string): string {
  let hash = 5381;
  for (let at = 0; at < source.length; at += 97) hash = (hash * 33) ^ source.charCodeAt(at);
  return `${path.basename(file, '.js')}-${source.length}-${(hash >>> 0).toString(36)}.bin`;
}

/** Read the code from the package, if it was built for this version of Node, or from the cache of the user. */
function readCode(name: string): Buffer | undefined {
  if (disabled) return undefined;
  try {
    const packaged = packageFolder() && path.join(packageFolder(), name);
    if (packaged && fs.existsSync(packaged)) return fs.readFileSync(packaged);
    const folder = userFolder();
    return folder === undefined ? undefined : readOwn(path.join(folder, name));
  } catch {
    return undefined;
  }
}

type Wrapper = (
  exports: unknown,
  require: typeof load,
  module: unknown,
  name: string,
  folder: string,
) => void;

/** What the files of the program export, by the `./name.js` under which they require each other. */
const loaded = new Map<string, object>();

/** Replaces `require` for the files of the program. Node would look for each file in several places and read its package. */
function load(id: string): unknown {
  if (!id.startsWith('./')) return process.getBuiltinModule(id);
  if (!id.startsWith('./deferred-')) return loadFile(id);
  return new Proxy({}, { get: (_, name) => Reflect.get(loadFile(id), name) });
}

function loadFile(id: string): object {
  const before = loaded.get(id);
  if (before) return before;
  const file = path.join(import.meta.dirname, id);
  const source = fs.readFileSync(file, 'utf8');
  const name = nameOf(file, source);
  const cachedData = readCode(name);
  const importModuleDynamically = vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;
  const script = new vm.Script(source, {
    filename: file,
    importModuleDynamically,
    ...(cachedData ? { cachedData } : {}),
  });
  // V8 rejects code that was compiled with other flags, for example in NODE_OPTIONS.
  if (!cachedData || script.cachedDataRejected) {
    if (uncached.size === 0) saveLater();
    uncached.set(name, script);
  }
  const run = script.runInThisContext() as Wrapper;
  const module = { exports: {} };
  run(module.exports, load, module, file, import.meta.dirname);
  loaded.set(id, module.exports);
  return module.exports;
}

/** Save the compiled code. */
function save(): void {
  const units = [...uncached];
  uncached.clear();
  try {
    const folder = disabled ? undefined : userFolder();
    if (folder === undefined) return;
    makeFolder(folder);
    for (const [name, script] of units) replaceFileSync(path.join(folder, name), script.createCachedData());
  } catch {
    // The disk is full, or the home is read-only.
  }
}

/** Save at exit, and before a flag of V8 is set: V8 rejects code that was compiled with other flags. */
function saveLater(): void {
  const v8 = process.getBuiltinModule('node:v8');
  const setFlags = v8.setFlagsFromString;
  v8.setFlagsFromString = (flags) => {
    save();
    setFlags(flags);
  };
  process.once('exit', save);
}

load(__MAIN__);
