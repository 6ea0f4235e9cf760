/**
 * The tables on disk, as a journal: each save appends one line, so that its cost does not depend on the size of the state. The file
 * is rewritten, one row a line, when most of it is outdated.
 *
 *     ["<CRC-32 of the rest>",{"version":2,"sequences":{"variables":12}}]
 *     ["<CRC-32 of the rest>",[["variables",{"id":12,…}],["variables",11]]]
 *
 * A change names a table and holds a whole row, or the id of a row that was removed. A line takes effect as a whole.
 */
import { type FileHandle, open, readFile, rename, rm, stat, truncate } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { Failure } from '../../errors.ts';
import { isHash } from '../core/params.ts';
import type { Row } from '../core/rows.ts';
import { syncFolder } from './durable.ts';
import { type Change, type State, Store } from './store.ts';

const version = 2;
const mib = 1024 * 1024;
/** Bytes of outdated lines that are no reason yet to rewrite a small journal. */
const slack = mib;
/** Characters of a line that further changes may join. */
const lineLimit = 64 * mib;

const checksum = (text: string): string => crc32(text).toString(16).padStart(8, '0');
const line = (payload: string): string => `["${checksum(payload)}",${payload}]\n`;

/** Of one line without its end; undefined where it is damaged. */
function payloadOf(bytes: Uint8Array): unknown {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    const payload = text.slice(12, -1);
    return `${text}\n` === line(payload) ? JSON.parse(payload) : undefined;
  } catch {
    return undefined;
  }
}

interface Encoded {
  readonly lines: string[];
  /** Rows that no line can hold, as `<table> <id>`. */
  readonly tooLarge: string[];
}

/** @param limit characters after which a line takes no more changes */
function encode(changes: Iterable<Change>, limit: number): Encoded {
  const lines: string[] = [];
  const tooLarge: string[] = [];
  let texts: string[] = [];
  let length = 0;
  const end = () => {
    if (texts.length > 0) lines.push(line(`[${texts.join(',')}]`));
    texts = [];
    length = 0;
  };
  for (const change of changes) {
    const text = toJson(change);
    if (text === undefined) {
      tooLarge.push(`${change[0]} ${(change[1] as Row).id}`);
      continue;
    }
    if (length + text.length > limit) end();
    texts.push(text);
    length += text.length;
  }
  end();
  return { lines, tooLarge };
}

function toJson(change: Change): string | undefined {
  try {
    return JSON.stringify(change);
  } catch (error) {
    // A string of V8 holds half a gigabyte, and escapes make a value up to six times longer.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

interface Replayed {
  readonly lines: number;
  readonly damaged: number;
  /** Bytes up to the end of the last whole line. */
  readonly end: number;
}

/** @throws Failure `internal` for the format of a newer version */
function replay(bytes: Uint8Array, store: Store): Replayed {
  let lines = 0;
  let damaged = 0;
  let end = 0;
  const take = (payload: unknown) => {
    if (Array.isArray(payload)) for (const change of payload as Change[]) store.apply(change);
    else if (isHash(payload)) start(payload, store);
    if (payload === undefined || (lines === 0 && !isHash(payload))) damaged++;
    lines++;
  };
  for (let next = bytes.indexOf(10); next >= 0; next = bytes.indexOf(10, end)) {
    take(payloadOf(bytes.subarray(end, next)));
    end = next + 1;
  }
  // A crash cuts off the last line only, and never the first: a new journal appears as a whole.
  const last = payloadOf(bytes.subarray(end, -1));
  if (last !== undefined) {
    take(last);
    damaged++;
  } else if (lines === 0) take(undefined);
  return { lines, damaged, end };
}

function start(header: Readonly<Record<string, unknown>>, store: Store): void {
  if (header['version'] !== version)
    throw new Failure('internal', "the sandbox's state was written by another version of svc", {
      hint: ['use that version', 'svc sandbox reset deletes the state'],
    });
  store.startAfter(header['sequences'] as Record<string, number>);
}

/** The one JSON file of older versions. @returns whether it was readable */
function load(bytes: Uint8Array, store: Store): boolean {
  let state: State & { readonly version?: unknown };
  try {
    state = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return false;
  }
  if (!isHash(state) || state.version !== 1 || !isHash(state.tables)) return false;
  for (const [name, rows] of Object.entries(state.tables)) for (const row of rows) store.apply([name, row]);
  store.startAfter(state.sequences ?? {});
  return true;
}

async function read(path: string): Promise<Uint8Array | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Rename a damaged file. @returns its new path */
async function setAside(path: string): Promise<string> {
  for (let number = 1; ; number++) {
    const aside = `${path}.damaged-${number}`;
    if (await stat(aside).catch(() => undefined)) continue;
    await rename(path, aside);
    return aside;
  }
}

/**
 * Open the journal of a folder. Damaged lines are left out, and the damaged file is kept under another name.
 * @throws Failure `internal` for the format of a newer version; the file system's errors
 */
export async function openJournal(dir: string): Promise<Journal> {
  const path = join(dir, 'state.jsonl');
  const older = join(dir, 'state.json');
  const store = new Store();
  const bytes = await read(path);
  if (!bytes) {
    const old = await read(older);
    if (!old) return new Journal(path, store, true);
    if (!load(old, store)) {
      const aside = await setAside(older);
      return new Journal(path, store, true, `the state could not be read; it was renamed to ${aside}`);
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
  const damage = `${damaged} of ${lines} lines of the state could not be read; the damaged file was renamed to ${aside}`;
  const journal = new Journal(path, isNew ? new Store() : store, isNew, damage);
  if (!isNew) await journal.save();
  return journal;
}

export class Journal {
  readonly store: Store;
  /** Whether there was nothing to read. */
  readonly isNew: boolean;
  readonly damage: string | undefined;
  readonly #path: string;
  /** Where lines are appended; undefined when the file has to be written anew. */
  #handle: FileHandle | undefined;
  #size = 0;
  /** The size when it was last rewritten. */
  #base = 0;

  constructor(path: string, store: Store, isNew: boolean, damage?: string) {
    this.#path = path;
    this.store = store;
    this.isNew = isNew;
    this.damage = damage;
  }

  /** Continue the file that is there. @param size its bytes */
  async append(size: number): Promise<void> {
    this.#handle = await open(this.#path, 'a');
    this.#size = size;
    this.#base = size / 2;
  }

  /** Write what has changed, and return when it is on the disk. */
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
    // The changes are safe already: where there is no room for a new file, the old one continues.
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
      // Part of a line may be in the file now, and nothing may follow it.
      await this.close();
      throw error;
    }
    return tooLarge;
  }

  /** Rows that change meanwhile are appended by the next save. */
  async #rewrite(): Promise<readonly string[]> {
    const draft = `${this.#path}.new`;
    const skipped: string[] = [];
    let text = line(JSON.stringify({ version, sequences: this.store.sequences() }));
    let size = 0;
    // Never through a link that somebody planted.
    await rm(draft, { force: true });
    const handle = await open(draft, 'wx', 0o600);
    const flush = async () => {
      await handle.appendFile(text);
      size += Buffer.byteLength(text);
      text = '';
    };
    try {
      for (const change of this.store.rows()) {
        const { lines, tooLarge } = encode([change], 0);
        text += lines.join('');
        skipped.push(...tooLarge);
        if (text.length > mib) await flush();
      }
      await flush();
      await handle.datasync();
      await rename(draft, this.#path);
    } catch (error) {
      await handle.close();
      await rm(draft, { force: true });
      throw error;
    }
    await this.close();
    this.#handle = handle;
    this.#size = size;
    this.#base = size;
    await syncFolder(dirname(this.#path));
    return skipped;
  }

  async close(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close();
  }
}
