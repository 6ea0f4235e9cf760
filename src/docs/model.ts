/** The input of the documentation, besides the commands (`spec/command.ts`). */
import type { Theme } from '../api/index.ts';
import type { Kind } from '../errors.ts';
import {
  type Argument,
  argumentsOf,
  type Command,
  type CommandGroup,
  flagFields,
  flagName,
  pathOf,
} from '../spec/command.ts';
import type { Endpoint, Scope } from '../spec/endpoint.ts';
import { type ProgramFlag, valueField } from '../spec/flag.ts';
import { kebab } from '../spec/names.ts';
import type { Resource } from '../spec/resource.ts';
import { isAutomatic, placeholderOf } from './descriptions.ts';
import { tie } from './layout.ts';

/** A setting and its sources. */
export interface SettingDoc {
  readonly name: string;
  readonly description: string;
  /** In order of precedence. */
  readonly sources: readonly string[];
  /** The predefined variables of a pipeline. */
  readonly pipeline?: string | undefined;
}

/** What the program decides and the documentation lists: exit codes and settings. */
export interface Program {
  readonly settings: readonly SettingDoc[];
  /** The exit code of each kind of failure. */
  readonly exitCodes: Readonly<Record<Kind, number>>;
  readonly exitMeanings: readonly (readonly [code: number, meaning: string])[];
}

/** An area of the API with its commands. */
export interface AreaGroup extends CommandGroup {
  readonly theme: Theme;
}

/** Everything that the manual, the reference and completion describe. */
export interface Catalogue extends Program {
  readonly areas: readonly AreaGroup[];
  readonly builtins: readonly CommandGroup[];
  /** The kinds of resources of state files. */
  readonly resources: readonly Resource[];
  /** All program flags, even those that only some commands accept. */
  readonly programFlags: readonly ProgramFlag[];
}

/** Return the flag that selects a scope, or text for no scope. */
export function scopeText(scope: Scope | undefined): string {
  return scope ? `--${scope.name}` : 'neither --project nor --group';
}

/** Return the scope of one of several requests, as ` (--group)`; empty if all requests share a scope. */
export function scopeNote({ scope }: Endpoint, all: readonly Endpoint[]): string {
  return new Set(all.map((one) => one.scope)).size > 1 ? ` (${scopeText(scope)})` : '';
}

/** Return the usage lines, one for each scope or set of arguments. */
export function usageLines(command: Command): string[] {
  const lines = command.endpoints.map((endpoint) => {
    const scope = endpoint.scope ? [`--${endpoint.scope.name}${tie}${placeholderOf(endpoint.scope.id)}`] : [];
    const required = Object.entries(flagFields(endpoint))
      .filter(([, field]) => field.required && !field.orElse && !isAutomatic(field))
      .map(([name, field]) =>
        field.kind === 'bool'
          ? `--[no-]${kebab(name)}`
          : `${flagName(name, field)}${tie}${placeholderOf(field)}`,
      );
    return [...argumentsOf(endpoint).map(argumentTerm), ...scope, ...required, '[flags]'];
  });
  const builtinArguments = command.arguments.map(argumentTerm);
  const requiredFlags = command.flags
    .filter(({ required }) => required !== undefined)
    .flatMap((flag) => {
      const field = valueField(flag);
      return field ? [`--${flag.name}${tie}${placeholderOf(field)}`] : [];
    });
  const usages =
    lines.length > 0
      ? lines
      : [[...builtinArguments, ...requiredFlags, '[flags]', ...(command.tail ? [`-- ${command.tail}`] : [])]];
  return [...new Set(usages.map((parts) => ['svc', pathOf(command), ...parts].join(' ')))];
}

/** Return `<key>`, or `[value]` for an optional argument. */
export function argumentTerm({
  name,
  required,
  variadic,
}: Pick<Argument, 'name' | 'required' | 'variadic'>): string {
  const term = variadic ? `${name}...` : name;
  return required ? `<${term}>` : `[${term}]`;
}
