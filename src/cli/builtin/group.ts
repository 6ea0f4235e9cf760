/** How a built-in group runs its commands: parse by the flags that it declares, then its own code. */

import { type GlobalFlag, globalFlags } from '../argv/flags.ts';
import {
  addGlobal,
  fromCommander,
  normalize,
  type Options,
  quietCommand,
  readGlobals,
  typedIn,
  unknownWord,
} from '../argv/parse.ts';
import { type SplitArgv, wantsHelp } from '../argv/split.ts';
import type { Context } from '../context.ts';
import type { ExitCode } from '../exit-codes.ts';
import type { Builtin, BuiltinCommand } from './index.ts';

export interface Given {
  readonly args: readonly string[];
  /** What follows `--`. */
  readonly tail: readonly string[];
  readonly options: Options;
  /** Flags that may be given more than once, with their values, in the order in which they stood. */
  readonly repeated: readonly (readonly [name: string, value: string])[];
}

export interface GroupCommand extends BuiltinCommand {
  readonly run: (given: Given, context: Context) => Promise<ExitCode>;
}

/** Flags of `svc` that a built-in command has too, by name. */
export function sharedFlags(...names: string[]): GlobalFlag[] {
  return names.map((name) => globalFlags.find((flag) => flag.name === name) as GlobalFlag);
}

export const connection = sharedFlags(
  'profile',
  'base-url',
  'token-file',
  'auth',
  'ca-file',
  'insecure',
  'timeout',
  'retries',
  'max-wait',
  'verbose',
  'trace',
);
export const printing = sharedFlags(
  'output',
  'json',
  'csv',
  'fields',
  'jq',
  'raw-strings',
  'no-header',
  'color',
  'quiet',
);

/** A built-in of several commands. */
export function group(name: string, commands: readonly GroupCommand[], doc?: string): Builtin {
  return {
    ...(doc === undefined ? {} : { doc }),
    commands,
    async run(words, context) {
      const command = commands.find((one) => one.name === words.command);
      if (words.command === undefined || wantsHelp(words.rest))
        return showHelp({ ...words, area: name }, context);
      if (!command) {
        throw unknownWord(
          'command',
          words.command,
          commands.map((one) => one.name),
          `svc ${name}`,
        );
      }
      return runCommand(`svc ${name} ${command.name}`, command, words.rest, context);
    },
  };
}

/** A built-in that is one command, with no word of its own after its name. */
export function single(name: string, command: GroupCommand): Builtin {
  return {
    commands: [command],
    async run(words, context) {
      const rest = [...(words.command === undefined ? [] : [words.command]), ...words.rest];
      if (wantsHelp(rest)) return showHelp({ area: name, rest: [] }, context);
      return runCommand(`svc ${name}`, command, rest, context);
    },
  };
}

async function showHelp(words: SplitArgv, context: Context): Promise<ExitCode> {
  return (await import('./help.ts')).printHelp(words, context);
}

async function runCommand(
  title: string,
  command: GroupCommand,
  rest: readonly string[],
  context: Context,
): Promise<ExitCode> {
  const end = rest.indexOf('--');
  const own = end < 0 ? rest : rest.slice(0, end);
  const parser = quietCommand(command.name);
  const repeated: [string, string][] = [];
  for (const flag of command.flags) {
    const option = addGlobal(parser, flag);
    if (flag.repeats) option.argParser((value) => repeated.push([flag.name, value]));
  }
  // What stands behind `--` in its usage is the tail, which is not parsed.
  const args = command.args.split('-- ')[0] as string;
  for (const word of args.split(' ').filter((one) => /^[<[]/.test(one))) parser.argument(word);
  try {
    parser.parse(normalize(own, new Set(), parser), { from: 'user' });
  } catch (error) {
    throw fromCommander(error, title);
  }
  const options = readGlobals(command.flags, typedIn(parser));
  const tail = end < 0 ? [] : rest.slice(end + 1);
  return command.run({ args: parser.args, tail, options, repeated }, context);
}

/** A flag that only one built-in has. */
export function ownFlag(name: string, doc: string, value?: string): GlobalFlag {
  return { name, doc, group: 'other', ...(value === undefined ? {} : { value }) };
}
