/** docs/reference.md: every command with its flags, its request and the fields of its answer. */
import type { Answer, Endpoint } from '../spec/endpoint.ts';
import type { Field, Fields } from '../spec/field.ts';
import { allFlags, type Flag, globalFlag, shown } from './flags.ts';
import { settled, shellLines } from './layout.ts';
import type { Manual } from './man/man.ts';
import { cell, prose, table } from './markdown.ts';
import {
  builtinTitle,
  builtinUsage,
  type Command,
  commandsOf,
  type Loaded,
  mergedArguments,
  originWords,
  placeNote,
  summaryOf,
  usageLines,
} from './model.ts';
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
    ...manual.areas.flatMap((loaded) => areaPart(loaded, manual)),
    ...builtinPart(manual),
    ...flagPart(manual),
    '## Settings',
    ...table(
      ['Setting', 'What it is', 'From, the first that gives it'],
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

function areaPart({ entry, area }: Loaded, manual: Manual): string[] {
  const aliases = (entry.aliases ?? []).map((alias) => `\`svc ${alias}\``);
  return [
    `## svc ${entry.name}`,
    `${prose(entry.summary)}.${aliases.length > 0 ? ` Also: ${aliases.join(', ')}.` : ''}`,
    ...(area.doc ? [prose(area.doc)] : []),
    ...commandsOf(area).flatMap((command) => commandPart(entry.name, command, manual)),
  ];
}

function commandPart(area: string, command: Command, manual: Manual): string[] {
  const { endpoints } = command;
  const program = new Set(manual.globals.map(({ name }) => `--${name}`));
  const leaf = { area, ...command };
  const flags = allFlags(leaf, manual);
  const own = flags.filter(({ name, field }) => field || !program.has(name));
  const rest = flags.filter((flag) => !own.includes(flag)).map(({ name }) => `\`${name}\``);
  const old = new Set(endpoints.flatMap(({ deprecated }) => (deprecated ? [deprecated] : [])));
  const docs = new Set(endpoints.flatMap(({ doc }) => (doc ? [doc] : [])));
  const args = mergedArguments(endpoints).map(({ name, field, required, of }) => [
    `\`${required ? `<${name}>` : `[${name}]`}\``,
    cell(
      noted(of.doc, [
        ...choicesWords(of),
        ...notesOf(field, of).filter((note) => !/^(required$|one of)/.test(note)),
      ]),
    ),
  ]);
  return [
    `### svc ${area} ${command.name}`,
    `${prose(summaryOf(command))}.`,
    ...[...old].map((text) => `**Deprecated:** ${prose(text)}.`),
    ...[...docs, ...originWords(endpoints), ...confirmWords(endpoints)].map(prose),
    fenced(usageLines(area, endpoints).map((line) => `svc ${line}`)),
    ...(args.length > 0 ? table(['Argument', 'What it is'], args) : []),
    ...(own.length > 0 ? table(['Flag', 'What it is'], own.map(flagRow)) : []),
    ...(rest.length > 0 ? [`Also ${rest.join(', ')}.`] : []),
    endpoints.map((endpoint) => `- ${requestLine(endpoint, endpoints)}`).join('\n'),
    ...answerPart(endpoints),
    fenced(
      endpoints
        .flatMap(({ examples }) => examples)
        .flatMap(({ does, run }) => [`# ${does}`, ...shellLines(`svc ${run}`, 100, 0)]),
    ),
  ];
}

function requestLine(endpoint: Endpoint, all: readonly Endpoint[]): string {
  return `\`${requestOf(endpoint)}\`${placeNote(endpoint, all)}: ${accessFacts(endpoint.access)}`;
}

function flagRow(flag: Flag): string[] {
  const keys = flag.keys.map((key) => `<br>· ${cell(key)}`).join('');
  return [`\`${shown(flag).replaceAll('|', '\\|')}\``, cell(noted(flag.doc, flag.notes)) + keys];
}

const answers: Record<Answer['kind'], string> = {
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
    if (returns.kind === 'raw') return once(seen, [`Answer: bytes of type \`${returns.type}\`.`]);
    const shownFirst =
      columns.length > 0 ? ` A table shows ${columns.map((path) => `\`${path}\``).join(', ')}.` : '';
    const fields = Object.keys(returns.fields).length > 0 ? [details(returns.fields)] : [];
    return once(seen, [
      `Answer: ${answers[returns.kind].toLowerCase()} these fields.${shownFirst}`,
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
    ...table(['Field', 'Type', 'What it is'], rows),
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
      ...builtin.commands.flatMap((command) => [
        `### ${builtinTitle(builtin, command)}`,
        `${prose(command.summary)}.`,
        ...(command.doc ? [prose(command.doc)] : []),
        fenced([builtinUsage(builtin, command)]),
        ...(command.flags.length > 0
          ? table(['Flag', 'What it is'], command.flags.map(globalFlag).map(flagRow))
          : []),
        ...(command.examples.length > 0
          ? [fenced(command.examples.flatMap(({ does, run }) => [`# ${does}`, `svc ${run}`]))]
          : []),
      ]),
    ]),
  ];
}

function flagPart({ globals }: Manual): string[] {
  const visible = globals.map(globalFlag);
  return [
    '## Flags of svc itself',
    'A command has those that make sense for it.',
    ...table(['Flag', 'What it is'], visible.map(flagRow)),
  ];
}

function fenced(lines: readonly string[]): string {
  return ['```sh', ...lines, '```'].join('\n');
}
