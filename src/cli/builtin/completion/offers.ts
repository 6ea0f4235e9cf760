/** What completion offers for a word. */
import { areas } from '../../../api/index.ts';
import { flatten, pathOfColumn } from '../../../spec/column.ts';
import { type Argument, type Command, ownCommand } from '../../../spec/command.ts';
import {
  choicesOf,
  type Field,
  itemOf,
  keysOf,
  type NameSource,
  type RowSource,
} from '../../../spec/field.ts';
import type { CommandFlag } from '../../argv/conditions.ts';
import type { LookUp } from '../define.ts';
import type { Candidate } from './rows.ts';
import type { Typed } from './typed.ts';

/** Values that are read from the service or from files of the user. */
export type Source = RowSource | 'project' | 'group' | 'profile';

export interface Offer {
  readonly kind: 'values' | 'files' | 'folders';
  /** The part of the word that precedes each value. */
  readonly lead: string;
  /** The part of the word that each value starts with. */
  readonly text: string;
  readonly values?: readonly Candidate[];
  readonly source?: Source;
}

type Part = Pick<Offer, 'lead' | 'text'>;

const named = ({ name, summary }: { readonly name: string; readonly summary: string }): Candidate => ({
  value: name,
  doc: summary,
});
const plain = (values: readonly (string | number)[]): Candidate[] =>
  values.map((value) => ({ value: String(value) }));

/** @returns undefined if any value is possible */
export async function offerFor(typed: Typed, lookUp: LookUp): Promise<Offer | undefined> {
  const { group, command, flags, args, current, lead, text } = typed;
  const part = { lead, text };
  switch (current.kind) {
    case 'nothing':
      return undefined;
    case 'group':
      return { kind: 'values', ...part, values: lookUp.entries.map(named) };
    case 'command': {
      const own = group && ownCommand(group);
      const others = group?.commands.filter((one) => one !== own).map(named) ?? [];
      const first = own && (await offerArgument(own, 0, [], part, lookUp));
      return { kind: 'values', ...part, ...first, values: [...others, ...(first?.values ?? [])] };
    }
    case 'flag':
      return { kind: 'values', ...part, values: flagValues(flags, text) };
    case 'value':
      return offerValue(current.flag, current.name, command, part);
    case 'argument': {
      const offer = command && (await offerArgument(command, current.at, args, part, lookUp));
      const isFull = command !== undefined && argumentAt(command, current.at) === undefined;
      return isFull && text === '' ? { kind: 'values', ...part, values: flagValues(flags, '') } : offer;
    }
  }
}

/** A `--no-` form is offered after `--n`, because it would double the list. */
function flagValues(flags: readonly CommandFlag[], text: string): Candidate[] {
  return flags.flatMap(({ name, doc, negatable, alias }) => [
    { value: `--${name}`, doc },
    ...(alias ? [{ value: `--${alias}`, doc: `${doc}: the list as JSON` }] : []),
    ...(negatable && text.startsWith('--n') ? [{ value: `--no-${name}`, doc: `Not: ${doc}` }] : []),
  ]);
}

function argumentAt({ arguments: all }: Command, at: number): Argument | undefined {
  const last = all.at(-1);
  return all[at] ?? (last?.variadic ? last : undefined);
}

async function offerArgument(
  command: Command,
  at: number,
  args: readonly string[],
  part: Part,
  lookUp: LookUp,
): Promise<Offer | undefined> {
  if (command.area === 'help') return { kind: 'values', ...part, values: await helpWords(args, lookUp) };
  const argument = argumentAt(command, at);
  if (!argument) return undefined;
  const { of } = argument;
  const names = of.suggest !== undefined && (await namesOf(of.suggest as NameSource, lookUp));
  if (names) return { kind: 'values', ...part, values: plain([...(choicesOf(of) ?? []), ...names]) };
  if (of.suggest) return offerField(of, part);
  const { sourceOf } = await import('../../../docs/completion/sources.ts');
  const siblings = (await lookUp.group(command.area))?.commands.flatMap(({ endpoints }) => endpoints) ?? [];
  const source = sourceOf(argument, command, siblings);
  return source ? { kind: 'values', ...part, source } : offerField(of, part);
}

/** Names that are part of the program. */
async function namesOf(source: NameSource, lookUp: LookUp): Promise<readonly string[] | undefined> {
  if (source === 'command') return lookUp.entries.map(({ name }) => name);
  if (source === 'event') {
    const { hookEventNames } = await import('../../../api/hook-payloads.ts');
    return hookEventNames.map((name) => name.replaceAll('_', '-'));
  }
  if (source !== 'api-path') return undefined;
  const { apiPaths } = await import('../../../docs/completion/api-words.ts');
  const groups = await Promise.all(areas.map(({ name }) => lookUp.group(name)));
  return apiPaths(groups.filter((one) => one !== undefined));
}

/** The words after `svc help`: topics, groups, and the commands of a group. */
async function helpWords([group, ...more]: readonly string[], lookUp: LookUp): Promise<Candidate[]> {
  if (more.length > 0) return [];
  if (group !== undefined) return (await lookUp.group(group))?.commands.map(named) ?? [];
  const { topics } = await import('../../../docs/topics.ts');
  return [...topics, ...lookUp.entries].map(named);
}

function offerValue(
  { field, alias }: CommandFlag,
  name: string,
  command: Command | undefined,
  part: Part,
): Offer | undefined {
  if (alias === name) return offerFile(part);
  if (field?.suggest === 'area')
    return offerItems(
      areas.map((one) => one.name),
      part,
    );
  if (field?.suggest === 'column') return offerItems(fieldPaths(command), part);
  return field && offerField(field, part);
}

/** The attributes of the responses of a command, as `--fields` accepts them. */
function fieldPaths(command: Command | undefined): string[] {
  const paths = (command?.endpoints ?? []).flatMap(({ returns, columns }) => [
    ...('fields' in returns ? flatten(returns.fields).map(([path]) => path) : []),
    ...columns.map(pathOfColumn),
  ]);
  return [...new Set(paths)].filter((path) => !path.includes('['));
}

/** Items of a list that is separated by commas, without those that are in it already. */
function offerItems(items: readonly (string | number)[], { lead, text }: Part): Offer {
  const start = text.slice(0, text.lastIndexOf(',') + 1);
  const given = new Set(start.split(','));
  const values = plain(items).filter(({ value }) => !given.has(value));
  return { kind: 'values', lead: lead + start, text: text.slice(start.length), values };
}

/** A file after `@`, for a value that can also be text. */
function offerFile({ lead, text }: Part): Offer | undefined {
  return text.startsWith('@') ? { kind: 'files', lead: `${lead}@`, text: text.slice(1) } : undefined;
}

function offerField(field: Field, part: Part): Offer | undefined {
  const choices = choicesOf(field);
  if (choices)
    return field.kind === 'list'
      ? offerItems(choices, part)
      : { kind: 'values', ...part, values: plain(choices) };
  if (field.kind === 'hash' || field.kind === 'rows') return offerPair(field, part);
  const item = itemOf(field);
  if (item.kind === 'bool') return { kind: 'values', ...part, values: plain(['true', 'false']) };
  if (item.suggest === 'path') return { kind: 'files', ...part };
  if (item.suggest === 'folder') return { kind: 'folders', ...part };
  if (item.suggest) return { kind: 'values', ...part, source: item.suggest as Source };
  if (item.kind === 'file') return { kind: 'files', ...part };
  return item.kind === 'text' && item.long ? offerFile(part) : undefined;
}

/** `key=value` of a hash, or `key=value,key=value` of a row. */
function offerPair(field: Field, { lead, text }: Part): Offer | undefined {
  const start = field.kind === 'rows' ? text.slice(0, text.lastIndexOf(',') + 1) : '';
  const pair = text.slice(start.length);
  const equals = pair.indexOf('=');
  const keys = keysOf(field) ?? {};
  if (equals < 0)
    return {
      kind: 'values',
      lead: lead + start,
      text: pair,
      values: Object.entries(keys).map(([key, { doc }]) => ({ value: `${key}=`, doc })),
    };
  const key = keys[pair.slice(0, equals)];
  const rest = { lead: lead + start + pair.slice(0, equals + 1), text: pair.slice(equals + 1) };
  return key && offerField(key, rest);
}
