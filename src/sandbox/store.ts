/** The state: plain JSON tables, and the bytes that belong to them. */
import type { AnyRow, Row } from './rows.ts';

type New<T extends Row> = Omit<T, 'id'> & { readonly id?: number };

/** What a state file holds. */
export interface State {
  readonly version: 1;
  readonly tables: Readonly<Record<string, readonly Row[]>>;
  /** The last id that each table gave. */
  readonly sequences: Readonly<Record<string, number>>;
}

/** Rows of one kind, in order of insertion. Change a row by `update`, so that it is known to have changed. */
export class Table<T extends Row = AnyRow> {
  readonly #rows = new Map<number, T>();
  readonly #touch: () => void;
  #last = 0;

  constructor(touch: () => void) {
    this.#touch = touch;
  }

  get size(): number {
    return this.#rows.size;
  }

  /** The last id given: ids are never given twice. */
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

  /** Put in a row, with the next id unless it brings one. */
  insert(row: New<T>): T {
    const id = row.id ?? this.#last + 1;
    const whole = { ...row, id } as unknown as T;
    this.#rows.set(id, whole);
    this.#last = Math.max(this.#last, id);
    this.#touch();
    return whole;
  }

  update(row: T, changes: Partial<Omit<T, 'id'>>): T {
    Object.assign(row, changes);
    this.#touch();
    return row;
  }

  remove(row: T): void {
    this.#rows.delete(row.id);
    this.#touch();
  }

  /** Ids go on after this one, whatever rows there are. */
  startAfter(id: number): void {
    this.#last = Math.max(this.#last, id);
  }
}

/** What a table can do, whoever keeps its rows. */
export type Rows<T extends Row = AnyRow> = Pick<Table<T>, keyof Table<T>>;

/** All tables of a world. */
export class Store {
  readonly #tables = new Map<string, Table<never>>();
  #changes = 0;

  constructor(state?: State) {
    for (const [name, rows] of Object.entries(state?.tables ?? {})) {
      const table = this.table(name);
      for (const row of rows) table.insert(row as AnyRow);
    }
    for (const [name, last] of Object.entries(state?.sequences ?? {})) this.table(name).startAfter(last);
    this.#changes = 0;
  }

  /** Counts up with every change. */
  get changes(): number {
    return this.#changes;
  }

  /** The table of this name, made empty at its first use. */
  table<T extends Row = AnyRow>(name: string): Table<T> {
    let table = this.#tables.get(name) as Table<T> | undefined;
    if (!table) {
      table = new Table<T>(() => {
        this.#changes++;
      });
      this.#tables.set(name, table as unknown as Table<never>);
    }
    return table;
  }

  /** Everything, to be written as JSON. */
  state(): State {
    const tables: Record<string, readonly Row[]> = {};
    const sequences: Record<string, number> = {};
    for (const [name, table] of this.#tables) {
      tables[name] = table.all();
      sequences[name] = table.last;
    }
    return { version: 1, tables, sequences };
  }
}

/** Bytes by name. A name is given once, and is safe as a file name. */
export interface Files {
  put(bytes: Uint8Array): Promise<string>;
  get(name: string): Promise<Uint8Array | undefined>;
  remove(name: string): Promise<void>;
}
