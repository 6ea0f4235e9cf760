/** The building blocks of help pages. */
import type { Kind } from '../errors.ts';
import type { Command } from '../spec/command.ts';
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

export function section(title: string, rows: readonly Row[], ink: Ink): string[] {
  if (rows.length === 0) return [];
  return ['', ink.bold(title), ...columns(rows, { width: ink.width, paint: ink.bold })];
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
const { required, other: _, ...others } = titles;

/** Return flags grouped by heading, families of flags as lists of names. All groups share one column width. */
export function flagSections(flags: readonly Flag[], isBuiltin: boolean, ink: Ink): string[] {
  const headings = isBuiltin ? { required, other: 'Flags:', ...others } : titles;
  const single = flags.filter(({ family }) => family === undefined);
  const left = leftWidth(flagRows(single), ink.width);
  return Object.entries(headings).flatMap(([heading, title]) => {
    const members = flags.filter((flag) => flag.heading === heading);
    if (members.length === 0) return [];
    const rows = flagRows(members.filter(({ family }) => family === undefined));
    return [
      '',
      ink.bold(title),
      ...columns(rows, { width: ink.width, left, paint: ink.bold }),
      ...familyLines(members, ink),
    ];
  });
}

function familyLines(flags: readonly Flag[], ink: Ink): string[] {
  const families = new Set(flags.flatMap(({ family }) => family ?? []));
  return [...families].flatMap((title) => {
    const names = flags.filter(({ family }) => family === title).map(({ name }) => name);
    return [`      ${title}:`, ...paragraph(names.join(', '), ink.width, 8).map(ink.bold)];
  });
}

function flagRows(flags: readonly Flag[]): Row[] {
  return flags.map((flag) => ({
    left: (flag.short ? '' : '    ') + flagTerm(flag),
    right: withNotes(flag.doc, flag.notes, ...(flag.heading === 'required' ? (['required'] as const) : [])),
    below: flag.keys,
  }));
}

export function exampleSection(examples: readonly Example[], ink: Ink): string[] {
  const lines = examples.flatMap(({ does, run }) => [
    ...paragraph(`# ${does}`, ink.width, 2).map(ink.dim),
    ...shellLines(`svc ${run}`, ink.width, 2),
  ]);
  return lines.length > 0 ? ['', ink.bold('Examples:'), ...lines] : [];
}

/** Failures that only some commands can have. */
const rare: ReadonlySet<string> = new Set<Kind>(['unsuccessful', 'differs', 'partial']);

export function exitSection({ exitCodes }: Program, { exits = [], flags }: Command, ink: Ink): string[] {
  const declared: ReadonlySet<string> = new Set(exits);
  const canWait = flags.some(({ name }) => name === 'wait');
  const isPossible = (kind: string) =>
    !rare.has(kind) || declared.has(kind) || (kind === 'unsuccessful' && canWait);
  const kinds = Object.entries(exitCodes)
    .filter(([kind, code]) => code > 1 && code < 128 && isPossible(kind))
    .sort(([, a], [, b]) => a - b)
    .map(([kind, code]) => `${code}${tie}${kind}`);
  const text = [`0${tie}success`, ...kinds, `1${tie}other${tie}error`].join(', ');
  return ['', ink.bold('Exit codes:'), ...paragraph(`${text}. See svc-exit-codes(7).`, ink.width, 2)];
}
