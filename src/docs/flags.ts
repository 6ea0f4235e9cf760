/** Every flag of a command, as the pages and the completion scripts show it. */
import {
  type Command,
  type FlagGroup,
  flagFields,
  flagName,
  type ProgramFlag,
  scopesOf,
  uploads,
} from '../spec/command.ts';
import type { Field } from '../spec/field.ts';
import { kebab, rowFlag } from '../spec/names.ts';
import { isReadMethod } from '../support/http-method.ts';
import { scopeWords } from './model.ts';
import { fillsItself, type Hint, hintOf, keyLines, notesOf, placeholderOf } from './words.ts';

/** The heading that a flag is listed under. */
export type Heading = 'required' | 'filters' | FlagGroup;

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
  /** Further notes, in order. */
  readonly notes: readonly string[];
  /** One line for each key of a hash or a row. */
  readonly keys: readonly string[];
  readonly heading: Heading;
  readonly required: boolean;
  readonly choices?: readonly string[];
  readonly hint?: Hint;
  /** The parameter of the API, unless the flag belongs to the program. */
  readonly field?: Field;
}

/** How a flag is shown: `-o, --output <format>`. */
export function shown(flag: Pick<Flag, 'name' | 'short' | 'value' | 'negatable'>): string {
  const name = flag.negatable ? `--[no-]${flag.name.slice(2)}` : flag.name;
  const both = flag.short ? `${flag.short}, ${name}` : name;
  return flag.value ? `${both} ${flag.value}` : both;
}

/** Every flag of a command: scope and parameters of the API first, then the flags of the program. */
export function flagsOf(command: Command): Flag[] {
  return [...apiFlags(command), ...command.flags.map(programFlag)];
}

/** The flags that come from the endpoints of a command. */
export function apiFlags(command: Command): Flag[] {
  return [...scopeFlags(command), ...parameterFlags(command)];
}

/** `--project` and `--group`, if the command has them. */
function scopeFlags({ endpoints }: Command): Flag[] {
  const scopes = scopesOf(endpoints);
  const optional = endpoints.some(({ scope }) => !scope);
  return scopes.map(({ name, id }) => ({
    name: `--${name}`,
    short: `-${name[0]}`,
    value: placeholderOf(id),
    doc: id.doc,
    notes: optional ? [] : [`or SVC_${name.toUpperCase()}, or the profile's ${name}`],
    keys: [],
    heading: 'required',
    required: !optional && scopes.length === 1,
    ...hintPart(id),
  }));
}

/** A flag of the program as the pages show it. */
export function programFlag(flag: ProgramFlag): Flag {
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
    heading: flag.group,
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

function parameterFlags(command: Command): Flag[] {
  const { endpoints, fields } = command;
  const reads = endpoints.every(({ method }) => isReadMethod(method));
  const own = Object.entries(fields).map(([name, field]): Flag => {
    const having = endpoints.filter((endpoint) => name in flagFields(endpoint));
    const only =
      having.length === endpoints.length
        ? []
        : [`only with ${[...new Set(having.map(({ scope }) => scopeWords(scope)))].join(' or ')}`];
    const pages =
      ['page', 'per_page'].includes(name) ||
      (['pagination', 'order_by', 'sort'].includes(name) && having.some(({ keyset }) => keyset));
    const required = field.required === true && !fillsItself(field);
    return {
      name: flagName(name, field),
      ...(field.kind === 'rows' && rowFlag(name) !== kebab(name) ? { whole: `--${kebab(name)}` } : {}),
      ...(field.kind === 'bool' ? { negatable: true as const } : { value: placeholderOf(field) }),
      doc: field.doc,
      notes: [...notesOf(name, field), ...only],
      keys: keyLines(field),
      heading: pages ? 'pagination' : required ? 'required' : reads ? 'filters' : 'body',
      required,
      field,
      ...choicesOf(field),
      ...hintPart(field),
    };
  });
  return uploads(command) ? [...own, filename] : own;
}

const filename: Flag = {
  name: '--filename',
  value: '<name>',
  doc: 'Name of a file that is read from standard input',
  notes: [],
  keys: [],
  heading: 'body',
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
