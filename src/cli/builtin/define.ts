/** Declare the commands of the program: a description for the command model, and a function that runs the command. */
import type { ScopeName } from '../../config/scope.ts';
import type { Catalogue } from '../../docs/model.ts';
import {
  type Command,
  type CommandGroup,
  type Declaration,
  declaredCommand,
  type Effect,
} from '../../spec/command.ts';
import type { FlagSpecs, OptionsOf } from '../../spec/flag.ts';
import { done, type Result } from '../../spec/result.ts';
import type { Fill } from '../../support/placeholders.ts';
import type { Format } from '../../support/text/formats.ts';
import type { Task, TaskCommand } from '../../tasks/context.ts';
import { listOwnFlags, type Options, sharedFlags } from '../argv/flags.ts';
import type { CommandLine } from '../argv/parse.ts';
import type { Reader } from '../argv/values.ts';
import type { Context } from '../context.ts';
import type { ExitCode } from '../exit-codes.ts';
import type { Session, SessionOptions } from '../session/model.ts';

/** A request for help about a command, or a topic if `topics` is set. */
export interface HelpRequest {
  readonly words: readonly string[];
  /** Also list what most users do not need. */
  readonly all: boolean;
  readonly topics?: true;
}

/** Digests of files and variables, by their names. `-` is standard input. */
export type Digests = Map<string, string>;

/** The facts of a command line, if they differ from those of its command. */
export interface Checked {
  /** For the confirmation: `Send DELETE requests` */
  readonly summary?: string;
  readonly effect?: Effect;
  readonly idempotent?: boolean;
}

/** How `svc each` runs a command whose command lines differ in their effect. */
interface InEach {
  /** The default output format. */
  readonly format: Format;
  /** Fill in the arguments and the flags that may be repeated. @throws Failure `usage` */
  fill(line: CommandLine, fill: Fill): CommandLine;
  /** Add a target of `--projects` or `--groups` to a command line. @throws Failure `usage` if it would have no effect */
  withTarget(line: CommandLine, scope: ScopeName, id: string): CommandLine;
}

export interface RunnableCommand extends Command {
  run(line: CommandLine, context: Context, services: Services): Promise<ExitCode>;
  /** Execute a command line in a session. A command without it does not use the service, or opens sessions of its own. */
  execute?(line: CommandLine, session: Session, reader?: Reader): Promise<Result>;
  /** Check a command line. No request is sent. @param digests receives the digest of each file and variable that it reads */
  check?(line: CommandLine, session: Session, reader: Reader, digests: Digests): Promise<Checked>;
  readonly task?: Task;
  readonly declaration?: TaskCommand;
  readonly inEach?: InEach;
  readonly notInEach?: string | undefined;
}

export interface RunnableGroup extends CommandGroup {
  readonly commands: readonly RunnableCommand[];
}

export interface LookUp {
  readonly entries: readonly { readonly name: string; readonly summary: string }[];
  group(word: string): Promise<RunnableGroup | undefined>;
  /**
   * Find a command by names or aliases. Without a second word, or with an argument in its place, this is the command that has the name
   * of its group, if any.
   * @throws Failure `usage` for an unknown word
   */
  find(words: {
    readonly area: string;
    readonly command?: string | undefined;
  }): Promise<{ readonly group: RunnableGroup; readonly command?: RunnableCommand }>;
}

export interface Services {
  lookUp(): Promise<LookUp>;
  catalogue(): Promise<Catalogue>;
  help(request: HelpRequest, context: Context): Promise<ExitCode>;
}

export type BuiltinCommand = (group: Pick<CommandGroup, 'name' | 'summary'>) => RunnableCommand;

/** The commands of `svc <name>`. A command with the same name is run by `svc <name>` itself. */
export interface Builtin {
  readonly doc?: string;
  readonly commands: readonly BuiltinCommand[];
}

/** A command by itself has the name and the summary of its group. The default effect is `read`. */
export interface BuiltinDeclaration
  extends Omit<Declaration, 'name' | 'summary'>,
    Partial<Pick<Declaration, 'name' | 'summary'>> {
  /** Command lines, by descriptions. */
  readonly examples: Readonly<Record<string, string>>;
}

/** A command runs in a session and its result is printed, unless it has a function `run`. */
interface Draft<F extends FlagSpecs> extends BuiltinDeclaration, Pick<RunnableCommand, 'inEach' | 'check'> {
  readonly flags: F;
  readonly execute?: (
    line: CommandLine<OptionsOf<F>>,
    session: Session,
    reader?: Reader,
  ) => Result | Promise<Result>;
  readonly run?: (line: CommandLine<OptionsOf<F>>, context: Context, services: Services) => Promise<ExitCode>;
}

/** Declare a command. The names of its flags type its options. */
export function command<const F extends FlagSpecs>(draft: Draft<F>): BuiltinCommand {
  // The options are parsed with these flags.
  const { flags, inEach, execute, check, run, ...declaration } = draft as unknown as BuiltinDeclaration &
    Pick<RunnableCommand, 'inEach' | 'execute' | 'check'> & { flags: F; run?: RunnableCommand['run'] };
  const computed = {
    flags: () => listOwnFlags({ ...flags, ...sharedFlags('help') }),
    examples: () => Object.entries(declaration.examples).map(([does, run]) => ({ does, run })),
  };
  return ({ name, summary }) =>
    Object.assign(declaredCommand(name, { name, summary, ...declaration }, computed), {
      effect: draft.effect ?? 'read',
      ...(inEach ? { inEach } : { notInEach: 'it would do the same for each target' }),
      ...(execute ? { execute } : {}),
      ...(check ? { check } : {}),
      run:
        run ??
        ((line, context) =>
          printInSession(line.options, context, async (session) => execute?.(line, session) ?? done())),
    });
}

/** Print the result of a function in a session. @throws its failure */
export async function printInSession(
  options: Options,
  context: Context,
  use: (session: Session) => Result | Promise<Result>,
  more: SessionOptions = {},
): Promise<ExitCode> {
  if (options.fields === 'help') return (await import('../call/known-fields.ts')).printFields([], context);
  const [{ withSession }, { print }] = await Promise.all([
    import('../session/session.ts'),
    import('../call/print.ts'),
  ]);
  return withSession(options, context, async (session) => print(session, await use(session)), {}, more);
}

/** The flags that select the service and the credential, except `--sandbox`. */
export const server = sharedFlags('profile', 'base-url', 'token-file', 'auth', 'ca-file', 'insecure');

export const connection = {
  ...server,
  ...sharedFlags('timeout', 'retries', 'max-wait', 'read-only', 'verbose', 'trace', 'har'),
};

export const printing = {
  ...sharedFlags('output', 'json', 'csv', 'fields', 'jq', 'raw-strings'),
  ...sharedFlags('no-header', 'color', 'quiet'),
};

const idOrPath = { kind: 'text', placeholder: 'id|path' } as const;

export const scopeFlags = {
  project: { ...idOrPath, short: 'p', suggest: 'project', doc: 'Value of {project}' },
  group: { ...idOrPath, short: 'g', suggest: 'group', doc: 'Value of {group}' },
} as const;
