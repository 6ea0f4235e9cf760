/** Several values of the last argument of a command that acts on one resource: `branches delete a b c`. Each is a call of its own. */
import { areas } from '../../api/index.ts';
import { checkFirst, Failure, isFromSignal, mayBeExecuted, usage } from '../../errors.ts';
import { type Argument, type Command, effectOf, pathOf } from '../../spec/command.ts';
import type { Endpoint } from '../../spec/endpoint.ts';
import type { Call } from '../../spec/request.ts';
import { type Frame, type Result, sayNote, type Written } from '../../spec/result.ts';
import { firstCharacter, once } from '../../support/bytes.ts';
import { isReadMethod } from '../../support/http-method.ts';
import { jsonText } from '../../support/json.ts';
import { filled } from '../../support/placeholders.ts';
import type { CommandLine } from '../argv/parse.ts';
import { type Reader, textFrom } from '../argv/values.ts';
import { toFailure } from '../report.ts';
import { isDryRun } from '../request/build.ts';
import { confirm, namingSlot } from '../request/confirm.ts';
import { prepareCall } from '../request/prepare.ts';
import { parseJsonText, wholeBody } from '../request/response.ts';
import type { Session } from '../session/model.ts';
import { findToken } from './call.ts';
import { openSteps } from './task/context.ts';

/** Return a command line for each value, without repetitions. `-` means the lines of standard input. */
export async function linesOf({ arguments: all }: Command, line: CommandLine, reader: Reader) {
  const { name, field, of } = all.at(-1) as Argument;
  const before = line.words.slice(0, all.length - 1);
  const values = new Set<string>();
  for (const word of line.words.slice(all.length - 1)) {
    if (word !== '-') values.add(filled(word, reader.fill));
    const text = word === '-' ? await textFrom('-', `<${name}>`, reader) : '';
    const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
    // A name can begin or end with a space.
    for (const value of lines.filter((one) => one.trim() !== ''))
      values.add(of.kind === 'int' ? value.trim() : value);
  }
  return [...values].map((value) => ({
    ...line,
    args: { ...line.args, [field]: value },
    words: [...before, value],
  }));
}

/**
 * Confirm once, try all values, and combine the results: data is a list. Nothing is sent unless all values are valid.
 * @param run executes the command line of one value
 * @returns a failure that names each value that failed: `partial`, or the common kind if all failed alike
 */
export async function executeAll(
  command: Command,
  line: CommandLine,
  session: Session,
  reader: Reader,
  run: (line: CommandLine, session: Session, reader: Reader) => Promise<Result>,
): Promise<Result> {
  const { name } = command.arguments.at(-1) as Argument;
  const flag = (['web', 'watch', 'download'] as const).find((one) => line.options[one] !== undefined);
  if (flag) throw usage(`--${flag} accepts one <${name}>`);
  const calls = new Map<string, Call>();
  const lines: CommandLine[] = [];
  for (const one of await linesOf(command, line, reader))
    try {
      const call = await prepareCall(session, command, one, reader);
      const key = jsonText([call.slots, call.values]);
      // `latest` and the id of that pipeline are one value.
      if (!calls.has(key)) lines.push(one);
      calls.set(key, call);
    } catch (error) {
      // A name such as `latest:main` that is not found fails below, as the other values do.
      if (!(error instanceof Failure && error.exchange)) throw error;
      lines.push(one);
    }
  if (!isDryRun(session)) await confirmAll(session, [...calls.values()]);
  const confirmed = { ...session, options: { ...session.options, yes: true } as const };
  const steps = openSteps(session, pathOf(command), lines.length);
  const done: { readonly result: Result; readonly body?: Uint8Array }[] = [];
  const failed: [value: string, failure: Failure][] = [];
  let stop: Failure | undefined;
  try {
    for (const [at, one] of lines.entries()) {
      const value = one.words.at(-1) ?? '';
      steps.step(value);
      try {
        const result = await run(one, confirmed, reader);
        for (const { how, text } of result.notes ?? []) session.notes[how](text);
        if (result.failure) failed.push([value, result.failure]);
        done.push({ result, ...(await bodyOf(result)) });
      } catch (error) {
        const failure = toFailure(error);
        if (!failure) throw error;
        failed.push([value, failure]);
        if (!isFromSignal(failure)) continue;
        const left = lines.slice(at + 1).map(({ words }) => words.at(-1));
        const rest = left.length > 0 ? [`not started: ${left.join(', ')}`] : [];
        const { details } = failureOf(command, failed, lines.length);
        stop = failure.with({ details: [...details, ...rest] });
        break;
      }
    }
  } finally {
    steps.end();
  }
  const failure = stop ?? (failed.length === 0 ? undefined : failureOf(command, failed, lines.length));
  const notes = lines.length === 0 ? [sayNote(`Standard input contains no <${name}>. Nothing to do.`)] : [];
  return combined(command, done, { failure, notes });
}

/** Ask once, with all values in place of one. @throws Failure `auth` without a token, `usage` if it is denied */
async function confirmAll(session: Session, calls: readonly Call[]): Promise<void> {
  const [call] = calls;
  if (!call?.endpoint.confirm) return;
  await findToken(session, call.endpoint);
  const slot = namingSlot(call.endpoint);
  const names = calls.map(({ slots }) => slots[slot]).join(', ');
  // Without an area, the prompt does not describe one resource.
  await confirm(session, { ...call, slots: { ...call.slots, [slot]: names } }, '');
}

async function bodyOf(result: Result): Promise<{ readonly body?: Uint8Array }> {
  if (result.kind === 'written')
    return firstCharacter(result.body) === undefined ? {} : { body: result.body };
  if (result.kind !== 'object') return {};
  try {
    const body = await wholeBody(result.body);
    await parseJsonText(body.toString('utf8'), undefined);
    return { body };
  } catch (error) {
    throw result.explain ? await result.explain(error, 0) : error;
  }
}

function failureOf(
  command: Command,
  failed: readonly (readonly [value: string, failure: Failure])[],
  total: number,
): Failure {
  const isWrite = effectOf(command) !== 'read';
  const isUnknown = (one: Failure) => isWrite && one.kind !== 'unsuccessful' && mayBeExecuted(one);
  const unknown = failed.flatMap(([, one]) => (isUnknown(one) ? [one] : []));
  const known = failed.length - unknown.length;
  const kinds = [...new Set(failed.map(([, { kind }]) => kind))];
  const [common = 'partial'] = kinds.length === 1 && known === total ? kinds : [];
  const hinted = [...failed.map(([, one]) => one), ...unknown.map((one) => one.withHints(checkFirst))];
  const hints = new Map(hinted.flatMap(({ advice }) => advice.map((one) => [one.text, one])));
  const counts = Object.entries({ failed: known, unknown: unknown.length }).filter(([, many]) => many > 0);
  const text = counts.map(([outcome, many]) => `${many} of ${total} ${outcome}`).join(', ');
  return new Failure(common, `${pathOf(command)}: ${text}`, {
    details: failed.map(([value, one]) => {
      const doubt = unknown.includes(one) ? ', so it may have been done' : '';
      return `${value}: ${[one.message, ...one.details].join('; ')}${doubt}`;
    }),
    hint: [...hints.values()],
    cause: unknown[0],
  });
}

async function combined(
  command: Command,
  done: readonly { readonly result: Result; readonly body?: Uint8Array }[],
  frame: Frame,
): Promise<Result> {
  const requests = done.flatMap(({ result }) => (result.kind === 'requests' ? result.requests : []));
  if (requests.length > 0) return { kind: 'requests', requests, ...frame };
  const bodies = done.flatMap(({ body }) => (body ? [Buffer.from(body), Buffer.from(',')] : []));
  const body = Buffer.concat([Buffer.from('['), ...bodies.slice(0, -1), Buffer.from(']')]);
  const responses = done.flatMap(({ result }) => (result.kind === 'written' ? result : []));
  const [written] = done.length === 0 && !frame.failure ? noResponse(command) : responses;
  if (written) return { ...written, body, sentence: undefined, ...frame };
  if (bodies.length === 0 && (frame.failure || effectOf(command) !== 'read'))
    return { kind: 'done', ...frame };
  return { kind: 'rows', endpoint: await listed(command), pages: once(once(body)), ...frame };
}

/** The result of a write for no values: an empty list, which is printed on request, if the write returns responses. */
function noResponse({ endpoints }: Command): Written[] {
  const writes = endpoints.filter(
    ({ method, returns }) => !isReadMethod(method) && returns.kind !== 'nothing',
  );
  return writes.map((write) => ({ kind: 'written', endpoint: write, write, body: Buffer.from('[]') }));
}

/** The endpoint of a command with the columns of the list that contains its resources. */
async function listed({ area, endpoints: [endpoint] }: Command): Promise<Endpoint | undefined> {
  const { default: loaded } = (await areas.find(({ name }) => name === area)?.load()) ?? {};
  const parent = endpoint?.path.slice(0, endpoint.path.lastIndexOf('/'));
  const list = loaded?.endpoints.find(
    ({ method, path, returns }) => method === 'GET' && path === parent && returns.kind === 'list',
  );
  return endpoint && list ? { ...endpoint, columns: list.columns } : endpoint;
}
