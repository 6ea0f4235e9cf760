import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { usage } from '../../errors.ts';
import { pathOf } from '../../spec/command.ts';
import { type Fill, filled, hasPlaceholder, splitAtPlaceholders } from '../../support/placeholders.ts';
import type { TargetLine } from '../../tasks/context.ts';
import { type Options, optionName } from '../argv/flags.ts';
import { type CommandLine, parseCommand } from '../argv/parse.ts';
import { restOf, splitArgv } from '../argv/split.ts';
import type { RunnableCommand } from '../builtin/define.ts';

/** Returns a parser of the command lines of targets. Those that differ in their scope only share the result. */
export function lineParser(
  command: RunnableCommand,
  cwd: string,
): (target: TargetLine, shared: Options) => CommandLine {
  const written = new Map<string, number>();
  let last: { readonly words: readonly string[]; readonly line: CommandLine } | undefined;
  return (target, shared) => {
    const { words, fill } = target;
    if (last?.words !== words || fill) {
      const typed = parseCommand(command, restOf(splitArgv(words), command), fill);
      if (fill) checkNames(typed, command, cwd, fill);
      const line = fill ? fillLine(typed, command, fill) : typed;
      checkWritten(line, command, cwd, target.row, written);
      // Results are collected as JSON. The confirmation, a rehearsal and the end after a failure are for all targets.
      const own = new Set(['output', 'json', 'csv', 'rehearse', 'failFast']);
      const others = Object.fromEntries(Object.entries(shared).filter(([name]) => !own.has(name)));
      const options = { ...others, ...line.options, yes: true, noInput: true } as const;
      last = { words, line: { ...line, options } };
    }
    return withOwnFiles(withTarget(last.line, target, command), target, command);
  };
}

/** Check what is filled into the path of a file to write: it must not select a folder. @throws Failure `usage` */
function checkNames({ options }: CommandLine, { flags }: RunnableCommand, cwd: string, fill: Fill): void {
  for (const { name } of flags.filter(({ writes }) => writes)) {
    const path = (options as Readonly<Record<string, unknown>>)[optionName(name)];
    if (typeof path !== 'string' || !hasPlaceholder(path)) continue;
    const parts = splitAtPlaceholders(path);
    const values = parts.filter((_, at) => at % 2 === 1).map(fill);
    const isUnsafe = (text: string) => ['', '.', '..'].includes(text) || /[/\\:\0]/.test(text);
    const selectsFolder = () =>
      parts.slice(1).some((text) => /[/\\]/.test(text)) || isFolder(resolve(cwd, fill(path)));
    const invalid = values.find(isUnsafe) ?? (selectsFolder() ? values[0] : undefined);
    if (invalid !== undefined)
      throw usage(
        `a value in --${name} must be a part of a file name, not ${JSON.stringify(invalid)}`,
        `write folders before the placeholder: --${name} folder/{column}`,
      );
  }
}

/** @param written the files of rows, and their numbers; extended @throws Failure `usage` for a file that another row writes */
function checkWritten(
  { options }: CommandLine,
  { flags }: RunnableCommand,
  cwd: string,
  row: number | undefined,
  written: Map<string, number>,
): void {
  for (const { name } of flags.filter(({ writes }) => writes)) {
    const given = (options as Readonly<Record<string, unknown>>)[optionName(name)];
    if (row === undefined || typeof given !== 'string' || given === '-') continue;
    const path = resolve(cwd, given);
    const other = written.get(path) ?? row;
    if (other !== row && !isFolder(path))
      throw usage(
        `--${name} ${given} is also the file of row ${other}`,
        `use a placeholder: --${name} {column}`,
      );
    written.set(path, row);
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** The placeholder for the name of the target in the path of a file of its own. */
const ownName = '{target}';

/** Whether a command line may read or write a file of each target. */
export const hasOwnFile = (words: readonly string[]): boolean => words.some((word) => word.includes(ownName));

/** Fill in the name of the target. A file to write requires it, so that no target replaces the file of another. @throws Failure `usage` */
function withOwnFiles(line: CommandLine, { target }: TargetLine, { flags }: RunnableCommand): CommandLine {
  const options: Record<string, unknown> = { ...line.options };
  for (const { name, writes } of flags.filter((flag) => flag.writes || flag.name === 'plan')) {
    const path = options[optionName(name)];
    if (typeof path !== 'string' || path === '-') continue;
    const isOwn = path.includes(ownName);
    if (target ? writes && !isOwn : isOwn)
      throw usage(
        target
          ? `for several targets, --${name} must contain {target}, the name of a project or group`
          : `--${name} with {target} requires --projects, --groups or --in-group`,
        `for example: svc each --projects <file> -- ... --${name} files/{target}`,
      );
    // One segment of a path, which is not hidden. Different targets have different names.
    const segment = encodeURIComponent(target?.id ?? '').replace(/^\./, '%2E');
    options[optionName(name)] = path.replaceAll(ownName, segment);
  }
  return { ...line, options: options as Options };
}

function withTarget(line: CommandLine, { target }: TargetLine, command: RunnableCommand): CommandLine {
  if (!target || target.scope === 'instance') return line;
  const { scope, id } = target;
  const given = ['project', 'group'].find((name) => name in line || name in line.options);
  if (given !== undefined)
    throw usage(
      `--${given} and --${scope}s cannot be used together`,
      `--${scope}s sets --${scope} for each target; placeholders require --rows`,
    );
  if (command.inEach) return command.inEach.withTarget(line, scope, id);
  if (command.endpoints.length === 0 && !command.scopes?.some(({ name }) => name === scope))
    throw usage(`svc ${pathOf(command)} does not accept --${scope}`);
  return { ...line, [scope]: id };
}

/** Fill in a row, except the parameters of the API: their reader does, because they may name files. */
function fillLine(line: CommandLine, { endpoints, inEach }: RunnableCommand, fill: Fill): CommandLine {
  const own: Fill = (text) => {
    const value = fill(text);
    if (value === '-' && text !== value) throw usage('a placeholder cannot name standard input');
    return value;
  };
  const { args, fields, words, tail, options } = line;
  if (inEach) return inEach.fill({ ...line, options: filled(options, own) }, fill);
  // The words of another program, which svc does not read, may be `-`.
  if (endpoints.length === 0) return { ...filled({ ...line, tail: [] }, own), tail: filled(tail, fill) };
  const known = filled({ ...line, args: {}, fields: {}, words: [] }, own);
  return { ...known, args, fields, words, options: { ...known.options, data: options.data } };
}
