/** A command that `svc each` runs for several targets, in one session. */
import { Writable } from 'node:stream';
import { usage } from '../../errors.ts';
import { mayBeExecuted } from '../../http/errors/network.ts';
import { type Command, effectOf, pathOf } from '../../spec/command.ts';
import { isFilePart, plan } from '../../spec/request.ts';
import { isReadMethod } from '../../support/http-method.ts';
import { plain } from '../../support/literal.ts';
import type { Subcommand, TargetLine, TargetResult, TaskContext } from '../../tasks/context.ts';
import type { Options } from '../argv/flags.ts';
import { type CommandLine, parseCommand } from '../argv/parse.ts';
import { splitArgv } from '../argv/split.ts';
import { pathIn, type Reader } from '../argv/values.ts';
import type { Found } from '../builtin/define.ts';
import { perform } from '../call/call.ts';
import { taskContext } from '../call/task/context.ts';
import { exitCodes } from '../exit-codes.ts';
import { failureOf } from '../report.ts';
import { requestBase } from '../request/build.ts';
import { confirm } from '../request/confirm.ts';
import { isDryRun } from '../request/dry-run.ts';
import { pagingOf } from '../request/paging.ts';
import { prepareCall } from '../request/validate.ts';
import type { Session } from '../session/model.ts';
import { noProgress } from '../terminal/activity.ts';
import { Capture, Spool } from './capture.ts';
import { targetOptions } from './flags.ts';
import { formatOf, isTabular, openResults, type Printed } from './results.ts';

/** Open a command. @param base reads the files of its command lines, each once */
export function openSubcommand(session: Session, found: Found, base: Reader): Subcommand {
  const { command, task } = found;
  const [endpoint] = command.endpoints;
  const reader = sharedReader(base);
  const parse = parser(command);
  const spool = new Spool();
  const printed = new WeakMap<TargetResult, Printed>();
  const results = openResults(session, endpoint);
  const kind = kindOf(session, found);
  return {
    path: pathOf(command),
    summary: command.summary,
    effect: effectOf(command),
    idempotent: isIdempotent(command),
    async check(target) {
      const line = parse(target, session.options);
      const child = childSession(session, line.options, new Capture(spool), []);
      if (task) await rehearse(task, taskContext(child, command, line, reader));
      else await checkCall(child, command, line, reader);
      const scope = line.project ?? line.group;
      return scope === undefined ? undefined : plain(scope);
    },
    async run(target) {
      const notes: [how: 'say' | 'done' | 'confirmed' | 'warn', text: string][] = [];
      const data = new Capture(spool);
      const keep = (result: TargetResult) => {
        printed.set(result, { data, kind: line.options.raw === true ? 'text' : kind, notes });
        return result;
      };
      const line = parse(target, session.options);
      const child = childSession(session, line.options, data, notes);
      try {
        let exit = 0;
        if (task) {
          const ending = (await task(taskContext(child, command, line, reader))) ?? 0;
          exit = typeof ending === 'number' ? ending : exitCodes[ending];
        } else await perform(child, await prepareCall(child, command, line, reader), command.area);
        return keep({ exit, uncertain: false, ...(exit === 0 ? {} : { kind: kindOfCode(exit) }) });
      } catch (error) {
        if (session.context.signal.aborted) throw session.context.signal.reason;
        const failure = failureOf(error);
        return keep({ exit: exitCodes[failure.kind], failure, uncertain: mayBeExecuted(failure) });
      }
    },
    print: (target, result) => results.print(target, result, printed.get(result)),
    async end() {
      try {
        await results.end();
      } finally {
        spool.remove();
      }
    },
  };
}

function kindOfCode(code: number): string {
  return Object.entries(exitCodes).find(([, one]) => one === code)?.[0] ?? `exit code ${code}`;
}

/** What a command prints in the format of its targets. */
function kindOf(session: Session, { command, own }: Found): Printed['kind'] {
  if (isDryRun(session)) return 'requests';
  if (session.options.jq !== undefined) return session.options.rawStrings === true ? 'text' : 'lines';
  const [endpoint] = command.endpoints;
  if (endpoint) return endpoint.returns.kind === 'raw' ? 'text' : 'json';
  // A task prints text for people, unless a format is requested.
  return own?.formats || session.settings.output.source === 'default' ? 'text' : 'json';
}

/** PUT and DELETE are idempotent (RFC 9110 section 9.2.2), and so are tasks (interface section 9). */
function isIdempotent({ endpoints }: Command): boolean {
  return endpoints.every(
    ({ method, repeatable }) => repeatable || isReadMethod(method) || method === 'PUT' || method === 'DELETE',
  );
}

/** The words after the name of a command. */
export function restOf(words: readonly string[], { area, name }: Command): readonly string[] {
  const { command, rest } = splitArgv(words);
  return area === name && command !== undefined ? [command, ...rest] : rest;
}

/** Parse the command line of a target. Targets that differ in their scope only share the result. */
function parser(command: Command): (target: TargetLine, shared: Options) => CommandLine {
  let last: { readonly words: readonly string[]; readonly line: CommandLine } | undefined;
  return ({ words, project, group }, shared) => {
    if (last?.words !== words) last = { words, line: parseCommand(command, restOf(words, command)) };
    const { line } = last;
    const scope = project === undefined ? '--groups' : '--projects';
    if (project !== undefined || group !== undefined) {
      const given =
        line.project === undefined ? (line.group === undefined ? undefined : '--group') : '--project';
      if (given !== undefined) throw usage(`${given} and ${scope} cannot be used together`);
      if (
        command.endpoints.length === 0 &&
        !command.scopes?.some(({ name }) => name === (project === undefined ? 'group' : 'project'))
      )
        throw usage(`svc ${pathOf(command)} does not accept ${scope.slice(0, -1)}`);
    }
    const targeted: CommandLine = {
      ...line,
      ...(project === undefined ? {} : { project }),
      ...(group === undefined ? {} : { group }),
    };
    const filled = command.endpoints.length > 0 ? targeted : withoutMarks(targeted);
    return { ...filled, options: targetOptions(shared, filled.options) };
  };
}

/** A task that reads its words itself cannot see which text was filled in. */
function withoutMarks(line: CommandLine): CommandLine {
  const text = (word: string): string => {
    const unmarked = plain(word);
    if (word !== unmarked && unmarked === '-') throw usage('a placeholder cannot name standard input');
    return unmarked;
  };
  const values = <T extends object>(all: T): T =>
    Object.fromEntries(
      Object.entries(all).map(([name, value]) => [name, typeof value === 'string' ? text(value) : value]),
    ) as T;
  return {
    ...line,
    ...(line.project === undefined ? {} : { project: text(line.project) }),
    ...(line.group === undefined ? {} : { group: text(line.group) }),
    args: values(line.args),
    words: line.words.map(text),
    options: values(line.options),
    repeated: line.repeated.map(([flag, value]) => [flag, text(value)]),
  };
}

/** Read each file, and standard input, once for all targets. */
function sharedReader(base: Reader): Reader {
  const known = new Map<string, Promise<Uint8Array>>();
  return {
    bytes(source, what, limit) {
      const path = pathIn(source);
      let bytes = known.get(path);
      if (!bytes) {
        bytes = base.bytes(path, what, limit);
        known.set(path, bytes);
      }
      return bytes;
    },
  };
}

/** The session of one target: with the connection of all, and with its own output. */
function childSession(
  session: Session,
  options: Options,
  data: Capture,
  notes: [how: 'say' | 'done' | 'confirmed' | 'warn', text: string][],
): Session {
  const { screen: _, ...terminal } = session.terminal;
  const stderr = new Writable({
    write(chunk: Buffer, _encoding, done) {
      notes.push(['say', chunk.toString('utf8').trimEnd()]);
      done();
    },
  });
  const format = options.raw === true ? 'raw' : 'json';
  return {
    ...session,
    options: withoutTableOptions(session, options),
    // The streams of the program are getters.
    context: Object.create(session.context, {
      stdout: { value: data },
      stderr: { value: stderr },
      stdin: { value: undefined },
    }),
    settings: { ...session.settings, output: { ...session.settings.output, value: format } },
    terminal: { ...terminal, color: false, progress: 'none' },
    progress: noProgress,
    notes: {
      say: (text) => void notes.push(['say', text]),
      done: (sentence) => void notes.push(['done', sentence]),
      confirmed: (sentence) => void notes.push(['confirmed', sentence]),
      redact: session.notes.redact,
      warn: (text) => void notes.push(['warn', text]),
      event: session.notes.event,
    },
  };
}

/** The options of a table apply to the table of all targets. */
function withoutTableOptions(session: Session, options: Options): Options {
  const { wrap: _, noHeader: __, csvSafe: ___, time: ____, ...others } = options;
  if (!isTabular(formatOf(session))) return others;
  const { fields: _fields, allFields: _allFields, ...rest } = others;
  return rest;
}

/** Everything that an ordinary command checks before it sends its request. */
async function checkCall(
  session: Session,
  command: Command,
  line: CommandLine,
  reader: Reader,
): Promise<void> {
  const call = await prepareCall(session, command, line, reader);
  const { endpoint, values } = call;
  if (Object.values(values).some((value) => isFilePart(value) && value.file === '-'))
    throw usage('an upload cannot be read from standard input for several targets');
  pagingOf(session, endpoint, values);
  plan(call);
  session.root();
  if (isDryRun(session)) await requestBase(session, endpoint);
  if (endpoint.confirm) await confirm(session, call, command.area);
}

/** Thrown in place of a request. */
class Rehearsed extends Error {}

/** What a task may use before its first request or output. */
const harmless = new Set<string | symbol>([
  'command',
  'line',
  'dryRun',
  'wantsFile',
  'now',
  'env',
  'prepare',
  'server',
  'signal',
  'urls',
  'scoped',
  'format',
  'unicode',
  'path',
  'read',
  'conceal',
  'target',
] satisfies (keyof TaskContext)[]);

/** Run a task up to its first request or output. @throws Failure for what it rejects until then */
async function rehearse(run: NonNullable<Found['task']>, task: TaskContext): Promise<void> {
  const none = { step() {}, say() {}, end() {} };
  const silent: Partial<TaskContext> = {
    askSecret: async () => undefined,
    note() {},
    warn() {},
    done() {},
    progress: () => none,
    waiting: () => none,
  };
  const stop = (): never => {
    throw new Rehearsed();
  };
  const limited = new Proxy(task, {
    get: (all, name) => (harmless.has(name) ? Reflect.get(all, name) : (Reflect.get(silent, name) ?? stop)),
  });
  try {
    await run(limited);
  } catch (error) {
    if (!(error instanceof Rehearsed)) throw error;
  }
}
