/** Help pages of the program, an area and a command. At most 80 columns; bold and dim text only if color is on. */
import { themes } from '../api/index.ts';
import { type Command, type CommandGroup, isSingle, scopesOf } from '../spec/command.ts';
import type { Endpoint } from '../spec/endpoint.ts';
import {
  exampleLines,
  exampleSection,
  exitSection,
  flagSections,
  page,
  section,
  usage,
  usageOf,
} from './blocks.ts';
import {
  accessFacts,
  accessLabels,
  choiceNotes,
  confirmationNotes,
  notesOf,
  requestOf,
  withNotes,
} from './descriptions.ts';
import { flagsOf } from './flags.ts';
import { columns, type Ink, inkOf, paragraph, type Row, type Style } from './layout.ts';
import { type AreaGroup, argumentTerm, type Program, scopeNote, usageLines } from './model.ts';

/** Lines of an 80x24 terminal, less one for the prompt. */
const screenLines = 23;

/** Return the page of `svc --help`: areas by theme and built-in commands. Fits a terminal of 80x24. */
export function rootHelp(
  areas: readonly Pick<AreaGroup, 'name' | 'theme'>[],
  builtins: readonly Pick<CommandGroup, 'name' | 'summary'>[],
  style: Style,
): string {
  const ink = inkOf(style);
  const themeRows = Object.entries(themes)
    .map(([theme, title]) => ({
      left: title,
      right: areas
        .filter((area) => area.theme === theme)
        .map((area) => area.name)
        .join(', '),
    }))
    .filter((row) => row.right !== '');
  const head = [
    ...usageOf('svc <area>', ink),
    '',
    ink.bold('Areas of the API:'),
    ...columns(themeRows, { width: ink.width }),
    '',
    ink.bold('Other commands:'),
  ];
  const foot = [
    '',
    ...paragraph(
      'Use "svc <area> --help" for the commands of an area and "svc <area> <command> --help" for one command. Try it: svc --sandbox jobs list -p acme/rocket',
      ink.width,
    ),
  ];
  const summaries = columns(
    builtins.map(({ name, summary }) => ({ left: name, right: summary })),
    { width: ink.width, paint: ink.bold },
  );
  const names = paragraph(builtins.map(({ name }) => name).join(', '), ink.width, 2);
  const body = head.length + summaries.length + foot.length <= screenLines ? summaries : names;
  return page([...head, ...body, ...foot]);
}

/** Return the page of `svc <area> --help`. */
export function groupHelp(group: CommandGroup, style: Style, program: Program): string {
  const [only] = group.commands;
  if (only && isSingle(group)) return commandHelp(only, style, program);
  const ink = inkOf(style);
  const shared = sharedLimits(group.commands.flatMap(({ endpoints }) => endpoints));
  const rows = group.commands.map((command) => ({
    left: [
      command.name,
      ...command.arguments.map(argumentTerm),
      ...(command.tail ? [`-- ${command.tail}`] : []),
    ].join(' '),
    right: withNotes(command.summary, ownLimits(command, shared)),
  }));
  const aliases = group.aliases?.length ? [`Aliases: ${group.aliases.join(', ')}.`] : [];
  const limits = shared.length > 0 ? [`All commands: ${shared.join('; ')}.`] : [];
  const about = [group.doc ?? '', ...limits, ...aliases].filter(Boolean).join(' ');
  const example = group.commands.flatMap(({ endpoints, examples }) =>
    endpoints.length > 0 ? examples : [],
  )[0];
  return page([
    ...paragraph(group.summary, ink.width),
    '',
    ...usageOf(`svc ${group.name}`, ink),
    ...(about === '' ? [] : ['', ...paragraph(about, ink.width)]),
    '',
    ink.bold('Commands:'),
    ...columns(rows, { width: ink.width, maxLeft: 30, paint: ink.bold }),
    ...(example ? ['', ink.bold('Example:'), ...exampleLines(example, ink)] : []),
    '',
    ...paragraph(`Use "svc ${group.name} <command> --help" for more about a command.`, ink.width),
  ]);
}

/** Return the page of `svc <area> <command> --help`. */
export function commandHelp(command: Command, style: Style, program: Program): string {
  const ink = inkOf(style);
  const flags = flagsOf(command);
  const { endpoints } = command;
  return page([
    ...paragraph(`${command.summary}.`, ink.width),
    ...command.deprecated.flatMap((text) => ['', ...paragraph(deprecation(text), ink.width)]),
    ...command.docs.flatMap((doc) => ['', ...paragraph(doc, ink.width)]),
    ...confirmationNotes(endpoints).flatMap((text) => ['', ...paragraph(text, ink.width)]),
    '',
    ink.bold('Usage:'),
    ...usageLines(command).flatMap((line) => usage(line, ink)),
    ...section('Arguments:', argumentRows(command), ink),
    ...flagSections(flags, endpoints.length === 0, ink),
    ...exampleSection(command.examples, ink),
    ...requestSection(endpoints, ink),
    ...exitSection(program, flags, ink),
  ]);
}

/** `Deprecated: use files.` */
export function deprecation(text: string): string {
  return `Deprecated: ${text}.`.replace(/\.\.$/, '.');
}

/** Return the access limits that all endpoints share. */
function sharedLimits(endpoints: readonly Endpoint[]): string[] {
  const [first, ...others] = endpoints.map((endpoint) => accessLabels(endpoint.access));
  return (first ?? []).filter((limit) => others.every((other) => other.includes(limit)));
}

function ownLimits({ endpoints, deprecated }: Command, shared: readonly string[]): string[] {
  const limits = sharedLimits(endpoints).filter((limit) => !shared.includes(limit));
  const scopes = scopesOf(endpoints).map(({ name }) => `--${name}`);
  const scopeNotes = scopes.length > 1 ? [scopes.join(' or ')] : [];
  const isUnspecified = endpoints.length > 0 && endpoints.every(({ unspecified }) => unspecified);
  return [
    ...scopeNotes,
    ...limits,
    ...(deprecated.length > 0 ? ['deprecated'] : []),
    ...(isUnspecified ? ['not in the specification'] : []),
  ];
}

function argumentRows({ arguments: args, endpoints }: Command): Row[] {
  // A built-in command describes its arguments in its own text.
  if (endpoints.length === 0) return [];
  return args.map((argument) => {
    const { field, of } = argument;
    const notes = notesOf(field, of).filter((note) => note !== 'required' && !note.startsWith('one of:'));
    return { left: argumentTerm(argument), right: withNotes(of.doc, [...choiceNotes(of), ...notes]) };
  });
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
