/** Pages of running text, which the manual and `svc help <topic>` show. */

/** A block of a page. Texts are plain; the formatter escapes them. */
export type Block =
  | { readonly text: string }
  | { readonly title: string }
  /** A flag, file or code with its description. */
  | { readonly term: string; readonly text: string; readonly below?: readonly string[] }
  /** Preformatted lines, such as a command. */
  | { readonly lines: readonly string[] };

export interface Page {
  /** `svc-jobs` */
  readonly name: string;
  readonly section: number;
  /** One line, no full stop. */
  readonly summary: string;
  readonly sections: readonly { readonly title: string; readonly blocks: readonly Block[] }[];
}
