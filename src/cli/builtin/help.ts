/** `--help`, wherever it stands: the pages of `docs/help.ts` for what the words name. */
import { areas } from '../../api/index.ts';
import type { Style } from '../../docs/layout.ts';
import type { SplitArgv } from '../argv/split.ts';
import type { Context } from '../context.ts';
import { leafOf, loadArea, unknownCommand } from '../dispatch.ts';
import type { ExitCode } from '../exit-codes.ts';
import { findArea, unknownArea } from '../run.ts';
import { createTerminal } from '../terminal/terminal.ts';
import { describeBuiltin, program, shownBuiltins } from './catalogue.ts';
import { builtins } from './index.ts';

function styleFor(context: Context): Style {
  const { color, screen } = createTerminal({}, context);
  return { width: Math.min(screen?.width ?? 80, 80), color };
}

/** Print the page that the words ask for; an unknown word is an error. */
export async function printHelp(words: SplitArgv, context: Context): Promise<ExitCode> {
  const [name, command] =
    words.area === 'help'
      ? [words.command, words.rest.find((word) => !word.startsWith('-'))]
      : [words.area, words.command];
  context.stdout.write(await page(name, command, styleFor(context)));
  return 0;
}

async function page(name: string | undefined, command: string | undefined, style: Style): Promise<string> {
  const help = await import('../../docs/help.ts');
  if (name === undefined)
    return help.rootHelp(
      areas,
      shownBuiltins.map((entry) => ({ ...entry, commands: [] })),
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
  if (!entry) throw await unknownArea(name);
  const area = await loadArea(entry);
  if (command === undefined) return help.areaHelp(entry, area, style);
  const leaf = leafOf(entry, area, command);
  if (!leaf) throw await unknownCommand(entry, area, command);
  return help.commandHelp(entry, leaf.endpoints, style, program);
}
