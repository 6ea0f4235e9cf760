/** The building blocks of help pages. */
import type { Example } from '../spec/endpoint.ts';
import { withNotes } from './descriptions.ts';
import { type Flag, flagTerm, type Heading } from './flags.ts';
import {
  columns,
  hanging,
  type Ink,
  leftWidth,
  paragraph,
  type Row,
  shellLines,
  tie,
  untie,
} from './layout.ts';
import type { Program } from './model.ts';

export function page(lines: readonly string[]): string {
  return untie(`${lines.map((line) => line.trimEnd()).join('\n')}\n`);
}

/** Return the usage lines of a group of commands. */
export function usageOf(call: string, ink: Ink): string[] {
  const [first = '', ...rest] = hanging(`Usage: ${call} <command> [arguments] [flags]`, ink.width, 4);
  return [first.replace('Usage:', ink.bold), ...rest];
}

export function usage(line: string, ink: Ink): string[] {
  return hanging(line, ink.width - 2, 4).map((part) => `  ${part}`);
}

export function section(title: string, rows: readonly Row[], ink: Ink, maxLeft = 28): string[] {
  if (rows.length === 0) return [];
  return ['', ink.bold(title), ...columns(rows, { width: ink.width, maxLeft, paint: ink.bold })];
}

/** The flag headings of a page, in display order. */
const titles: Readonly<Record<Heading, string>> = {
  required: 'Required flags:',
  filters: 'Filters:',
  body: 'Body:',
  pagination: 'Pagination:',
  output: 'Output:',
  connection: 'Connection:',
  other: 'Other:',
};

/** A built-in command lists its own flags before the shared ones. */
const { other: _, ...withoutOther } = titles;

/** Return flags grouped by heading. All groups share one column width. */
export function flagSections(flags: readonly Flag[], isBuiltin: boolean, ink: Ink): string[] {
  const headings = isBuiltin ? { other: 'Flags:', ...withoutOther } : titles;
  const maxLeft = leftWidth(flagRows(flags), 26, ink.width);
  const filler = { left: ' '.repeat(maxLeft), right: '' };
  return Object.entries(headings).flatMap(([heading, title]) => {
    const rows = flagRows(flags.filter((flag) => flag.heading === heading));
    if (rows.length === 0) return [];
    const lines = columns([filler, ...rows], { width: ink.width, maxLeft, paint: ink.bold }).slice(1);
    return ['', ink.bold(title), ...lines];
  });
}

function flagRows(flags: readonly Flag[]): Row[] {
  return flags.map((flag) => ({
    left: (flag.short ? '' : '    ') + flagTerm(flag),
    right: withNotes(flag.doc, flag.notes),
    below: flag.keys,
  }));
}

export function exampleLines({ does, run }: Example, ink: Ink): string[] {
  return [...paragraph(`# ${does}`, ink.width, 2).map(ink.dim), ...shellLines(`svc ${run}`, ink.width, 2)];
}

export function exampleSection(examples: readonly Example[], ink: Ink): string[] {
  if (examples.length === 0) return [];
  return [
    '',
    ink.bold(examples.length > 1 ? 'Examples:' : 'Example:'),
    ...examples.flatMap((example) => exampleLines(example, ink)),
  ];
}

export function exitSection({ exitCodes }: Program, flags: readonly Flag[], ink: Ink): string[] {
  const canWait = flags.some(({ name }) => name === '--wait');
  const kinds = Object.entries(exitCodes)
    .filter(([kind, code]) => code > 1 && code < 128 && (kind !== 'unsuccessful' || canWait))
    .sort(([, a], [, b]) => a - b)
    .map(([kind, code]) => `${code}${tie}${kind}`);
  const text = [`0${tie}success`, ...kinds, `1${tie}other${tie}error`].join(', ');
  return ['', ink.bold('Exit codes:'), ...paragraph(`${text}. See svc-exit-codes(7).`, ink.width, 2)];
}
