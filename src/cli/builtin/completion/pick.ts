/** Choose missing arguments on the terminal, from the values that completion offers. */
import { type Failure, isFromSignal } from '../../../errors.ts';
import { type Command, pathOf } from '../../../spec/command.ts';
import { commandFlags } from '../../../spec/command-flags.ts';
import { type Field, isSecret, itemOf, keysOf } from '../../../spec/field.ts';
import { commandLine } from '../../../support/shell.ts';
import { printable } from '../../../support/text/printable.ts';
import { type CommandLine, parseCommand } from '../../argv/parse.ts';
import { tokensOf } from '../../argv/split.ts';
import type { Context } from '../../context.ts';
import { toFailure } from '../../report.ts';
import { withSession } from '../../session/session.ts';
import { choose, type Find } from '../../terminal/choose.ts';
import { canPrompt } from '../../terminal/prompt.ts';
import { connectionOf, listOf, valuesOf } from './complete.ts';
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
  const tokens = [...tokensOf(rest, () => commandFlags(command))];
  const count = tokens.filter(({ kind }) => kind === 'argument').length;
  const joined = (values: readonly string[]) => (count === 0 ? [...values, ...rest] : [...rest, ...values]);
  const samples = samplesFor(command, joined);
  if (!samples || !canPrompt(context, samples.line.options)) throw problem;
  const { dryRun, curl } = samples.line.options;
  if (dryRun === true || curl === true) throw problem;
  const words = pathOf(command).split(' ');
  const offerAfter = (values: readonly string[]) => offerFor([...words, ...joined(values), '']);
  for (const at of samples.values.keys()) {
    const { offer } = await offerAfter(samples.values.slice(0, at));
    if (command.arguments[count + at]?.required !== true || !isListed(offer)) throw problem;
  }
  const picked: string[] = [];
  while (picked.length < samples.values.length) {
    const { line, offer } = await offerAfter(picked);
    const { name = '' } = command.arguments[count + picked.length] ?? {};
    picked.push(await pick(`Choose <${name}>:`, problem, line, offer ?? {}, context));
  }
  const line = joined(picked);
  context.stderr.write(`${commandLine(['svc', ...words, ...maskedWords(line, command)])}\n`);
  return line;
}

const isListed = (offer: Offer | undefined): boolean =>
  offer?.kind === 'values' && (offer.source !== undefined || (offer.values ?? []).length > 0);

/** Find the number of missing arguments. @returns as many samples, and the line with them; undefined if the line is invalid otherwise */
function samplesFor(
  command: Command,
  joined: (values: readonly string[]) => readonly string[],
): { readonly values: readonly string[]; readonly line: CommandLine } | undefined {
  for (let count = 1; count <= command.arguments.length; count++) {
    const values = Array<string>(count).fill('1');
    try {
      return { values, line: parseCommand(command, joined(values)) };
    } catch {
      // More are missing, or something else is wrong.
    }
  }
  return undefined;
}

/** The words of a command line for the screen. Values of secret parameters are masked. */
function maskedWords(words: readonly string[], command: Command): string[] {
  const mayBeSecret = (field: Field | undefined): boolean =>
    field !== undefined &&
    (isSecret(field) || isSecret(itemOf(field)) || Object.values(keysOf(field) ?? {}).some(mayBeSecret));
  let at = 0;
  const secrets = [...tokensOf(words, () => commandFlags(command))].flatMap((token) => {
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
): Promise<string> {
  const none = (reason: string) => problem.withHints(`no values to choose from: ${reason}`);
  const chooseFrom = async (read: AsyncIterable<Candidate> | Iterable<Candidate>) => {
    const find = finderOf(read);
    const first = await find('', 1).catch((error: unknown) => {
      const failure = isFromSignal(error) ? undefined : toFailure(error);
      throw failure ? none(failure.message) : error;
    });
    if (first.length === 0) throw none('the list is empty');
    return choose(context, title, find);
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

/** Read values as far as needed: a long list is shown before all of it was read. */
function finderOf(values: AsyncIterable<Candidate> | Iterable<Candidate>): Find {
  const rows = (async function* () {
    yield* values;
  })();
  const found = new Map<string, string>();
  let isComplete = false;
  let reading: Promise<void> | undefined;
  const readMore = async () => {
    for (let left = batch; left > 0; left--) {
      const { value, done } = await rows.next();
      if (done) {
        isComplete = true;
        return;
      }
      const { value: name, doc = '' } = value;
      const before = found.get(name);
      // A shell would read such a value as a flag.
      if (name !== '' && !name.startsWith('-'))
        found.set(name, before === undefined || before === doc ? doc : `${before}; ${doc}`);
    }
  };
  return async (term, count) => {
    const wanted = term.toLowerCase();
    for (;;) {
      const matching = [...found]
        .map(([value, doc]) => ({ value, doc }))
        .filter(({ value, doc }) => printable(`${value} ${doc}`).toLowerCase().includes(wanted));
      if (isComplete || matching.length >= count) return matching;
      reading ??= readMore().finally(() => {
        reading = undefined;
      });
      await reading;
    }
  };
}
