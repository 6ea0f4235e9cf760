/** `--help`, wherever it stands: the pages of `docs/help.ts` for what the words name. */
import { areas } from '../../api/index.ts';
import type { Program, Style } from '../../docs/help.ts';
import { leafOf, loadArea } from '../area.ts';
import type { Context } from '../context.ts';
import { type ExitCode, exitCodes, exitMeanings } from '../exits.ts';
import { flagsOf } from '../leaf.ts';
import { findArea } from '../program.ts';
import { createTerminal } from '../terminal.ts';
import type { Words } from '../words.ts';
import { type BuiltinEntry, builtins } from './index.ts';

export const program: Program = { flagsOf, exitCodes, exitMeanings };

function styleFor(context: Context): Style {
  const { color, screen } = createTerminal({}, context);
  return { width: Math.min(screen?.width ?? 80, 80), color };
}

async function describeBuiltin(entry: BuiltinEntry) {
  const { default: builtin } = await entry.load();
  const { doc, commands } = builtin;
  return { name: entry.name, summary: entry.summary, ...(doc === undefined ? {} : { doc }), commands };
}

/** Print the page that the words ask for; an unknown word is an error. */
export async function printHelp(words: Words, context: Context): Promise<ExitCode> {
  const [name, command] =
    words.area === 'help'
      ? [words.command, words.rest.find((word) => !word.startsWith('-'))]
      : [words.area, words.command];
  context.stdout.write(await page(name, command, styleFor(context)));
  return 0;
}

async function page(name: string | undefined, command: string | undefined, style: Style): Promise<string> {
  const help = await import('../../docs/help.ts');
  const shown = builtins.filter(({ hidden }) => !hidden);
  if (name === undefined)
    return help.rootHelp(
      areas,
      shown.map((entry) => ({ ...entry, commands: [] })),
      style,
    );
  const own = builtins.find((entry) => entry.name === name);
  if (own) {
    const builtin = await describeBuiltin(own);
    const chosen = builtin.commands.find((one) => one.name === command);
    return chosen
      ? help.builtinCommandHelp(builtin, chosen, style, program)
      : help.builtinHelp(builtin, style, program);
  }
  const entry = findArea(name);
  if (!entry)
    throw (await import('../parse.ts')).unknownWord(
      'command',
      name,
      [...areas, ...shown].map((one) => one.name),
      'svc',
    );
  const area = await loadArea(entry);
  if (command === undefined) return help.areaHelp(entry, area, style);
  const leaf = leafOf(entry, area, command);
  if (!leaf)
    throw (await import('../parse.ts')).unknownWord(
      'command',
      command,
      [...new Set(area.endpoints.map((one) => one.command.split(' ')[0] as string))],
      `svc ${entry.name}`,
    );
  return help.commandHelp(entry, leaf.endpoints, style, program);
}
