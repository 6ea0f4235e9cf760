/** Read an incomplete command line: what precedes the word that is being typed, and what this word is. */
import * as scopes from '../../../api/scopes.ts';
import { type Command, type CommandGroup, commandNamed, ownCommand } from '../../../spec/command.ts';
import { type CommandFlag, commandFlags } from '../../../spec/command-flags.ts';
import { listFlags, programFlags } from '../../argv/flags.ts';
import { flagsIn, tokensOf } from '../../argv/split.ts';
import { lookUp } from '../../catalogue.ts';

/** What the word that is being typed is. */
export type Current =
  | { readonly kind: 'group' | 'command' | 'argument' | 'flag' | 'nothing' }
  | { readonly kind: 'value'; readonly flag: CommandFlag; readonly name: string };

/** A command line up to the word that is being typed. */
export interface Typed {
  readonly group?: CommandGroup;
  readonly command?: Command;
  /** The flags that the command accepts. */
  readonly flags: readonly CommandFlag[];
  /** The arguments before the word. */
  readonly args: readonly string[];
  /** The values of the flags before the word: the last one of each, by the name of the flag. Empty for a switch. */
  readonly values: ReadonlyMap<string, string>;
  readonly current: Current;
  /** The part of the word that remains: `--scope=`. */
  readonly lead: string;
  /** The part of the word that is completed. */
  readonly text: string;
}

/** Read the words after `svc`. The last one is being typed. */
export async function readTyped(words: readonly string[]): Promise<Typed> {
  const text = words.at(-1) ?? '';
  const args: string[] = [];
  const values = new Map<string, string>();
  // The flags that may precede the command.
  let flags = commandFlags({
    endpoints: [],
    scopes: [scopes.project, scopes.group],
    fields: {},
    flags: listFlags(programFlags),
  });
  let group: CommandGroup | undefined;
  let command: Command | undefined;
  let last: Current | undefined;
  const select = (found: Command | undefined) => {
    command ??= found;
    if (found) flags = commandFlags(found);
  };
  const end = (current: Current, lead = '', rest = text): Typed => ({
    ...(group ? { group } : {}),
    ...(command ? { command } : {}),
    ...{ flags, args, values, current, lead, text: rest },
  });
  for (const token of tokensOf(words.slice(0, -1), () => flags)) {
    last = undefined;
    if (token.kind === 'flag') {
      const { flag, name, value } = token;
      if (value === undefined && flag.value === 'required') last = { kind: 'value', flag, name };
      else values.set(flag.name, value ?? '');
    } else if (token.kind === 'end') {
      // The words after `svc each … --` are a command line of svc itself.
      if (command?.name === 'each') return readTyped([...token.rest, text]);
      args.push(...token.rest);
      last = command?.tail === undefined ? { kind: 'argument' } : { kind: 'nothing' };
    } else if (token.kind === 'unknown') continue;
    else if (!group) {
      group = await lookUp.group(token.word);
      if (!group) return end({ kind: 'nothing' });
      if (group.commands.length === 1) select(ownCommand(group));
    } else if (!command) {
      const named = commandNamed(group, token.word);
      if (!named) args.push(token.word);
      select(named ?? ownCommand(group));
    } else args.push(token.word);
  }
  if (last) return end(last);
  if (text.startsWith('-')) {
    const found = [...flagsIn(text, flags)].at(-1);
    if (found?.kind !== 'flag' || found.value === undefined) return end({ kind: 'flag' });
    const { flag, name, value } = found;
    return end({ kind: 'value', flag, name }, text.slice(0, text.length - value.length), value);
  }
  if (!group) return end({ kind: 'group' });
  return end({ kind: command ? 'argument' : 'command' });
}
