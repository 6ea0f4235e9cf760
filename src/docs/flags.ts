/** Every flag of a command, as pages and completion tell it. */

import { flagFields } from '../spec/arguments.ts';
import type { Endpoint } from '../spec/endpoint.ts';
import type { Field } from '../spec/field.ts';
import { kebab, rowFlag } from '../spec/request.ts';
import {
  type BuiltinFlag,
  flagNameOf,
  type GlobalFlag,
  type Leaf,
  mergedArguments,
  type Program,
  placeWords,
} from './model.ts';
import { fillsItself, type Hint, hintOf, keyLines, notesOf, placeholderOf } from './words.ts';

export type Group = 'needs' | 'sends' | 'lists' | 'output' | 'connection' | 'other';

export interface Flag {
  /** `--scope` */
  readonly name: string;
  /** `-o` */
  readonly short?: string;
  /** `<status>...`; a switch has none. */
  readonly value?: string;
  /** The flag that takes all rows at once: `--files`. */
  readonly whole?: string;
  /** Has a `--no-` form. */
  readonly negatable?: true;
  readonly doc: string;
  /** What further is to be said, in order. */
  readonly notes: readonly string[];
  /** One line for each key of a hash or a row. */
  readonly keys: readonly string[];
  readonly group: Group;
  readonly required: boolean;
  readonly choices?: readonly string[];
  readonly hint?: Hint;
  readonly field?: Field;
}

/** How a flag is shown: `-o, --output <format>`. */
export function shown(flag: Pick<Flag, 'name' | 'short' | 'value' | 'negatable'>): string {
  const name = flag.negatable ? `--[no-]${flag.name.slice(2)}` : flag.name;
  const both = flag.short ? `${flag.short}, ${name}` : name;
  return flag.value ? `${both} ${flag.value}` : both;
}

/** Every flag of a command: what it needs first, then its own, then the program's. A flag of the call hides one of the program. */
export function allFlags(leaf: Leaf, program: Program): Flag[] {
  const own = [...placeFlags(leaf.endpoints), ...ownFlags(leaf.endpoints)];
  const names = new Set(own.map((flag) => flag.name));
  const rest = program
    .flagsOf(leaf)
    .map(globalFlag)
    .filter((flag) => !names.has(flag.name));
  return [...own, ...rest];
}

/** `--project` and `--group`, where a command has them. */
function placeFlags(endpoints: readonly Endpoint[]): Flag[] {
  const scopes = new Map(endpoints.flatMap(({ scope }) => (scope ? [[scope.name, scope] as const] : [])));
  const optional = endpoints.some((endpoint) => !endpoint.scope);
  return [...scopes.values()].map(({ name, id }) => ({
    name: `--${name}`,
    short: `-${name[0]}`,
    value: placeholderOf(id),
    doc: id.doc,
    notes: optional ? [] : [`or SVC_${name.toUpperCase()}, or the profile's ${name}`],
    keys: [],
    group: 'needs',
    required: !optional && scopes.size === 1,
    ...hintPart(id),
  }));
}

/** A flag of the program as pages show it. */
export function globalFlag(flag: BuiltinFlag & { readonly group?: GlobalFlag['group'] }): Flag {
  const { value, choices } = flag;
  const hint = flag.name === 'project' || flag.name === 'group' ? flag.name : hintOfValue(value);
  const bar = choices?.join('|') ?? '';
  const inline = choices !== undefined && bar.length <= 24;
  return {
    name: `--${flag.name}`,
    ...(flag.short ? { short: `-${flag.short}` } : {}),
    ...(value === undefined
      ? {}
      : { value: inline ? `<${bar}>` : value.startsWith('[') ? value : `<${value}>` }),
    doc: flag.doc,
    notes: choices && !inline ? [`one of: ${choices.join(', ')}`] : [],
    keys: [],
    // The body as JSON stands in for the flags that make it up: it comes behind them.
    group: flag.group === 'needs' ? 'sends' : (flag.group ?? 'other'),
    required: false,
    ...(choices ? { choices } : {}),
    ...(hint ? { hint } : {}),
  };
}

function hintOfValue(value = ''): Hint | undefined {
  if (/\bdir\b|folder/.test(value)) return 'folder';
  if (/file|path|@/.test(value)) return 'file';
  return undefined;
}

function ownFlags(endpoints: readonly Endpoint[]): Flag[] {
  const fields = new Map<string, Field>();
  for (const endpoint of endpoints) {
    for (const [name, field] of Object.entries(flagFields(endpoint)))
      if (!fields.has(name)) fields.set(name, field);
  }
  const file = [...fields.values(), ...mergedArguments(endpoints).map(({ of }) => of)].some(
    (f) => f.kind === 'file',
  );
  const own = [...fields].map(([name, field]): Flag => {
    const having = endpoints.filter((endpoint) => name in flagFields(endpoint));
    const only =
      having.length === endpoints.length
        ? []
        : [`with ${[...new Set(having.map((e) => placeWords(e.scope)))].join(' or ')} only`];
    const lists =
      ['page', 'per_page'].includes(name) ||
      (['pagination', 'order_by', 'sort'].includes(name) && having.some(({ keyset }) => keyset));
    const required = field.required === true && !fillsItself(field);
    return {
      name: flagNameOf(name, field),
      ...(field.kind === 'rows' && rowFlag(name) !== kebab(name) ? { whole: `--${kebab(name)}` } : {}),
      ...(field.kind === 'bool' ? { negatable: true as const } : { value: placeholderOf(field) }),
      doc: field.doc,
      notes: [...notesOf(name, field), ...only],
      keys: keyLines(field),
      group: lists ? 'lists' : required ? 'needs' : 'sends',
      required,
      field,
      ...choicesOf(field),
      ...hintPart(field),
    };
  });
  return file ? [...own, filename] : own;
}

const filename: Flag = {
  name: '--filename',
  value: '<name>',
  doc: 'What the file is called before the service, where it comes from standard input',
  notes: [],
  keys: [],
  group: 'sends',
  required: false,
};

function choicesOf(field: Field): { choices?: readonly string[] } {
  const choices = field.choices ?? field.of?.choices;
  return choices ? { choices: choices.map(String) } : {};
}

function hintPart(field: Field): { hint?: Hint } {
  const hint = hintOf(field);
  return hint ? { hint } : {};
}
