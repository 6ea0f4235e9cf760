/**
 * The entry point of `bin/svc.js`. It loads `main.ts` and caches compiled code between runs, since compiling takes half of the time
 * of a short command (docs/decisions/0005). The cache is best effort: without it the program is only slower.
 */
import fs from 'node:fs';
import Module from 'node:module';
import path from 'node:path';
import vm from 'node:vm';
import { replaceFileSync } from './support/atomic-write.ts';
import { codeFolder, makeFolder, readOwn } from './support/own-files.ts';

/** The file of `main.ts`. The build inserts its name, which contains a hash of its content. */
declare const __MAIN__: string;

/** Milliseconds until code is removed. Code in use is then saved again. */
const lifetime = 60 * 24 * 60 * 60_000;

const isDisabled = process.env['NODE_DISABLE_COMPILE_CACHE'] || process.env['NODE_V8_COVERAGE'];
const folder = isDisabled ? undefined : attempt(() => codeFolder(process.env));

const scripts = new Map<string, vm.Script>();
let isComplete = true;

const loaded = new Map<string, unknown>();

function attempt<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
}

/** Replaces `require` for the files of the program, whose names contain a hash of their content. */
function load(id: string): unknown {
  if (!id.startsWith('./')) return require(id);
  const before = loaded.get(id);
  if (before !== undefined) return before;
  const file = path.join(import.meta.dirname, id);
  const code = folder && path.join(folder, `${id}.bin`);
  const cachedData = code ? attempt(() => readOwn(code)) : undefined;
  const script = new vm.Script(Module.wrap(fs.readFileSync(file, 'utf8')), {
    filename: file,
    // Without the start of the wrapper, positions are those of the file.
    columnOffset: -Module.wrap('').indexOf('\n'),
    ...(cachedData && { cachedData }),
  });
  if (code) scripts.set(code, script);
  // Code is rejected if the flags differ, for example in NODE_OPTIONS.
  if (code && isComplete && (!cachedData || script.cachedDataRejected)) saveLater();
  const module = { exports: {} };
  script.runInThisContext()(module.exports, load, module, file, import.meta.dirname);
  loaded.set(id, module.exports);
  return module.exports;
}

/** Save the code of all files, so that code which an earlier command saved gets the functions that this one used. */
function save(): void {
  attempt(() => {
    if (folder === undefined || isComplete) return;
    isComplete = true;
    makeFolder(folder);
    for (const [code, script] of scripts) replaceFileSync(code, script.createCachedData());
    // The folders beside it are those of other versions of Node.
    for (const place of [folder, path.dirname(folder)]) removeOld(place);
  });
}

function removeOld(place: string): void {
  for (const name of fs.readdirSync(place)) {
    const one = path.join(place, name);
    if (Date.now() - fs.statSync(one).mtimeMs > lifetime) fs.rmSync(one, { recursive: true, force: true });
  }
}

/** Save at exit, and before a flag of V8 is set: V8 rejects code that was compiled with other flags. */
function saveLater(): void {
  isComplete = false;
  const v8 = require('node:v8') as typeof import('node:v8');
  const { setFlagsFromString } = v8;
  v8.setFlagsFromString = (flags) => {
    save();
    setFlagsFromString(flags);
  };
  process.once('exit', save);
}

load(__MAIN__);
