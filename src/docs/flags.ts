/** The flags of a command, as help pages, manual pages and the reference show them. */
import { type Command, flagFields, scopeText } from '../spec/command.ts';
import { type CommandFlag, commandFlags, optionFlag } from '../spec/command-flags.ts';
import { choicesOf } from '../spec/field.ts';
import type { FlagGroup, ProgramFlag } from '../spec/flag.ts';
import { isReadMethod } from '../support/http-method.ts';
import {
  choicesNote,
  defaultNote,
  isAutomatic,
  keyLines,
  listsChoices,
  type Note,
  notesOf,
  placeholderOf,
} from './descriptions.ts';

export const groupTitles: Readonly<Record<FlagGroup, string>> = {
  body: 'Body',
  pagination: 'Pagination',
  output: 'Output',
  connection: 'Connection',
  other: 'Other',
};

export type Heading = 'required' | 'filters' | FlagGroup;

interface Traits {
  readonly notes: readonly Note[];
  readonly heading: Heading;
  /** Listed on the default help page. */
  readonly common: boolean;
}

export interface Flag extends Traits, Pick<CommandFlag, 'doc' | 'negatable' | 'field'> {
  /** `--scope` */
  readonly name: string;
  /** `-o` */
  readonly short: string | undefined;
  /** `<status>...`; absent for a switch. */
  readonly value: string | undefined;
  readonly keys: readonly string[];
  /** The title under which the default help page lists this flag with others by name. */
  readonly family?: string | undefined;
}

/** Return how a flag is displayed: `-o, --output <format>`. */
export function flagTerm({ name, short, value, negatable }: Flag): string {
  const long = negatable ? `--[no-]${name.slice(2)}` : name;
  return [short ? `${short}, ${long}` : long, value].filter(Boolean).join(' ');
}

/** Return all flags of a command: API scopes and parameters first, then program flags. */
export function flagsOf(command: Command): Flag[] {
  return commandFlags(command).map((flag) => {
    if (flag.option) return programFlag(flag.option);
    return shown(flag, flag.scope ? scopeTraits(flag, command) : parameterTraits(flag, command));
  });
}

export function apiFlags(command: Command): Flag[] {
  return flagsOf({ ...command, flags: [] });
}

export function programFlag(option: ProgramFlag): Flag {
  const flag = optionFlag(option);
  const { field } = flag;
  const choices = field && choicesOf(field);
  const isNoted = field && !listsChoices(field) && choices?.every((one) => String(one).length <= maxChoice);
  return shown(flag, {
    notes: [...(isNoted ? choicesNote(choices) : []), ...defaultNote(field)],
    heading: option.required === undefined ? option.group : 'required',
    common: option.common === true,
  });
}

/** Characters of a value that fit beside the flags of a page. Longer values are left to a topic. */
const maxChoice = 40;

function shown({ name, short, doc, value, negatable, field }: CommandFlag, traits: Traits): Flag {
  const placeholder = field && value && placeholderOf(field);
  return {
    name: `--${name}`,
    short: short && `-${short}`,
    value: placeholder && value === 'optional' ? `[${placeholder.slice(1, -1)}]` : placeholder,
    negatable,
    doc,
    keys: field ? keyLines(field) : [],
    family: field?.family,
    field,
    ...traits,
  };
}

const isRead = (endpoints: Command['endpoints']) => endpoints.every(({ method }) => isReadMethod(method));

function scopeTraits({ scope }: CommandFlag, { endpoints }: Command): Traits {
  // A task may find its target elsewhere, such as in a file.
  const optional = endpoints.some((endpoint) => !endpoint.scope) || endpoints.length === 0;
  const heading = isRead(endpoints) && endpoints.length > 0 ? 'filters' : 'other';
  if (optional) return { notes: [], heading, common: true };
  const others = new Set(
    endpoints.flatMap((one) => (one.scope?.name === scope ? [] : `or --${one.scope?.name}`)),
  );
  const profile = { text: `or the profile's ${scope}`, obvious: true };
  const notes = [...others, `or SVC_${scope?.toUpperCase()}`, profile];
  return { notes, heading: 'required', common: true };
}

/** Parameters that --limit and --all replace. */
const pageFlags: ReadonlySet<string> = new Set(['page', 'per_page', 'pagination']);

function parameterTraits({ parameter: name = '', field }: CommandFlag, { endpoints }: Command): Traits {
  if (!field) throw new Error(`the parameter ${name} has no field`);
  const users = endpoints.filter((endpoint) => name in flagFields(endpoint));
  const scopes = users.length < endpoints.length ? users.map(({ scope }) => scopeText(scope)) : [];
  const only = scopes.length > 0 ? [`only with ${[...new Set(scopes)].join(' or ')}`] : [];
  const isPagination =
    pageFlags.has(name) || (['order_by', 'sort'].includes(name) && users.some(({ keyset }) => keyset));
  const required = field.required === true && !isAutomatic(field);
  const notes = notesOf(name, field).filter(
    (note) => typeof note === 'string' || note.kind !== 'choices' || !listsChoices(field),
  );
  const hasBody = users.some(({ method }) => method !== 'DELETE') && field.in !== 'query';
  const sent = isRead(endpoints) ? 'filters' : hasBody ? 'body' : 'other';
  return {
    notes: [...notes, ...only],
    heading: isPagination ? 'pagination' : required ? 'required' : sent,
    common: choicesOf(field)?.length !== 1 && field.deprecated === undefined && !pageFlags.has(name),
  };
}
