/** Loads files of the build, and caches their compiled code between runs (docs/decisions/0005). */
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { wrap } from 'node:module';
import { dirname, join } from 'node:path';
import { Script } from 'node:vm';
import { replaceFileSync } from './support/atomic-write.ts';
import { attempt } from './support/errno.ts';
import { codeFolder, makeFolder, readOwn } from './support/own-files.ts';

/** Milliseconds until code is removed. Code in use is then saved again. */
const lifetime = 60 * 24 * 60 * 60_000;

const isDisabled = process.env['NODE_DISABLE_COMPILE_CACHE'] || process.env['NODE_V8_COVERAGE'];
const folder = isDisabled ? undefined : attempt(() => codeFolder(process.env));

/**
 * Return a function that replaces `require` for the files of the build, whose names contain a hash of their content. The cache is best
 * effort: without it, loading is only slower.
 * @param saveLater called once when code is missing: `save` writes that of all files, with the functions that were used until then
 */
export function cachedLoader(saveLater: (save: () => void) => void): (id: string) => unknown {
  const scripts = new Map<string, Script>();
  const loaded = new Map<string, unknown>();
  let isComplete = true;

  function load(id: string): unknown {
    if (!id.startsWith('./')) return require(id);
    const before = loaded.get(id);
    if (before !== undefined) return before;
    const file = join(import.meta.dirname, id);
    const code = folder && join(folder, `${id}.bin`);
    const cachedData = code ? attempt(() => readComplete(code)) : undefined;
    const script = new Script(wrap(readFileSync(file, 'utf8')), {
      filename: file,
      // Without the start of the wrapper, positions are those of the file.
      columnOffset: -wrap('').indexOf('\n'),
      ...(cachedData && { cachedData }),
    });
    if (code) scripts.set(code, script);
    // Code is rejected if the flags differ, for example in NODE_OPTIONS.
    if (code && isComplete && (!cachedData || script.cachedDataRejected)) {
      isComplete = false;
      saveLater(save);
    }
    const module = { exports: {} };
    script.runInThisContext()(module.exports, load, module, file, import.meta.dirname);
    loaded.set(id, module.exports);
    return module.exports;
  }

  function save(): void {
    attempt(() => {
      if (folder === undefined || isComplete) return;
      isComplete = true;
      makeFolder(folder);
      for (const [code, script] of scripts)
        replaceFileSync(code, Buffer.concat([script.createCachedData(), endMark]));
      // The folders beside it are those of other versions of Node.
      for (const place of [folder, dirname(folder)]) removeOld(place);
    });
  }

  return load;
}

/** The end of a file. V8 does not check compiled code, and would crash if a power failure had left zeros in its place. */
const endMark = Buffer.from('end of code');

/** @returns undefined for a file that is not complete */
function readComplete(path: string): Buffer | undefined {
  const bytes = readOwn(path);
  const length = bytes.length - endMark.length;
  return length > 0 && bytes.subarray(length).equals(endMark) ? bytes.subarray(0, length) : undefined;
}

function removeOld(place: string): void {
  for (const name of readdirSync(place)) {
    const one = join(place, name);
    if (Date.now() - statSync(one).mtimeMs > lifetime) rmSync(one, { recursive: true, force: true });
  }
}
