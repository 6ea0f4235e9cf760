/** The values that completion offers for the last word of an incomplete command line. */
import { areas } from '../../../api/index.ts';
import { type SettingEntry, settingTable } from '../../../config/setting-table.ts';
import { attributesOf, pathOfColumn } from '../../../spec/column.ts';
import {
  type Argument,
  type Command,
  type CommandGroup,
  commandNamed,
  ownCommand,
} from '../../../spec/command.ts';
import { type CommandFlag, commandFlags } from '../../../spec/command-flags.ts';
import { returnedFields } from '../../../spec/endpoint.ts';
import {
  bool,
  choice,
  choicesOf,
  type Field,
  itemOf,
  keysOf,
  type RowSource,
  text,
} from '../../../spec/field.ts';
import { type FlagToken, flagsIn, restOf, splitArgv, type Token, tokensOf } from '../../argv/split.ts';
import { lookUp, withoutCommand } from '../../catalogue.ts';

export interface Candidate {
  readonly value: string;
  readonly doc?: string;
  /** Flags that select one of several rows with this value: the scope of a variable. */
  readonly selector?: readonly string[];
}

/** Values that are read from the service or from files of the user. */
export type Source = RowSource | 'project' | 'group' | 'profile';

/** The part of a word that precedes each value (`--scope=`), and the part that each value starts with. */
interface Part {
  readonly lead: string;
  readonly text: string;
}

export interface Offer extends Part {
  readonly kind: 'values' | 'files' | 'folders';
  readonly values?: readonly Candidate[];
  readonly source?: Source;
}

/** The command line before the word that is being typed. */
export interface TypedLine {
  readonly args: string[];
  /** The last value of each flag, by the name of the flag. Empty for a switch. */
  readonly values: Map<string, string>;
  readonly group?: CommandGroup | undefined;
  readonly command?: Command | undefined;
  readonly flags: readonly CommandFlag[];
}

const offer = (part: Part, values: readonly Candidate[]): Offer => ({ kind: 'values', ...part, values });
const summarized = ({ name, summary }: { readonly name: string; readonly summary: string }): Candidate => ({
  value: name,
  doc: summary,
});
const plain = (values: readonly (string | number)[]): Candidate[] =>
  values.map((value) => ({ value: String(value) }));

/** Complete the last of the words after `svc`. @returns no offer if any value is possible */
export async function offerFor(words: readonly string[]): Promise<{ line: TypedLine; offer?: Offer }> {
  const part = { lead: '', text: words.at(-1) ?? '' };
  const split = splitArgv(words.slice(0, -1));
  const { area, command: word } = split;
  const group = area === undefined ? undefined : await lookUp.group(area);
  const own = group && ownCommand(group);
  const named = group && word !== undefined ? commandNamed(group, word) : undefined;
  // Without a second word, other commands of the group are possible too.
  const command = named ?? (word !== undefined || group?.commands.length === 1 ? own : undefined);
  const flags = commandFlags(command ?? own ?? withoutCommand());
  const line: TypedLine = { args: [], values: new Map(), group, command, flags };
  if (area !== undefined && !group) return { line };
  let last: Token<CommandFlag> | undefined;
  for (const token of tokensOf(command ? restOf(split, command) : split.rest, flags)) {
    last = token;
    // The words after `svc each … --` are a command line of svc itself.
    if (token.kind === 'end' && (command ?? own)?.name === 'each')
      return offerFor([...token.rest, part.text]);
    if (token.kind === 'flag') line.values.set(token.flag.name, token.value ?? '');
    if (token.kind === 'argument') line.args.push(token.word);
    if (token.kind === 'end') line.args.push(...token.rest);
  }
  const found = await offerAfter(last, line, part);
  return { line, ...(found ? { offer: found } : {}) };
}

async function offerAfter(
  last: Token<CommandFlag> | undefined,
  { group, command, flags, args }: TypedLine,
  part: Part,
): Promise<Offer | undefined> {
  const { text } = part;
  const isValue = last?.kind === 'flag' && last.value === undefined && last.flag.value === 'required';
  if (isValue) return offerValue(last, part, command);
  if (last?.kind === 'end')
    return command && command.tail === undefined ? offerArgument(command, args, part) : undefined;
  if (text.startsWith('-')) {
    const token = [...flagsIn(text, flags)].at(-1);
    if (token?.kind !== 'flag' || token.value === undefined) return offer(part, flagValues(flags, text));
    const { value } = token;
    return offerValue(token, { lead: text.slice(0, text.length - value.length), text: value }, command);
  }
  if (!group) return offer(part, lookUp.entries.map(summarized));
  if (!command) {
    const own = ownCommand(group);
    const others = group.commands.filter((one) => one !== own).map(summarized);
    const first = own && (await offerArgument(own, [], part));
    return { ...offer(part, []), ...first, values: [...others, ...(first?.values ?? [])] };
  }
  const isFull = argumentAt(command, args.length) === undefined;
  return isFull && text === '' ? offer(part, flagValues(flags, '')) : offerArgument(command, args, part);
}

async function offerValue({ flag, name }: FlagToken<CommandFlag>, part: Part, command?: Command) {
  const { alias, field } = flag;
  return alias === name ? offerFile(part) : field && offerField(field, part, command);
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
  return all[at] ?? (last?.variadic || last?.repeats ? last : undefined);
}

/** @param args the arguments before the word */
async function offerArgument(
  command: Command,
  args: readonly string[],
  part: Part,
): Promise<Offer | undefined> {
  if (['help', 'schema'].includes(command.area)) return offer(part, await commandWords(command.area, args));
  const argument = argumentAt(command, args.length);
  if (!argument) return undefined;
  if (command.area === 'profiles' && argument.field === 'value')
    return offerField(settingField(args[0] ?? ''), part);
  if (argument.of.suggest) return offerField(argument.of, part, command);
  const { sourceOf } = await import('../../../docs/completion/sources.ts');
  const siblings = (await lookUp.group(command.area))?.commands.flatMap(({ endpoints }) => endpoints) ?? [];
  const source = sourceOf(argument, command, siblings);
  return source ? { kind: 'values', ...part, source } : offerField(argument.of, part, command);
}

/** The field of the value of a setting of a profile. */
function settingField(key: string): Field {
  const found = Object.values<SettingEntry>(settingTable).find(({ keys }) => keys?.includes(key));
  if (found?.choices) return choice(found.choices, found.title);
  if (found?.kind === 'switch') return bool(found.title);
  if (found?.kind === 'path') return text(key, { suggest: 'path' });
  return text(key, key === 'project' || key === 'group' ? { suggest: key } : {});
}

/** The words after `svc help` and `svc schema`: groups and the commands of a group, and the topics of help. */
async function commandWords(area: string, [group, ...more]: readonly string[]): Promise<Candidate[]> {
  if (more.length > 0) return [];
  if (group !== undefined) return (await lookUp.group(group))?.commands.map(summarized) ?? [];
  const topics = area === 'help' ? (await import('../../../docs/topics.ts')).topics : [];
  return [...topics, ...lookUp.entries].map(summarized);
}

/** The names that are part of the program; none for other suggestions. */
async function namesOf({ suggest }: Field, command: Command | undefined): Promise<readonly string[]> {
  switch (suggest) {
    case 'area':
      return areas.map(({ name }) => name);
    case 'column': {
      const paths = (command?.endpoints ?? []).flatMap((endpoint) => [
        ...attributesOf(returnedFields(endpoint)).map(([path]) => path),
        ...endpoint.columns.map(pathOfColumn),
      ]);
      return [...new Set(paths)];
    }
    case 'event': {
      const { eventName, hookFlags } = await import('../../../webhooks/events.ts');
      return hookFlags.map((flag) => eventName(flag).replaceAll('_', '-'));
    }
    case 'api-path': {
      const { apiPaths } = await import('../../../docs/completion/sources.ts');
      const groups = await Promise.all(areas.map(({ name }) => lookUp.group(name)));
      return apiPaths(groups.filter((one) => one !== undefined));
    }
  }
  return [];
}

/** The values of a field. @param command the command that it belongs to */
async function offerField(field: Field, part: Part, command?: Command): Promise<Offer | undefined> {
  if (field.kind === 'hash' || field.kind === 'rows') return offerPair(field, part);
  const item = itemOf(field);
  const { suggest } = item;
  const values = plain([...(choicesOf(field) ?? []), ...(await namesOf(item, command))]);
  const isList = field.kind === 'list' || suggest === 'area' || suggest === 'column';
  if (values.length > 0) return isList ? offerItems(values, part) : offer(part, values);
  if (item.kind === 'bool') return offer(part, plain(['true', 'false']));
  if (suggest === 'path' || item.kind === 'file') return { kind: 'files', ...part };
  if (suggest === 'folder') return { kind: 'folders', ...part };
  if (suggest) return { kind: 'values', ...part, source: suggest as Source };
  return item.kind === 'text' && item.long ? offerFile(part) : undefined;
}

/** Items of a list that is separated by commas, without those that are in it already. */
function offerItems(items: readonly Candidate[], { lead, text }: Part): Offer {
  const start = text.slice(0, text.lastIndexOf(',') + 1);
  const given = new Set(start.split(','));
  const others = items.filter(({ value }) => !given.has(value));
  return offer({ lead: lead + start, text: text.slice(start.length) }, others);
}

/** A file after `@`, for a value that can also be text. */
function offerFile({ lead, text }: Part): Offer | undefined {
  return text.startsWith('@') ? { kind: 'files', lead: `${lead}@`, text: text.slice(1) } : undefined;
}

/** `key=value` of a hash, or `key=value,key=value` of a row. */
async function offerPair(field: Field, { lead, text }: Part): Promise<Offer | undefined> {
  const start = field.kind === 'rows' ? text.lastIndexOf(',') + 1 : 0;
  const value = text.indexOf('=', start) + 1;
  const keys = Object.entries(keysOf(field) ?? {});
  const part = (at: number): Part => ({ lead: lead + text.slice(0, at), text: text.slice(at) });
  if (value === 0)
    return offer(
      part(start),
      keys.map(([key, { doc }]) => ({ value: `${key}=`, doc })),
    );
  const of = keys.find(([key]) => key === text.slice(start, value - 1))?.[1];
  return of && offerField(of, part(value));
}
