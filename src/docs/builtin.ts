/** Help of the commands that are no call of the API. */

import { globalFlag } from './flags.ts';
import { columns, inkOf, paragraph, type Style } from './layout.ts';
import { type Builtin, type BuiltinCommand, builtinUsage, type Program, standsAlone } from './model.ts';
import { exampleSection, exitSection, flagSections, ownFirst, page, usage, usageOf } from './sections.ts';

/** What `svc <builtin> --help` prints. */
export function builtinHelp(builtin: Builtin, style: Style, program: Program): string {
  const [only] = builtin.commands;
  if (only && standsAlone(builtin)) return builtinCommandHelp(builtin, only, style, program);
  const ink = inkOf(style);
  const rows = builtin.commands.map(({ name, args, summary }) => ({
    left: `${name} ${args}`.trim(),
    right: summary,
  }));
  return page([
    ...paragraph(builtin.summary, ink.width),
    '',
    ...usageOf(`svc ${builtin.name}`, ink),
    '',
    ink.bold('Commands:'),
    ...columns(rows, { width: ink.width, paint: ink.bold }),
    '',
    ...paragraph(`'svc ${builtin.name} <command> --help' says all of a command, with its flags.`, ink.width),
  ]);
}

/** What `svc <builtin> <command> --help` prints. */
export function builtinCommandHelp(
  builtin: Builtin,
  command: BuiltinCommand,
  style: Style,
  program: Program,
): string {
  const ink = inkOf(style);
  const flags = command.flags.filter((flag) => !flag.hidden).map(globalFlag);
  return page([
    ...paragraph(`${command.summary}.`, ink.width),
    ...(command.doc ? ['', ...paragraph(command.doc, ink.width)] : []),
    '',
    ink.bold('Usage:'),
    ...usage(builtinUsage(builtin, command), ink),
    ...flagSections(flags, ownFirst, ink),
    ...exampleSection(command.examples, ink),
    ...exitSection(program, flags, ink),
  ]);
}
