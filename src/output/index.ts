/** Rows and columns in, text out. STUB: the signatures that other rooms may rely on. */
import type { Writable } from 'node:stream';

export const formats = ['table', 'json', 'ndjson', 'csv', 'tsv', 'yaml', 'raw'] as const;
export type Format = (typeof formats)[number];

/** How a column's values are shown to a person. */
export type ColumnKind = 'text' | 'number' | 'bool' | 'status' | 'time';

export interface Column {
  /** Dotted path into a row: `commit.author_email`. */
  readonly path: string;
  readonly kind: ColumnKind;
}

export interface OutputOptions {
  readonly format: Format;
  /** `--fields`: dotted paths; chooses and orders columns or keys. */
  readonly fields?: readonly string[];
  /** What a table shows when `fields` is absent; with neither, every key of the first row. Also gives the kind of a field. */
  readonly columns: readonly Column[];
  readonly header: boolean;
  readonly csvSafe: boolean;
  /** Whether standard output is a terminal; then its width in columns. */
  readonly terminal?: {
    readonly width: number;
    readonly color: boolean;
    readonly accessible: boolean;
    readonly unicode: boolean;
  };
  readonly color: boolean;
  readonly time: 'iso' | 'relative' | 'local';
  readonly now: () => number;
  /** Rows to print at most. */
  readonly limit?: number;
}

export interface Output {
  /** One page of a list: JSON text of an array, at any chunk boundary. Resolves with the rows printed so far; `full` once `limit` is reached. */
  page(body: AsyncIterable<Uint8Array>): Promise<{ readonly rows: number; readonly full: boolean }>;
  /** After the last page. Not called after a failure: a broken-off array stays visibly open. */
  endList(): Promise<{ readonly rows: number }>;
  /** One JSON object (or any other JSON value). */
  object(body: AsyncIterable<Uint8Array>): Promise<void>;
  /** Bytes as they are. */
  raw(body: AsyncIterable<Uint8Array>): Promise<void>;
}

export type CreateOutput = (options: OutputOptions, out: Writable) => Output;
