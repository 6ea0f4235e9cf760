import { type Command, isSingle, pathOf } from '../../spec/command.ts';
import type { Field } from '../../spec/field.ts';
import { type Flag, flagsOf } from '../flags.ts';
import type { Catalogue } from '../model.ts';
import { flat } from '../reference.ts';
import { hintOf } from '../words.ts';

/**
 * What may stand for a value, in a few characters that the scripts read:
 * `-` anything; `=a b` one of these; `,a b` a list of these, with commas; `f` a file; `d` a folder; `@` anything, or `@` and a file;
 * `?kind` what `svc __complete <kind>` prints; `+a b` one of these keys and its value; `*a b` the same, several with commas. The value of
 * the key `a` of the flag `--not` is found under `--not:a`.
 */
export type Code = string;

export interface Word {
  readonly word: string;
  readonly doc: string;
  /** The `--no-` form of a switch: offered once `--n` is typed. */
  readonly negated?: true;
}

export interface Path {
  /** `jobs list`; one word for a builtin that stands alone. */
  readonly path: string;
  readonly flags: readonly Word[];
  /** Whether the common flags are to be had too. */
  readonly common: boolean;
  readonly args: readonly Code[];
}

export interface Table {
  readonly aliases: readonly (readonly [alias: string, name: string])[];
  /** The words that may follow: first with no name what begins a line, then by area or builtin. */
  readonly groups: readonly { readonly name: string; readonly words: readonly Word[] }[];
  /** Flags that every command of an area has. */
  readonly common: readonly Word[];
  readonly paths: readonly Path[];
  /** Code of a flag's value wherever it is not said otherwise; a switch has none. */
  readonly values: readonly (readonly [flag: string, code: Code])[];
  /** Flags whose value is another one in this command; an empty code for a switch. */
  readonly special: readonly (readonly [path: string, flag: string, code: Code])[];
}

/** A command with what its words may be. */
interface Described {
  readonly path: string;
  readonly flags: readonly Flag[];
  /** Whether it calls the API, and so accepts the common flags. */
  readonly api: boolean;
  readonly args: readonly Code[];
  readonly fields: readonly string[];
}

/** Gather the table from the commands of the catalogue. */
export function completionTable({ areas, builtins }: Catalogue): Table {
  const groups = [...areas, ...builtins];
  const all = groups.flatMap(({ commands }) => commands.map(described));
  const api = all.filter((one) => one.api);
  const common = (api[0]?.flags ?? []).filter((flag) => api.every((one) => one.flags.some(same(flag))));
  const isCommon = (flag: Flag) => common.some(same(flag));
  return {
    aliases: areas.flatMap(({ name, aliases = [] }) => aliases.map((alias) => [alias, name] as const)),
    groups: [
      { name: '', words: groups.map(({ name, summary }) => ({ word: name, doc: summary })) },
      ...groups
        .filter((group) => !isSingle(group))
        .map(({ name, commands }) => ({
          name,
          words: commands.map((one) => ({ word: one.name, doc: one.summary })),
        })),
    ],
    common: common.flatMap(wordsOf),
    paths: all.map((one) => ({
      path: one.path,
      flags: one.flags.filter((flag) => !(one.api && isCommon(flag))).flatMap(wordsOf),
      common: one.api,
      args: one.args,
    })),
    ...valueTable(all),
  };
}

const same = (flag: Flag) => (other: Flag) => other.name === flag.name && other.doc === flag.doc;

function described(command: Command): Described {
  const api = command.endpoints.length > 0;
  const args = command.arguments.map(({ name, of }) => (api ? codeOf(of) : argumentCode(command.area, name)));
  const fields = command.endpoints.flatMap(({ returns, columns }) => [
    ...('fields' in returns ? flat('', returns.fields).map(([path]) => path) : []),
    ...columns,
  ]);
  return {
    path: pathOf(command),
    flags: flagsOf(command),
    api,
    args,
    fields: [...new Set(fields)].filter((path) => !path.includes('[')),
  };
}

/** `<bash|zsh>` lists its choices; `<file>` says what it is; what `svc profiles` names is a profile. */
function argumentCode(builtin: string, word: string): Code {
  if (word.includes('|')) return `=${word.split('|').join(' ')}`;
  if (word === 'profile' || (builtin === 'profiles' && word === 'name')) return '?profile';
  return word === 'file' ? 'f' : '-';
}

function wordsOf(flag: Flag): Word[] {
  const word = { word: flag.name, doc: flag.doc };
  if (flag.whole) return [word, { word: flag.whole, doc: `${flag.doc}: the whole list as JSON` }];
  if (!flag.negatable) return [word];
  return [word, { word: `--no-${flag.name.slice(2)}`, doc: `Not: ${flag.doc}`, negated: true }];
}

function codeOf(field: Field): Code {
  const inner = field.of ?? field;
  if (inner.choices) return `${field.kind === 'list' ? ',' : '='}${inner.choices.join(' ')}`;
  if (field.kind === 'hash') return field.keys ? `+${Object.keys(field.keys).join(' ')}` : '-';
  if (field.kind === 'rows') return `*${Object.keys(field.keys ?? {}).join(' ')}`;
  if (inner.kind === 'bool') return '=true false';
  const hint = hintOf(field);
  if (hint === 'file') return field.kind === 'file' ? 'f' : '@';
  return hint === undefined ? '-' : hint === 'folder' ? 'd' : `?${hint}`;
}

function flagCode(flag: Flag, of: Described): Code {
  if (flag.field) return flag.field.kind === 'bool' ? '' : codeOf(flag.field);
  if (flag.value === undefined || flag.value.startsWith('[')) return '';
  if (flag.choices) return `=${flag.choices.join(' ')}`;
  if (flag.name === '--profile') return '?profile';
  if (flag.name === '--fields' && of.fields.length > 0) return `,${of.fields.join(' ')}`;
  if (flag.value.includes('@')) return '@';
  if (flag.hint === undefined) return '-';
  return flag.hint === 'file' ? 'f' : flag.hint === 'folder' ? 'd' : `?${flag.hint}`;
}

/** Each flag's code: the usual one once, the others beside their command. */
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
      if (flag.whole) note(flag.whole, one.path, '@');
      for (const [key, field] of /^[+*]/.test(code) ? Object.entries(flag.field?.keys ?? {}) : []) {
        note(`${flag.name}:${key}`, one.path, codeOf(field));
      }
    }
  }
  const values: [string, Code][] = [];
  const special: [string, string, Code][] = [];
  for (const [name, codes] of found) {
    const usual = most([...codes.values()]);
    if (usual !== '') values.push([name, usual]);
    for (const [path, code] of codes) if (code !== usual) special.push([path, name, code]);
  }
  return { values, special };
}

function most(codes: readonly Code[]): Code {
  const counts = new Map<Code, number>();
  for (const code of codes) counts.set(code, (counts.get(code) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0] ?? '';
}

/** Group rows that have the same right side: `a|b) right`. Keeps the order of the first of each. */
export function grouped<T>(
  rows: readonly T[],
  right: (row: T) => string,
  left: (row: T) => string,
): [string[], string][] {
  const groups = new Map<string, string[]>();
  for (const row of rows) {
    const key = right(row);
    groups.set(key, [...(groups.get(key) ?? []), left(row)]);
  }
  return [...groups].map(([key, names]) => [names, key]);
}

/** The codes of a table as a shell's `case` tells them apart: all that lead to the same code, then that code. */
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
