/** Run one command line, from argv to exit code. Only the modules of its command are loaded. */

import { Failure, tooLarge, usage } from '../errors.ts';
import type { Command } from '../spec/command.ts';
import { errorCode } from '../support/errno.ts';
import { version } from '../support/installation.ts';
import { givenIn, restOf, type SplitArgv, splitArgv } from './argv/split.ts';
import type { Services } from './builtin/define.ts';
import type { Context } from './context.ts';
import type { ExitCode } from './exit-codes.ts';
import { errorOutput, report } from './report.ts';

/** Run one command line. @param argv the words after `svc` @returns the exit code; errors are reported on `context.stderr` */
export async function run(argv: readonly string[], context: Context): Promise<ExitCode> {
  const split = splitArgv(argv);
  try {
    // Node replaces bytes that are not UTF-8, and the service would store the replacement.
    if (argv.some((word) => word.includes('\ufffd')))
      throw usage('an argument is not UTF-8 text', 'use a file or standard input');
    return await dispatch(split, await withInput(argv, split, context));
  } catch (error) {
    // The reader closed the pipe (`| head`), which is not an error.
    if (errorCode(error) === 'EPIPE') return 0;
    const { createCleaner } = await import('./terminal/clean.ts');
    return report(causeOf(error, context.signal), errorOutput(split, context), createCleaner(context.env));
  }
}

/** Read the standard input of a command with `--sandbox` first: one command at a time uses the sandbox, and another may write this input. */
async function withInput(
  argv: readonly string[],
  { command }: SplitArgv,
  context: Context,
): Promise<Context> {
  // The program of `exec` reads it itself.
  if (!argv.includes('--sandbox') || command === 'exec' || context.stdin.isTTY === true) return context;
  const flagOf = (at: number) => (argv[at] === '-' ? argv[at - 1] : argv[at]) ?? '';
  const isOutput = (at: number) => /^--(?:output-file|download|har)(?:=|$)/.test(flagOf(at));
  if (!argv.some((word, at) => /^(?:-\w)?-$|=-$/.test(word) && !isOutput(at))) return context;
  const { Readable } = await import('node:stream');
  const { collect, valueLimit } = await import('../support/bytes.ts');
  const tooMuch = () => tooLarge('standard input', valueLimit);
  return { ...context, stdin: Readable.from([await collect(context.stdin, valueLimit, tooMuch)]) };
}

/** After a signal, return the signal as the cause, unless the error is its failure with more details. */
function causeOf(error: unknown, { aborted, reason }: AbortSignal): unknown {
  const reported = error instanceof Failure && reason instanceof Failure && error.kind === reason.kind;
  return aborted && reason instanceof Failure && !reported ? reason : error;
}

const services: Services = {
  lookUp: async () => (await import('./catalogue.ts')).lookUp,
  catalogue: async () => (await import('./catalogue.ts')).loadCatalogue(),
  help: async (request, context) => (await import('./help.ts')).printHelp(request, context),
};

async function dispatch(split: SplitArgv, context: Context): Promise<ExitCode> {
  const { area, command: word, rest } = split;
  if (split.version) {
    context.stdout.write(`svc ${version}\n`);
    return 0;
  }
  // Users do not type this command, and its line is incomplete.
  if (area === '__complete')
    return (await import('./builtin/completion/complete.ts')).runUnparsed(rest, context);
  const named = { area: area ?? '', command: word === 'help' ? undefined : word };
  const found = area === undefined ? undefined : await (await services.lookUp()).find(named);
  const command = found?.command ?? (await import('./catalogue.ts')).withoutCommand(area);
  const { commandFlags } = await import('../spec/command-flags.ts');
  const given = givenIn(rest, commandFlags(command));
  // svc jobs help, svc jobs help list
  const isHelp = found && !found.command && word === 'help';
  const subject = isHelp ? rest.find((one) => !one.startsWith('-')) : word;
  const words = [area, subject].filter((one) => one !== undefined);
  const help = () => services.help({ words, all: given.has('--all') }, context);
  if (given.has('--help') || isHelp || (!found?.command && rest.length === 0)) return help();
  if (!found?.command) {
    const { parseCommand } = await import('./argv/parse.ts');
    // An unknown flag is an error: printing help with exit code 0 would look like success to a script.
    try {
      parseCommand(command, rest);
    } catch (error) {
      throw error instanceof Failure ? error.withHints('put flags after the command') : error;
    }
    return help();
  }
  const line = restOf(split, command);
  try {
    const parsed = await parseOrPick(command, line, context);
    const code = found.command.run(parsed, context, services);
    if (!parsed.options.notify) return await code;
    return await (await import('./terminal/message.ts')).notifying(code, `svc ${words.join(' ')}`, context);
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'usage') throw error;
    throw (await import('./unknown.ts')).withGuess(error, command, line);
  }
}

/** Parse a command line. On a terminal, the user chooses missing arguments from a list. */
async function parseOrPick(command: Command, line: readonly string[], context: Context) {
  const { parseCommand } = await import('./argv/parse.ts');
  try {
    return parseCommand(command, line);
  } catch (error) {
    if (!(error instanceof Failure) || context.stdin.isTTY !== true || context.stderr.isTTY !== true)
      throw error;
    const { pickMissing } = await import('./builtin/completion/pick.ts');
    return parseCommand(command, await pickMissing(error, command, line, context));
  }
}
