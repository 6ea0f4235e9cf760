/** Declare the commands of the program: a description for the command model, and a function that runs the command. */
import type { ScopeName } from '../../config/scope.ts';
import type { Catalogue } from '../../docs/model.ts';
import type { Format } from '../../output/formats.ts';
import type { Command, CommandGroup, Effect } from '../../spec/command.ts';
import { argumentsIn } from '../../spec/command.ts';
import type { Example } from '../../spec/endpoint.ts';
import type { Fields } from '../../spec/field.ts';
import type { FlagSpecs, OptionsOf } from '../../spec/flag.ts';
import type { Task, TaskCommand } from '../../tasks/context.ts';
import { listOwnFlags, sharedFlags } from '../argv/flags.ts';
import type { CommandLine } from '../argv/parse.ts';
import type { SplitArgv } from '../argv/split.ts';
import type { Reader } from '../argv/values.ts';
import type { Context } from '../context.ts';
import type { ExitCode } from '../exit-codes.ts';
import type { Session } from '../session/model.ts';

/** A request for help. */
export interface HelpRequest {
  /** An area or a command of the program, and one of its commands. */
  readonly words: readonly string[];
  /** Also list what most users do not need. */
  readonly all: boolean;
  /** Whether a topic may be requested, as with `svc help <topic>`. */
  readonly topics?: true;
}

/** A command line that `svc each` validated. */
export interface Prepared {
  /** For the confirmation: `Send DELETE requests` */
  readonly summary: string;
  readonly effect: Effect;
  /** Whether running it again has no further effect. */
  readonly idempotent: boolean;
  /** @returns what it printed */
  readonly run: () => Promise<'json' | 'text'>;
}

/** How `svc each` runs a command of the program that is not a task. */
export interface InEach {
  /** The default output format. */
  readonly format: Format;
  /** Add a target of `--projects` or `--groups` to a command line. @throws Failure `usage` if it would have no effect */
  aim(line: CommandLine, scope: ScopeName, id: string): CommandLine;
  /** Read and validate a command line. Nothing is sent. */
  prepare(line: CommandLine, session: Session, reader: Reader): Promise<Prepared>;
}

/** A command that another command runs. */
export interface Found {
  readonly command: Command;
  /** Replaces the single request of an ordinary command. */
  readonly task: Task | undefined;
  /** The declaration of a command that is a task. */
  readonly own: TaskCommand | undefined;
  /** Runs a command of the program that is not a task. */
  readonly inEach?: InEach | undefined;
  /** The attributes to mask in traces. */
  readonly secrets: Fields;
}

/** Look up commands by the words of a command line. */
export interface LookUp {
  /** The names and summaries of all first words. */
  readonly entries: readonly { readonly name: string; readonly summary: string }[];
  /** Load the commands of an area of the API or of the program, by its name or an alias. */
  group(word: string): Promise<CommandGroup | undefined>;
}

/** Services of the program for its commands. */
export interface Services {
  lookUp(): Promise<LookUp>;
  /** Load every area and command. */
  catalogue(): Promise<Catalogue>;
  /** Find a command of the API or a task. @throws Failure `usage` */
  find(words: readonly string[]): Promise<Found>;
  /** Print a help page. */
  help(request: HelpRequest, context: Context): Promise<ExitCode>;
}

type Run<O> = (line: CommandLine<O>, context: Context, services: Services) => Promise<ExitCode>;

/** A command of the program. */
export interface BuiltinCommand {
  readonly name: string;
  describe(area: string): Command;
  readonly run: Run<never>;
  /** Its declaration, if it is a task. */
  readonly task?: TaskCommand;
  readonly inEach?: InEach;
}

/** The commands of `svc <name>`. A command with the same name is run by `svc <name>` itself. */
export interface Builtin {
  readonly doc?: string;
  readonly commands: readonly BuiltinCommand[];
  /** Runs the command line without parsing it, for a builtin that users do not type. */
  readonly raw?: (argv: SplitArgv, context: Context, services: Services) => Promise<ExitCode>;
}

interface Draft<F extends FlagSpecs> {
  readonly name: string;
  /** As in a usage line: `<setting> [value]`, or `-- <command>` for the command line of another program. */
  readonly args: string;
  /** The values of arguments, for completion; by default any text. */
  readonly of?: Fields;
  readonly summary: string;
  readonly doc?: string;
  /** What it does to the service. The default is `read`. */
  readonly effect?: Effect;
  readonly flags: F;
  readonly examples: readonly Example[];
  readonly run: Run<OptionsOf<F>>;
}

/** Declare a command. The names of its flags type its options. */
export function command<const F extends FlagSpecs>(draft: Draft<F>): BuiltinCommand {
  const { name, args, of = {}, summary, doc, effect = 'read', flags, examples, run } = draft;
  const [own = '', tail] = args.split('-- ');
  return {
    name,
    describe: (area) => ({
      area,
      name,
      summary,
      docs: doc === undefined ? [] : [doc],
      deprecated: [],
      arguments: argumentsIn(own, of),
      ...(tail === undefined ? {} : { tail }),
      fields: {},
      flags: listOwnFlags({ ...flags, ...sharedFlags('help') }),
      endpoints: [],
      effect,
      examples,
    }),
    run: run as Run<never>,
  };
}

/** The flags of commands that send requests. */
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
  'read-only',
  'verbose',
  'trace',
  'har',
);

/** The flags of commands that print data. */
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
