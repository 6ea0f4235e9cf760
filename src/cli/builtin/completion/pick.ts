/** Choose missing arguments on the terminal, from the values that completion offers. */
import { type Failure, isFromSignal } from '../../../errors.ts';
import { type Command, pathOf } from '../../../spec/command.ts';
import { commandFlags } from '../../../spec/command-flags.ts';
import { type Field, isSecret, itemOf, keysOf } from '../../../spec/field.ts';
import { groupBy } from '../../../support/record.ts';
import { commandLine } from '../../../support/shell.ts';
import { printable } from '../../../support/text/printable.ts';
import { type CommandLine, parseCommand } from '../../argv/parse.ts';
import { tokensOf } from '../../argv/split.ts';
import type { Context } from '../../context.ts';
import { toFailure } from '../../report.ts';
import { withSession } from '../../session/session.ts';
import { choose, type Find } from '../../terminal/choose.ts';
import { canPrompt } from '../../terminal/prompt.ts';
import { connectionOf, listOf, merge, valuesOf } from './complete.ts';
import { type Candidate, type Offer, offerFor, type TypedLine } from './offers.ts';

/** Milliseconds to wait for values that are not a list of the service. */
const deadline = 5_000;
/** Pages of a list that are read at most, of 100 values each. */
const maxPages = 100;
const batch = 100;

/**
 * Let the user choose the arguments that are missing, then print the whole command on standard error.
 * @param problem the error of parsing, thrown if anything but listed arguments is missing
 * @returns the words of the command line with the arguments
 */
export async function pickMissing(
  problem: Failure,
  command: Command,
  rest: readonly string[],
  context: Context,
): Promise<readonly string[]> {
  const tokens = [...tokensOf(rest, commandFlags(command))];
  const count = tokens.filter(({ kind }) => kind === 'argument').length;
  const joined = (values: readonly string[]) => (count === 0 ? [...values, ...rest] : [...rest, ...values]);
  const required = command.arguments.filter((one) => one.required);
  const missing = command.arguments.slice(count, required.length);
  const samples = missing.map(() => '1');
  const { options } = parsedOr(problem, command, joined(samples));
  if (!canPrompt(context, options) || options.dryRun === true || options.curl === true) throw problem;
  const words = pathOf(command).split(' ');
  const offerAfter = (values: readonly string[]) => offerFor([...words, ...joined(values), '']);
  for (const [at, argument] of missing.entries()) {
    const { offer } = await offerAfter(samples.slice(0, at));
    if (!argument.required || !isListed(offer)) throw problem;
  }
  const picked: string[] = [];
  for (const { name } of missing) {
    const { line, offer } = await offerAfter(picked);
    picked.push(...(await pick(`Choose <${name}>:`, problem, line, offer ?? {}, context)));
  }
  const line = joined(picked);
  context.stderr.write(`${commandLine(['svc', ...words, ...maskedWords(line, command)])}\n`);
  return line;
}

const isListed = (offer: Offer | undefined): boolean =>
  offer?.kind === 'values' && (offer.source !== undefined || (offer.values ?? []).length > 0);

/** @throws the problem if a line with samples in place of the missing arguments is invalid too */
function parsedOr(problem: Failure, command: Command, words: readonly string[]): CommandLine {
  try {
    return parseCommand(command, words);
  } catch {
    throw problem;
  }
}

/** The words of a command line for the screen. Values of secret parameters are masked. */
function maskedWords(words: readonly string[], command: Command): string[] {
  const mayBeSecret = (field: Field | undefined): boolean =>
    field !== undefined &&
    (isSecret(field) || isSecret(itemOf(field)) || Object.values(keysOf(field) ?? {}).some(mayBeSecret));
  let at = 0;
  const secrets = [...tokensOf(words, commandFlags(command))].flatMap((token) => {
    if (token.kind === 'argument') return mayBeSecret(command.arguments[at++]?.of) ? [token.word] : [];
    if (token.kind !== 'flag' || !token.value) return [];
    return token.flag.name === 'data' || mayBeSecret(token.flag.field) ? [token.value] : [];
  });
  return words.map((word) => {
    const secret = secrets.find((one) => word.endsWith(one));
    return secret === undefined ? word : `${word.slice(0, word.length - secret.length)}***`;
  });
}

async function pick(
  title: string,
  problem: Failure,
  typed: TypedLine,
  { source, values = [] }: Partial<Offer>,
  context: Context,
): Promise<readonly string[]> {
  const none = (reason: string) => problem.withHints(`no values to choose from: ${reason}`);
  const chooseFrom = async (read: AsyncIterable<Candidate> | Iterable<Candidate>) => {
    const find = finderOf(read);
    const first = await find('', 1).catch((error: unknown) => {
      const failure = isFromSignal(error) ? undefined : toFailure(error);
      throw failure ? none(failure.message) : error;
    });
    if (first.length === 0) throw none('the list is empty');
    return (await choose(context, title, find)).words;
  };
  if (source === undefined) return chooseFrom(values);
  if (!source.includes('/'))
    return chooseFrom([...values, ...(await valuesOf(source, { line: typed, left: deadline }, context))]);
  return withSession(connectionOf(typed), context, async (session) => {
    const { read } = await listOf(source, typed, session).catch((error: Failure) => {
      throw none(error.message);
    });
    return chooseFrom(read(maxPages));
  });
}

interface Picked {
  readonly value: string;
  readonly doc: string;
  /** The value, and the flags that select it among rows with the same value. */
  readonly words: readonly string[];
}

function pickedFrom(rows: ReadonlyMap<string, Candidate>, docs: ReadonlyMap<string, string>): Picked[] {
  const byValue = groupBy(rows.values(), ({ value }) => value);
  return [...rows].map(([key, { value, selector = [] }]) => {
    const isAlone = byValue.get(value)?.length === 1;
    return { value, doc: docs.get(key) ?? '', words: isAlone ? [value] : [value, ...selector] };
  });
}

/** Read values as far as needed: a long list is shown before all of it was read. */
function finderOf(values: AsyncIterable<Candidate> | Iterable<Candidate>): Find<Picked> {
  const rows = (async function* () {
    yield* values;
  })();
  const docs = new Map<string, string>();
  const rowsByKey = new Map<string, Candidate>();
  let isComplete = false;
  return async (term, count) => {
    const wanted = term.toLowerCase();
    for (;;) {
      const matching = pickedFrom(rowsByKey, docs).filter(({ value, doc }) =>
        printable(`${value} ${doc}`).toLowerCase().includes(wanted),
      );
      if (isComplete || matching.length >= count) return matching;
      for (let left = batch; left > 0 && !isComplete; left--) {
        const { value: candidate, done } = await rows.next();
        if (done) isComplete = true;
        // A shell would read such a value as a flag.
        else if (candidate.value !== '' && !candidate.value.startsWith('-')) {
          const key = [candidate.value, ...(candidate.selector ?? [])].join('\n');
          merge(docs, { ...candidate, value: key });
          rowsByKey.set(key, candidate);
        }
      }
    }
  };
}
