/** Help pages of the program, an area and a command. At most 100 columns; bold and dim text only if color is on. */
import { themes } from '../api/index.ts';
import type { Kind } from '../errors.ts';
import { type Command, type CommandGroup, ownCommand, pathOf, scopesOf } from '../spec/command.ts';
import type { Endpoint, Example } from '../spec/endpoint.ts';
import {
  accessFacts,
  argumentText,
  confirmationNotes,
  requestOf,
  requirementNotes,
  withNotes,
} from './descriptions.ts';
import { type Flag, flagsOf, flagTerm, groupTitles, type Heading } from './flags.ts';
import {
  columns,
  hanging,
  type Ink,
  inkOf,
  leftWidth,
  page,
  paragraph,
  type Row,
  type Style,
  shellLines,
  tie,
} from './layout.ts';
import { type AreaGroup, argumentTerm, type Program, scopeNote, usageLines } from './model.ts';
import { topics } from './topics.ts';

/** Whether a page lists everything, as with `--help --all`. */
interface Extent {
  readonly all?: boolean;
}

const firstCommands: readonly Row[] = [
  { left: 'svc --sandbox jobs list -p acme/rocket', right: 'Try it without a server' },
  { left: 'svc login', right: 'Log in to your server' },
  { left: 'svc variables create --help', right: 'Learn about a command' },
];

/** Return the page of `svc --help`: areas by theme, commands of the program and topics. Fits a terminal of 80x24. */
export function rootHelp(
  areas: readonly Pick<AreaGroup, 'name' | 'summary' | 'theme'>[],
  builtins: readonly Pick<CommandGroup, 'name' | 'summary'>[],
  style: Style,
  { all = false }: Extent = {},
): string {
  const ink = inkOf(style);
  const groups = [
    ...Object.entries(themes).map(([theme, title]) => ({
      title,
      members: areas.filter((area) => area.theme === theme),
    })),
    { title: 'This program', members: builtins },
    { title: 'Help topics', members: topics },
  ];
  const rows = groups.map(({ title, members }) => ({
    left: title,
    right: members.map(({ name }) => name).join(', '),
  }));
  const head = [
    ...paragraph('Work with a project-hosting and CI/CD service from the command line.', ink.width),
    '',
    ...usageOf('svc <area>', ink),
  ];
  if (all) {
    const sections = groups.flatMap(({ title, members }) =>
      section(
        `${title}:`,
        members.map(({ name, summary }) => ({ left: name, right: summary })),
        ink,
      ),
    );
    const note = 'Use "svc help <area>" for the commands of an area, and "svc help <topic>" for a topic.';
    return page([...head, ...sections, '', ...paragraph(note, ink.width)]);
  }
  return page([
    ...head,
    '',
    ink.bold('First commands:'),
    ...columns(firstCommands, { width: ink.width, left: Math.min(38, Math.floor(ink.width / 2)) }),
    '',
    ...columns(rows, { width: ink.width, indent: 0, paint: ink.bold }),
    '',
    ...paragraph('Use "svc help <area|topic>" for more, and "svc --help --all" for descriptions.', ink.width),
  ]);
}

/** Return the page of `svc <area> --help`. */
export function groupHelp(group: CommandGroup, style: Style, program: Program, extent: Extent = {}): string {
  const own = ownCommand(group);
  if (own)
    return commandHelp(
      own,
      style,
      program,
      extent,
      group.commands.filter((command) => command !== own),
    );
  const ink = inkOf(style);
  const endpoints = group.commands.flatMap((command) => command.endpoints);
  const aliases = group.aliases?.length ? `Alias: svc ${group.aliases.join(', svc ')}.` : '';
  const about = [group.doc, ...requirementNotes(endpoints), aliases].filter(Boolean).join(' ');
  const examples = group.commands.flatMap((one) => (one.endpoints.length > 0 ? one.examples : []));
  return page([
    ...paragraph(`${group.summary}.`, ink.width),
    '',
    ...usageOf(`svc ${group.name}`, ink),
    ...(about === '' ? [] : ['', ...paragraph(about, ink.width)]),
    '',
    ink.bold('Commands:'),
    ...columns(commandRows(group.commands), { width: ink.width, paint: ink.bold }),
    ...exampleSection(examples.slice(0, 1), ink),
    '',
    ...paragraph(`Use "svc ${group.name} <command> --help" for more about a command.`, ink.width),
  ]);
}

function commandRows(commands: readonly Command[]): Row[] {
  return commands.map((command) => {
    const tail = command.tail ? [`-- ${command.tail}`] : [];
    return {
      left: [command.name, ...command.arguments.map(argumentTerm), ...tail].join(' '),
      right: withNotes(command.summary, rowNotes(command)),
    };
  });
}

/** The number of examples on a default page. */
const fewExamples = 3;

/**
 * Return the page of `svc <area> <command> --help`: what most users need, or everything.
 * @param others the other commands of a group, for the command that `svc <area>` itself runs
 */
export function commandHelp(
  command: Command,
  style: Style,
  program: Program,
  { all = false }: Extent = {},
  others: readonly Command[] = [],
): string {
  const ink = inkOf(style);
  const { endpoints } = command;
  const isBuiltin = endpoints.length === 0;
  const examples = all ? command.examples : command.examples.slice(0, fewExamples);
  const every = flagsOf(command);
  const flags = all
    ? every.map(({ family: _, ...flag }) => flag)
    : every.filter((flag) => flag.common || usesFlag(examples, flag)).map(brief);
  const texts = [
    ...command.deprecated.map(deprecation),
    ...command.docs,
    ...confirmationNotes(endpoints),
    ...requirementNotes(endpoints),
  ];
  return page([
    ...paragraph(`${command.summary}.`, ink.width),
    ...(texts.length > 0 ? ['', ...paragraph(texts.join(' '), ink.width)] : []),
    '',
    ink.bold('Usage:'),
    ...[
      ...usageLines(command),
      ...(others.length > 0 ? [`svc ${command.area} <command> [arguments] [flags]`] : []),
    ].flatMap((line) => usage(line, ink)),
    ...section('Commands:', commandRows(others), ink),
    ...section('Arguments:', argumentRows(command), ink),
    ...flagSections(flags, isBuiltin, ink),
    ...exampleSection(examples, ink),
    ...(all
      ? [...requestSection(endpoints, ink), ...exitSection(program, command, ink)]
      : moreNote(command, flags, ink)),
  ]);
}

function usesFlag(examples: readonly Example[], { name, short }: Flag): boolean {
  const words = new Set(examples.flatMap(({ run }) => run.split(/[ =]/)));
  return words.has(name) || (short !== undefined && words.has(short));
}

/** A flag without the details that `svc help flags` explains for all commands. */
function brief({ negatable: _, ...flag }: Flag): Flag {
  return { ...flag, notes: flag.notes.filter((note) => typeof note === 'string' || !note.obvious) };
}

/** The note that names the rest of a default page. */
function moreNote(command: Command, flags: readonly Flag[], ink: Ink): string[] {
  const more = `Use "${`svc ${pathOf(command)} --help --all`.replaceAll(' ', tie)}" for all flags and details.`;
  const example = flags.find(
    ({ field, heading }) => field?.kind === 'bool' && (heading === 'body' || heading === 'required'),
  );
  const negative = example ? `Switch a flag off with --no-, as in --no-${example.name.slice(2)}.` : '';
  return ['', ...paragraph(negative, ink.width), ...paragraph(more, ink.width)];
}

/** `Deprecated: use files.` */
export function deprecation(text: string): string {
  return `Deprecated: ${text}.`.replace(/\.\.$/, '.');
}

function rowNotes(command: Command): string[] {
  const { endpoints, deprecated } = command;
  const scopes = scopesOf(command).map(({ name }) => `--${name}`);
  const isUnspecified = endpoints.length > 0 && endpoints.every(({ unspecified }) => unspecified);
  return [
    ...(scopes.length > 1 ? [scopes.join(' or ')] : []),
    ...(deprecated.length > 0 ? ['deprecated'] : []),
    ...(isUnspecified ? ['undocumented endpoint'] : []),
  ];
}

function argumentRows({ arguments: args, endpoints }: Command): Row[] {
  // Other commands describe their arguments in their own text, except the names that an id may have.
  const shown = endpoints.length > 0 ? args : args.filter(({ of }) => of.suggest === 'pipelines/list/id');
  return shown.map((argument) => ({ left: argumentTerm(argument), right: argumentText(argument) }));
}

/** Return the requests of a command and the access that each requires. Identical access is printed once. */
function requestSection(endpoints: readonly Endpoint[], ink: Ink): string[] {
  if (endpoints.length === 0) return [];
  const facts = endpoints.map(({ access }) => accessFacts(access));
  const [first = ''] = facts;
  const isShared = facts.every((fact) => fact === first);
  const lines = endpoints.flatMap((endpoint, index) => [
    ...paragraph(requestOf(endpoint) + scopeNote(endpoint, endpoints), ink.width, 2),
    ...(isShared ? [] : paragraph(facts[index] ?? '', ink.width, 6)),
  ]);
  return ['', ink.bold('API request:'), ...lines, ...(isShared ? paragraph(first, ink.width, 2) : [])];
}

function usageOf(call: string, ink: Ink): string[] {
  const [first = '', ...rest] = hanging(`Usage: ${call} <command> [arguments] [flags]`, ink.width, 4);
  return [first.replace('Usage:', ink.bold), ...rest];
}

function usage(line: string, ink: Ink): string[] {
  return hanging(line, ink.width - 2, 4).map((part) => `  ${part}`);
}

function section(title: string, rows: readonly Row[], ink: Ink): string[] {
  if (rows.length === 0) return [];
  return ['', ink.bold(title), ...columns(rows, { width: ink.width, paint: ink.bold })];
}

/** The flag headings of a page, in display order. */
const titles: Readonly<Record<Heading, string>> = {
  required: 'Required flags',
  filters: 'Filters',
  ...groupTitles,
};

/** A built-in command lists its own flags before the shared ones. */
const { required, other: _, ...others } = titles;

/** Return flags grouped by heading, families of flags as lists of names. All groups share one column width. */
function flagSections(flags: readonly Flag[], isBuiltin: boolean, ink: Ink): string[] {
  const headings = isBuiltin ? { required, other: 'Flags', ...others } : titles;
  const single = flags.filter(({ family }) => family === undefined);
  const left = leftWidth(flagRows(single), ink.width);
  return Object.entries(headings).flatMap(([heading, title]) => {
    const members = flags.filter((flag) => flag.heading === heading);
    if (members.length === 0) return [];
    const rows = flagRows(members.filter(({ family }) => family === undefined));
    return [
      '',
      ink.bold(`${title}:`),
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

function exampleSection(examples: readonly Example[], ink: Ink): string[] {
  const lines = examples.flatMap(({ does, run }) => [
    ...paragraph(`# ${does}`, ink.width, 2).map(ink.dim),
    ...shellLines(`svc ${run}`, ink.width, 2),
  ]);
  return lines.length > 0 ? ['', ink.bold('Examples:'), ...lines] : [];
}

/** Failures that only some commands can have. */
const rare: ReadonlySet<string> = new Set<Kind>(['unsuccessful', 'differs', 'partial']);

function exitSection(
  { exitMeanings }: Program,
  { exits = [], flags, arguments: all }: Command,
  ink: Ink,
): string[] {
  const declared = new Set<string>(all.at(-1)?.repeats ? [...exits, 'partial'] : exits);
  const canWait = flags.some(({ name }) => name === 'wait');
  const isPossible = (kind: string) =>
    !rare.has(kind) || declared.has(kind) || (kind === 'unsuccessful' && canWait);
  const kinds = exitMeanings
    .filter(([code, , kind = '']) => code > 1 && code < 128 && isPossible(kind))
    .map(([code, , kind]) => `${code}${tie}${kind}`);
  const text = [`0${tie}success`, ...kinds, `1${tie}other${tie}error`].join(', ');
  return ['', ink.bold('Exit codes:'), ...paragraph(`${text}. See svc-exit-codes(7).`, ink.width, 2)];
}
