/**
 * The entry point of `bin/svc.js`. It loads `main.ts` and caches compiled code between runs, since compiling takes half of the time
 * of a short command (docs/decisions/0005). The cache is best effort: without it the program is only slower.
 *
 * Node compiles this file in every run, so it contains only what every run needs.
 */
import fs from 'node:fs';
import path from 'node:path';
import vm from 'node:vm';

/** The files of `main.ts` and `compiled-code.ts`. The build inserts their names, which contain a hash of their content. */
declare const __MAIN__: string;
declare const __COMPILED_CODE__: string;

const { env, versions, arch, platform } = process;
const isWindows = platform === 'win32';

/** V8 rejects code of another version. */
const cacheKey = `${versions.v8}-${arch}`;

const disabled = env['NODE_DISABLE_COMPILE_CACHE'] || env['NODE_V8_COVERAGE'];

/**
 * Milliseconds after which code is saved again: with the functions that this command used, and not only those that the first one used.
 */
const maxAge = 10 * 60_000;

const { O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDONLY, S_IFMT, S_IFDIR, S_IFLNK, S_IFREG } = fs.constants;

/** Undefined on Windows, where other users cannot access the folders of a user by default. */
const userId = process.geteuid?.();

const find = (place: string): fs.Stats | undefined => fs.lstatSync(place, { throwIfNoEntry: false });

/** The code that the build made for this version of Node; absent in a published package. */
const packageFolder = once(() => {
  const folder = `${import.meta.dirname}/code/${cacheKey}`;
  return fs.existsSync(folder) ? folder : undefined;
});

/**
 * The code cache of this user. Its content is executed, so only this user and root may be able to change it. The home must belong to
 * the effective user, because `sudo` can keep the HOME of another user.
 */
const userFolder = once(() => {
  const home = isWindows ? env['USERPROFILE'] : env['HOME'];
  const cache = isWindows ? env['LOCALAPPDATA'] : env['XDG_CACHE_HOME'] || (home && `${home}/.cache`);
  if (!home || !cache || !path.isAbsolute(cache) || find(home)?.uid !== (userId ?? 0)) return undefined;
  const folder = `${cache}/svc/code/${cacheKey}`;
  return isOwn(folder, 20) ? folder : undefined;
});

function once(make: () => string | undefined): () => string | undefined {
  let made: { value?: string | undefined } | undefined;
  return () => {
    if (!made) {
      made = {};
      try {
        made.value = make();
      } catch {
        // For example a folder that this user cannot search.
      }
    }
    return made.value;
  };
}

/**
 * Whether no other user can change what is in a folder: neither group nor others can write to it or to a parent, links are only in
 * `/` (/home on some systems), and none is a checkout, whose files other people write. Folders that do not exist yet pass.
 */
function isOwn(folder: string, links: number): boolean {
  for (let place = folder; ; ) {
    const parent = path.dirname(place);
    const found = find(place);
    if (found) {
      const { uid, mode } = found;
      if (userId !== undefined && uid !== userId && uid !== 0) return false;
      if ((mode & S_IFMT) === S_IFLNK) {
        if (links === 0 || path.dirname(parent) !== parent) return false;
        if (!isOwn(path.resolve(parent, fs.readlinkSync(place)), links - 1)) return false;
      } else {
        if ((mode & S_IFMT) !== S_IFDIR || fs.existsSync(`${place}/.git`)) return false;
        // Only the owner of a file can replace it in a sticky folder (/tmp).
        if (userId !== undefined && mode & 0o022 && !(mode & 0o1000)) return false;
      }
    }
    if (parent === place) return true;
    place = parent;
  }
}

interface Content {
  readonly bytes: Buffer;
  readonly isOld: boolean;
}

/** Read the code of a file from the package, if it was built for this version of Node, or from the cache of the user. */
function readCode(name: string): Content | undefined {
  if (disabled) return undefined;
  const packaged = packageFolder();
  if (packaged && fs.existsSync(`${packaged}/${name}`))
    return { ...read(`${packaged}/${name}`), isOld: false };
  const folder = userFolder();
  if (folder === undefined) return undefined;
  try {
    return read(`${folder}/${name}`, true);
  } catch {
    return undefined;
  }
}

/**
 * Read a file at once: `readFileSync` takes several times as long.
 * @param isOwn whether it must belong to this user, and no other user may write it
 */
function read(file: string, isOwn = false): Content {
  // Links are not followed, and a pipe is not waited for.
  const handle = fs.openSync(file, isOwn ? O_RDONLY | O_NOFOLLOW | O_NONBLOCK : O_RDONLY);
  try {
    const { uid, mode, size, mtimeMs } = fs.fstatSync(handle);
    const isOpen = userId !== undefined && (uid !== userId || (mode & 0o022) !== 0);
    if (isOwn && ((mode & S_IFMT) !== S_IFREG || isOpen)) throw new Error(`not a private file: ${file}`);
    const bytes = Buffer.allocUnsafeSlow(size);
    fs.readSync(handle, bytes);
    return { bytes, isOld: Date.now() - mtimeMs > maxAge };
  } finally {
    fs.closeSync(handle);
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

/** Scripts to save, by the name of their file in the cache. */
const unsaved = new Map<string, vm.Script>();

/** Replaces `require` for the files of the program. Node would look for each file in several places and read its package. */
function load(id: string): unknown {
  if (!id.startsWith('./')) return process.getBuiltinModule(id);
  if (!id.startsWith('./deferred-')) return loadFile(id);
  return new Proxy({}, { get: (_, name) => Reflect.get(loadFile(id), name) });
}

function loadFile(id: string): object {
  const before = loaded.get(id);
  if (before) return before;
  const file = import.meta.dirname + id.slice(1);
  // The name of the file contains a hash of its content.
  const name = `${id.slice(2)}.bin`;
  const code = readCode(name);
  // The build writes ASCII.
  const script = new vm.Script(read(file).bytes.toString('latin1'), {
    filename: file,
    ...(code ? { cachedData: code.bytes } : {}),
  });
  // V8 rejects code that was compiled with other flags, for example in NODE_OPTIONS.
  if (!code || script.cachedDataRejected || code.isOld) {
    if (unsaved.size === 0) saveLater();
    unsaved.set(name, script);
  }
  const run = script.runInThisContext() as Wrapper;
  const module = { exports: {} };
  run(module.exports, load, module, file, import.meta.dirname);
  loaded.set(id, module.exports);
  return module.exports;
}

function save(): void {
  const scripts = [...unsaved];
  unsaved.clear();
  const folder = disabled ? undefined : userFolder();
  if (folder === undefined || scripts.length === 0) return;
  const { saveCode } = loadFile(__COMPILED_CODE__) as typeof import('./support/compiled-code.ts');
  saveCode(folder, scripts);
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
