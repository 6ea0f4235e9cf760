/** How a built-in group runs its commands: parse by the flags that it declares, then its own code. */

import type { Context } from '../context.ts';
import type { ExitCode } from '../exits.ts';
import { type GlobalFlag, globalFlags } from '../flags.ts';
import {
  addGlobal,
  fromCommander,
  type Globals,
  normalise,
  quietCommand,
  readGlobals,
  typedIn,
  unknownWord,
} from '../parse.ts';
import { type Words, wantsHelp } from '../words.ts';
import type { Builtin, BuiltinCommand } from './index.ts';

export interface Given {
  readonly args: readonly string[];
  /** What follows `--`. */
  readonly tail: readonly string[];
  readonly globals: Globals;
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

async function showHelp(words: Words, context: Context): Promise<ExitCode> {
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
    parser.parse(normalise(own, new Set(), parser), { from: 'user' });
  } catch (error) {
    throw fromCommander(error, title);
  }
  const globals = readGlobals(command.flags, typedIn(parser));
  const tail = end < 0 ? [] : rest.slice(end + 1);
  return command.run({ args: parser.args, tail, globals, repeated }, context);
}

/** A flag that only one built-in has. */
export function ownFlag(name: string, doc: string, value?: string): GlobalFlag {
  return { name, doc, group: 'other', ...(value === undefined ? {} : { value }) };
}
