/** Help pages: the program, an area, a command. At most 80 columns; bold and dim text only if color is on. */
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
import { flagsOf } from './flags.ts';
import { columns, type Ink, inkOf, paragraph, type Row, type Style } from './layout.ts';
import { type AreaGroup, argumentWord, type Program, scopeNote, usageLines } from './model.ts';
import { accessFacts, accessWords, choicesWords, confirmWords, noted, notesOf, requestOf } from './words.ts';

const screen = 23;

/**
 * What `svc` and `svc --help` print: areas by theme, the commands of the program, where to go from here. Fits 80x24.
 * @param areas in the catalogue's order
 */
export function rootHelp(
  areas: readonly Pick<AreaGroup, 'name' | 'theme'>[],
  builtins: readonly Pick<CommandGroup, 'name' | 'summary'>[],
  style: Style,
): string {
  const ink = inkOf(style);
  const themed = Object.entries(themes)
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
    ...columns(themed, { width: ink.width }),
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
  const described = columns(
    builtins.map(({ name, summary }) => ({ left: name, right: summary })),
    { width: ink.width, paint: ink.bold },
  );
  const named = paragraph(builtins.map(({ name }) => name).join(', '), ink.width, 2);
  const body = head.length + described.length + foot.length <= screen ? described : named;
  return page([...head, ...body, ...foot]);
}

/** What `svc <area> --help` prints: summary, description, the commands in order and the limits of each. */
export function groupHelp(group: CommandGroup, style: Style, program: Program): string {
  const [only] = group.commands;
  if (only && isSingle(group)) return commandHelp(only, style, program);
  const ink = inkOf(style);
  const shared = sharedLimits(group.commands.flatMap(({ endpoints }) => endpoints));
  const rows = group.commands.map((command) => ({
    left: [
      command.name,
      ...command.arguments.map(argumentWord),
      ...(command.tail ? [`-- ${command.tail}`] : []),
    ].join(' '),
    right: noted(command.summary, ownLimits(command, shared)),
  }));
  const aliases = group.aliases?.length ? [`Aliases: ${group.aliases.join(', ')}.`] : [];
  const limits = shared.length > 0 ? [`Every command: ${shared.join('; ')}.`] : [];
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
    ...columns(rows, { width: ink.width, most: 30, paint: ink.bold }),
    ...(example ? ['', ink.bold('Example:'), ...exampleLines(example, ink)] : []),
    '',
    ...paragraph(`Use "svc ${group.name} <command> --help" for more about a command.`, ink.width),
  ]);
}

/** What `svc <area> <command> --help` prints. */
export function commandHelp(command: Command, style: Style, program: Program): string {
  const ink = inkOf(style);
  const flags = flagsOf(command);
  const { endpoints } = command;
  return page([
    ...paragraph(`${command.summary}.`, ink.width),
    ...command.deprecated.flatMap((text) => ['', ...paragraph(deprecation(text), ink.width)]),
    ...command.docs.flatMap((doc) => ['', ...paragraph(doc, ink.width)]),
    ...confirmWords(endpoints).flatMap((text) => ['', ...paragraph(text, ink.width)]),
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

/** The limits that all of these endpoints share. */
function sharedLimits(endpoints: readonly Endpoint[]): string[] {
  const [first, ...others] = endpoints.map((endpoint) => accessWords(endpoint.access));
  return (first ?? []).filter((words) => others.every((other) => other.includes(words)));
}

function ownLimits({ endpoints, deprecated }: Command, shared: readonly string[]): string[] {
  const limits = sharedLimits(endpoints).filter((words) => !shared.includes(words));
  const scopes = scopesOf(endpoints).map(({ name }) => `--${name}`);
  const where = scopes.length > 1 ? [scopes.join(' or ')] : [];
  const origin = endpoints.length > 0 && endpoints.every(({ unspecified }) => unspecified);
  return [
    ...where,
    ...limits,
    ...(deprecated.length > 0 ? ['deprecated'] : []),
    ...(origin ? ['not in the specification'] : []),
  ];
}

function argumentRows({ arguments: args, endpoints }: Command): Row[] {
  // An argument of a command of the program is described by the command itself.
  if (endpoints.length === 0) return [];
  return args.map((argument) => {
    const { field, of } = argument;
    const notes = notesOf(field, of).filter((note) => note !== 'required' && !note.startsWith('one of:'));
    return { left: argumentWord(argument), right: noted(of.doc, [...choicesWords(of), ...notes]) };
  });
}

/** The requests behind a command and the access that each requires, stated once if it is the same for all. */
function requestSection(endpoints: readonly Endpoint[], ink: Ink): string[] {
  if (endpoints.length === 0) return [];
  const facts = endpoints.map(({ access }) => accessFacts(access));
  const [first = ''] = facts;
  const same = facts.every((fact) => fact === first);
  const lines = endpoints.flatMap((endpoint, index) => [
    ...paragraph(requestOf(endpoint) + scopeNote(endpoint, endpoints), ink.width, 2),
    ...(same ? [] : paragraph(facts[index] ?? '', ink.width, 6)),
  ]);
  return ['', ink.bold('API request:'), ...lines, ...(same ? paragraph(first, ink.width, 2) : [])];
}
