/** docs/reference.md: every command with its flags, its request and the fields of its answer. */

import { type Command, pathOf } from '../spec/command.ts';
import type { Endpoint, Returns } from '../spec/endpoint.ts';
import type { Field, Fields } from '../spec/field.ts';
import { apiFlags, type Flag, programFlag, shown } from './flags.ts';
import { deprecation } from './help.ts';
import { settled, shellLines } from './layout.ts';
import type { Manual } from './man/man.ts';
import { cell, prose, table } from './markdown.ts';
import { type AreaGroup, argumentWord, scopeNote, usageLines } from './model.ts';
import { areaTable, exitTable } from './regions.ts';
import { settings, sourcesOf } from './settings.ts';
import { accessFacts, choicesWords, confirmWords, limitsOf, noted, notesOf, requestOf } from './words.ts';

/** The whole page. Its first line says that it is generated. */
export function referencePage(manual: Manual): string {
  const parts = [
    `<!-- ${manual.origin} -->`,
    '# Reference of `svc`',
    'Every command, with its flags, the request that it makes and the fields of the answer. The flags that belong to `svc` itself stand [at the end](#flags-of-svc-itself).',
    ...contents(manual),
    ...manual.areas.flatMap(areaPart),
    ...builtinPart(manual),
    ...flagPart(manual),
    '## Settings',
    ...table(
      ['Setting', 'Description', 'From, the first that gives it'],
      settings.map((setting) => [setting.name, setting.does, sourcesOf(setting).join('; ')].map(cell)),
    ),
    '## Exit codes',
    ...exitTable(manual),
  ];
  return settled(`${parts.join('\n\n')}\n`);
}

function contents({ areas }: Manual): string[] {
  return areaTable(areas, (name) => `#svc-${name}`);
}

function areaPart(area: AreaGroup): string[] {
  const aliases = (area.aliases ?? []).map((alias) => `\`svc ${alias}\``);
  return [
    `## svc ${area.name}`,
    `${prose(area.summary)}.${aliases.length > 0 ? ` Aliases: ${aliases.join(', ')}.` : ''}`,
    ...(area.doc ? [prose(area.doc)] : []),
    ...area.commands.flatMap(commandPart),
  ];
}

function commandPart(command: Command): string[] {
  const { endpoints } = command;
  const isBuiltin = endpoints.length === 0;
  const own = isBuiltin ? command.flags.map(programFlag) : apiFlags(command);
  const shared = isBuiltin ? [] : command.flags.map(({ name }) => `\`--${name}\``);
  const args = (isBuiltin ? [] : command.arguments).map((argument) => {
    const { field, of } = argument;
    const notes = notesOf(field, of).filter((note) => !/^(required$|one of)/.test(note));
    return [`\`${argumentWord(argument)}\``, cell(noted(of.doc, [...choicesWords(of), ...notes]))];
  });
  const examples = command.examples.flatMap(({ does, run }) => [
    `# ${does}`,
    ...shellLines(`svc ${run}`, 100, 0),
  ]);
  return [
    `### svc ${pathOf(command)}`,
    `${prose(command.summary)}.`,
    ...command.deprecated.map((text) => prose(deprecation(text)).replace('Deprecated:', '**Deprecated:**')),
    ...[...command.docs, ...confirmWords(endpoints)].map(prose),
    fenced(usageLines(command)),
    ...(args.length > 0 ? table(['Argument', 'Description'], args) : []),
    ...(own.length > 0 ? table(['Flag', 'Description'], own.map(flagRow)) : []),
    ...(shared.length > 0 ? [`Also ${shared.join(', ')}.`] : []),
    ...(isBuiltin ? [] : [endpoints.map((one) => `- ${requestLine(one, endpoints)}`).join('\n')]),
    ...answerPart(endpoints),
    ...(examples.length > 0 ? [fenced(examples)] : []),
  ];
}

function requestLine(endpoint: Endpoint, all: readonly Endpoint[]): string {
  return `\`${requestOf(endpoint)}\`${scopeNote(endpoint, all)}: ${accessFacts(endpoint.access)}`;
}

function flagRow(flag: Flag): string[] {
  const keys = flag.keys.map((key) => `<br>· ${cell(key)}`).join('');
  return [`\`${shown(flag).replaceAll('|', '\\|')}\``, cell(noted(flag.doc, flag.notes)) + keys];
}

const answers: Record<Returns['kind'], string> = {
  list: 'A list; each of it has',
  object: 'An object with',
  headers: 'Facts from the headers of the answer',
  raw: 'Bytes',
  nothing: 'Nothing',
};

function answerPart(endpoints: readonly Endpoint[]): string[] {
  const seen = new Set<string>();
  return endpoints.flatMap(({ returns, columns }) => {
    if (returns.kind === 'nothing') return [];
    if (returns.kind === 'raw') return once(seen, [`Returns: bytes of type \`${returns.type}\`.`]);
    const shownFirst =
      columns.length > 0 ? ` A table shows ${columns.map((path) => `\`${path}\``).join(', ')}.` : '';
    const fields = Object.keys(returns.fields).length > 0 ? [details(returns.fields)] : [];
    return once(seen, [
      `Returns: ${answers[returns.kind].toLowerCase()} these fields.${shownFirst}`,
      ...fields,
    ]);
  });
}

/** Variants with the same answer tell it once. */
function once(seen: Set<string>, part: string[]): string[] {
  const key = part.join('\n');
  if (seen.has(key)) return [];
  seen.add(key);
  return part;
}

function details(fields: Fields): string {
  const rows = flat('', fields).map(([path, field]) => [
    `\`${path}\``,
    kindWords(field),
    cell(noted(field.doc, [...choicesWords(field.of ?? field), ...limitsOf(field)])),
  ]);
  return [
    '<details><summary>Fields</summary>',
    ...table(['Field', 'Type', 'Description'], rows),
    '</details>',
  ].join('\n\n');
}

/** Fields with those inside them, under dotted paths as `--fields` takes them. */
export function flat(prefix: string, fields: Fields): [path: string, field: Field][] {
  return Object.entries(fields).flatMap(([name, field]) => [
    [`${prefix}${name}`, field] as [string, Field],
    ...(field.kind === 'object' && field.keys ? flat(`${prefix}${name}.`, field.keys) : []),
    ...(field.kind === 'rows' && field.keys ? flat(`${prefix}${name}[].`, field.keys) : []),
  ]);
}

function kindWords(field: Field): string {
  const kind =
    field.kind === 'list'
      ? `list of ${field.of?.kind}`
      : field.kind === 'rows'
        ? 'list of objects'
        : field.kind;
  return field.nullable ? `${kind} or null` : kind;
}

function builtinPart({ builtins }: Manual): string[] {
  return [
    '## Commands of svc itself',
    ...builtins.flatMap((builtin) => [
      ...(builtin.doc ? [`### svc ${builtin.name}`, prose(builtin.doc)] : []),
      ...builtin.commands.flatMap(commandPart),
    ]),
  ];
}

function flagPart({ programFlags }: Manual): string[] {
  const visible = programFlags.map(programFlag);
  return [
    '## Flags of svc itself',
    'A command has those that make sense for it.',
    ...table(['Flag', 'Description'], visible.map(flagRow)),
  ];
}

function fenced(lines: readonly string[]): string {
  return ['```sh', ...lines, '```'].join('\n');
}
