/** The parts that help pages are put together from. */
import type { Example } from '../spec/endpoint.ts';
import { type Flag, type Heading, shown } from './flags.ts';
import {
  columns,
  hanging,
  type Ink,
  leftWidth,
  paragraph,
  type Row,
  settled,
  shellLines,
  tie,
} from './layout.ts';
import type { Program } from './model.ts';
import { noted } from './words.ts';

export function page(lines: readonly string[]): string {
  return settled(`${lines.map((line) => line.trimEnd()).join('\n')}\n`);
}

/** The usage of a group of commands. */
export function usageOf(call: string, ink: Ink): string[] {
  const [first = '', ...rest] = hanging(`Usage: ${call} <command> [arguments] [flags]`, ink.width, 4);
  return [first.replace('Usage:', ink.bold), ...rest];
}

export function usage(line: string, ink: Ink): string[] {
  return hanging(line, ink.width - 2, 4).map((part) => `  ${part}`);
}

export function section(title: string, rows: readonly Row[], ink: Ink, most = 28): string[] {
  if (rows.length === 0) return [];
  return ['', ink.bold(title), ...columns(rows, { width: ink.width, most, paint: ink.bold })];
}

/** The headings of a page, in their order. */
const titles: Readonly<Record<Heading, string>> = {
  required: 'Required flags:',
  filters: 'Filters:',
  body: 'Body:',
  pagination: 'Pagination:',
  output: 'Output:',
  connection: 'Connection:',
  other: 'Other:',
};

/** A command of the program lists its own flags before the shared ones. */
const { other: _, ...withoutOther } = titles;

/** Flags under their headings, in one grid. */
export function flagSections(flags: readonly Flag[], isBuiltin: boolean, ink: Ink): string[] {
  const heads = isBuiltin ? { other: 'Flags:', ...withoutOther } : titles;
  const most = leftWidth(flagRows(flags), 26);
  const filler = { left: ' '.repeat(most), right: '' };
  return Object.entries(heads).flatMap(([heading, head]) => {
    const rows = flagRows(flags.filter((flag) => flag.heading === heading));
    if (rows.length === 0) return [];
    const lines = columns([filler, ...rows], { width: ink.width, most, paint: ink.bold }).slice(1);
    return ['', ink.bold(head), ...lines];
  });
}

function flagRows(flags: readonly Flag[]): Row[] {
  return flags.map((flag) => ({
    left: (flag.short ? '' : '    ') + shown(flag),
    right: noted(flag.doc, flag.notes),
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
  const waits = flags.some(({ name }) => name === '--wait');
  const kinds = Object.entries(exitCodes)
    .filter(([kind, code]) => code > 1 && code < 128 && (kind !== 'unsuccessful' || waits))
    .sort(([, a], [, b]) => a - b)
    .map(([kind, code]) => `${code}${tie}${kind}`);
  const text = [`0${tie}done`, ...kinds, `1${tie}anything${tie}else`].join(', ');
  return ['', ink.bold('Exit codes:'), ...paragraph(`${text}; see svc-exit-codes(7).`, ink.width, 2)];
}
