/** The input of the documentation, besides the commands (`spec/command.ts`). */
import type { Theme } from '../api/index.ts';
import {
  type Argument,
  argumentsOf,
  type Command,
  type CommandGroup,
  flagFields,
  flagName,
  pathOf,
  scopeText,
} from '../spec/command.ts';
import type { Endpoint } from '../spec/endpoint.ts';
import type { Field } from '../spec/field.ts';
import { type ProgramFlag, valueField } from '../spec/flag.ts';
import type { Resource } from '../spec/resource.ts';
import { isRequired, placeholderOf } from './descriptions.ts';
import { tie } from './layout.ts';

export interface Program {
  readonly settings: readonly {
    readonly name: string;
    readonly description: string;
    /** In order of precedence. */
    readonly sources: readonly string[];
    /** The predefined variables of a pipeline. */
    readonly pipeline?: string | undefined;
  }[];
  /** The kind is that of the failure, as a JSON error names it. */
  readonly exitMeanings: readonly (readonly [code: number, meaning: string, kind?: string])[];
  /** All program flags, even those that only some commands accept. */
  readonly programFlags: readonly ProgramFlag[];
}

export interface AreaGroup extends CommandGroup {
  readonly theme: Theme;
}

export interface Catalogue extends Program {
  readonly areas: readonly AreaGroup[];
  readonly builtins: readonly CommandGroup[];
  readonly resources: readonly Resource[];
}

/** Return the scope of one of several requests, as ` (--group)`; empty if all requests share a scope. */
export function scopeNote({ scope }: Endpoint, all: readonly Endpoint[]): string {
  return new Set(all.map((one) => one.scope)).size > 1 ? ` (${scopeText(scope)})` : '';
}

/** Return the usage lines, one for each scope or set of arguments. */
export function usageLines(command: Command): string[] {
  const { endpoints, arguments: args, flags, tail } = command;
  const flag = (name: string, field: Field) =>
    field.kind === 'bool' ? `--[no-]${name}` : `--${name}${tie}${placeholderOf(field)}`;
  const usages = endpoints.map((endpoint) => {
    const { scope } = endpoint;
    const required = Object.entries(flagFields(endpoint))
      .filter(([, field]) => isRequired(field))
      .map(([name, field]) => flag(flagName(name, field), field));
    const scopes = scope ? [flag(scope.name, scope.id)] : [];
    return [...argumentsOf(endpoint).map(argumentTerm), ...scopes, ...required, '[flags]'];
  });
  if (usages.length === 0) {
    const required = flags.flatMap((one) => {
      const field = one.required === undefined ? undefined : valueField(one);
      return field ? [flag(one.name, field)] : [];
    });
    usages.push([...args.map(argumentTerm), ...required, '[flags]', ...(tail ? [`-- ${tail}`] : [])]);
  }
  return [...new Set(usages.map((parts) => ['svc', pathOf(command), ...parts].join(' ')))];
}

/** Return `<key>`, or `[value]` for an optional argument. */
export function argumentTerm({
  name,
  required,
  variadic,
  repeats,
}: Pick<Argument, 'name' | 'required' | 'variadic' | 'repeats'>): string {
  const term = variadic ? `${name}...` : name;
  return `${required ? `<${term}>` : `[${term}]`}${repeats ? '...' : ''}`;
}
