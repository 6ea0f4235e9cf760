/** A command that `svc each` runs for several targets, in one session. */
import { hash } from 'node:crypto';
import { mayBeExecuted } from '../../http/errors/network.ts';
import { type Command, type Effect, effectOf, pathOf } from '../../spec/command.ts';
import { maskedUrl } from '../../spec/mask.ts';
import { isReadMethod } from '../../support/http-method.ts';
import { hasMark, partsOf, plain } from '../../support/literal.ts';
import { mask } from '../../support/mask.ts';
import type { Subcommand, TargetResult, TaskContext } from '../../tasks/context.ts';
import type { CommandLine } from '../argv/parse.ts';
import type { Reader } from '../argv/values.ts';
import type { InEach, RunnableCommand } from '../builtin/define.ts';
import { perform } from '../call/call.ts';
import { requestsOutput } from '../call/confirmation.ts';
import { taskContext } from '../call/task/context.ts';
import { exitCodes } from '../exit-codes.ts';
import { failureOf } from '../report.ts';
import { isDryRun } from '../request/dry-run.ts';
import { prepareCall } from '../request/prepare.ts';
import type { Session } from '../session/model.ts';
import { Printed } from './capture.ts';
import { sessionOpener } from './child-session.ts';
import { checkCall, rehearse } from './rehearse.ts';
import { openResults } from './results.ts';
import { digestOf, hasOwnPlan, lineParser, sharedReader } from './target-line.ts';

/** How a command line ended: its exit code, and the kind of the error if svc chose the code. */
type Ended = Pick<TargetResult, 'exit' | 'kind'>;

/** Runs and checks command lines. */
interface Runner {
  readonly summary: string;
  readonly effect: Effect;
  readonly idempotent: boolean;
  check(session: Session, line: CommandLine): Promise<void>;
  run(session: Session, line: CommandLine, printed: Printed): Promise<Ended>;
}

/** An id, or a path without a segment that URLs treat differently. */
const ordinaryId = /^\w[\w.-]*(\/\w[\w.-]*)*$/;

/** Open a command. @param base reads the files of its command lines, each once */
export function openSubcommand(session: Session, command: RunnableCommand, base: Reader): Subcommand {
  const parse = lineParser(command, session.context.cwd);
  const all = new WeakMap<TargetResult, Printed>();
  const kind = kindOf(session, command);
  const files = new Map<string, string>();
  const runner = runnerOf(command, sharedReader(base, files), files);
  /** The places of secrets in the words, and whether only the part after `=` is secret. */
  const secretWords = new Map<number, boolean>();
  const results = openResults(session, command.endpoints[0], () => runner.effect !== 'read');
  const open = sessionOpener(session, kind);
  let valid: readonly string[] | undefined;
  return {
    path: pathOf(command),
    get summary() {
      return runner.summary;
    },
    get effect() {
      return runner.effect;
    },
    get idempotent() {
      return runner.idempotent;
    },
    async check(target) {
      const id = target.project ?? target.group;
      // The words are those of an earlier target, and this id is valid in each of them.
      const isKnown = valid === target.words && !hasOwnPlan(target.words);
      if (id !== undefined && isKnown && ordinaryId.test(id)) return id;
      const inspect = async (words: readonly string[]) => {
        const line = parse({ ...target, words }, session.options);
        const child = open(line.options, new Printed(kind));
        const secrets: string[] = [];
        const conceal = (texts: readonly string[]) => {
          secrets.push(...texts);
          child.conceal(texts);
        };
        await runner.check({ ...child, conceal }, line);
        return { line, secrets };
      };
      const { line, secrets } = await inspect(target.words);
      for (const [at, word] of target.words.entries()) {
        const secret = typedSecret(word, secrets);
        if (secret === undefined || secretWords.has(at)) continue;
        const [head = ''] = named.exec(word) ?? [];
        const value = word.slice(head.length);
        const isAfter = plain(value).includes(secret);
        // The same text may also be elsewhere. At the place of the secret, another text is another secret.
        const other = (isAfter ? value : word).replaceAll(secret, () => secret + probe);
        const changed = isAfter ? head + other : other;
        const found = await inspect(target.words.with(at, changed)).catch(() => undefined);
        const isSecret = found
          ? found.secrets.some((text) => text.includes(probe))
          : mayBePlace(word, value, secret);
        if (isSecret || hasMark(word)) secretWords.set(at, isAfter);
      }
      valid = target.words;
      const scope = line.project ?? line.group;
      return scope === undefined ? undefined : plain(scope);
    },
    files,
    shown(words) {
      const tail = command.tail === undefined ? -1 : words.indexOf('--');
      const shown = words.map((word, at) => {
        // The words of another program can contain secrets that svc does not know.
        const isHidden = secretWords.has(at) || (tail >= 0 && at > tail);
        const [head = ''] = (secretWords.get(at) !== false && named.exec(word)) || [];
        return isHidden ? `${head}${mask}` : maskedUrl(word);
      });
      return { words: shown, isComplete: shown.every((word, at) => word === words[at]) };
    },
    async run(target) {
      const line = parse(target, session.options);
      const { raw, output = 'json' } = line.options;
      const isText = raw === true || (command.own?.formats !== undefined && output !== 'json');
      const printed = new Printed(isText ? 'text' : kind);
      const keep = (result: TargetResult) => {
        all.set(result, printed);
        return result;
      };
      try {
        const ended = await runner.run(open(line.options, printed), line, printed);
        return keep({ ...ended, uncertain: false });
      } catch (error) {
        const { aborted, reason } = session.context.signal;
        if (aborted) {
          // A task with several steps printed which of them are done.
          if (!command.own || (printed.notes.length === 0 && printed.isEmpty)) throw reason;
          const { kind } = failureOf(reason);
          return keep({ exit: exitCodes[kind], kind, uncertain: true, interrupted: true });
        }
        const failure = failureOf(error);
        if (runner.idempotent || isDryRun(session) || !mayBeExecuted(failure))
          return keep({ exit: exitCodes[failure.kind], failure, uncertain: false });
        const hinted = failure.withHints('check the target: the service may have executed the request');
        return keep({ exit: exitCodes.partial, kind: 'unknown', failure: hinted, uncertain: true });
      }
    },
    print: (target, result) => results.print(target, result, all.get(result)),
    end: () => results.end(),
  };
}

/** The name before the value: `--value=x`, `value=x`. */
const named = /^[\w-]+=/;

/** A text that changes a value and keeps it valid. */
const probe = String(crypto.getRandomValues(new Uint32Array(1))[0]);

/** The secret in a word, as it is written there, if it was typed at least in part, as opposed to filled in. */
function typedSecret(word: string, secrets: readonly string[]): string | undefined {
  const filled = partsOf(word).filter(({ isLiteral }) => isLiteral);
  return secrets
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)])
    .filter((secret) => secret !== '' && plain(word).includes(secret))
    .find((secret) => !filled.some(({ text }) => text.includes(secret)));
}

/** Whether a word that is invalid with another text may be the place of a secret. A short secret can occur in a word by chance. */
function mayBePlace(word: string, value: string, secret: string): boolean {
  return value === secret || secret.length >= 8 || /^(-[^-]|\s*[[{])/.test(word);
}

function runnerOf(command: RunnableCommand, reader: Reader, files: Map<string, string>): Runner {
  const { task, own, inEach } = command;
  if (inEach) return preparing(inEach, reader);
  const facts = {
    summary: command.summary,
    effect: effectInEach(command),
    idempotent: own?.idempotent !== false && isIdempotent(command),
  };
  if (task)
    return {
      ...facts,
      check(session, line) {
        const context = taskContext(session, command, line, reader);
        const env: TaskContext['env'] = (name, use) => {
          const value = context.env(name);
          if (use) files.set(`the environment variable ${name}`, hash('sha256', value ?? ''));
          return value;
        };
        return rehearse(session, task, { ...context, env });
      },
      async run(session, line) {
        const ending = (await task(taskContext(session, command, line, reader))) ?? 0;
        // A number is the exit code of another program.
        return typeof ending === 'number' ? { exit: ending } : { exit: exitCodes[ending], kind: ending };
      },
    };
  return {
    ...facts,
    async check(session, line) {
      for (const file of await checkCall(session, command, line, reader))
        if (!files.has(file)) files.set(file, await digestOf(file));
    },
    async run(session, line) {
      await perform(session, await prepareCall(session, command, line, reader), command.area);
      return { exit: 0 };
    },
  };
}

/** The facts are those of the command lines that were checked: the most severe effect. */
function preparing(inEach: InEach, reader: Reader): Runner {
  const effects = new Map<Effect, string>();
  let idempotent = true;
  const severest = (): Effect =>
    (['destructive', 'write'] as const).find((effect) => effects.has(effect)) ?? 'read';
  return {
    get effect() {
      return severest();
    },
    get summary() {
      return effects.get(severest()) ?? '';
    },
    get idempotent() {
      return idempotent;
    },
    async check(session, line) {
      const prepared = await inEach.prepare(line, session, reader);
      effects.set(prepared.effect, prepared.summary);
      idempotent &&= prepared.idempotent;
    },
    async run(session, line, printed) {
      const { run } = await inEach.prepare(line, session, reader);
      const kind = await run();
      if (kind === 'text' && printed.kind === 'json') printed.kind = kind;
      return { exit: 0 };
    },
  };
}

/** What a command prints in the format of its targets. */
function kindOf(session: Session, { endpoints, own, inEach }: RunnableCommand): Printed['kind'] {
  if (isDryRun(session)) return 'requests';
  if (session.options.jq !== undefined) return session.options.rawStrings === true ? 'text' : 'lines';
  const [endpoint] = endpoints;
  if (endpoint) return endpoint.returns.kind === 'raw' ? 'text' : 'json';
  if (inEach) return 'json';
  // A task prints text for people, unless a format of svc is requested.
  const hasFormats = own?.formats ? own.formats.includes('json') : own?.shared.includes('output');
  return hasFormats && requestsOutput(session) ? 'json' : 'text';
}

/** A command without --yes never asks, such as `variables exec`. */
function effectInEach(command: Command): Effect {
  const effect = effectOf(command);
  return effect === 'destructive' && !command.flags.some(({ name }) => name === 'yes') ? 'write' : effect;
}

/** PUT and DELETE are idempotent (RFC 9110 section 9.2.2), and so are tasks (interface section 9). */
function isIdempotent({ endpoints }: Command): boolean {
  return endpoints.every(
    ({ method, repeatable }) => repeatable || isReadMethod(method) || method === 'PUT' || method === 'DELETE',
  );
}
