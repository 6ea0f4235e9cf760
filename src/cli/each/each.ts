/** `svc each`: run a command for many targets, in one session. */
import { scopePath } from '../../config/scope.ts';
import { mayBeExecuted, usage } from '../../errors.ts';
import { type Command, type Effect, effectOf, pathOf, printedBy } from '../../spec/command.ts';
import { type Field, hasSecret } from '../../spec/field.ts';
import { knownFields, maskedUrl } from '../../spec/mask.ts';
import { kebab } from '../../spec/names.ts';
import { isIdempotentMethod } from '../../support/http-method.ts';
import { mask } from '../../support/mask.ts';
import { hasPlaceholder } from '../../support/placeholders.ts';
import { commandLine } from '../../support/shell.ts';
import type { EachContext, Subcommand, TargetLine, TargetResult } from '../../tasks/context.ts';
import { taskCommandOf } from '../areas.ts';
import { allFlags, listOwnFlags, type Options, optionName, sharedFlags, wordsOf } from '../argv/flags.ts';
import { type CommandLine, parseCommand } from '../argv/parse.ts';
import { restOf, splitArgv } from '../argv/split.ts';
import { createReader, type Reader } from '../argv/values.ts';
import type { Builtin, RunnableCommand, Services } from '../builtin/define.ts';
import { exitCodeOf, print } from '../call/print.ts';
import { answersFields } from '../call/run.ts';
import { taskContext } from '../call/task/context.ts';
import type { Context } from '../context.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { failureOf } from '../report.ts';
import { isDryRun } from '../request/build.ts';
import type { Session } from '../session/model.ts';
import { withSession } from '../session/session.ts';
import { readerOpener } from './check.ts';
import { checkSize, Output, sessionOpener } from './output.ts';
import { errorOf, openResults } from './results.ts';
import { hasOwnFile, lineParser } from './target-line.ts';

type EachTasks = typeof import('../../tasks/each/index.ts');

/** Find the command of the words after `--`. @throws Failure `usage` if it cannot run for several targets */
async function findSubcommand(words: readonly string[], services: Services): Promise<RunnableCommand> {
  const { area, command: word } = splitArgv(words);
  if (area === undefined)
    throw usage('no command given', 'put it after --: svc each --projects projects.txt -- approvals get');
  const { group, command } = await (await services.lookUp()).find({ area, command: word });
  if (!command) throw usage(`svc ${group.name}: the command is missing`, `see svc ${group.name} --help`);
  if (command.notInEach !== undefined)
    throw usage(`svc each cannot run ${JSON.stringify(pathOf(command))}: ${command.notInEach}`);
  // svc each itself asks for confirmation.
  const flags = command.inEach ? [...command.flags, ...listOwnFlags(sharedFlags('yes'))] : command.flags;
  return { ...command, flags };
}

async function runForTargets(
  { eachCommand, templateOf }: EachTasks,
  line: CommandLine,
  context: Context,
  services: Services,
): Promise<ExitCode> {
  const { words } = 'rows' in line.options ? templateOf(line.tail) : { words: line.tail };
  const command = await findSubcommand(words, services);
  const inner = parseCommand(command, restOf(splitArgv(words), command));
  const { declaration: own } = command;
  if ('rehearse' in inner.options) throw usage('--rehearse cannot be used after --', 'put it before --');
  if ('rehearse' in line.options && ('plan' in inner.options || 'savePlan' in inner.options))
    throw usage('--rehearse cannot be used with --plan or --save-plan');
  const lacked = ['dry-run', 'curl', 'jq'].find((flag) => {
    // Of a slurped list, the program reads the list. A rehearsal runs only commands that have a dry run.
    const isGiven = optionName(flag) in line.options && !(flag === 'jq' && 'slurp' in line.options);
    const isRequired = isGiven || (flag === 'dry-run' && 'rehearse' in line.options);
    return isRequired && !command.flags.some(({ name }) => name === flag);
  });
  if (lacked !== undefined) {
    const isTyped = optionName(lacked) in line.options;
    const problem = isTyped ? `does not accept --${lacked}` : 'has no dry run, so it cannot be rehearsed';
    throw usage(`svc ${pathOf(command)} ${problem}`);
  }
  const ownFlags = new Set([...Object.keys(own?.flags ?? {}), ...(own?.formats ? ['output'] : [])]);
  const merged = withSharedOptions(line, inner, ownFlags);
  if (await answersFields(command, merged.options, context)) return 0;
  if (own?.endsWith !== undefined && !(own.endsWith in inner.options))
    throw usage(`svc each runs ${pathOf(command)} only with --${own.endsWith}, without which it never ends`);
  return withSession(
    merged.options,
    context,
    async (session) => {
      const reader = createReader(context);
      const taskIn = (own: Session): EachContext => ({
        ...taskContext(own, taskCommandOf('each', eachCommand), merged, reader),
        subcommand: openSubcommand('rehearse' in merged.options ? writable(own) : own, command, reader),
        onReaderGone: (act) => context.onReaderGone?.(act),
        openCopy: async (content) =>
          (await import('../call/task/copy.ts')).openCopy(session, content, taskIn),
      });
      return print(session, await eachCommand.run(taskIn(session)));
    },
    knownFields(command.endpoints),
    { concurrent: true, command: pathOf(command), format: command.inEach?.format },
  );
}

/** The session of a rehearsal, which writes to a copy only. In read-only mode, the transport refuses every write to the service. */
const writable = (session: Session): Session => ({
  ...session,
  settings: { ...session.settings, readOnly: { value: false, source: 'flag', from: '--rehearse' } },
});

export function eachBuiltin(tasks: EachTasks): Builtin {
  const run: RunnableCommand['run'] = (...given) => runForTargets(tasks, ...given);
  return {
    commands: [
      () => Object.assign(taskCommandOf('each', tasks.eachCommand), { run }),
      () => taskCommandOf('each', tasks.reportCommand),
    ],
  };
}

/** Move the flags that all targets share to `svc each`. @param own flags that the command declares itself @throws Failure `usage` */
function withSharedOptions(line: CommandLine, inner: CommandLine, own: ReadonlySet<string>): CommandLine {
  const options: Record<string, unknown> = { ...line.options };
  const given = new Map<string, unknown>(Object.entries(inner.options));
  for (const [flag, { each }] of allFlags) {
    const name = optionName(flag);
    const value = given.get(name);
    if (value === undefined || each === 'target') continue;
    if (each === 'never') throw usage(`svc each does not accept --${flag} after --`);
    // JSON is a format of every command, and `each` prints it too.
    if (own.has(flag) && value !== 'json') continue;
    if (options[name] !== undefined) throw usage(`--${flag} is given before and after --`, 'use it once');
    if (typeof value === 'string' && hasPlaceholder(value))
      throw usage(`--${flag} cannot contain a placeholder`);
    options[name] = value;
  }
  return { ...line, options: options as Options };
}

/** An id, or a path without a segment that URLs treat differently. */
const ordinaryId = /^\w[\w.-]*(\/\w[\w.-]*)*$/;

const effects: readonly Effect[] = ['read', 'write', 'destructive'];

function openSubcommand(session: Session, command: RunnableCommand, base: Reader): Subcommand {
  const { execute, check } = command;
  if (!execute || !check) throw new Error(`${pathOf(command)} cannot run for several targets`);
  const parse = lineParser(command, session.context.cwd);
  const outputs = new WeakMap<TargetResult, Output>();
  const files = new Map<string, string>();
  const readerOf = readerOpener(base, files);
  // The command lines of `svc api` differ in these facts, which are known when they have been checked.
  const facts: { summary: string; effect: Effect; idempotent: boolean } = {
    summary: command.inEach ? '' : command.summary,
    effect: command.inEach ? 'read' : effectInEach(command),
    idempotent: command.declaration?.idempotent !== false && isIdempotent(command),
  };
  const results = openResults(session, printedBy(command)[0], () => facts.effect !== 'read');
  const open = sessionOpener(session);
  let valid: readonly string[] | undefined;
  let first: CommandLine | undefined;
  const ended = async (target: TargetLine, output: Output): Promise<TargetResult> => {
    const line = parse(target, session.options);
    try {
      const child = open(line.options, output);
      const result = await execute(line, child, readerOf(target.fill));
      output.keepKind(result, child);
      await print(child, { ...result, failure: undefined });
      if (result.failure) throw result.failure;
      checkSize(session, output);
      const { ending } = result;
      const kind = typeof ending === 'string' ? { kind: ending } : {};
      return { exit: exitCodeOf(ending), ...kind, uncertain: false };
    } catch (error) {
      const { aborted, reason } = session.context.signal;
      if (aborted) {
        // A task with several steps printed which of them are done.
        if (!command.declaration || output.isEmpty) throw reason;
        const { kind } = failureOf(reason);
        return { exit: exitCodes[kind], kind, uncertain: true, interrupted: true };
      }
      const failure = failureOf(error);
      if (facts.idempotent || isDryRun(session) || !mayBeExecuted(failure))
        return { exit: exitCodes[failure.kind], failure, uncertain: false };
      return { exit: exitCodes.partial, kind: 'unknown', failure, uncertain: true };
    }
  };
  return Object.assign(facts, {
    path: pathOf(command),
    shown: () => shownLine(command, first),
    endpoints: command.declaration ? [] : command.endpoints,
    area: command.area,
    files,
    async check(target: TargetLine) {
      const id = target.target?.id;
      // The words are those of an earlier target, and this id is valid in each of them.
      const isKnown = valid === target.words && !hasOwnFile(target.words);
      if (id !== undefined && isKnown && ordinaryId.test(id)) return id;
      const line = parse(target, session.options);
      first ??= line;
      const checked = await check(line, open(line.options, new Output()), readerOf(target.fill), files);
      if (checked.effect && effects.indexOf(checked.effect) >= effects.indexOf(facts.effect)) {
        facts.effect = checked.effect;
        facts.summary = checked.summary ?? '';
      }
      facts.idempotent &&= checked.idempotent ?? true;
      // A plan that is only saved changes nothing.
      if ('savePlan' in line.options) facts.effect = 'read';
      valid = target.words;
      const scope = line.project === undefined ? 'group' : 'project';
      const value = line[scope];
      const baseUrl = session.settings.baseUrl?.value;
      return value === undefined ? undefined : scopePath(scope, { value, from: `--${scope}` }, baseUrl);
    },
    async run(target: TargetLine) {
      const output = new Output();
      const result = await ended(target, output);
      const shown = errorOf(result, output, session.notes.redact);
      const message = session.notes.redact(shown?.message ?? '');
      const kept = shown ? { ...result, error: { kind: shown.kind, message } } : result;
      outputs.set(kept, output);
      return kept;
    },
    print: (target: TargetLine, result: TargetResult) =>
      results.print(target, result, outputs.get(result) ?? new Output()),
    end: () => results.end(),
  });
}

/** A command line with its secrets masked, and without the values of rows. Flags of the connection and the output are left out. */
function shownLine(command: RunnableCommand, line: CommandLine | undefined): string {
  const { words = [], fields = {} } = line ?? {};
  const shown = (field: Field | undefined, value: string) =>
    hasSecret(field) ? mask : hasPlaceholder(value) ? '…' : maskedUrl(value);
  const args = words.map((word, at) => shown((command.arguments[at] ?? command.arguments.at(-1))?.of, word));
  const flags = Object.entries(fields).map(([name, value]) => {
    const flag = `--${kebab(name)}`;
    return value === true ? flag : `${flag}=${shown(command.fields[name], String(value))}`;
  });
  const own = wordsOf(line?.options ?? {}, Object.entries(command.declaration?.flags ?? {}));
  return commandLine(['svc', ...pathOf(command).split(' '), ...args, ...flags, ...own]);
}

/** A command without --yes never asks, such as `variables exec`. */
function effectInEach(command: Command): Effect {
  const effect = effectOf(command);
  return effect === 'destructive' && !command.flags.some(({ name }) => name === 'yes') ? 'write' : effect;
}

/** Tasks are idempotent unless they say otherwise. */
function isIdempotent({ endpoints }: Command): boolean {
  return endpoints.every(({ method, repeatable }) => repeatable || isIdempotentMethod(method));
}
