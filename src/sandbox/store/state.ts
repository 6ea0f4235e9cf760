/**
 * The state of a sandbox: rows, and files that rows refer to.
 *
 *     state.jsonl              the rows, as a journal: each save appends one line, so that its cost does not depend on the size
 *     files/<name>             the content of a large file
 *     snapshots/<name>.jsonl   the rows of a snapshot, which shares the files
 */
import { randomBytes } from 'node:crypto';
import { Failure } from '../../errors.ts';
import { errnoText, errorCode } from '../../support/errno.ts';
import type { Appender } from '../../support/journal.ts';
import type { Snapshot } from '../control/types.ts';
import { allLines, applyLines, changesLine, savedAt } from './lines.ts';
import { type Files, Store } from './store.ts';

const journal = 'state.jsonl';
export const snapshotPath = (name: string): string => `snapshots/${name}.jsonl`;
/** The snapshot of a new state in a folder that has more than the seed data. Users cannot choose its name. */
export const initial = '.initial';
/** Bytes of outdated lines that do not yet cause a rewrite. */
const slack = 1024 * 1024;
/** Bytes of a file that is kept in the row that refers to it. */
const inlineLimit = 4096;
const inline = 'base64:';

function failure(message: string, cause: unknown): Failure {
  if (cause instanceof Failure) return cause;
  const text = errorCode(cause) === undefined && cause instanceof Error ? cause.message : errnoText(cause);
  return new Failure('internal', `${message}: ${text}`, { cause });
}

export class State {
  readonly store: Store;
  readonly #storage: Storage;
  /** Undefined if the next save must write all rows. */
  #appender: Appender | undefined;
  #size = 0;
  /** Bytes after all rows were written. */
  #base = 0;
  #savedChanges = 0;
  #saving: Promise<void> = Promise.resolve();
  isNew = true;
  /** Describes unreadable parts of the state, and the location of a copy. */
  damage: string | undefined;

  private constructor(storage: Storage, now: () => number) {
    this.#storage = storage;
    this.store = new Store(now);
  }

  /** Read a state. Damaged lines are skipped, and a copy is kept. @throws Failure `internal` */
  static async open(storage: Storage, now: () => number): Promise<State> {
    const state = new State(storage, now);
    try {
      const bytes = await storage.read(journal);
      if (bytes) await state.#read(bytes);
    } catch (error) {
      await state.release();
      throw failure('cannot read the state of the sandbox', error);
    }
    return state;
  }

  async #read(bytes: Buffer): Promise<void> {
    const { lines, damaged, end } = applyLines(bytes, this.store, this.#storage.dir);
    this.isNew = this.store.changes === 0;
    if (this.isNew) this.store.restore(new Store(() => 0));
    if (damaged === 0) {
      this.store.drain();
      this.#savedChanges = this.store.changes;
      await this.#appendTo(end, end / 2);
      return;
    }
    const others = await this.#storage.list('.');
    let number = 1;
    while (others.includes(`${journal}.damaged-${number}`)) number++;
    const aside = `${journal}.damaged-${number}`;
    await this.#storage.write(aside, [bytes]);
    this.damage = `${damaged} of ${lines} lines of the state were damaged; a copy is ${this.#storage.dir}/${aside}`;
    if (!this.isNew) await this.save();
  }

  async #appendTo(size: number, base: number): Promise<void> {
    this.#appender = await this.#storage.append?.(journal, size);
    this.#size = size;
    this.#base = base;
  }

  /** Write the changes. Resolves when they are on the disk. @throws Failure `internal` */
  save(): Promise<void> {
    if (this.#savedChanges === this.store.changes) return Promise.resolve();
    const write = async () => {
      const { changes } = this.store;
      // A concurrent save may have written this change too.
      if (this.#savedChanges === changes) return;
      try {
        await this.#write();
      } catch (error) {
        throw failure('cannot save the state of the sandbox', error);
      }
      this.#savedChanges = changes;
    };
    this.#saving = this.#saving.then(write, write);
    return this.#saving;
  }

  async #write(): Promise<void> {
    const changes = this.store.drain();
    try {
      if (!this.#appender) await this.#writeAll();
      else {
        const text = changesLine(changes);
        await this.#appender.append(text);
        this.#size += Buffer.byteLength(text);
      }
    } catch (error) {
      this.store.mark(changes);
      await this.#stopAppending();
      throw error;
    }
    // The changes are saved already, so this may fail, for example on a full disk.
    if (this.#size > 2 * this.#base + slack) await this.#writeAll().catch(() => undefined);
  }

  /** Rows that change in the meantime are appended by the next save. */
  async #writeAll(): Promise<void> {
    if (!this.#storage.append) return;
    let size = 0;
    const counted = function* (lines: Iterable<string>) {
      for (const text of lines) {
        size += Buffer.byteLength(text);
        yield text;
      }
    };
    await this.#storage.write(journal, counted(allLines(this.store)));
    await this.#stopAppending();
    await this.#appendTo(size, size);
  }

  async #stopAppending(): Promise<void> {
    const appender = this.#appender;
    this.#appender = undefined;
    await appender?.close().catch(() => undefined);
  }

  /** Contents by reference: the name of a file, or the content of a small one. */
  readonly files: Files = {
    put: async (bytes) => {
      if (bytes.byteLength <= inlineLimit) return inline + Buffer.from(bytes).toString('base64');
      const name = randomBytes(16).toString('hex');
      await this.#storage.write(`files/${name}`, [bytes]);
      return name;
    },
    get: async (reference) => {
      if (reference.startsWith(inline)) return Buffer.from(reference.slice(inline.length), 'base64');
      if (!/^[0-9a-f]{32}$/.test(reference)) return undefined;
      return this.#storage.read(`files/${reference}`);
    },
  };

  async snapshots(): Promise<Snapshot[]> {
    const found: Snapshot[] = [];
    for (const entry of (await this.#storage.list('snapshots')).sort()) {
      const [, name] = /^(.*)\.jsonl$/.exec(entry) ?? [];
      const bytes = name && (await this.#storage.read(snapshotPath(name)));
      if (name && bytes) found.push({ name, created_at: savedAt(bytes) });
    }
    return found;
  }

  /** Save the state under a name, and replace a snapshot with this name. Nothing else may change the state meanwhile. */
  async saveSnapshot(name: string): Promise<void> {
    await this.#storage.write(snapshotPath(name), allLines(this.store));
    await this.#deleteUnused();
  }

  async loadSnapshot(name: string): Promise<void> {
    const bytes = await this.#storage.read(snapshotPath(name));
    if (!bytes) return;
    const saved = new Store(() => 0);
    if (applyLines(bytes, saved, this.#storage.dir).damaged > 0)
      throw new Failure(
        'internal',
        `the snapshot ${name} is damaged: ${this.#storage.dir}/${snapshotPath(name)}`,
        {
          hint: 'delete it and save a new one',
        },
      );
    await this.replace(saved);
  }

  async deleteSnapshot(name: string): Promise<void> {
    await this.#storage.remove(snapshotPath(name));
    await this.#deleteUnused();
  }

  /** Replace all rows. Nothing else may change the state meanwhile. */
  async replace(rows: Store): Promise<void> {
    this.store.restore(rows);
    // One line with all changes would be too long.
    await this.#stopAppending();
    await this.save();
    await this.#deleteUnused();
  }

  /** Delete the files to which neither the state, nor a snapshot, nor the copy of a damaged state refers. */
  async #deleteUnused(): Promise<void> {
    const names = await this.#storage.list('files');
    if (names.length === 0) return;
    const snapshots = (await this.snapshots()).map(({ name }) => snapshotPath(name));
    const copies = (await this.#storage.list('.')).filter((name) => name.startsWith(`${journal}.damaged-`));
    const texts = await Promise.all([...snapshots, ...copies].map((path) => this.#storage.read(path)));
    const used = [...allLines(this.store), ...texts];
    for (const name of names)
      if (!used.some((text) => text?.includes(name))) await this.#storage.remove(`files/${name}`);
  }

  /** Save, and let other processes use the storage. */
  async close(): Promise<void> {
    try {
      await this.save();
      await this.#deleteUnused();
    } finally {
      await this.release();
    }
  }

  async release(): Promise<void> {
    await this.#stopAppending();
    this.#storage.release();
  }
}

export interface Storage {
  readonly dir: string;
  read(path: string): Promise<Buffer | undefined>;
  /** Create or replace a content, durably: completely or not at all. */
  write(path: string, parts: Iterable<string | Uint8Array>): Promise<void>;
  remove(path: string): Promise<void>;
  /** Return the names in a folder, which need not exist. */
  list(folder: string): Promise<string[]>;
  /** Open an existing content for appending. Undefined if changes need not be written. @param end bytes to keep of it */
  readonly append: ((path: string, end: number) => Promise<Appender>) | undefined;
  release(): void;
}

export function memoryStorage(): Storage {
  const contents = new Map<string, Buffer>();
  return {
    dir: '',
    read: async (path) => contents.get(path),
    async write(path, parts) {
      contents.set(path, Buffer.concat([...parts].map((part) => Buffer.from(part))));
    },
    async remove(path) {
      contents.delete(path);
    },
    async list(folder) {
      const prefix = `${folder}/`;
      return [...contents.keys()]
        .filter((path) => path.startsWith(prefix))
        .map((path) => path.slice(prefix.length));
    },
    append: undefined,
    release: () => {},
  };
}
