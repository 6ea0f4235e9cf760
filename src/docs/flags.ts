/** The flags of a command, as help pages, manual pages and completion scripts show them. */
import { type Command, flagFields, flagName, scopesOf } from '../spec/command.ts';
import { choicesOf, type Field } from '../spec/field.ts';
import { type FlagGroup, type ProgramFlag, valueField } from '../spec/flag.ts';
import { kebab, rowFlag } from '../spec/names.ts';
import { isReadMethod } from '../support/http-method.ts';
import {
  choicesNote,
  isAutomatic,
  keyLines,
  listsChoices,
  type Note,
  notesOf,
  placeholderOf,
} from './descriptions.ts';
import { scopeText } from './model.ts';

/** The heading under which help lists a flag. */
export type Heading = 'required' | 'filters' | FlagGroup;

export interface Flag {
  /** `--scope` */
  readonly name: string;
  /** `-o` */
  readonly short?: string;
  /** `<status>...`; absent for a switch. */
  readonly value?: string;
  /** The flag that takes all rows as JSON: `--files`. */
  readonly listFlag?: string;
  /** Accepts a `--no-` form. */
  readonly negatable?: true;
  readonly doc: string;
  /** Notes printed after the description. */
  readonly notes: readonly Note[];
  /** One line per key of a hash or a row. */
  readonly keys: readonly string[];
  readonly heading: Heading;
  /** Listed on the default help page. */
  readonly common: boolean;
  readonly required: boolean;
  /** The title under which the default help page lists this flag with others by name. */
  readonly family?: string;
  /** Its value; absent for a switch. */
  readonly field?: Field;
}

/** Return how a flag is displayed: `-o, --output <format>`. */
export function flagTerm(flag: Pick<Flag, 'name' | 'short' | 'value' | 'negatable'>): string {
  const name = flag.negatable ? `--[no-]${flag.name.slice(2)}` : flag.name;
  const names = flag.short ? `${flag.short}, ${name}` : name;
  return flag.value ? `${names} ${flag.value}` : names;
}

/** Return all flags of a command: API scopes and parameters first, then program flags. */
export function flagsOf(command: Command): Flag[] {
  return [...apiFlags(command), ...command.flags.map(programFlag)];
}

/** Return the flags that come from the endpoints of a command. */
export function apiFlags(command: Command): Flag[] {
  return [...scopeFlags(command), ...parameterFlags(command)];
}

function scopeFlags(command: Command): Flag[] {
  const { endpoints } = command;
  const scopes = scopesOf(command);
  // A task may find its target elsewhere, such as in a file.
  const optional = endpoints.some(({ scope }) => !scope) || endpoints.length === 0;
  const isRead = endpoints.every(({ method }) => isReadMethod(method));
  return scopes.map(({ name, id }) => ({
    name: `--${name}`,
    short: `-${name[0]}`,
    value: placeholderOf(id),
    doc: id.doc,
    notes: optional
      ? []
      : [
          ...scopes.filter((other) => other.name !== name).map((other) => `or --${other.name}`),
          `or SVC_${name.toUpperCase()}`,
          { kind: 'profile', text: `or the profile's ${name}`, obvious: true },
        ],
    keys: [],
    heading: optional ? (isRead && endpoints.length > 0 ? 'filters' : 'other') : 'required',
    common: true,
    required: !optional && scopes.length === 1,
    field: id,
  }));
}

/** Characters of a value that fit beside the flags of a page. Longer values are left to a topic. */
const maxChoice = 40;

/** Return a program flag in the form that pages display. */
export function programFlag(flag: ProgramFlag): Flag {
  const field = valueField(flag);
  const value = field && placeholderOf(field);
  const choices = field ? choicesOf(field) : undefined;
  const isNoted = field && !listsChoices(field) && choices?.every((one) => String(one).length <= maxChoice);
  return {
    name: `--${flag.name}`,
    ...(flag.short ? { short: `-${flag.short}` } : {}),
    ...(value ? { value: flag.optional ? `[${value.slice(1, -1)}]` : value } : {}),
    doc: flag.doc,
    notes: isNoted ? choicesNote(choicesOf(field)) : [],
    keys: [],
    heading: flag.required === undefined ? flag.group : 'required',
    common: flag.common === true,
    required: flag.required !== undefined,
    ...(field ? { field } : {}),
  };
}

/** Parameters that --limit and --all replace. */
const pageFlags: ReadonlySet<string> = new Set(['page', 'per_page', 'pagination']);

function parameterFlags({ endpoints, fields }: Command): Flag[] {
  const isRead = endpoints.every(({ method }) => isReadMethod(method));
  return Object.entries(fields).map(([name, field]): Flag => {
    const users = endpoints.filter((endpoint) => name in flagFields(endpoint));
    const only =
      users.length === endpoints.length
        ? []
        : [`only with ${[...new Set(users.map(({ scope }) => scopeText(scope)))].join(' or ')}`];
    const isPagination =
      pageFlags.has(name) || (['order_by', 'sort'].includes(name) && users.some(({ keyset }) => keyset));
    const required = field.required === true && !isAutomatic(field);
    const notes = notesOf(name, field).filter(
      (note) => typeof note === 'string' || note.kind !== 'choices' || !listsChoices(field),
    );
    const hasBody = users.some(({ method }) => method !== 'DELETE') && field.in !== 'query';
    return {
      name: flagName(name, field),
      ...(field.short ? { short: `-${field.short}` } : {}),
      ...(field.kind === 'rows' && rowFlag(name) !== kebab(name) ? { listFlag: `--${kebab(name)}` } : {}),
      ...(field.kind === 'bool' ? { negatable: true as const } : { value: placeholderOf(field) }),
      doc: field.doc,
      notes: [...notes, ...only],
      keys: keyLines(field),
      heading: isPagination
        ? 'pagination'
        : required
          ? 'required'
          : isRead
            ? 'filters'
            : hasBody
              ? 'body'
              : 'other',
      common: choicesOf(field)?.length !== 1 && field.deprecated === undefined && !pageFlags.has(name),
      required,
      ...(field.family === undefined ? {} : { family: field.family }),
      field,
    };
  });
}
