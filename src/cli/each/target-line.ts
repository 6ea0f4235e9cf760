import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { usage } from '../../errors.ts';
import { pathOf } from '../../spec/command.ts';
import { partsOf, plain } from '../../support/literal.ts';
import type { TargetLine } from '../../tasks/context.ts';
import { type Options, optionName } from '../argv/flags.ts';
import { type CommandLine, parseCommand } from '../argv/parse.ts';
import { restOf, splitArgv } from '../argv/split.ts';
import { pathIn } from '../argv/values.ts';
import type { RunnableCommand } from '../builtin/define.ts';

/** Returns a parser of the command lines of targets. Those that differ in their scope only share the result. */
export function lineParser(
  command: RunnableCommand,
  cwd: string,
): (target: TargetLine, shared: Options) => CommandLine {
  let last: { readonly words: readonly string[]; readonly line: CommandLine } | undefined;
  return (target, shared) => {
    if (last?.words !== target.words) {
      const typed = parseCommand(command, restOf(splitArgv(target.words), command));
      checkNames(typed, command, cwd);
      const line = withoutMarks(typed, command);
      // Results are collected as JSON, and the confirmation was given for all targets.
      const { output: _, json: __, csv: ___, ...others } = shared;
      const options = { ...others, ...line.options, yes: true, noInput: true } as const;
      last = { words: target.words, line: { ...line, options } };
    }
    return withOwnPlans(withTarget(last.line, target, command), target);
  };
}

/** Check what was filled into the path of a file to write: it must not select a folder. @throws Failure `usage` */
function checkNames({ options }: CommandLine, { flags }: RunnableCommand, cwd: string): void {
  for (const { name } of flags.filter(({ writes }) => writes)) {
    const path = (options as Readonly<Record<string, unknown>>)[optionName(name)];
    const parts = typeof path === 'string' ? partsOf(path) : [];
    const at = parts.findIndex(({ isLiteral }) => isLiteral);
    const first = parts[at];
    if (typeof path !== 'string' || !first) continue;
    const isUnsafe = (text: string) => ['', '.', '..'].includes(text) || /[/\\:\0]/.test(text);
    const selectsFolder = () =>
      parts.slice(at).some(({ text }) => /[/\\]/.test(text)) ||
      statSync(resolve(cwd, plain(path)), { throwIfNoEntry: false })?.isDirectory();
    const invalid =
      parts.find(({ text, isLiteral }) => isLiteral && isUnsafe(text)) ??
      (selectsFolder() ? first : undefined);
    if (invalid)
      throw usage(
        `a value in --${name} must be a part of a file name, not ${JSON.stringify(invalid.text)}`,
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

/** The options that commands of the API read with their marks. */
const withMarks = new Set(['data', 'filename', 'input']);

/** Remove the marks of filled text that the command does not read. A task reads all its words itself, and cannot see which text was filled in. */
function withoutMarks(line: CommandLine, { endpoints, inEach }: RunnableCommand): CommandLine {
  if (endpoints.length > 0 || inEach)
    return {
      ...line,
      options: mapTexts(line.options, (word, name) =>
        withMarks.has(name) ? word : ['outputFile', 'download'].includes(name) ? pathIn(word) : plain(word),
      ),
    };
  const text = (word: string): string => {
    const unmarked = plain(word);
    if (word !== unmarked && unmarked === '-') throw usage('a placeholder cannot name standard input');
    return unmarked;
  };
  const { project, group, args, words, tail, options, repeated } = line;
  return {
    ...line,
    ...mapTexts({ ...(project && { project }), ...(group && { group }) }, text),
    args: mapTexts(args, text),
    words: words.map(text),
    // The words of another program, which svc does not read.
    tail: tail.map(plain),
    options: mapTexts(options, text),
    repeated: repeated.map(([flag, value]) => [flag, text(value)]),
  };
}

function mapTexts<T extends object>(all: T, change: (text: string, name: string) => string): T {
  const changed = Object.entries(all).map(([name, value]) => [
    name,
    typeof value === 'string' ? change(value, name) : value,
  ]);
  return Object.fromEntries(changed) as T;
}
