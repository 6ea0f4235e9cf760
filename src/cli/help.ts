/** Print help pages. */
import { areas } from '../api/index.ts';
import type { Style } from '../docs/layout.ts';
import { isSingle } from '../spec/command.ts';
import { resolveName } from '../spec/names.ts';
import { commandIn, describeArea, findArea, loadArea } from './areas.ts';
import type { SplitArgv } from './argv/split.ts';
import { builtins, describeBuiltin } from './builtin/index.ts';
import { program } from './catalogue.ts';
import type { Context } from './context.ts';
import type { ExitCode } from './exit-codes.ts';
import { createTerminal } from './terminal/terminal.ts';
import { unknownCommand, unknownName } from './unknown.ts';

/** Print the page for `svc help <name> [command]` or for a command line with `--help`. */
export async function printHelp(argv: SplitArgv, context: Context): Promise<ExitCode> {
  const [name, command] =
    argv.area === 'help'
      ? [argv.command, argv.rest.find((word) => !word.startsWith('-'))]
      : [argv.area, argv.command];
  const { color, screen } = createTerminal({}, context);
  const style = { width: Math.min(screen?.width ?? 80, 80), color };
  context.stdout.write(await page(name, command, style));
  return 0;
}

async function page(name: string | undefined, command: string | undefined, style: Style): Promise<string> {
  const { commandHelp, groupHelp, rootHelp } = await import('../docs/help.ts');
  if (name === undefined)
    return rootHelp(
      areas,
      builtins.filter(({ hidden }) => !hidden),
      style,
    );
  const builtin = builtins.find((one) => one.name === name);
  if (builtin) {
    const group = await describeBuiltin(builtin);
    const wanted = resolveName(
      command ?? '',
      group.commands.map((one) => one.name),
    );
    const named = group.commands.find((one) => one.name === wanted);
    if (named) return commandHelp(named, style, program);
    if (command !== undefined && !isSingle(group))
      throw await unknownCommand(
        name,
        group.commands.map((one) => one.name),
        command,
      );
    return groupHelp(group, style, program);
  }
  const entry = findArea(name);
  if (!entry) throw await unknownName(name);
  const area = await loadArea(entry);
  if (command === undefined) return groupHelp(describeArea(area), style, program);
  const named = commandIn(area, command);
  if (named) return commandHelp(named, style, program);
  throw await unknownCommand(
    entry.name,
    describeArea(area).commands.map((one) => one.name),
    command,
  );
}
