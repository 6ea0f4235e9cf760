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

/** Blocks for the lines `<!-- name -->` of a page. */
export type Includes = Readonly<Record<string, readonly Block[]>>;

/**
 * Read a page in the part of Markdown that topics use: `# svc-jobs(1): summary`, `## Section`, paragraphs of one line each, fenced lines,
 * and terms as "- `term`: text". The text before the first section is the description.
 */
export function parsePage(markdown: string, includes: Includes): Page {
  const [title = '', ...lines] = markdown.split('\n');
  const [, name = '', section = '', summary = ''] = /^# (\S+)\((\d)\): (.*)$/.exec(title) ?? [];
  const sections: { title: string; blocks: Block[] }[] = [{ title: 'Description', blocks: [] }];
  let fenced: string[] | undefined;
  for (const line of lines) {
    const blocks = sections.at(-1)?.blocks ?? [];
    const [, heading] = /^## (.*)$/.exec(line) ?? [];
    const [, included] = /^<!-- (.*) -->$/.exec(line) ?? [];
    if (line === '```') {
      if (fenced) blocks.push({ lines: fenced });
      fenced = fenced ? undefined : [];
    } else if (fenced) fenced.push(line);
    else if (heading !== undefined) sections.push({ title: heading, blocks: [] });
    else if (included !== undefined) blocks.push(...(includes[included] ?? []));
    else if (line !== '') blocks.push(blockOf(line));
  }
  return {
    name,
    section: Number(section),
    summary,
    sections: sections.filter(({ blocks }) => blocks.length > 0),
  };
}

function blockOf(line: string): Block {
  const text = line.replaceAll('&nbsp;', '\u00a0');
  const [, term, description] = /^- `([^`]+)`: (.*)$/.exec(text) ?? [];
  return term === undefined || description === undefined ? { text } : { term, text: description };
}
