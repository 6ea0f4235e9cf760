import { hookEventNames } from '../../api/hook-payloads.ts';
import { pathOfColumn } from '../../spec/column.ts';
import {
  type Argument,
  type Command,
  type CommandGroup,
  isSingle,
  ownCommand,
  pathOf,
} from '../../spec/command.ts';
import { choicesOf, type Field, itemOf, keysOf, type NameSource } from '../../spec/field.ts';
import { commandAliases, resolveName } from '../../spec/names.ts';
import { groupBy } from '../../support/record.ts';
import { type Hint, hintOf } from '../descriptions.ts';
import { type Flag, flagsOf } from '../flags.ts';
import type { Catalogue } from '../model.ts';
import { flat } from '../reference.ts';
import { topics } from '../topics/index.ts';
import { apiPaths } from './api-words.ts';
import { sourceOf } from './sources.ts';

/**
 * A value code, which the scripts interpret:
 * - `-` any value
 * - `=a b` one of the listed values; `,a b` a comma-separated list of them
 * - `f` a file; `d` a folder; `@` any value, or `@` and a file
 * - `?branches/list/name` the output of `svc __complete branches/list/name`
 * - `+a b` one of the listed keys and its value; `*a b` several, separated by commas. The code of the value of key `a` of the flag
 *   `--not` is stored as `--not:a`.
 */
export type Code = string;

export interface Word {
  readonly word: string;
  readonly doc: string;
  /** The `--no-` form of a switch, offered after `--n`. */
  readonly negated?: true;
}

export interface Path {
  /** `jobs list`; a single word for commands such as `doctor`. */
  readonly path: string;
  readonly flags: readonly Word[];
  /** Whether the command accepts the common flags. */
  readonly common: boolean;
  readonly args: readonly Code[];
}

export interface Table {
  /** Of areas, and of commands with their area. */
  readonly aliases: readonly (readonly [alias: string, name: string])[];
  /** The words that can follow: first at the start of a line, with an empty name, then by area or built-in command. */
  readonly groups: readonly { readonly name: string; readonly words: readonly Word[] }[];
  /** Flags that all API commands accept. */
  readonly common: readonly Word[];
  readonly paths: readonly Path[];
  /** The usual value code of each flag; switches are absent. */
  readonly values: readonly (readonly [flag: string, code: Code])[];
  /** The value codes that differ from the usual one in a command; empty for a switch. */
  readonly special: readonly (readonly [path: string, flag: string, code: Code])[];
}

/** A command with its flags and value codes. */
interface Described {
  readonly path: string;
  readonly flags: readonly Flag[];
  /** Whether it calls the API, and so accepts the common flags. */
  readonly api: boolean;
  readonly args: readonly Code[];
  readonly fields: readonly string[];
  readonly areas: readonly string[];
}

/** Build the completion table from the commands of the catalogue. */
export function completionTable({ areas, builtins }: Catalogue): Table {
  const groups = [...areas, ...builtins];
  const names: Names = {
    'api-path': apiPaths(areas),
    command: groups.map(({ name }) => name),
    event: hookEventNames.map((name) => name.replaceAll('_', '-')),
    areas: areas.map(({ name }) => name),
  };
  const all = groups
    .filter(({ name }) => name !== 'help')
    .flatMap((group) => group.commands.map((command) => described(command, group, names)));
  const api = all.filter((one) => one.api);
  const common = (api[0]?.flags ?? []).filter((flag) => api.every((one) => one.flags.some(same(flag))));
  const isCommon = (flag: Flag) => common.some(same(flag));
  return {
    aliases: [
      ...areas.flatMap(({ name, aliases = [] }) => aliases.map((alias) => [alias, name] as const)),
      ...groups.flatMap(aliasesIn),
    ],
    groups: [
      { name: '', words: groups.map(({ name, summary }) => ({ word: name, doc: summary })) },
      ...groups
        .filter((group) => !isSingle(group))
        .map((group) => ({ name: group.name, words: secondWords(group) })),
      { name: 'help', words: uniqueWords([...topics, ...groups]) },
    ],
    common: common.flatMap(wordsOf),
    paths: [
      ...all.map((one) => ({
        path: one.path,
        flags: one.flags.filter((flag) => !(one.api && isCommon(flag))).flatMap(wordsOf),
        common: one.api,
        args: one.args,
      })),
      ...groups.filter((group) => !isSingle(group)).map(helpPath),
    ],
    ...valueTable(all),
  };
}

/** The commands of a group, and the values of the first argument of `svc <name>` itself. */
function secondWords(group: CommandGroup): Word[] {
  const own = ownCommand(group);
  const values = own?.arguments[0] ? (choicesOf(own.arguments[0].of) ?? []) : [];
  const others = group.commands.filter((one) => one !== own);
  return [
    ...others.map(({ name, summary }) => ({ word: name, doc: summary })),
    ...values.map((value) => ({ word: String(value), doc: own?.summary ?? '' })),
  ];
}

/** `svc help jobs` continues with a command of the area. */
function helpPath({ name, commands }: CommandGroup): Path {
  const names = commands.map((one) => one.name);
  return { path: `help ${name}`, flags: [everything], common: false, args: [`=${names.join(' ')}`] };
}

const everything: Word = { word: '--all', doc: 'Show all flags, the API request and the exit codes' };

/** `jobs ls` for `jobs list`, because the flags of a command follow its alias too. */
function aliasesIn({ name, commands }: CommandGroup): [alias: string, command: string][] {
  const names = commands.map((one) => one.name);
  return commandAliases.flatMap((alias) => {
    const command = resolveName(alias, names);
    return command === undefined || command === alias ? [] : [[`${name} ${alias}`, `${name} ${command}`]];
  });
}

function uniqueWords(members: readonly { readonly name: string; readonly summary: string }[]): Word[] {
  const words = members.map(({ name, summary }) => [name, { word: name, doc: summary }] as const);
  return [...new Map([...words].reverse()).values()].reverse();
}

const same = (flag: Flag) => (other: Flag) => other.name === flag.name && other.doc === flag.doc;

/** Names that the program knows. `areas` are those of the API, for `svc mcp --areas`. */
type Names = Readonly<Record<NameSource | 'areas', readonly string[]>>;

function described(command: Command, group: CommandGroup, names: Names): Described {
  const api = command.endpoints.length > 0;
  const siblings = group.commands.flatMap(({ endpoints }) => endpoints);
  const argumentCode = (argument: Argument): Code => {
    const { suggest } = argument.of;
    if (suggest !== undefined && suggest in names)
      return `=${[...(choicesOf(argument.of) ?? []), ...names[suggest as NameSource]].join(' ')}`;
    const source = suggest ? undefined : sourceOf(argument, command, siblings);
    return source ? `?${source}` : codeOf(argument.of);
  };
  const fields = command.endpoints.flatMap(({ returns, columns }) => [
    ...('fields' in returns ? flat('', returns.fields).map(([path]) => path) : []),
    ...columns.map(pathOfColumn),
  ]);
  return {
    path: pathOf(command),
    flags: flagsOf(command),
    api,
    args: command.arguments.map(argumentCode),
    areas: names.areas,
    fields: [...new Set(fields)].filter((path) => !path.includes('[')),
  };
}

function wordsOf(flag: Flag): Word[] {
  const word = { word: flag.name, doc: flag.doc };
  if (flag.listFlag) return [word, { word: flag.listFlag, doc: `${flag.doc}: the list as JSON` }];
  if (!flag.negatable) return [word];
  return [word, { word: `--no-${flag.name.slice(2)}`, doc: `Not: ${flag.doc}`, negated: true }];
}

function codeOf(field: Field): Code {
  const choices = choicesOf(field);
  if (choices) return `${field.kind === 'list' ? ',' : '='}${choices.join(' ')}`;
  if (field.kind === 'hash') return field.keys ? `+${Object.keys(field.keys).join(' ')}` : '-';
  if (field.kind === 'rows') return `*${Object.keys(field.keys).join(' ')}`;
  if (itemOf(field).kind === 'bool') return '=true false';
  const hint = hintOf(field);
  if (hint === 'file') return field.kind === 'file' ? 'f' : '@';
  return hint === undefined ? '-' : hintCode(hint);
}

/** The paths of a repository often exist in the current folder too; the API cannot list them. */
function hintCode(hint: Hint): Code {
  if (hint === 'file' || hint === 'path') return 'f';
  return hint === 'folder' ? 'd' : `?${hint}`;
}

function flagCode(flag: Flag, of: Described): Code {
  if (flag.field) return flag.field.kind === 'bool' ? '' : codeOf(flag.field);
  if (flag.name === '--help') return `=${everything.word}`;
  if (flag.value === undefined || flag.value.startsWith('[')) return '';
  if (flag.choices) return `=${flag.choices.join(' ')}`;
  if (flag.name === '--profile') return '?profile';
  if (['--fields', '--sort-by'].includes(flag.name) && of.fields.length > 0) return `,${of.fields.join(' ')}`;
  if (flag.name === '--areas') return `,${of.areas.join(' ')}`;
  if (flag.value.includes('@')) return '@';
  return flag.hint === undefined ? '-' : hintCode(flag.hint);
}

/** Collect the usual value code of each flag, and the codes of the commands that differ. */
function valueTable(all: readonly Described[]): Pick<Table, 'values' | 'special'> {
  const found = new Map<string, Map<string, Code>>();
  const note = (name: string, path: string, code: Code) => {
    const codes = found.get(name) ?? new Map<string, Code>();
    found.set(name, codes.set(path, code));
  };
  for (const one of all) {
    for (const flag of one.flags) {
      const code = flagCode(flag, one);
      note(flag.name, one.path, code);
      if (flag.short) note(flag.short, one.path, code);
      if (flag.listFlag) note(flag.listFlag, one.path, '@');
      for (const [key, field] of /^[+*]/.test(code) ? Object.entries(keysOf(flag.field) ?? {}) : []) {
        note(`${flag.name}:${key}`, one.path, codeOf(field));
      }
    }
  }
  const values: [string, Code][] = [];
  const special: [string, string, Code][] = [];
  for (const [name, codes] of found) {
    const usual = mostFrequent([...codes.values()]);
    if (usual !== '') values.push([name, usual]);
    for (const [path, code] of codes) if (code !== usual) special.push([path, name, code]);
  }
  return { values, special };
}

function mostFrequent(codes: readonly Code[]): Code {
  const counts = new Map<Code, number>();
  for (const code of codes) counts.set(code, (counts.get(code) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0] ?? '';
}

/** Group rows with the same right side, in order of first appearance: `a|b) right`. */
export function grouped<T>(
  rows: readonly T[],
  right: (row: T) => string,
  left: (row: T) => string,
): [string[], string][] {
  return [...groupBy(rows, right)].map(([key, group]) => [group.map(left), key]);
}

/** Return the codes of a table for `case` statements: all names with the same code, then the code. */
export function casesOf({ special, values, paths }: Table) {
  return {
    /** By command and flag: `jobs list --scope`. */
    special: grouped(
      special,
      ([, , code]) => code,
      ([path, flag]) => `${path} ${flag}`,
    ),
    /** By flag. */
    values: grouped(
      values,
      ([, code]) => code,
      ([flag]) => flag,
    ),
    /** By command and position: `jobs get 0`. */
    args: grouped(
      paths.flatMap(({ path, args }) => args.map((code, at) => ({ at: `${path} ${at}`, code }))),
      ({ code }) => code,
      ({ at }) => at,
    ),
  };
}
