/** argv to exit code. */

import { areas, type Entry } from '../api/index.ts';
import { Failure } from '../errors.ts';
import { type SplitArgv, splitArgv, wantsHelp, wantsJson } from './argv/split.ts';
import { builtins } from './builtin/index.ts';
import type { Context } from './context.ts';
import { type ExitCode, report } from './exit-codes.ts';
import { version } from './version.ts';

/**
 * Run one command line.
 * @param argv the words after `svc`
 * @returns the exit code (interface section 5); errors were told on `context.stderr`
 */
export async function run(argv: readonly string[], context: Context): Promise<ExitCode> {
  try {
    return await dispatch(argv, context);
  } catch (error) {
    if (isGone(error)) return 0;
    return report(causeOf(error, context.signal), context.stderr, wantsJson(argv));
  }
}

/** Whatever breaks once the command was told to end breaks because of that; what tells how far it came stays. */
function causeOf(error: unknown, { aborted, reason }: AbortSignal): unknown {
  const told = error instanceof Failure && reason instanceof Failure && error.kind === reason.kind;
  return aborted && reason instanceof Failure && !told ? reason : error;
}

/** The reader went away (`| head`): no error, no noise. */
function isGone(error: unknown): boolean {
  return error instanceof Error && (error as NodeJS.ErrnoException).code === 'EPIPE';
}

async function dispatch(argv: readonly string[], context: Context): Promise<ExitCode> {
  const words = splitArgv(argv);
  if (words.area === undefined && argv.some((word) => word === '--version' || word === '-V')) {
    context.stdout.write(`svc ${version}\n`);
    return 0;
  }
  const builtin = builtins.find(({ name }) => name === words.area);
  if (builtin) return (await builtin.load()).default.run(words, context);
  const entry = findArea(words.area);
  await refuseStrayFlags(words, argv);
  if (
    wantsHelp(argv) ||
    words.area === undefined ||
    words.area === 'help' ||
    (entry && words.command === undefined)
  ) {
    return (await import('./builtin/help.ts')).printHelp(words, context);
  }
  if (!entry) throw await unknownArea(words.area);
  return (await import('./dispatch.ts')).runCommand(entry, words, context);
}

/** A flag before the command that is none of `svc` itself: help in its place would look like success to a script. */
async function refuseStrayFlags({ area, command, rest }: SplitArgv, argv: readonly string[]): Promise<void> {
  if (command !== undefined || rest.length === 0 || area === 'help' || wantsHelp(argv)) return;
  const { addGlobal, fromCommander, quietCommand } = await import('./argv/parse.ts');
  const { globalFlags } = await import('./argv/flags.ts');
  const parser = quietCommand('svc').allowExcessArguments();
  for (const flag of globalFlags) addGlobal(parser, flag);
  try {
    parser.parse([...rest], { from: 'user' });
  } catch (error) {
    const failure = fromCommander(error, area === undefined ? 'svc' : `svc ${area}`);
    if (!(failure instanceof Failure)) throw failure;
    throw failure.withHints("a command's own flags stand behind its name");
  }
}

/** An area by its name or another name that it goes by. */
export function findArea(name: string | undefined): Entry | undefined {
  return areas.find((entry) => entry.name === name || entry.aliases?.includes(name ?? ''));
}

/** The error for a first word that is neither an area nor a command of `svc`, with those that come near. */
export async function unknownArea(name: string): Promise<Failure> {
  const { unknownWord } = await import('./argv/parse.ts');
  const known = [...areas, ...builtins].filter((one) => !('hidden' in one)).map((one) => one.name);
  const failure = unknownWord('command', name, known, 'svc');
  return failure.withHints('svc api makes requests that no command covers');
}
