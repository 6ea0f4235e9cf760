/** What a page, a manual or a completion says of one command, read from its endpoints and the flags of the program. */

import type { Entry } from '../api/index.ts';
import type { Kind } from '../errors.ts';
import { type Argument, argumentsOf, commandName, flagFields } from '../spec/arguments.ts';
import type { Area, Endpoint, Example, Scope } from '../spec/endpoint.ts';
import type { Field } from '../spec/field.ts';
import { kebab, rowFlag } from '../spec/request.ts';
import { tie } from './layout.ts';
import { fillsItself, lowerFirst, placeholderOf } from './words.ts';

/** A flag that belongs to the program and not to a call. */
export interface GlobalFlag {
  /** Without dashes: `output`, `no-header`. */
  readonly name: string;
  /** One letter. */
  readonly short?: string;
  /** The word for its value, in brackets where it may be left out: `[seconds]`. A switch has none. */
  readonly value?: string;
  readonly doc: string;
  readonly group: 'needs' | 'lists' | 'output' | 'connection' | 'other';
  readonly choices?: readonly string[];
}

export type BuiltinFlag = Omit<GlobalFlag, 'group'>;

/** A command of the program that is no call of the API. */
export interface BuiltinCommand {
  /** That of the builtin itself where it is the command: `svc doctor`. */
  readonly name: string;
  /** As in a usage line: `<shell>`. */
  readonly args: string;
  readonly summary: string;
  readonly doc?: string;
  readonly flags: readonly BuiltinFlag[];
  readonly examples: readonly Example[];
}

export interface Builtin {
  readonly name: string;
  readonly summary: string;
  readonly doc?: string;
  readonly commands: readonly BuiltinCommand[];
}

/** Whether a builtin is a command and not a group of them: `svc doctor`. */
export function standsAlone({ name, commands }: Builtin): boolean {
  return commands.length === 1 && commands[0]?.name === name;
}

/** `svc profiles use <name> [flags]`; what stands behind `--` is another command's, and comes last. */
export function builtinUsage(builtin: Builtin, command: BuiltinCommand): string {
  const name = standsAlone(builtin) ? [] : [command.name];
  const args = command.args.startsWith('-- ') ? ['[flags]', command.args] : [command.args, '[flags]'];
  return ['svc', builtin.name, ...name, ...args].filter(Boolean).join(' ');
}

/** `svc profiles use` */
export function builtinTitle(builtin: Builtin, command: BuiltinCommand): string {
  return standsAlone(builtin) ? `svc ${builtin.name}` : `svc ${builtin.name} ${command.name}`;
}

/** One command of an area, with all of its calls. */
export interface Leaf {
  readonly area: string;
  readonly name: string;
  readonly endpoints: readonly Endpoint[];
}

/** What the program has beside the catalogue. */
export interface Program {
  /** The flags of the program that a command has. */
  readonly flagsOf: (leaf: Leaf) => readonly GlobalFlag[];
  /** The exit code of each kind of failure. */
  readonly exitCodes: Readonly<Record<Kind, number>>;
  /** What each code means. */
  readonly exitMeanings: readonly (readonly [code: number, meaning: string])[];
}

/** An area that was loaded. */
export interface Loaded {
  readonly entry: Entry;
  readonly area: Area;
}

/** All that there is to write about. */
export interface Catalogue extends Program {
  readonly areas: readonly Loaded[];
  readonly builtins: readonly Builtin[];
  /** Every flag of the program, whichever commands have it. */
  readonly globals: readonly GlobalFlag[];
}

export type Command = Omit<Leaf, 'area'>;

/** The commands of an area, each with all of its endpoints, in the catalogue's order. */
export function commandsOf(area: Area): Command[] {
  const found = new Map<string, Endpoint[]>();
  for (const endpoint of area.endpoints) {
    const name = commandName(endpoint);
    const variants = found.get(name);
    if (variants) variants.push(endpoint);
    else found.set(name, [endpoint]);
  }
  return [...found].map(([name, endpoints]) => ({ name, endpoints }));
}

/** One summary for all variants: theirs, or all of theirs where they differ. */
export function summaryOf({ endpoints }: Pick<Command, 'endpoints'>): string {
  const [first = '', ...others] = new Set(endpoints.map((endpoint) => endpoint.summary));
  return [first, ...others.map((other) => `or ${lowerFirst(other)}`)].join('; ');
}

/** Arguments of all variants, in order, each once; optional where a variant goes without. */
export function mergedArguments(endpoints: readonly Endpoint[]): (Argument & { readonly of: Field })[] {
  const merged = new Map<string, Argument & { readonly of: Field }>();
  for (const endpoint of endpoints) {
    for (const argument of argumentsOf(endpoint)) {
      const of = endpoint.slots[argument.field] ?? endpoint.takes[argument.field];
      if (of && !merged.has(argument.name)) merged.set(argument.name, { ...argument, of });
    }
  }
  return [...merged.values()].map((argument) => ({
    ...argument,
    required:
      argument.required &&
      endpoints.every((e) => argumentsOf(e).some((other) => other.name === argument.name && other.required)),
  }));
}

/** The words that say where a variant is: `--group`, or that it is the instance's. */
export function placeWords(scope: Scope | undefined): string {
  return scope ? `--${scope.name}` : 'neither --project nor --group';
}

/** Which requests of a command the specification does not show; empty where it shows them all. */
export function originWords(endpoints: readonly Endpoint[]): string[] {
  const others = endpoints.filter(({ unspecified }) => unspecified);
  if (others.length === 0) return [];
  const where =
    others.length === endpoints.length ? '' : ` ${others.map(({ scope }) => placeWords(scope)).join(' or ')}`;
  return [
    `Not in the specification${where && ` with${where}`}: the request follows what services of this kind are known to do.`,
  ];
}

/** Which of several places a request is for: ` (--group)`; empty where there is but one. */
export function placeNote({ scope }: Endpoint, all: readonly Endpoint[]): string {
  return new Set(all.map((one) => one.scope)).size > 1 ? ` (${placeWords(scope)})` : '';
}

/** Usage lines without `svc`: one for each place or set of arguments. */
export function usageLines(area: string, endpoints: readonly Endpoint[]): string[] {
  const lines = endpoints.map((endpoint) => {
    const [name, ...rest] = endpoint.command.split(' ');
    const words = rest.filter((word) => !word.startsWith('--'));
    const scope = endpoint.scope ? [`--${endpoint.scope.name}${tie}${placeholderOf(endpoint.scope.id)}`] : [];
    const needed = Object.entries(flagFields(endpoint))
      .filter(([, field]) => field.required && !field.orElse && !fillsItself(field))
      .map(([field, value]) => `${flagNameOf(field, value)}${tie}${placeholderOf(value)}`);
    return [area, name, ...words, ...scope, ...needed, '[flags]'].join(' ');
  });
  return [...new Set(lines)];
}

/** The flag of a parameter; for a list of hashes the one that gives a single row: `--file` for `files`. */
export function flagNameOf(name: string, field: Field): string {
  return `--${field.kind === 'rows' ? rowFlag(name) : kebab(name)}`;
}
