/** Help pages: the whole program, an area, a command. At most 80 columns; marks only where colour is on. */
import { type Entry, themes } from '../api/index.ts';
import { commandName } from '../spec/arguments.ts';
import type { Area, Endpoint, Example } from '../spec/endpoint.ts';
import {
  columns,
  hanging,
  type Ink,
  inkOf,
  leftWidth,
  paragraph,
  type Row,
  type Style,
  settled,
  shellLines,
  tie,
} from './layout.ts';
import {
  allFlags,
  type Builtin,
  type BuiltinCommand,
  builtinUsage,
  type Command,
  commandsOf,
  type Flag,
  type Group,
  globalFlag,
  mergedArguments,
  type Program,
  placeNote,
  shown,
  standsAlone,
  summaryOf,
  usageLines,
} from './model.ts';
import { accessFacts, accessWords, choicesWords, noted, notesOf, requestOf } from './words.ts';

export type { Style } from './layout.ts';
export type { Builtin, BuiltinCommand, BuiltinFlag, GlobalFlag, Leaf, Program } from './model.ts';

const screen = 23;

/**
 * What `svc` and `svc --help` print: areas by theme, the commands of the program, where to go from here. Fits 80x24.
 * @param entries the areas, in the catalogue's order
 */
export function rootHelp(entries: readonly Entry[], builtins: readonly Builtin[], style: Style): string {
  const ink = inkOf(style);
  const areas = Object.entries(themes)
    .map(([theme, title]) => ({
      left: title,
      right: entries
        .filter((entry) => entry.theme === theme)
        .map((entry) => entry.name)
        .join(', '),
    }))
    .filter((row) => row.right !== '');
  const head = [
    ...usageOf('svc <area>', ink),
    '',
    ink.bold('Areas of the API:'),
    ...columns(areas, { width: ink.width }),
    '',
    ink.bold('Commands of svc itself:'),
  ];
  const foot = [
    '',
    ...paragraph(
      "'svc <area> --help' lists the commands of an area, 'svc <area> <command> --help'",
      ink.width,
    ),
    ...paragraph("says all of one. To try things: 'svc --sandbox jobs list -p acme/rocket'.", ink.width),
  ];
  const told = columns(
    builtins.map(({ name, summary }) => ({ left: name, right: summary })),
    { width: ink.width, paint: ink.bold },
  );
  const named = paragraph(builtins.map(({ name }) => name).join(', '), ink.width, 2);
  const body = head.length + told.length + foot.length <= screen ? told : named;
  return page([...head, ...body, ...foot]);
}

/** What `svc <area> --help` prints: its summary, its commands in order, what limits them. */
export function areaHelp(entry: Entry, area: Area, style: Style): string {
  const ink = inkOf(style);
  const commands = commandsOf(area);
  const shared = sharedLimits(area.endpoints);
  const rows = commands.map((command) => ({
    left: usageWord(command),
    right: noted(summaryOf(command), ownLimits(command, shared)),
  }));
  const aliases = entry.aliases?.length ? [`Also called ${entry.aliases.join(', ')}.`] : [];
  const limits = shared.length > 0 ? [`All of it: ${shared.join('; ')}.`] : [];
  const about = [area.doc ?? '', ...limits, ...aliases].filter(Boolean).join(' ');
  const [first] = area.endpoints.flatMap((endpoint) => endpoint.examples);
  return page([
    ...paragraph(entry.summary, ink.width),
    '',
    ...usageOf(`svc ${entry.name}`, ink),
    ...(about === '' ? [] : ['', ...paragraph(about, ink.width)]),
    '',
    ink.bold('Commands:'),
    ...columns(rows, { width: ink.width, most: 30, paint: ink.bold }),
    ...(first ? ['', ink.bold('Example:'), ...exampleLines(first, ink)] : []),
    '',
    ...paragraph(`'svc ${entry.name} <command> --help' says all of a command, with its flags.`, ink.width),
  ]);
}

/**
 * What `svc <area> <command> --help` prints.
 * @param endpoints the calls that share the command's name, one for each place or set of arguments
 * @param program the flags that every command has, and the exit codes
 */
export function commandHelp(
  entry: Pick<Entry, 'name'>,
  endpoints: readonly Endpoint[],
  style: Style,
  program: Program,
): string {
  const ink = inkOf(style);
  const [one] = endpoints as readonly [Endpoint];
  const leaf = { area: entry.name, name: commandName(one), endpoints };
  const flags = allFlags(leaf, program);
  const docs = [...new Set(endpoints.map((endpoint) => endpoint.doc).filter((doc) => doc !== undefined))];
  const old = [
    ...new Set(endpoints.map((endpoint) => endpoint.deprecated).filter((text) => text !== undefined)),
  ];
  const reads = one.method === 'GET' || one.method === 'HEAD';
  const asks = endpoints.some((endpoint) => endpoint.confirm);
  return page([
    ...paragraph(`${summaryOf(leaf)}.`, ink.width),
    ...old.flatMap((text) => ['', ...paragraph(`Deprecated: ${text}.`.replace(/\.\.$/, '.'), ink.width)]),
    ...docs.flatMap((doc) => ['', ...paragraph(doc, ink.width)]),
    ...(asks
      ? ['', ...paragraph('It asks first on a terminal; without one it needs --yes.', ink.width)]
      : []),
    '',
    ink.bold('Usage:'),
    ...usageLines(entry.name, endpoints).flatMap((line) => usage(`svc ${line}`, ink)),
    ...section('Arguments:', argumentRows(endpoints), ink),
    ...flagSections(flags, reads ? { ...titles, sends: 'What it asks for:' } : titles, ink),
    ...exampleSection(
      endpoints.flatMap((endpoint) => endpoint.examples),
      ink,
    ),
    ...requestSection(endpoints, ink),
    ...exitSection(program, flags, ink),
  ]);
}

/** What `svc <builtin> --help` prints. */
export function builtinHelp(builtin: Builtin, style: Style, program: Program): string {
  const [only] = builtin.commands;
  if (only && standsAlone(builtin)) return builtinCommandHelp(builtin, only, style, program);
  const ink = inkOf(style);
  const rows = builtin.commands.map(({ name, args, summary }) => ({
    left: `${name} ${args}`.trim(),
    right: summary,
  }));
  return page([
    ...paragraph(builtin.summary, ink.width),
    '',
    ...usageOf(`svc ${builtin.name}`, ink),
    '',
    ink.bold('Commands:'),
    ...columns(rows, { width: ink.width, paint: ink.bold }),
    '',
    ...paragraph(`'svc ${builtin.name} <command> --help' says all of a command, with its flags.`, ink.width),
  ]);
}

/** What `svc <builtin> <command> --help` prints. */
export function builtinCommandHelp(
  builtin: Builtin,
  command: BuiltinCommand,
  style: Style,
  program: Program,
): string {
  const ink = inkOf(style);
  const flags = command.flags.filter((flag) => !flag.hidden).map(globalFlag);
  return page([
    ...paragraph(`${command.summary}.`, ink.width),
    ...(command.doc ? ['', ...paragraph(command.doc, ink.width)] : []),
    '',
    ink.bold('Usage:'),
    ...usage(builtinUsage(builtin, command), ink),
    ...flagSections(flags, ownFirst, ink),
    ...exampleSection(command.examples, ink),
    ...exitSection(program, flags, ink),
  ]);
}

function page(lines: readonly string[]): string {
  return settled(`${lines.map((line) => line.trimEnd()).join('\n')}\n`);
}

/** The usage of a group of commands. */
function usageOf(call: string, ink: Ink): string[] {
  const [first = '', ...rest] = hanging(`Usage: ${call} <command> [arguments] [flags]`, ink.width, 4);
  return [first.replace('Usage:', ink.bold), ...rest];
}

function usage(line: string, ink: Ink): string[] {
  return hanging(line, ink.width - 2, 4).map((part) => `  ${part}`);
}

function usageWord(command: Command): string {
  const words = mergedArguments(command.endpoints).map(({ name, required }) =>
    required ? `<${name}>` : `[${name}]`,
  );
  return [command.name, ...words].join(' ');
}

/** What limits every call of an area. */
function sharedLimits(endpoints: readonly Endpoint[]): string[] {
  const [first, ...others] = endpoints.map((endpoint) => accessWords(endpoint.access));
  return (first ?? []).filter((words) => others.every((other) => other.includes(words)));
}

function ownLimits({ endpoints }: Command, shared: readonly string[]): string[] {
  const limits = sharedLimits(endpoints).filter((words) => !shared.includes(words));
  const places = [...new Set(endpoints.map(({ scope }) => (scope ? `--${scope.name}` : '')))].filter(Boolean);
  const where = places.length > 1 ? [places.join(' or ')] : [];
  const old = endpoints.every((endpoint) => endpoint.deprecated) ? ['deprecated'] : [];
  return [...where, ...limits, ...old];
}

function section(title: string, rows: readonly Row[], ink: Ink, most = 28): string[] {
  if (rows.length === 0) return [];
  return ['', ink.bold(title), ...columns(rows, { width: ink.width, most, paint: ink.bold })];
}

function argumentRows(endpoints: readonly Endpoint[]): Row[] {
  return mergedArguments(endpoints).map(({ name, field, required, of }) => {
    const choices = choicesWords(of);
    const notes = notesOf(field, of).filter((note) => note !== 'required' && !note.startsWith('one of:'));
    return {
      left: required ? `<${name}>` : `[${name}]`,
      right: noted(of.doc, [...choices, ...notes]),
    };
  });
}

const titles: Record<Group, string> = {
  needs: 'What it needs:',
  sends: 'What it sends:',
  lists: 'Lists:',
  output: 'Output:',
  connection: 'Connection:',
  other: 'Other:',
};

/** A command of the program has its own flags before the shared ones. */
const ownFirst: Readonly<Record<Group, string>> = {
  other: 'Flags:',
  needs: titles.needs,
  sends: titles.sends,
  lists: titles.lists,
  output: titles.output,
  connection: titles.connection,
};

/** Flags under their headings, in one grid. */
function flagSections(flags: readonly Flag[], heads: Readonly<Record<Group, string>>, ink: Ink): string[] {
  const most = leftWidth(flagRows(flags), 26);
  const filler = { left: ' '.repeat(most), right: '' };
  return (Object.entries(heads) as [Group, string][]).flatMap(([group, head]) => {
    const rows = flagRows(flags.filter((flag) => flag.group === group));
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

function exampleLines({ does, run }: Example, ink: Ink): string[] {
  return [...paragraph(`# ${does}`, ink.width, 2).map(ink.dim), ...shellLines(`svc ${run}`, ink.width, 2)];
}

function exampleSection(examples: readonly Example[], ink: Ink): string[] {
  if (examples.length === 0) return [];
  return [
    '',
    ink.bold(examples.length > 1 ? 'Examples:' : 'Example:'),
    ...examples.flatMap((example) => exampleLines(example, ink)),
  ];
}

/** The requests behind a command, and what each asks of the caller; said once where it is the same for all. */
function requestSection(endpoints: readonly Endpoint[], ink: Ink): string[] {
  const facts = endpoints.map(({ access }) => accessFacts(access));
  const same = facts.every((fact) => fact === facts[0]);
  const [first = ''] = facts;
  const lines = endpoints.flatMap((endpoint, index) => [
    ...paragraph(requestOf(endpoint) + placeNote(endpoint, endpoints), ink.width, 2),
    ...(same ? [] : paragraph(facts[index] as string, ink.width, 6)),
  ]);
  return [
    '',
    ink.bold(endpoints.length > 1 ? 'Requests:' : 'Request:'),
    ...lines,
    ...(same ? paragraph(first, ink.width, 2) : []),
  ];
}

function exitSection({ exitCodes }: Program, flags: readonly Flag[], ink: Ink): string[] {
  const waits = flags.some(({ name }) => name === '--wait');
  const kinds = Object.entries(exitCodes)
    .filter(([kind, code]) => code > 1 && code < 128 && (kind !== 'outcome' || waits))
    .sort(([, a], [, b]) => a - b)
    .map(([kind, code]) => `${code}${tie}${kind}`);
  const text = [`0${tie}done`, ...kinds, `1${tie}anything${tie}else`].join(', ');
  return ['', ink.bold('Exit codes:'), ...paragraph(`${text}; see svc-exit-codes(7).`, ink.width, 2)];
}
