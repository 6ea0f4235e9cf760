/** The state: tables of JSON rows, and files. */
import { changedAt } from '../conditional.ts';
import type { AnyRow, Row } from '../core/rows.ts';
import { iso } from '../core/time.ts';

type New<T extends Row> = Omit<T, 'id'> & { readonly id?: number };

/** A row, or the id of a deleted row. */
export type Change = readonly [table: string, row: AnyRow | number];

/**
 * Rows of one kind, in order of insertion. Change rows with `update` only: other changes are not saved. `changed_at` is set by each
 * update, and by the insertion of a row without a time.
 */
export class Table<T extends Row = AnyRow> {
  readonly #rows = new Map<number, T>();
  readonly #indexes = new Map<string, Map<unknown, Set<T>>>();
  readonly #touch: (id: number) => void;
  readonly #time: () => string;
  #last = 0;

  constructor(touch: (id: number) => void, time: () => string) {
    this.#touch = touch;
    this.#time = time;
  }

  get last(): number {
    return this.#last;
  }

  all(): T[] {
    return [...this.#rows.values()];
  }

  get(id: number | null | undefined): T | undefined {
    return id === null || id === undefined ? undefined : this.#rows.get(id);
  }

  find(test: (row: T) => boolean): T | undefined {
    for (const row of this.#rows.values()) if (test(row)) return row;
    return undefined;
  }

  filter(test: (row: T) => boolean): T[] {
    return this.all().filter(test);
  }

  /** Return the rows with this value of an attribute, using an index. */
  where<K extends keyof T & string>(name: K, value: T[K]): T[] {
    let index = this.#indexes.get(name);
    if (!index) {
      index = new Map();
      this.#indexes.set(name, index);
      for (const row of this.#rows.values()) addTo(index, row[name], row);
    }
    return [...(index.get(value) ?? [])];
  }

  #index(row: T): void {
    for (const [name, index] of this.#indexes) addTo(index, row[name as keyof T], row);
  }

  #unindex(row: T): void {
    for (const [name, index] of this.#indexes) {
      const value = row[name as keyof T];
      const same = index.get(value);
      same?.delete(row);
      if (same?.size === 0) index.delete(value);
    }
  }

  insert(row: New<T>): T {
    const stamp = changedAt(row) === undefined ? { changed_at: this.#time() } : {};
    return this.put({ ...row, ...stamp, id: row.id ?? this.#last + 1 } as unknown as T);
  }

  put(row: T): T {
    const { id } = row;
    const old = this.#rows.get(id);
    if (old) this.#unindex(old);
    this.#rows.set(id, row);
    this.#index(row);
    this.#last = Math.max(this.#last, id);
    this.#touch(id);
    return row;
  }

  update(row: T, changes: Partial<Omit<T, 'id'>>): T {
    this.#unindex(row);
    Object.assign(row, { changed_at: this.#time() }, changes);
    this.#index(row);
    this.#touch(row.id);
    return row;
  }

  remove(row: T): void {
    this.#unindex(row);
    this.#rows.delete(row.id);
    this.#touch(row.id);
  }

  /** Replace all rows, and the last assigned id, by those of another table. */
  restore(other: Table<T>): void {
    for (const row of this.all()) this.remove(row);
    for (const row of other.all()) this.put(row);
    this.#last = other.last;
  }

  startAfter(id: number): void {
    this.#last = Math.max(this.#last, id);
  }
}

export type Rows<T extends Row = AnyRow> = Omit<Pick<Table<T>, keyof Table<T>>, 'put' | 'restore'>;

function addTo<T>(index: Map<unknown, Set<T>>, value: unknown, row: T): void {
  const same = index.get(value);
  if (same) same.add(row);
  else index.set(value, new Set([row]));
}

interface ClockRow extends Row {
  /** Milliseconds that the clock is ahead of the system. */
  offset: number;
}

export class Store {
  readonly #system: () => number;
  readonly #tables = new Map<string, Table>();
  /** The ids of rows that changed since the last `drain`, by table. */
  #dirty = new Map<string, Set<number>>();
  #changes = 0;

  /** @param system milliseconds since the epoch */
  constructor(system: () => number) {
    this.#system = system;
  }

  get offset(): number {
    return this.table<ClockRow>('sandbox_clock').get(1)?.offset ?? 0;
  }

  set offset(offset: number) {
    this.table<ClockRow>('sandbox_clock').insert({ id: 1, offset });
  }

  now(): number {
    return this.#system() + this.offset;
  }

  time(): string {
    return iso(this.now());
  }

  get changes(): number {
    return this.#changes;
  }

  table<T extends Row = AnyRow>(name: string): Table<T> {
    let table = this.#tables.get(name);
    if (!table) {
      table = new Table(
        (id) => this.#touch(name, id),
        () => this.time(),
      );
      this.#tables.set(name, table);
    }
    return table as unknown as Table<T>;
  }

  #touch(name: string, id: number): void {
    this.#changes++;
    addTo(this.#dirty, name, id);
  }

  /** Return the changes since the last call, each row once. Pass them to `mark` if saving fails. */
  drain(): Change[] {
    const dirty = this.#dirty;
    this.#dirty = new Map();
    const changes: Change[] = [];
    for (const [name, ids] of dirty) {
      for (const id of ids) changes.push([name, this.table(name).get(id) ?? id]);
    }
    return changes;
  }

  mark(changes: readonly Change[]): void {
    for (const [name, row] of changes) addTo(this.#dirty, name, typeof row === 'number' ? row : row.id);
  }

  apply([name, row]: Change): void {
    const table = this.table(name);
    if (typeof row !== 'number') table.put(row);
    else {
      const known = table.get(row);
      if (known) table.remove(known);
      table.startAfter(row);
    }
  }

  *rows(): Generator<Change> {
    for (const [name, table] of this.#tables) for (const row of table.all()) yield [name, row];
  }

  sequences(): Record<string, number> {
    return Object.fromEntries([...this.#tables].map(([name, table]) => [name, table.last]));
  }

  /** Replace all rows by those of another store, which must not be used afterwards. */
  restore(other: Store): void {
    for (const name of new Set([...this.#tables.keys(), ...other.#tables.keys()]))
      this.table(name).restore(other.table(name));
  }
}

/** Contents that rows refer to. They never change. */
export interface Files {
  /** @returns the reference to keep in a row */
  put(bytes: Uint8Array): Promise<string>;
  get(reference: string): Promise<Uint8Array | undefined>;
}
