/** A command that `svc each` runs for several targets, in one session. */
import { mayBeExecuted } from '../../http/errors/network.ts';
import { type Command, type Effect, effectOf, pathOf, printedBy } from '../../spec/command.ts';
import { maskedUrl } from '../../spec/mask.ts';
import { isReadMethod } from '../../support/http-method.ts';
import { hasMark, partsOf, plain } from '../../support/literal.ts';
import { mask } from '../../support/mask.ts';
import type { Subcommand, TargetResult } from '../../tasks/context.ts';
import type { Reader } from '../argv/values.ts';
import type { Checked, RunnableCommand } from '../builtin/define.ts';
import { exitCodeOf, print } from '../call/print.ts';
import { exitCodes } from '../exit-codes.ts';
import { failureOf } from '../report.ts';
import { isDryRun } from '../request/dry-run.ts';
import type { Session } from '../session/model.ts';
import { Output, sessionOpener } from './output.ts';
import { openResults } from './results.ts';
import { hasOwnPlan, lineParser, sharedReader } from './target-line.ts';

/** An id, or a path without a segment that URLs treat differently. */
const ordinaryId = /^\w[\w.-]*(\/\w[\w.-]*)*$/;

/** Open a command. @param base reads the files of its command lines, each once */
export function openSubcommand(session: Session, command: RunnableCommand, base: Reader): Subcommand {
  const { execute, check } = command;
  if (!execute || !check) throw new Error(`${pathOf(command)} cannot run for several targets`);
  const parse = lineParser(command, session.context.cwd);
  const outputs = new WeakMap<TargetResult, Output>();
  const files = new Map<string, string>();
  const reader = sharedReader(base, files);
  const facts = new Facts(command);
  /** The shown forms of words with secrets, by position. */
  const secretWords = new Map<number, string>();
  const isName = (word: string, at: number) => at < 2 && (word === command.area || word === command.name);
  const results = openResults(session, printedBy(command)[0], () => facts.effect !== 'read');
  const open = sessionOpener(session);
  let valid: readonly string[] | undefined;
  return {
    path: pathOf(command),
    get summary() {
      return facts.summary;
    },
    get effect() {
      return facts.effect;
    },
    get idempotent() {
      return facts.idempotent;
    },
    async check(target) {
      const id = target.target?.id;
      // The words are those of an earlier target, and this id is valid in each of them.
      const isKnown = valid === target.words && !hasOwnPlan(target.words);
      if (id !== undefined && isKnown && ordinaryId.test(id)) return id;
      const line = parse(target, session.options);
      const child = open(line.options, new Output());
      const secrets: string[] = [];
      const conceal = (texts: readonly string[]) => {
        secrets.push(...texts);
        child.conceal(texts);
      };
      facts.add(await check(line, { ...child, conceal }, reader, files));
      for (const [at, word] of target.words.entries()) {
        const shown = isName(word, at) ? undefined : withoutSecret(word, secrets);
        if (shown !== undefined) secretWords.set(at, shown);
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
        return tail >= 0 && at > tail ? mask : (secretWords.get(at) ?? maskedUrl(word));
      });
      return { words: shown, isComplete: shown.every((word, at) => word === words[at]) };
    },
    async run(target) {
      const line = parse(target, session.options);
      const output = new Output();
      const keep = (result: TargetResult) => {
        outputs.set(result, output);
        return result;
      };
      try {
        const child = open(line.options, output);
        const result = await execute(line, child, reader);
        output.keepKind(result, child);
        await print(child, { ...result, failure: undefined });
        if (result.failure) throw result.failure;
        const { ending } = result;
        const kind = typeof ending === 'string' ? { kind: ending } : {};
        return keep({ exit: exitCodeOf(ending), ...kind, uncertain: false });
      } catch (error) {
        const { aborted, reason } = session.context.signal;
        if (aborted) {
          // A task with several steps printed which of them are done.
          if (!command.declaration || output.isEmpty) throw reason;
          const { kind } = failureOf(reason);
          return keep({ exit: exitCodes[kind], kind, uncertain: true, interrupted: true });
        }
        const failure = failureOf(error);
        if (facts.idempotent || isDryRun(session) || !mayBeExecuted(failure))
          return keep({ exit: exitCodes[failure.kind], failure, uncertain: false });
        const hinted = failure.withHints('check the target: the service may have executed the request');
        return keep({ exit: exitCodes.partial, kind: 'unknown', failure: hinted, uncertain: true });
      }
    },
    print: (target, result) => results.print(target, result, outputs.get(result) ?? new Output()),
    end: () => results.end(),
  };
}

/** The effect of the command on the service: the most severe of its command lines. */
class Facts {
  readonly #summaries = new Map<Effect, string>();
  #idempotent: boolean;

  constructor(command: RunnableCommand) {
    const { summary, declaration } = command;
    // The command lines of `svc api` differ, so they are known only when they have been checked.
    if (!command.inEach) this.#summaries.set(effectInEach(command), summary);
    this.#idempotent = declaration?.idempotent !== false && isIdempotent(command);
  }

  add({ summary, effect, idempotent = true }: Checked): void {
    if (effect) this.#summaries.set(effect, summary ?? '');
    this.#idempotent &&= idempotent;
  }

  get effect(): Effect {
    return (['destructive', 'write'] as const).find((effect) => this.#summaries.has(effect)) ?? 'read';
  }

  get summary(): string {
    return this.#summaries.get(this.effect) ?? '';
  }

  get idempotent(): boolean {
    return this.#idempotent;
  }
}

/** The name before the value: `--value=x`, `value=x`. */
const named = /^[\w-]+=/;

/**
 * Return the shown form of a word that contains a secret, as far as it was typed and not filled in; undefined without one. A short secret
 * can be equal to another word by chance, which is then hidden too.
 */
function withoutSecret(word: string, secrets: readonly string[]): string | undefined {
  const filled = partsOf(word).filter(({ isLiteral }) => isLiteral);
  const text = plain(word);
  const [head = ''] = named.exec(word) ?? [];
  const after = plain(word.slice(head.length));
  const isIn = (part: string) =>
    secrets
      .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)])
      .filter((secret) => secret !== '' && !filled.some((one) => one.text.includes(secret)))
      .some((secret) => part === secret || (part.includes(secret) && isDistinct(secret, word)));
  if (head !== '' && !secrets.includes(text) && isIn(after)) return `${head}${mask}`;
  const values = [text, text.slice(2), text.replace(/^[^:]*:\s*/, '')];
  return values.some(isIn) ? mask : undefined;
}

const isDistinct = (secret: string, word: string): boolean =>
  secret.length >= 8 || hasMark(word) || /^(-[^-]|\s*[[{])/.test(word);

/** A command without --yes never asks, such as `variables exec`. */
function effectInEach(command: Command): Effect {
  const effect = effectOf(command);
  return effect === 'destructive' && !command.flags.some(({ name }) => name === 'yes') ? 'write' : effect;
}

/** PUT and DELETE are idempotent (RFC 9110 section 9.2.2), and so are tasks unless they say otherwise. */
function isIdempotent({ endpoints }: Command): boolean {
  return endpoints.every(
    ({ method, repeatable }) => repeatable || isReadMethod(method) || method === 'PUT' || method === 'DELETE',
  );
}
