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
  let last: { readonly words: readonly string[]; readonly line: CommandLine } | undefined;
  return (target, shared) => {
    const { words, fill } = target;
    if (last?.words !== words || fill) {
      const typed = parseCommand(command, restOf(splitArgv(words), command), fill);
      if (fill) checkNames(typed, command, cwd, fill);
      const line = fill ? fillLine(typed, command, fill) : typed;
      // Results are collected as JSON, and the confirmation was given for all targets.
      const { output: _, json: __, csv: ___, ...others } = shared;
      const options = { ...others, ...line.options, yes: true, noInput: true } as const;
      last = { words, line: { ...line, options } };
    }
    return withOwnPlans(withTarget(last.line, target, command), target);
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
      parts.slice(1).some((text) => /[/\\]/.test(text)) ||
      statSync(resolve(cwd, fill(path)), { throwIfNoEntry: false })?.isDirectory();
    const invalid = values.find(isUnsafe) ?? (selectsFolder() ? values[0] : undefined);
    if (invalid !== undefined)
      throw usage(
        `a value in --${name} must be a part of a file name, not ${JSON.stringify(invalid)}`,
        `write folders before the placeholder: --${name} folder/{column}`,
      );
  }
}

/** The placeholder for the name of the target in `--plan` and `--save-plan`. */
const ownPlan = '{target}';

/** Whether a command line may read or write a file of each target. */
export const hasOwnPlan = (words: readonly string[]): boolean => words.some((word) => word.includes(ownPlan));

/** Fill in the name of the target. `--save-plan` requires it, so that no plan replaces that of another target. @throws Failure `usage` */
function withOwnPlans(line: CommandLine, { target }: TargetLine): CommandLine {
  const options: Options & { savePlan?: string; plan?: string } = line.options;
  const { savePlan, plan } = options;
  if (savePlan === undefined && !plan?.includes(ownPlan)) return line;
  if (!target || savePlan?.includes(ownPlan) === false)
    throw usage(
      savePlan === undefined
        ? '--plan with {target} requires --projects, --groups or --in-group'
        : 'for several targets, --save-plan must contain {target}, the name of a project or group',
      'for example: svc each --projects <file> -- apply -f <file> --save-plan plans/{target}.ndjson',
    );
  // One segment of a path, which is not hidden. Different targets have different names.
  const segment = encodeURIComponent(target.id).replace(/^\./, '%2E');
  const fill = (path: string | undefined) => path?.replaceAll(ownPlan, segment);
  return { ...line, options: { ...options, savePlan: fill(savePlan), plan: fill(plan) } as Options };
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
