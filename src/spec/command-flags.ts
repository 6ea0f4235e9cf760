/** All flags of a command, for the parser, completion and the documentation. */
import { type Command, flagName, scopesOf } from './command.ts';
import type { Scope } from './endpoint.ts';
import type { Field } from './field.ts';
import { type ProgramFlag, valueField } from './flag.ts';
import { kebab } from './names.ts';

export interface FlagForm {
  /** Without dashes: `scope`, `no-header`. */
  readonly name: string;
  /** One letter. */
  readonly short?: string | undefined;
  /** Whether the next word is its value; absent for a switch. */
  readonly value?: 'required' | 'optional' | undefined;
  /** Another name for the same parameter: `files` for `file`. */
  readonly alias?: string | undefined;
  /** Accepts a `--no-` form. */
  readonly negatable?: boolean | undefined;
}

/** A flag of a command. It sets a scope, a parameter of the API, or an option of the program. */
export interface CommandFlag extends FlagForm {
  readonly doc: string;
  /** Its value; absent for a switch. */
  readonly field?: Field | undefined;
  readonly scope?: Scope['name'];
  /** As the API names it. */
  readonly parameter?: string;
  readonly option?: ProgramFlag;
}

function parameterFlag([parameter, field]: [string, Field]): CommandFlag {
  const name = flagName(parameter, field);
  const negatable = field.kind === 'bool';
  const alias = name === kebab(parameter) ? undefined : kebab(parameter);
  const value = negatable ? undefined : 'required';
  return { name, short: field.short, doc: field.doc, field, parameter, negatable, value, alias };
}

export function optionFlag(option: ProgramFlag): CommandFlag {
  const { name, short, doc, optional } = option;
  const field = valueField(option);
  return { name, short, doc, option, field, value: field && (optional ? 'optional' : 'required') };
}

export function commandFlags(
  command: Pick<Command, 'endpoints' | 'scopes' | 'fields' | 'flags'>,
): CommandFlag[] {
  return [
    ...scopesOf(command).map(({ name, id }): CommandFlag => {
      return { name, short: name[0], value: 'required', doc: id.doc, field: id, scope: name };
    }),
    ...Object.entries(command.fields).map(parameterFlag),
    ...command.flags.map(optionFlag),
  ];
}
