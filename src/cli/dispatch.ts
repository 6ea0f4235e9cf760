/** Find and run the command of a command line. Only the modules of that command are loaded. */
import type { Entry } from '../api/index.ts';
import type { Command } from '../spec/command.ts';
import { resolveName } from '../spec/names.ts';
import type { SplitArgv } from './argv/split.ts';
import type { HelpRequest, Services } from './builtin/define.ts';
import { type BuiltinEntry, builtins } from './builtin/index.ts';
import type { Context } from './context.ts';
import type { ExitCode } from './exit-codes.ts';
import { findArea } from './find-area.ts';
import { version } from './version.ts';

/** Run the command of a command line. @throws Failure `usage` for a command that does not exist */
export async function dispatch(argv: SplitArgv, context: Context): Promise<ExitCode> {
  const { area: name, command, help } = argv;
  if (name === undefined && argv.version) {
    context.stdout.write(`svc ${version}\n`);
    return 0;
  }
  const builtin = builtins.find((entry) => entry.name === name);
  if (builtin) return runBuiltin(builtin, argv, context);
  const entry = findArea(name);
  if (command === undefined && !help) await rejectUnknownFlags(argv);
  if (name === undefined || (entry && command === undefined) || (help && !entry))
    return (await import('./help.ts')).printHelp(helpRequest(argv), context);
  if (!entry) throw await (await import('./unknown.ts')).unknownName(name, command);
  return runEndpointCommand(entry, argv, context);
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
  find: async (words) => (await import('./find.ts')).findSubcommand(words),
  help: async (request, context) => (await import('./help.ts')).printHelp(request, context),
};

const flagReaders = () => Promise.all([import('./argv/words.ts'), import('../docs/flags.ts')]);

/** Whether the user asks for help. `--help` can also be the value of a flag. */
async function asksHelp({ help, rest }: SplitArgv, command: Command | undefined): Promise<boolean> {
  if (!help || !command) return help;
  const [{ isGiven }, { flagsOf }] = await flagReaders();
  return isGiven('--help', rest, flagsOf(command));
}

/** The words before `--help`, and whether `--all` accompanies it. */
function helpRequest({ area, command, rest }: SplitArgv): HelpRequest {
  const words = [area, command].filter((word) => word !== undefined);
  return { words, all: rest.includes('--all') };
}

async function runBuiltin(entry: BuiltinEntry, argv: SplitArgv, context: Context): Promise<ExitCode> {
  const { raw, commands } = (await entry.load()).default;
  if (raw) return raw(argv, context, services);
  const own = commands.find(({ name }) => name === entry.name);
  const names = commands.flatMap((one) => (one === own ? [] : [one.name]));
  const name = resolveName(argv.command ?? '', names);
  const command = commands.find((one) => one.name === name) ?? own;
  const described = command?.describe(entry.name);
  if ((!command && argv.command === undefined) || (await asksHelp(argv, described)))
    return (await import('./help.ts')).printHelp(helpRequest(argv), context);
  if (!command || !described) {
    const { unknownCommand } = await import('./unknown.ts');
    throw await unknownCommand(entry.name, names, argv.command ?? '');
  }
  const rest = command === own && argv.command !== undefined ? [argv.command, ...argv.rest] : argv.rest;
  const { parseCommand } = await import('./argv/parse.ts');
  const line = parseCommand(described, rest);
  // The declaration of the command types its options, and parsing reads the same declaration.
  return command.run(line as never, context, services);
}

async function runEndpointCommand(entry: Entry, argv: SplitArgv, context: Context): Promise<ExitCode> {
  const { describeArea, describedIn, loadArea } = await import('./areas.ts');
  const area = await loadArea(entry);
  const name = argv.command ?? '';
  const command = describedIn(area, name);
  if (await asksHelp(argv, command)) return (await import('./help.ts')).printHelp(helpRequest(argv), context);
  if (!command) {
    const { unknownCommand } = await import('./unknown.ts');
    throw await unknownCommand(
      entry.name,
      describeArea(area).commands.map((one) => one.name),
      name,
    );
  }
  const task = area.commands.find((one) => one.name === command.name);
  if (task) return (await import('./tasks.ts')).runTask(entry.name, task, argv.rest, context);
  const { parseCommand } = await import('./argv/parse.ts');
  if (argv.rest.includes('--web') && (await lacksPage(command, argv.rest)))
    throw (await import('./unknown.ts')).withoutPage(area, command);
  const line = parseCommand(command, argv.rest);
  const { runCommand } = await import('./call/run.ts');
  return runCommand(command, line, area.runners[command.name], context);
}

/** Whether `--web` is given to a command that does not have it. It can also be the value of a flag. */
async function lacksPage(command: Command, rest: readonly string[]): Promise<boolean> {
  if (command.flags.some(({ name }) => name === 'web')) return false;
  const [{ isGiven }, { flagsOf }] = await flagReaders();
  return isGiven('--web', rest, [...flagsOf(command), { name: '--web' }]);
}
