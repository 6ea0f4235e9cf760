/** docs/reference: a page per area with its commands, and pages about the other commands, common flags and settings. */

import { settingDocs } from '../../src/config/setting-table.ts';
import {
  accessFacts,
  argumentText,
  choicesNote,
  confirmationNotes,
  limitsOf,
  requestOf,
  withNotes,
} from '../../src/docs/descriptions.ts';
import { apiFlags, type Flag, flagTerm, programFlag } from '../../src/docs/flags.ts';
import { deprecation } from '../../src/docs/help.ts';
import { shellLines, untie } from '../../src/docs/layout.ts';
import type { Manual } from '../../src/docs/man/man.ts';
import { type AreaGroup, argumentTerm, scopeNote, usageLines } from '../../src/docs/model.ts';
import { attributesOf, pathOfColumn } from '../../src/spec/column.ts';
import { type Command, pathOf } from '../../src/spec/command.ts';
import type { Endpoint, Example } from '../../src/spec/endpoint.ts';
import { choicesOf, type Field, type Fields } from '../../src/spec/field.ts';
import { cell, prose, table } from './markdown.ts';
import { areaTable } from './regions.ts';

/** The output of examples, by command line. */
export type Outputs = Readonly<Record<string, string>>;

/** Return the pages by file name. The first line of each page says that it is generated. */
export function referencePages(manual: Manual, outputs: Outputs): Map<string, string> {
  const pages: [name: string, parts: readonly string[]][] = [
    ['index', indexPart(manual)],
    ...manual.areas.map((area): [string, string[]] => [area.name, areaPart(area, outputs)]),
    ['other-commands', builtinPart(manual)],
    ['flags', flagPart(manual)],
    ['settings', settingsPart()],
  ];
  return new Map(
    pages.map(([name, parts]) => [
      `${name}.md`,
      untie(`${[`<!-- ${manual.origin} -->`, ...parts].join('\n\n')}\n`),
    ]),
  );
}

function indexPart(manual: Manual): string[] {
  return [
    '# Reference',
    'Each area of the API has a page. It lists every command with its flags, its API requests and the fields of the response.',
    ...areaTable(manual.areas, (name) => `./${name}.md`),
    '- [Other commands](./other-commands.md): login, profiles, settings, the sandbox, completion and `svc api`',
    '- [Common flags](./flags.md)',
    '- [Settings](./settings.md)',
    '- [Exit codes](../exit-codes.md)',
  ];
}

function areaPart(area: AreaGroup, outputs: Outputs): string[] {
  const aliases = (area.aliases ?? []).map((alias) => `\`svc ${alias}\``);
  return [
    `# svc ${area.name}`,
    `${prose(area.summary)}.${aliases.length > 0 ? ` Aliases: ${aliases.join(', ')}.` : ''}`,
    ...(area.doc ? [prose(area.doc)] : []),
    ...area.commands.flatMap((command) => commandPart(command, outputs)),
  ];
}

/** An example, and what it prints in the sandbox. */
function examplePart({ does, run }: Example, outputs: Outputs): string[] {
  const output = outputs[run] ?? '';
  return [
    fenced([`# ${does}`, ...shellLines(`svc ${run}`, 100, 0)]),
    ...(output === '' ? [] : [fenced([output], 'text')]),
  ];
}

function commandPart(command: Command, outputs: Outputs): string[] {
  const { endpoints } = command;
  const isBuiltin = endpoints.length === 0;
  const flags = isBuiltin ? command.flags.map(programFlag) : apiFlags(command);
  const shared = isBuiltin ? [] : command.flags.map(({ name }) => `\`--${name}\``);
  const args = (isBuiltin ? [] : command.arguments).map((argument) => [
    `\`${argumentTerm(argument)}\``,
    cell(argumentText(argument)),
  ]);
  return [
    `## svc ${pathOf(command)}`,
    `${prose(command.summary)}.`,
    ...command.deprecated.map((text) => prose(deprecation(text)).replace('Deprecated:', '**Deprecated:**')),
    ...[...command.docs, ...confirmationNotes(endpoints)].map(prose),
    fenced(usageLines(command)),
    ...command.examples.flatMap((one) => examplePart(one, outputs)),
    ...(args.length > 0 ? table(['Argument', 'Description'], args) : []),
    ...(flags.length > 0 ? table(['Flag', 'Description'], flags.map(flagRow)) : []),
    ...(shared.length > 0
      ? [folded('Common flags', [`${shared.join(', ')}: see [common flags](./flags.md).`])]
      : []),
    ...(isBuiltin ? [] : [endpoints.map((one) => `- ${requestLine(one, endpoints)}`).join('\n')]),
    ...responsePart(endpoints),
  ];
}

function requestLine(endpoint: Endpoint, all: readonly Endpoint[]): string {
  return `\`${requestOf(endpoint)}\`${scopeNote(endpoint, all)}: ${accessFacts(endpoint.access)}`;
}

function flagRow(flag: Flag): string[] {
  const keys = flag.keys.map((key) => `<br>· ${cell(key)}`).join('');
  return [`\`${flagTerm(flag).replaceAll('|', '\\|')}\``, cell(withNotes(flag.doc, flag.notes)) + keys];
}

const responseKinds = {
  list: 'a list of objects with these fields',
  object: 'an object with these fields',
  headers: 'these fields, read from the response headers',
} as const;

function responsePart(endpoints: readonly Endpoint[]): string[] {
  const seen = new Set<string>();
  return endpoints.flatMap(({ returns, columns }) => {
    if (returns.kind === 'nothing') return [];
    if (returns.kind === 'raw') return once(seen, [`Returns a file of type \`${returns.type}\`.`]);
    const defaultColumns =
      columns.length > 0
        ? ` Table columns: ${columns.map((column) => `\`${pathOfColumn(column)}\``).join(', ')}.`
        : '';
    const fields = Object.keys(returns.fields).length > 0 ? [details(returns.fields)] : [];
    return once(seen, [`Returns ${responseKinds[returns.kind]}.${defaultColumns}`, ...fields]);
  });
}

/** Return nothing if an earlier variant has the same response. */
function once(seen: Set<string>, part: string[]): string[] {
  const key = part.join('\n');
  if (seen.has(key)) return [];
  seen.add(key);
  return part;
}

function details(fields: Fields): string {
  const rows = attributesOf(fields).map(([path, field]) => [
    `\`${path}\``,
    typeText(field),
    cell(withNotes(field.doc, [...choicesNote(choicesOf(field)), ...limitsOf(field)])),
  ]);
  return folded('Fields', table(['Field', 'Type', 'Description'], rows));
}

function folded(title: string, parts: readonly string[]): string {
  return [`<details><summary>${title}</summary>`, ...parts, '</details>'].join('\n\n');
}

function typeText(field: Field): string {
  const type =
    field.kind === 'list'
      ? `list of ${field.of.kind}`
      : field.kind === 'rows'
        ? 'list of objects'
        : field.kind;
  return field.nullable ? `${type} or null` : type;
}

function builtinPart({ builtins }: Manual): string[] {
  return [
    '# Other commands',
    ...builtins.flatMap((builtin) => [
      ...(builtin.doc && builtin.commands.length > 1 ? [`## svc ${builtin.name}`, prose(builtin.doc)] : []),
      ...builtin.commands.flatMap((command) => commandPart(command, {})),
    ]),
  ];
}

function flagPart({ programFlags }: Manual): string[] {
  return [
    '# Common flags',
    'Each command accepts the flags that apply to it.',
    ...table(['Flag', 'Description'], programFlags.map(programFlag).map(flagRow)),
  ];
}

function settingsPart(): string[] {
  return [
    '# Settings',
    'svc reads each setting from the first source that sets it. `svc config explain` prints each setting in effect and its source.',
    ...table(
      ['Setting', 'Description', 'Sources, highest precedence first'],
      settingDocs().map(({ name, description, sources }) =>
        [name, description, sources.join('; ')].map(cell),
      ),
    ),
  ];
}

function fenced(lines: readonly string[], language = 'sh'): string {
  return [`\`\`\`${language}`, ...lines, '```'].join('\n');
}
