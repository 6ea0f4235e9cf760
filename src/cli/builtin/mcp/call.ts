/** Run a tool. */
import type { Overrides } from '../../../config/settings.ts';
import { Failure, forPerson, usage } from '../../../errors.ts';
import type { Limiter } from '../../../http/policy/limiter.ts';
import { Numbers } from '../../../output/json/values.ts';
import { pathOf } from '../../../spec/command.ts';
import type { Call } from '../../../spec/request.ts';
import type { Options } from '../../argv/flags.ts';
import type { CommandLine } from '../../argv/parse.ts';
import { perform } from '../../call/call.ts';
import { notReady, readPage, readPiece } from '../../call/read-part.ts';
import { taskContext } from '../../call/task/context.ts';
import type { Context } from '../../context.ts';
import { failureOf } from '../../report.ts';
import { nameOf } from '../../request/confirm.ts';
import { prepareCall } from '../../request/prepare.ts';
import type { Session } from '../../session/model.ts';
import { withSession } from '../../session/session.ts';
import type { Settings } from '../../session/settings.ts';
import { type Captured, captureIn } from './capture.ts';
import type { Cursors, Part } from './cursor.ts';
import { maxRows } from './definition.ts';
import { readInput, type ToolInput } from './input.ts';
import { concealed, redactorOf } from './secrets.ts';
import type { Tool } from './tools.ts';

/** What all calls share. */
export interface Runtime {
  /** The flags of the server that apply to each call. */
  readonly options: Options;
  readonly settings: Settings;
  readonly limiter: Limiter;
  readonly sandbox: Overrides | undefined;
  readonly cursors: Cursors;
}

/** The result of a call, as the protocol defines it. */
export interface CallResult {
  readonly content: { readonly type: 'text'; readonly text: string }[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly isError?: true;
  // The types of the SDK require an index signature.
  readonly [key: string]: unknown;
}

/** Bytes of a piece of a file. */
const pieceLimit = 64 * 1024;
/** Bytes of what a command prints. */
const outputLimit = 32 * 1024 * 1024;

const tooLarge = () =>
  new Failure('unsuccessful', 'the result is too large for a tool', {
    hint: forPerson('svc can print it with --json'),
  });

/** A call to which no other call has access. */
interface Running {
  readonly tool: Tool;
  readonly input: ToolInput;
  readonly part: Part;
  readonly runtime: Runtime;
  /** Texts to mask in the result. */
  readonly secrets: string[];
}

interface Outcome {
  readonly value: unknown;
  /** A failure after the result, such as a pipeline that failed. */
  readonly failure?: Failure;
}

/**
 * Run a tool.
 * @param context of the call: its signal is aborted when the call is canceled
 */
export async function callTool(
  tool: Tool,
  given: Readonly<Record<string, unknown>>,
  runtime: Runtime,
  context: Context,
): Promise<CallResult> {
  const secrets: string[] = [];
  try {
    const input = readInput(tool, given, { ...runtime.options, json: true, noInput: true, yes: true });
    const part = runtime.cursors.open(tool.definition.name, input.bound, input.cursor);
    const outcome = await run({ tool, input, part, runtime, secrets }, context);
    return await success(tool, outcome, secrets);
  } catch (error) {
    return failed(failureOf(error), tool, secrets);
  }
}

async function run(running: Running, context: Context): Promise<Outcome> {
  const { tool, input, runtime, secrets } = running;
  const { limiter, sandbox, settings: startedWith } = runtime;
  const capture = captureIn(context, outputLimit, tooLarge);
  return withSession(
    input.line.options,
    capture.context,
    (session) => runIn(watched(session, capture, secrets), running, capture),
    tool.fields,
    { command: pathOf(tool.command), limiter, startedWith, ...(sandbox ? { sandbox } : {}) },
  );
}

/**
 * Refuse a call that would go to another server than at the start, or use another token source.
 * @throws Failure `usage`; nothing was sent
 */
function checkServer({ settings }: Session, { settings: start }: Runtime): void {
  if (!start.baseUrl)
    throw usage('no base URL is set', forPerson('use svc login or set SVC_BASE_URL, then restart svc mcp'));
  const server = ({ baseUrl, accessToken, jobToken }: Settings) =>
    JSON.stringify([baseUrl?.value, ...[accessToken, jobToken].flatMap((one) => [one?.from, one?.origin])]);
  if (server(settings) === server(start)) return;
  throw usage('the base URL or the token source has changed since the start of svc mcp', [
    ...forPerson('undo the change, or restart svc mcp'),
    'request not sent',
  ]);
}

/** The session of a call, which learns the secrets to mask and the confirmation. */
function watched(session: Session, capture: Captured, secrets: string[]): Session {
  const keep = (sentence: string) => void capture.sentences.push(sentence);
  return {
    ...session,
    notes: { ...session.notes, done: keep, confirmed: keep },
    async credential(access) {
      const found = await session.credential(access);
      if (found) secrets.push(found.token);
      return found;
    },
    conceal(texts) {
      secrets.push(...texts);
      session.conceal(texts);
    },
  };
}

async function runIn(session: Session, running: Running, capture: Captured): Promise<Outcome> {
  const { tool, input } = running;
  const { command, result } = tool;
  const { task } = command;
  const { line } = input;
  checkServer(session, running.runtime);
  if (command.endpoints.length === 0) return printed(session, running, capture, line);
  const call = await prepareCall(session, command, line);
  checkConfirmation(call, input.confirm);
  if (task) return printed(session, running, capture, line);
  if (result === 'rows' && tool.continues) return { value: await rowsOf(session, call, running.part) };
  if (result === 'text') return { value: await textOf(session, call, running.part) };
  await perform(session, call, command.area);
  return { value: resultOf(await parsed(capture.text()), running, capture) };
}

/** @throws Failure `usage` for a destructive call without the name of its resource; nothing was sent */
function checkConfirmation(call: Call, given: unknown): void {
  if (call.endpoint.confirm === undefined || given === nameOf(call)) return;
  const name = JSON.stringify(nameOf(call));
  throw usage(`confirm must be ${name}, the name of the resource`, 'request not sent');
}

/** Run a task, and read what it prints. */
async function printed(
  session: Session,
  running: Running,
  capture: Captured,
  line: CommandLine,
): Promise<Outcome> {
  const { command } = running.tool;
  let failure: Failure | undefined;
  try {
    await command.task?.(taskContext(session, command, line));
  } catch (error) {
    failure = failureOf(error);
    // The outcome of something that a task waited for is its result.
    if (failure.kind !== 'unsuccessful' || capture.text() === '') throw error;
  }
  const value = resultOf(await parsed(capture.text()), running, capture);
  return { value, ...(failure ? { failure } : {}) };
}

async function parsed(text: string): Promise<unknown> {
  if (text.trim() === '') return undefined;
  const numbers = new Numbers();
  await numbers.load();
  return numbers.parse(text, true);
}

/** The result that a command printed, in the shape of the output schema. */
function resultOf(value: unknown, { tool, part }: Running, { sentences }: Captured): unknown {
  if (value === undefined && tool.definition.annotations.readOnlyHint) throw notReady();
  const [done = `${tool.command.summary}: done`] = sentences;
  if (tool.result === 'done' || value === undefined) return { done };
  if (tool.result !== 'rows') return value;
  const rows = Array.isArray(value) ? value : [value];
  if (!tool.continues) return { rows };
  const { position, next } = part;
  const end = position.skip + maxRows;
  const rest = rows.length > end ? { skip: end } : undefined;
  return { rows: rows.slice(position.skip, end), next_cursor: next(rest) };
}

async function rowsOf(session: Session, call: Call, { position: { url, skip }, next }: Part) {
  const page = await readPage(session, call, { perPage: maxRows, url });
  const end = skip + maxRows;
  const rest = page.rows.length > end ? { url: page.url, skip: end } : undefined;
  const after = page.next === undefined ? undefined : { url: page.next, skip: 0 };
  return { rows: page.rows.slice(skip, end), next_cursor: next(rest ?? after) };
}

async function textOf(session: Session, call: Call, { position: { skip }, next }: Part) {
  const piece = await readPiece(session, call, { from: skip, limit: pieceLimit });
  const rest = piece.next === undefined ? undefined : { skip: piece.next };
  return { text: piece.text, next_cursor: next(rest) };
}

async function success(tool: Tool, { value, failure }: Outcome, secrets: string[]): Promise<CallResult> {
  const numbers = new Numbers();
  await numbers.load();
  const masked = concealed(value, tool, secrets);
  const content = [{ type: 'text' as const, text: numbers.stringify(masked) }];
  if (failure) {
    const { message, details } = failure.mapTexts(tool.names.inText);
    const note = [message, ...details].join('\n');
    content.push({ type: 'text', text: redactorOf(secrets)(note) });
  }
  return { content, structuredContent: masked as Readonly<Record<string, unknown>> };
}

const later = 'call the tool again later; after a write, first check whether it had an effect';

/** The hint of a failure that has none for an agent. */
const hintOf: Readonly<Partial<Record<Failure['kind'], string>>> = {
  usage: 'check the arguments against the input schema; if they agree, tell the user',
  network: later,
  auth: 'the token of svc mcp does not allow this call: tell the user',
  not_found: 'check the names and ids in the arguments',
  rejected: 'change the arguments as the message says',
  rate_limited: later,
  server_error: later,
};

function failed(failure: Failure, { names }: Tool, secrets: readonly string[]): CallResult {
  const redact = redactorOf(secrets);
  const { kind, message, details, advice, exchange } = failure.mapTexts((text) => redact(names.inText(text)));
  const hintFor = (audience?: 'person') =>
    advice.flatMap((hint) => (hint.audience === audience ? hint.text : [])).join('\n');
  const forUser = hintFor('person');
  const error = {
    kind,
    message: [message, ...details].join('\n'),
    hint: hintFor() || (hintOf[kind] ?? 'tell the user'),
    ...(forUser === '' ? {} : { user_hint: forUser }),
    ...(exchange?.status === undefined ? {} : { status: exchange.status }),
  };
  return { isError: true, content: [{ type: 'text', text: JSON.stringify(error) }] };
}
