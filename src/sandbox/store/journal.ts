/**
 * The tables on disk, as a journal. Each save appends one line, so that its cost does not depend on the size of the state. The file
 * is rewritten, with one line per row, when most of it is outdated.
 */
import { type FileHandle, open, readFile, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '../../support/atomic-write.ts';
import { errorCode } from '../../support/errno.ts';
import { isRecord } from '../../support/record.ts';
import { renameFile } from '../../support/system/rename.ts';
import { applySequences, encode, isRow, line, lineLimit, mib, replay, version } from './journal-lines.ts';
import { type Change, Store } from './store.ts';

/** Bytes of outdated lines that do not yet cause a rewrite. */
const slack = mib;

/** Read the JSON file of older versions. @returns false if it is damaged */
function readVersion1(bytes: Uint8Array, store: Store): boolean {
  let state: unknown;
  try {
    state = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return false;
  }
  if (!isRecord(state) || state['version'] !== 1 || !isRecord(state['tables'])) return false;
  for (const [name, rows] of Object.entries(state['tables']))
    for (const row of Array.isArray(rows) ? rows : []) if (isRow(row)) store.apply([name, row]);
  applySequences(state['sequences'], store);
  return true;
}

async function read(path: string): Promise<Uint8Array | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Rename a damaged file. @returns its new path */
async function setAside(path: string): Promise<string> {
  for (let number = 1; ; number++) {
    const aside = `${path}.damaged-${number}`;
    if (await stat(aside).catch(() => undefined)) continue;
    await renameFile(path, aside);
    return aside;
  }
}

/**
 * Open the journal of a folder. Damaged lines are skipped, and the damaged file is kept under another name.
 * @throws Failure `internal` if a newer version wrote it; the file system's errors
 */
export async function openJournal(dir: string, now: () => number): Promise<Journal> {
  const path = join(dir, 'state.jsonl');
  const older = join(dir, 'state.json');
  const store = new Store(now);
  const bytes = await read(path);
  if (!bytes) {
    const old = await read(older);
    if (!old) return new Journal(path, store, true);
    if (!readVersion1(old, store)) {
      const aside = await setAside(older);
      return new Journal(path, store, true, `the state was damaged; it was renamed to ${aside}`);
    }
    const journal = new Journal(path, store, false);
    await journal.save();
    await rm(older);
    return journal;
  }
  const { lines, damaged, end } = replay(bytes, store);
  if (damaged === 0) {
    if (end < bytes.byteLength) await truncate(path, end);
    store.drain();
    const journal = new Journal(path, store, false);
    await journal.append(end);
    return journal;
  }
  const aside = await setAside(path);
  const isNew = store.changes === 0;
  const damage = `${damaged} of ${lines} lines of the state were damaged; the file was renamed to ${aside}`;
  const journal = new Journal(path, isNew ? new Store(now) : store, isNew, damage);
  if (!isNew) await journal.save();
  return journal;
}

/** Read the rows of a journal that this version wrote. */
export async function readJournal(
  path: string,
): Promise<{ readonly store: Store; readonly size: number; readonly damaged: number }> {
  const store = new Store(Date.now);
  const { damaged, end } = replay(await readFile(path), store);
  return { store, size: end, damaged };
}

/** Replace a journal by one with these rows. @param release closes the old file before it is replaced */
export async function writeJournal(
  path: string,
  store: Store,
  release: () => Promise<void> = async () => {},
): Promise<{ readonly size: number; readonly tooLarge: readonly string[] }> {
  const skipped: string[] = [];
  let size = 0;
  const write = async (handle: FileHandle) => {
    let text = line(JSON.stringify({ version, sequences: store.sequences() }));
    const flush = async () => {
      await handle.appendFile(text);
      size += Buffer.byteLength(text);
      text = '';
    };
    for (const change of store.rows()) {
      const { lines, tooLarge } = encode([change], 0);
      text += lines.join('');
      skipped.push(...tooLarge);
      if (text.length > mib) await flush();
    }
    await flush();
  };
  const draft = `${path}.new`;
  await rm(draft, { force: true });
  const place = () => release().then(() => renameFile(draft, path));
  await replaceFile(path, write, { draft, durable: true, place });
  return { size, tooLarge: skipped };
}

export class Journal {
  readonly store: Store;
  /** Whether there was no readable state. */
  readonly isNew: boolean;
  readonly damage: string | undefined;
  readonly #path: string;
  /** Open for appending; undefined if the next save must rewrite the file. */
  #handle: FileHandle | undefined;
  #size = 0;
  /** Size after the last rewrite. */
  #base = 0;

  constructor(path: string, store: Store, isNew: boolean, damage?: string) {
    this.#path = path;
    this.store = store;
    this.isNew = isNew;
    this.damage = damage;
  }

  /** Append to the existing file. @param size its bytes @param base its bytes without outdated lines */
  async append(size: number, base = size / 2): Promise<void> {
    this.#handle = await open(this.#path, 'a');
    this.#size = size;
    this.#base = base;
  }

  /** Write the changes of the store, and flush them to the disk. */
  async save(): Promise<void> {
    const changes = this.store.drain();
    let tooLarge: readonly string[];
    try {
      tooLarge = this.#handle ? await this.#add(this.#handle, changes) : await this.#rewrite();
    } catch (error) {
      this.store.mark(changes);
      throw error;
    }
    if (tooLarge.length > 0) throw new Error(`too large: ${tooLarge.join(', ')}`);
    if (this.#size <= 2 * this.#base + slack) return;
    // The changes are saved already, so a rewrite may fail, for example on a full disk.
    await this.#rewrite().catch(() => undefined);
  }

  async #add(handle: FileHandle, changes: readonly Change[]): Promise<readonly string[]> {
    const { lines, tooLarge } = encode(changes, lineLimit);
    try {
      for (const text of lines) {
        await handle.appendFile(text);
        this.#size += Buffer.byteLength(text);
      }
      await handle.datasync();
    } catch (error) {
      // The file may end with a partial line now, so the next save must rewrite it.
      await this.close();
      throw error;
    }
    return tooLarge;
  }

  /** Rows that change in the meantime are appended by the next save. */
  async #rewrite(): Promise<readonly string[]> {
    const { size, tooLarge } = await writeJournal(this.#path, this.store, () => this.close());
    await this.append(size, size);
    return tooLarge;
  }

  /** Replace the rows of the store by those of the file, which was replaced. */
  async reload(): Promise<void> {
    await this.close();
    const { store, size } = await readJournal(this.#path);
    this.store.restore(store.state());
    this.store.drain();
    await this.append(size);
  }

  async close(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close();
  }
}
