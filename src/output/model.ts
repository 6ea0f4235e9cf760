/** Types that all formats share: what to print, and how. */
import type { Column, ColumnKind } from '../support/column.ts';
import type { Format } from '../support/text/formats.ts';

export interface SortKey {
  readonly path: string;
  readonly descending: boolean;
}

export type TimeStyle = 'iso' | 'relative' | 'local';

export interface Terminal {
  readonly width: number;
  readonly color: boolean;
  readonly accessible: boolean;
  readonly unicode: boolean;
  /** Whether it shows links (OSC 8). */
  readonly links?: boolean;
}

export interface OutputOptions {
  readonly format: Format;
  /** `--fields`: dotted paths that select and order columns or keys. */
  readonly fields?: readonly string[] | undefined;
  /** Columns of a table without `fields`; if empty, every key of the first rows. Also gives label and kind of a field. */
  readonly columns: readonly Column[];
  /** Return the kind of a path that is not a column; undefined if it is not known. */
  readonly kindOf?: (path: string) => ColumnKind | undefined;
  /** Return the key that is true in an object where the value of this key is never returned. */
  readonly hiddenBy?: (key: string) => string | undefined;
  /** Print Markdown without rendering it. */
  readonly source?: boolean;
  /** Whether a key of an object is rendered as Markdown on a terminal. */
  readonly isMarkdown?: (key: string) => boolean;
  /** Whether a key of an object is left out of a table unless `fields` or `allFields` selects it. */
  readonly isBulky?: (key: string) => boolean;
  readonly header: boolean;
  readonly csvSafe: boolean;
  /** Set if standard output is a terminal. */
  readonly terminal?: Terminal | undefined;
  readonly color: boolean;
  readonly time: TimeStyle;
  readonly now: () => number;
  readonly limit?: number | undefined;
  /** The rows of a list must be objects, as the endpoint documents. Otherwise, any value is a row. */
  readonly objects?: boolean | undefined;
  /** Path of the table column that is wrapped on a terminal. Other columns are cut. */
  readonly wrap?: string | undefined;
  /** Called with the headers of the columns that a terminal has no room for. */
  readonly onHidden?: ((labels: readonly string[]) => void) | undefined;
  /** Called once with the keys of later rows that are not printed, because the columns are the keys of the first rows. */
  readonly onLateKeys?: ((keys: readonly string[]) => void) | undefined;
  /**
   * Called with an object, and with the rows of a list before they are printed.
   * @throws Failure to print nothing
   */
  readonly check?: ((values: readonly unknown[]) => void) | undefined;
  /** Print every field: the empty fields of an object on a terminal too, and each key of a row as a column. */
  readonly allFields?: boolean | undefined;
}

/** The rows that were read, over all pages. With `objects`, any other row is an error. */
export interface Tally extends Pick<OutputOptions, 'objects' | 'check'> {
  rows: number;
}

export interface PageResult {
  readonly rows: number;
  readonly full: boolean;
  /** The limit is reached, and this page holds at least one more row. */
  readonly more: boolean;
  /** The rows were not counted, because the page is printed unchanged and is not a list. */
  readonly isUncounted?: boolean;
}

export interface Output {
  /** The rows printed so far, including those of a page that failed midway. */
  readonly tally: { readonly rows: number };
  /** Print one page of a list: a JSON array in chunks of any size. Stops reading at the first row beyond `limit`. */
  page(body: AsyncIterable<Uint8Array>): Promise<PageResult>;
  /** Finish a list after its last page. Not called after a failure, so that an incomplete array remains unclosed. */
  endList(): Promise<void>;
  object(body: AsyncIterable<Uint8Array>): Promise<void>;
}
