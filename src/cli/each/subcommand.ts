/** A command that `svc each` runs for several targets, in one session. */
import { mayBeExecuted } from '../../http/errors/network.ts';
import { type Command, type Effect, effectOf, pathOf, printedBy } from '../../spec/command.ts';
import { isIdempotentMethod } from '../../support/http-method.ts';
import type { Subcommand, TargetLine, TargetResult } from '../../tasks/context.ts';
import type { Reader } from '../argv/values.ts';
import type { RunnableCommand } from '../builtin/define.ts';
import { exitCodeOf, print } from '../call/print.ts';
import { exitCodes } from '../exit-codes.ts';
import { failureOf } from '../report.ts';
import { isDryRun } from '../request/dry-run.ts';
import type { Session } from '../session/model.ts';
import { readerOpener } from './check.ts';
import { Output, sessionOpener } from './output.ts';
import { errorOf, openResults } from './results.ts';
import { hasOwnFile, lineParser } from './target-line.ts';

/** An id, or a path without a segment that URLs treat differently. */
const ordinaryId = /^\w[\w.-]*(\/\w[\w.-]*)*$/;

const effects: readonly Effect[] = ['read', 'write', 'destructive'];

export function openSubcommand(session: Session, command: RunnableCommand, base: Reader): Subcommand {
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
  const ended = async (target: TargetLine, output: Output): Promise<TargetResult> => {
    const line = parse(target, session.options);
    try {
      const child = open(line.options, output);
      const result = await execute(line, child, readerOf(target.fill));
      output.keepKind(result, child);
      await print(child, { ...result, failure: undefined });
      if (result.failure) throw result.failure;
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
      const hinted = failure.withHints('check the target: the service may have executed the request');
      return { exit: exitCodes.partial, kind: 'unknown', failure: hinted, uncertain: true };
    }
  };
  return Object.assign(facts, {
    path: pathOf(command),
    endpoints: command.declaration ? [] : command.endpoints,
    area: command.area,
    files,
    async check(target: TargetLine) {
      const id = target.target?.id;
      // The words are those of an earlier target, and this id is valid in each of them.
      const isKnown = valid === target.words && !hasOwnFile(target.words);
      if (id !== undefined && isKnown && ordinaryId.test(id)) return id;
      const line = parse(target, session.options);
      const checked = await check(line, open(line.options, new Output()), readerOf(target.fill), files);
      if (checked.effect && effects.indexOf(checked.effect) >= effects.indexOf(facts.effect)) {
        facts.effect = checked.effect;
        facts.summary = checked.summary ?? '';
      }
      facts.idempotent &&= checked.idempotent ?? true;
      valid = target.words;
      return line.project ?? line.group;
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

/** A command without --yes never asks, such as `variables exec`. */
function effectInEach(command: Command): Effect {
  const effect = effectOf(command);
  return effect === 'destructive' && !command.flags.some(({ name }) => name === 'yes') ? 'write' : effect;
}

/** Tasks are idempotent unless they say otherwise. */
function isIdempotent({ endpoints }: Command): boolean {
  return endpoints.every(({ method, repeatable }) => repeatable || isIdempotentMethod(method));
}
