/** Read an incomplete command line: what precedes the word that is being typed, and what this word is. */
import type { Flag } from '../../../docs/flags.ts';
import { type Command, type CommandGroup, commandNamed, ownCommand } from '../../../spec/command.ts';
import { listFlags, programFlags } from '../../argv/flags.ts';
import { readFlag, takesNextWord } from '../../argv/words.ts';
import type { LookUp } from '../define.ts';

/** What the word that is being typed is. */
export type Current =
  | { readonly kind: 'group' | 'command' | 'flag' | 'nothing' }
  | { readonly kind: 'value'; readonly flag: Flag; readonly name: string }
  | { readonly kind: 'argument'; readonly at: number };

/** A command line up to the word that is being typed. */
export interface Typed {
  readonly group?: CommandGroup;
  readonly command?: Command;
  /** The flags that the command accepts. */
  readonly flags: readonly Flag[];
  /** The arguments before the word. */
  readonly args: readonly string[];
  /** The values of the flags before the word: the last one of each, by the name of the flag. */
  readonly values: ReadonlyMap<string, string>;
  readonly current: Current;
  /** The part of the word that remains: `--scope=`. */
  readonly lead: string;
  /** The part of the word that is completed. */
  readonly text: string;
}

type Before = { -readonly [K in keyof Omit<Typed, 'current' | 'lead' | 'text'>]: Typed[K] } & {
  ended: boolean;
  /** The flag whose value is the next word, as typed. */
  pending?: { readonly flag: Flag; readonly name: string };
};

/** Read the words after `svc`. The last one is being typed. */
export async function readTyped(words: readonly string[], lookUp: LookUp): Promise<Typed> {
  const { flagsOf, programFlag } = await import('../../../docs/flags.ts');
  const start = listFlags(programFlags).map(programFlag);
  const args: string[] = [];
  const values = new Map<string, string>();
  const before: Before = { flags: start, args, values, ended: false };
  const current = words.at(-1) ?? '';
  const select = (command: Command | undefined) => {
    if (!command) return;
    before.command = command;
    before.flags = flagsOf(command);
  };
  for (const [at, word] of words.slice(0, -1).entries()) {
    const { group, command, pending, ended } = before;
    delete before.pending;
    if (pending) values.set(pending.flag.name, word);
    else if (!ended && word === '--') {
      // The words after `svc each … --` are a command line of svc itself.
      if (command?.name === 'each') return readTyped(words.slice(at + 1), lookUp);
      before.ended = true;
      if (command?.tail !== undefined) return { ...before, current: { kind: 'nothing' }, lead: '', text: '' };
    } else if (!ended && word.length > 1 && word.startsWith('-')) {
      const found = readFlag(word, [...before.flags, ...scopeFlags]);
      if (found?.value !== undefined) values.set(found.flag.name, found.value);
      else if (found && takesNextWord(found.flag)) before.pending = { flag: found.flag, name: word };
    } else if (!group) {
      const loaded = await lookUp.group(word);
      if (!loaded) return { ...before, current: { kind: 'nothing' }, lead: '', text: current };
      before.group = loaded;
      if (loaded.commands.length === 1) select(ownCommand(loaded));
    } else if (!command) {
      const named = commandNamed(group, word);
      if (!named) args.push(word);
      select(named ?? ownCommand(group));
    } else args.push(word);
  }
  return { ...before, ...readCurrent(before, current) };
}

/** The scopes may precede the command that declares them. */
const scopeFlags = (['project', 'group'] as const).map(
  (name): Flag => ({
    name: `--${name}`,
    short: `-${name[0]}`,
    value: '<id|path>',
    doc: '',
    notes: [],
    keys: [],
    heading: 'other',
    common: true,
    required: false,
    field: { kind: 'text', doc: '', suggest: name },
  }),
);

function readCurrent(before: Before, word: string): Pick<Typed, 'current' | 'lead' | 'text'> {
  const { group, command, flags, args, pending, ended } = before;
  const whole = { lead: '', text: word };
  if (pending) return { ...whole, current: { kind: 'value', ...pending } };
  if (!ended && word.startsWith('-')) {
    const found = readFlag(word, [...flags, ...scopeFlags]);
    if (found?.value === undefined) return { ...whole, current: { kind: 'flag' } };
    const { flag, lead, value: text } = found;
    return { lead, text, current: { kind: 'value', flag, name: lead.replace(/=$/, '') } };
  }
  if (!group) return { ...whole, current: { kind: 'group' } };
  if (!command) return { ...whole, current: { kind: 'command' } };
  return { ...whole, current: { kind: 'argument', at: args.length } };
}
