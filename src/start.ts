/**
 * What `bin/svc.js` starts: `main.ts`, with V8's compiled code kept between runs. Compiling is half of the time of a short command
 * (docs/decisions/0005). All of it is best effort: without a cache the program is slower, and the same.
 */
import fs from 'node:fs';
import Module from 'node:module';
import path from 'node:path';
import vm from 'node:vm';
import { isOwnFolder, makeFolder, readOwn, writeOwn } from './support/own-files.ts';

const { env, versions, arch, platform } = process;

/** V8 refuses the code of another version, and of other flags. */
const key = `${versions.v8}-${arch}`;

const disabled = env['NODE_DISABLE_COMPILE_CACHE'] || env['NODE_V8_COVERAGE'];

/**
 * The user's own code cache. Its content is executed, so it is used only where nobody but this user and root can change it, and
 * where the home belongs to the effective user: `sudo` may keep the HOME of somebody else.
 */
function ownFolder(): string | undefined {
  const home = env[platform === 'win32' ? 'USERPROFILE' : 'HOME'];
  const cache =
    platform === 'win32' ? env['LOCALAPPDATA'] : env['XDG_CACHE_HOME'] || (home && path.join(home, '.cache'));
  if (!home || !cache || !path.isAbsolute(cache)) return undefined;
  const owner = fs.statSync(home, { throwIfNoEntry: false })?.uid;
  if (platform !== 'win32' && owner !== process.geteuid?.()) return undefined;
  const folder = path.join(cache, 'svc', 'code', key);
  return isOwnFolder(folder, true) ? folder : undefined;
}

const userFolder = once(ownFolder);

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

/** What the build kept for this version of Node lies in the package, and is trusted as the package is. */
function keptCode(name: string): Buffer | undefined {
  if (disabled) return undefined;
  try {
    return fs.readFileSync(path.join(import.meta.dirname, 'code', key, name));
  } catch {
    // The package has none: it was built by another version of Node, or published.
  }
  try {
    const folder = userFolder();
    return folder === undefined ? undefined : readOwn(path.join(folder, name));
  } catch {
    return undefined;
  }
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

/** Keep what was compiled, each file whole or not at all. */
function keep(): void {
  const units = [...missing];
  missing.clear();
  try {
    const folder = disabled ? undefined : userFolder();
    if (folder === undefined) return;
    makeFolder(folder);
    for (const [name, script] of units) writeOwn(path.join(folder, name), script.createCachedData());
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
