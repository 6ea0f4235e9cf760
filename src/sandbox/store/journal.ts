/**
 * The tables on disk, as a journal. Each save appends one line, so that its cost does not depend on the size of the state. The file
 * is rewritten, with one line per row, when most of it is outdated.
 *
 *     ["<CRC-32 of the rest>",{"version":2,"sequences":{"variables":12}}]
 *     ["<CRC-32 of the rest>",[["variables",{"id":12,…}],["variables",11]]]
 *
 * A change has the name of a table, and a row or the id of a deleted row. A line is applied completely or not at all.
 */
import { type FileHandle, open, readFile, rename, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { Failure } from '../../errors.ts';
import { replaceFile } from '../../support/atomic-write.ts';
import { errorCode } from '../../support/errno.ts';
import { isRecord } from '../../support/record.ts';
import type { AnyRow } from '../core/rows.ts';
import { type Change, Store } from './store.ts';

const version = 2;
const mib = 1024 * 1024;
/** Bytes of outdated lines that do not yet cause a rewrite. */
const slack = mib;
/** Characters per line. Only a single larger change exceeds it. */
const lineLimit = 64 * mib;

const line = (payload: string): string => `["${crc32(payload).toString(16).padStart(8, '0')}",${payload}]\n`;

/** Parse a line without its line feed; undefined if it is damaged. */
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
  /** Rows that exceed the length of a string, as `<table> <id>`. */
  readonly tooLarge: string[];
}

/** @param limit characters per line */
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
      const [table, row] = change;
      tooLarge.push(`${table} ${typeof row === 'number' ? row : row.id}`);
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
    // Strings are limited to 512 MB, and escaping makes a value up to six times longer.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

interface Replayed {
  readonly lines: number;
  readonly damaged: number;
  /** Bytes up to the end of the last complete line. */
  readonly end: number;
}

const isRow = (value: unknown): value is AnyRow => isRecord(value) && Number.isSafeInteger(value['id']);

function isChange(value: unknown): value is Change {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [table, row] = value;
  return typeof table === 'string' && (Number.isSafeInteger(row) || isRow(row));
}

function applySequences(sequences: unknown, store: Store): void {
  if (!isRecord(sequences)) return;
  for (const [name, last] of Object.entries(sequences)) {
    if (typeof last === 'number') store.table(name).startAfter(last);
  }
}

/** @throws Failure `internal` for the format of a newer version */
function replay(bytes: Uint8Array, store: Store): Replayed {
  let lines = 0;
  let damaged = 0;
  let end = 0;
  const apply = (payload: unknown) => {
    const isHeader = isRecord(payload);
    const isSave = Array.isArray(payload) && payload.every(isChange);
    if (isSave) for (const change of payload) store.apply(change);
    else if (isHeader) applyHeader(payload, store);
    if (lines === 0 ? !isHeader : !isHeader && !isSave) damaged++;
    lines++;
  };
  for (let next = bytes.indexOf(10); next >= 0; next = bytes.indexOf(10, end)) {
    apply(payloadOf(bytes.subarray(end, next)));
    end = next + 1;
  }
  // A crash can only cut off the last line, and never the first, because a new journal is renamed into place.
  const last = payloadOf(bytes.subarray(end, -1));
  if (last !== undefined) {
    apply(last);
    damaged++;
  } else if (lines === 0) apply(undefined);
  return { lines, damaged, end };
}

function applyHeader(header: Readonly<Record<string, unknown>>, store: Store): void {
  if (header['version'] !== version)
    throw new Failure('internal', 'the state of the sandbox was written by another version of svc', {
      hint: ['use that version', 'or run "svc sandbox reset" to delete the state'],
    });
  applySequences(header['sequences'], store);
}

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
    await rename(path, aside);
    return aside;
  }
}

/**
 * Open the journal of a folder. Damaged lines are skipped, and the damaged file is kept under another name.
 * @throws Failure `internal` if a newer version wrote it; the file system's errors
 */
export async function openJournal(dir: string): Promise<Journal> {
  const path = join(dir, 'state.jsonl');
  const older = join(dir, 'state.json');
  const store = new Store();
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
  const journal = new Journal(path, isNew ? new Store() : store, isNew, damage);
  if (!isNew) await journal.save();
  return journal;
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
    const skipped: string[] = [];
    let size = 0;
    const write = async (handle: FileHandle) => {
      let text = line(JSON.stringify({ version, sequences: this.store.sequences() }));
      const flush = async () => {
        await handle.appendFile(text);
        size += Buffer.byteLength(text);
        text = '';
      };
      for (const change of this.store.rows()) {
        const { lines, tooLarge } = encode([change], 0);
        text += lines.join('');
        skipped.push(...tooLarge);
        if (text.length > mib) await flush();
      }
      await flush();
    };
    const draft = `${this.#path}.new`;
    await rm(draft, { force: true });
    const place = () => this.close().then(() => rename(draft, this.#path));
    await replaceFile(this.#path, write, { draft, durable: true, place });
    await this.append(size, size);
    return skipped;
  }

  async close(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close();
  }
}
