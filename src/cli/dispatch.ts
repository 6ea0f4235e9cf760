/** Find and run the command of a command line. Only the modules of that command are loaded. */
import type { Command } from '../spec/command.ts';
import { restOf, type SplitArgv } from './argv/split.ts';
import type { HelpRequest, Services } from './builtin/define.ts';
import type { Context } from './context.ts';
import type { ExitCode } from './exit-codes.ts';
import { version } from './version.ts';

/** Run the command of a command line. @throws Failure `usage` for a command that does not exist */
export async function dispatch(argv: SplitArgv, context: Context): Promise<ExitCode> {
  const { area, help, rest } = argv;
  if (area === undefined && argv.version) {
    context.stdout.write(`svc ${version}\n`);
    return 0;
  }
  // Users do not type this command, and its line is incomplete.
  if (area === '__complete')
    return (await import('./builtin/completion/complete.ts')).runUnparsed(rest, context);
  const found = area === undefined ? undefined : await (await services.lookUp()).find({ ...argv, area });
  const command = found?.command;
  if (!command && !help) await rejectUnknownFlags(argv);
  if (!command || (await asksHelp(argv, command))) return services.help(helpRequest(argv), context);
  const { parseCommand } = await import('./argv/parse.ts');
  if (rest.includes('--web') && (await lacksPage(command, rest)))
    throw (await import('./unknown.ts')).withoutPage(found.group, command);
  return command.run(parseCommand(command, restOf(argv, command)), context, services);
}

/** An unknown flag before the command is an error: printing help with exit code 0 would look like success to a script. */
async function rejectUnknownFlags({ area = '', rest }: SplitArgv): Promise<void> {
  if (rest.length === 0) return;
  const { parseCommand } = await import('./argv/parse.ts');
  const { listFlags, programFlags } = await import('./argv/flags.ts');
  const bare = { name: area, summary: '', docs: [], deprecated: [], arguments: [], fields: {} };
  const flags = listFlags(programFlags);
  try {
    parseCommand({ ...bare, area, flags, endpoints: [], examples: [] }, rest);
  } catch (error) {
    const { Failure } = await import('../errors.ts');
    throw error instanceof Failure ? error.withHints('put flags after the command') : error;
  }
}

const services: Services = {
  lookUp: async () => (await import('./look-up.ts')).lookUp,
  catalogue: async () => (await import('./catalogue.ts')).loadCatalogue(),
  help: async (request, context) => (await import('./help.ts')).printHelp(request, context),
};

const flagReaders = () => Promise.all([import('./argv/words.ts'), import('../docs/flags.ts')]);

/** Whether the user asks for help. `--help` can also be the value of a flag. */
async function asksHelp({ help, rest }: SplitArgv, command: Command): Promise<boolean> {
  if (!help) return false;
  const [{ isGiven }, { flagsOf }] = await flagReaders();
  return isGiven('--help', rest, flagsOf(command));
}

/** The words before `--help`, and whether `--all` accompanies it. */
function helpRequest({ area, command, rest }: SplitArgv): HelpRequest {
  const words = [area, command].filter((word) => word !== undefined);
  return { words, all: rest.includes('--all') };
}

/** Whether `--web` is given to a command of requests that does not have it. It can also be the value of a flag. */
async function lacksPage(command: Command, rest: readonly string[]): Promise<boolean> {
  const { endpoints, flags } = command;
  if (endpoints.length === 0 || flags.some(({ name }) => name === 'web')) return false;
  const [{ isGiven }, { flagsOf }] = await flagReaders();
  return isGiven('--web', rest, [...flagsOf(command), { name: '--web' }]);
}
