/** Help pages: the whole program, an area, a command. At most 80 columns; marks only where color is on. */
import { type Entry, themes } from '../api/index.ts';
import { commandName } from '../spec/arguments.ts';
import type { Area, Endpoint } from '../spec/endpoint.ts';
import {
  exampleLines,
  exampleSection,
  exitSection,
  flagSections,
  ownFirst,
  page,
  section,
  titles,
  usage,
  usageOf,
} from './blocks.ts';
import { allFlags, globalFlag } from './flags.ts';
import { columns, type Ink, inkOf, paragraph, type Row, type Style } from './layout.ts';
import {
  type Builtin,
  type BuiltinCommand,
  builtinUsage,
  type Command,
  commandsOf,
  mergedArguments,
  originWords,
  type Program,
  placeNote,
  standsAlone,
  summaryOf,
  usageLines,
} from './model.ts';
import { accessFacts, accessWords, choicesWords, confirmWords, noted, notesOf, requestOf } from './words.ts';

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
      "'svc <area> --help' lists the commands of an area, 'svc <area> <command> --help' says all of one. To try things: 'svc --sandbox jobs list -p acme/rocket'.",
      ink.width,
    ),
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
  return page([
    ...paragraph(`${summaryOf(leaf)}.`, ink.width),
    ...old.flatMap((text) => ['', ...paragraph(`Deprecated: ${text}.`.replace(/\.\.$/, '.'), ink.width)]),
    ...docs.flatMap((doc) => ['', ...paragraph(doc, ink.width)]),
    ...originWords(endpoints).flatMap((text) => ['', ...paragraph(text, ink.width)]),
    ...confirmWords(endpoints).flatMap((text) => ['', ...paragraph(text, ink.width)]),
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
  const origin = endpoints.every((endpoint) => endpoint.unspecified) ? ['not in the specification'] : [];
  return [...where, ...limits, ...old, ...origin];
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
    ...(builtin.doc ? ['', ...paragraph(builtin.doc, ink.width)] : []),
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
  const flags = command.flags.map(globalFlag);
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
