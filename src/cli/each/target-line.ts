/** Parse the command line of a target. */
import { createHash, hash } from 'node:crypto';
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { usage } from '../../errors.ts';
import { pathOf } from '../../spec/command.ts';
import { errnoText } from '../../support/errno.ts';
import { openInput } from '../../support/input.ts';
import { partsOf, plain } from '../../support/literal.ts';
import type { TargetLine } from '../../tasks/context.ts';
import { type Options, optionName } from '../argv/flags.ts';
import { type CommandLine, parseCommand } from '../argv/parse.ts';
import { restOf, splitArgv } from '../argv/split.ts';
import { pathIn, type Reader } from '../argv/values.ts';
import type { Digests, RunnableCommand } from '../builtin/define.ts';

/** The options for the command line of one target: its own, and those of `svc each`. */
function targetOptions(shared: Options, own: Options): Options {
  // Results are collected as JSON, and the confirmation was given for all targets.
  const { output: _, json: __, csv: ___, ...others } = shared;
  return { ...others, ...own, yes: true, noInput: true };
}

/**
 * Returns a function that parses the command line of a target. Targets that differ in their scope only share the result.
 * @param cwd the folder of relative paths
 */
export function lineParser(
  command: RunnableCommand,
  cwd: string,
): (target: TargetLine, shared: Options) => CommandLine {
  let last: { readonly words: readonly string[]; readonly line: CommandLine } | undefined;
  return (target, shared) => {
    if (last?.words !== target.words) {
      const line = parseCommand(command, restOf(splitArgv(target.words), command));
      checkNames(line, command, cwd);
      // These two know which text was filled in.
      const readsMarks = command.endpoints.length > 0 || command.inEach !== undefined;
      const plain = readsMarks ? withPlainOptions(line) : withoutMarks(line);
      last = { words: target.words, line: { ...plain, options: targetOptions(shared, plain.options) } };
    }
    return withOwnPlans(withTarget(last.line, target, command), target);
  };
}

/** Check what was filled into the path of a file to write: it must not select a folder. @throws Failure `usage` */
function checkNames({ options }: CommandLine, { flags }: RunnableCommand, cwd: string): void {
  for (const { name } of flags.filter(({ writes }) => writes)) {
    const path = (options as Readonly<Record<string, unknown>>)[optionName(name)];
    const parts = typeof path === 'string' ? partsOf(path) : [];
    const filled = parts.filter(({ isLiteral }) => isLiteral);
    const [first] = filled;
    if (typeof path !== 'string' || !first) continue;
    const hint = `write folders before the placeholder: --${name} folder/{column}`;
    const unsafe = filled.find(({ text }) => ['', '.', '..'].includes(text) || /[/\\:\0]/.test(text));
    if (unsafe)
      throw usage(
        `a value in --${name} must be a part of a file name, not ${JSON.stringify(unsafe.text)}`,
        hint,
      );
    const rest = parts.slice(parts.indexOf(first));
    if (rest.some(({ text }) => /[/\\]/.test(text)) || isFolder(resolve(cwd, plain(path))))
      throw usage(
        `a value in --${name} must name a file, not the folder ${JSON.stringify(first.text)}`,
        hint,
      );
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** A name in the place of the target. */
const ownPlan = '{target}';

/** Whether a command line may read or write a file of each target. */
export const hasOwnPlan = (words: readonly string[]): boolean => words.some((word) => word.includes(ownPlan));

/**
 * Fill in the name of the target in `--plan` and in `--save-plan`, which requires it so that no plan replaces that of another target.
 * @throws Failure `usage`
 */
function withOwnPlans(line: CommandLine, { target }: TargetLine): CommandLine {
  const options: Options & { savePlan?: string; plan?: string } = line.options;
  const name = target?.id;
  const { savePlan, plan } = options;
  if (savePlan === undefined && !plan?.includes(ownPlan)) return line;
  if (name === undefined || savePlan?.includes(ownPlan) === false)
    throw usage(
      name === undefined && savePlan === undefined
        ? '--plan with {target} requires --projects, --groups or --in-group'
        : 'for several targets, --save-plan must contain {target}, the name of a project or group',
      'for example: svc each --projects <file> -- apply -f <file> --save-plan plans/{target}.ndjson',
    );
  // One segment of a path, which is not hidden. Different targets have different names.
  const segment = encodeURIComponent(name).replace(/^\./, '%2E');
  const fill = (path: string | undefined) => path?.replaceAll(ownPlan, segment);
  return { ...line, options: { ...options, savePlan: fill(savePlan), plan: fill(plan) } as Options };
}

/** Add the project or the group of a target. @throws Failure `usage` if the command cannot use it */
function withTarget(line: CommandLine, { target }: TargetLine, command: RunnableCommand): CommandLine {
  if (!target || target.scope === 'instance') return line;
  const { scope, id } = target;
  const given = scopeIn(line);
  if (given !== undefined)
    throw usage(
      `${given} and --${scope}s cannot be used together`,
      `--${scope}s sets --${scope} for each target; placeholders require --rows`,
    );
  if (command.inEach) return command.inEach.withTarget(line, scope, id);
  if (command.endpoints.length === 0 && !command.scopes?.some(({ name }) => name === scope))
    throw usage(`svc ${pathOf(command)} does not accept --${scope}`);
  return { ...line, [scope]: id };
}

function scopeIn({ project, group, options }: CommandLine): string | undefined {
  if (project !== undefined || 'project' in options) return '--project';
  return group !== undefined || 'group' in options ? '--group' : undefined;
}

/** Options are not read as files, except these. */
const read = new Set(['data', 'filename', 'input']);

function withPlainOptions(line: CommandLine): CommandLine {
  return {
    ...line,
    options: mapTexts(line.options, (word, name) =>
      read.has(name) ? word : name === 'outputFile' || name === 'download' ? pathIn(word) : plain(word),
    ),
  };
}

function mapTexts<T extends object>(all: T, change: (text: string, name: string) => string): T {
  return Object.fromEntries(
    Object.entries(all).map(([name, value]) => [
      name,
      typeof value === 'string' ? change(value, name) : value,
    ]),
  ) as T;
}

/** A task that reads its words itself cannot see which text was filled in. */
function withoutMarks(line: CommandLine): CommandLine {
  const text = (word: string): string => {
    const unmarked = plain(word);
    if (word !== unmarked && unmarked === '-') throw usage('a placeholder cannot name standard input');
    return unmarked;
  };
  return {
    ...line,
    ...(line.project === undefined ? {} : { project: text(line.project) }),
    ...(line.group === undefined ? {} : { group: text(line.group) }),
    args: mapTexts(line.args, text),
    words: line.words.map(text),
    // The words of another program, which svc does not read.
    tail: line.tail.map(plain),
    options: mapTexts(line.options, text),
    repeated: line.repeated.map(([flag, value]) => [flag, text(value)]),
  };
}

/** Read each file, and standard input, once for all targets. @param digests receives the digest of each */
export function sharedReader(base: Reader, digests: Digests): Reader {
  const known = new Map<string, Promise<Uint8Array>>();
  return {
    bytes(source, what, limit) {
      const path = pathIn(source);
      let bytes = known.get(path);
      if (!bytes) {
        bytes = base.bytes(path, what, limit).then((read) => {
          digestValue(path, read, digests);
          return read;
        });
        known.set(path, bytes);
      }
      return bytes;
    },
  };
}

export function digestValue(name: string, value: string | Uint8Array, digests: Digests): void {
  digests.set(name, hash('sha256', value));
}

/** Add the digest of a file that is too large to keep. @throws Failure `usage` if it cannot be read */
export async function digestFile(file: string, digests: Digests): Promise<void> {
  if (digests.has(file)) return;
  const digest = createHash('sha256');
  try {
    for await (const chunk of await openInput(file)) digest.update(chunk);
  } catch (error) {
    throw usage(`cannot read ${file}: ${errnoText(error)}`);
  }
  digests.set(file, digest.digest('hex'));
}
