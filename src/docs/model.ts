/** What the documentation describes, apart from the commands themselves (`spec/command.ts`). */
import type { Theme } from '../api/index.ts';
import type { Kind } from '../errors.ts';
import {
  argumentsOf,
  type Command,
  type CommandGroup,
  flagFields,
  flagName,
  type ProgramFlag,
  pathOf,
} from '../spec/command.ts';
import type { Endpoint, Scope } from '../spec/endpoint.ts';
import { tie } from './layout.ts';
import { fillsItself, placeholderOf } from './words.ts';

/** What the program adds to the commands. */
export interface Program {
  /** The exit code of each kind of failure. */
  readonly exitCodes: Readonly<Record<Kind, number>>;
  readonly exitMeanings: readonly (readonly [code: number, meaning: string])[];
}

/** An area of the API with its commands. */
export interface AreaGroup extends CommandGroup {
  readonly theme: Theme;
}

/** Everything that the manual, the reference and completion cover. */
export interface Catalogue extends Program {
  readonly areas: readonly AreaGroup[];
  readonly builtins: readonly CommandGroup[];
  /** Every flag of the program, whichever commands accept it. */
  readonly programFlags: readonly ProgramFlag[];
}

/** The flag that selects a scope, or that there is none. */
export function scopeWords(scope: Scope | undefined): string {
  return scope ? `--${scope.name}` : 'neither --project nor --group';
}

/** The scope that one of several requests is made in: ` (--group)`; empty if all share a scope. */
export function scopeNote({ scope }: Endpoint, all: readonly Endpoint[]): string {
  return new Set(all.map((one) => one.scope)).size > 1 ? ` (${scopeWords(scope)})` : '';
}

/** Usage lines with `svc`: one for each scope or set of arguments. */
export function usageLines(command: Command): string[] {
  const lines = command.endpoints.map((endpoint) => {
    const scope = endpoint.scope ? [`--${endpoint.scope.name}${tie}${placeholderOf(endpoint.scope.id)}`] : [];
    const required = Object.entries(flagFields(endpoint))
      .filter(([, field]) => field.required && !field.orElse && !fillsItself(field))
      .map(([name, field]) => `${flagName(name, field)}${tie}${placeholderOf(field)}`);
    return [...argumentsOf(endpoint).map(argumentWord), ...scope, ...required, '[flags]'];
  });
  const own = command.arguments.map(argumentWord);
  const words =
    lines.length > 0 ? lines : [[...own, '[flags]', ...(command.tail ? [`-- ${command.tail}`] : [])]];
  return [...new Set(words.map((some) => ['svc', pathOf(command), ...some].join(' ')))];
}

/** `<key>`, or `[value]` for an optional argument. */
export function argumentWord({
  name,
  required,
}: {
  readonly name: string;
  readonly required: boolean;
}): string {
  return required ? `<${name}>` : `[${name}]`;
}
