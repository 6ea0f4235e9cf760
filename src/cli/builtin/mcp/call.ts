/** Run a tool. */
import type { Overrides } from '../../../config/settings.ts';
import { Failure, forPerson, usage } from '../../../errors.ts';
import type { Limiter } from '../../../http/policy/limiter.ts';
import { redactor } from '../../../http/redact.ts';
import { notObjects } from '../../../output/json/rows.ts';
import { parseExact } from '../../../output/json/values.ts';
import { pathOf } from '../../../spec/command.ts';
import { choicesOf, type Field, type Fields, fieldOf, itemOf, keysOf } from '../../../spec/field.ts';
import {
  isSecretMember,
  isSecretName,
  isSecretText,
  secretNamesIn,
  secretNamesInItem,
  secretTexts,
} from '../../../spec/mask.ts';
import type { Call } from '../../../spec/request.ts';
import type { Body, Result } from '../../../spec/result.ts';
import { collect, decode, once } from '../../../support/bytes.ts';
import { jsonText } from '../../../support/json.ts';
import { mask } from '../../../support/mask.ts';
import { isRecord } from '../../../support/record.ts';
import type { Options } from '../../argv/flags.ts';
import { sendCall } from '../../call/call.ts';
import { execute } from '../../call/run.ts';
import type { Context } from '../../context.ts';
import { failureOf } from '../../report.ts';
import { nameOf } from '../../request/confirm.ts';
import { prepareCall } from '../../request/prepare.ts';
import { maskedResponse, notReady, parseJsonText } from '../../request/response.ts';
import type { Session } from '../../session/model.ts';
import { withSession } from '../../session/session.ts';
import type { Settings } from '../../session/settings.ts';
import { type Cursors, type Part, readInput, type ToolInput } from './input.ts';
import { maxRows, type Tool } from './tools.ts';

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
/** Bytes of the data of a result. */
const dataLimit = 32 * 1024 * 1024;

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
    const outcome = await runInSession({ tool, input, part, runtime, secrets }, context);
    return await success(tool, outcome, secrets);
  } catch (error) {
    return failed(failureOf(error), tool, secrets);
  }
}

async function runInSession(running: Running, context: Context): Promise<Outcome> {
  const { tool, input, runtime } = running;
  const { limiter, sandbox, settings: startedWith } = runtime;
  return withSession(input.line.options, context, (session) => outcomeOf(session, running), tool.fields, {
    command: pathOf(tool.command),
    limiter,
    startedWith,
    ...(sandbox ? { sandbox } : {}),
  });
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

/** The session of a call, which learns the secrets to mask and the confirmations. */
function watched(session: Session, secrets: string[], sentences: string[]): Session {
  const keep = (sentence: string) => void sentences.push(sentence);
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

async function outcomeOf(opened: Session, running: Running): Promise<Outcome> {
  const { tool, input, part, secrets } = running;
  const { command, result: shape } = tool;
  const { line } = input;
  const sentences: string[] = [];
  const session = watched(opened, secrets, sentences);
  checkServer(session, running.runtime);
  if (command.endpoints.length > 0) {
    const call = await prepareCall(session, command, line);
    checkConfirmation(call, input.confirm);
    if (!command.task && shape === 'rows' && tool.continues)
      return { value: await rowsOf(session, call, command.area, part) };
    if (!command.task && shape === 'text') return { value: await textOf(session, call, command.area, part) };
  }
  const result = await execute(command, line, session);
  const value = await dataOf(result);
  for (const { how, text } of result.notes ?? [])
    if (how === 'done' || how === 'confirmed') sentences.push(text);
    else session.notes[how](text);
  // The outcome of something that a task waited for is its result.
  if (result.failure && (result.failure.kind !== 'unsuccessful' || value === undefined)) throw result.failure;
  return { value: shaped(value, running, sentences), ...(result.failure ? { failure: result.failure } : {}) };
}

/** @throws Failure `usage` for a destructive call without the name of its resource; nothing was sent */
function checkConfirmation(call: Call, given: unknown): void {
  if (call.endpoint.confirm === undefined || given === nameOf(call)) return;
  const name = JSON.stringify(nameOf(call));
  throw usage(`confirm must be ${name}, the name of the resource`, 'request not sent');
}

/** The data of a result. Numbers keep their digits. */
async function dataOf(result: Result): Promise<unknown> {
  switch (result.kind) {
    case 'rows': {
      const rows: unknown[] = [];
      try {
        for await (const page of result.pages) rows.push(...(await rowsIn(page)));
      } catch (error) {
        throw result.explain ? await result.explain(error, 0) : error;
      }
      return rows;
    }
    case 'object':
      return parsed(result.body).catch(async (error: unknown) => {
        throw result.explain ? await result.explain(error, 0) : error;
      });
    case 'written':
      return parsed(once(await maskedResponse(result.body, result.write.takes)));
    case 'text':
      return result.text;
    default:
      return undefined;
  }
}

async function parsed(body: Body): Promise<unknown> {
  const text = (await collect(body, dataLimit, tooLarge)).toString('utf8');
  if (text.trim() === '') return undefined;
  return parseJsonText(text, undefined, parseExact);
}

async function rowsIn(page: Body): Promise<readonly unknown[]> {
  const rows = await parsed(page);
  if (!Array.isArray(rows) || !rows.every(isRecord)) throw notObjects();
  return rows;
}

/** The value of a result in the shape of the output schema. */
function shaped(value: unknown, { tool, part }: Running, sentences: readonly string[]): unknown {
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

/** One page of a list, and the cursor of the next. */
async function rowsOf(session: Session, call: Call, area: string, { position: { url, skip }, next }: Part) {
  const result = await sendCall(session, call, area, { perPage: maxRows, url });
  const isOne = result.kind === 'object' && 'orOne' in call.endpoint.returns;
  if (result.kind !== 'rows' && !isOne)
    throw notReady({ method: call.endpoint.method, url: session.root(), status: 202 });
  const value = await dataOf(result);
  const rows = Array.isArray(value) ? value : [value];
  const end = skip + maxRows;
  const after = result.kind === 'rows' ? result.nextPage?.() : undefined;
  const rest =
    rows.length > end ? { url, skip: end } : after === undefined ? undefined : { url: after, skip: 0 };
  return { rows: rows.slice(skip, end), next_cursor: next(rest) };
}

/** A piece of a file, and the cursor of the next. */
async function textOf(session: Session, call: Call, area: string, { position: { skip }, next }: Part) {
  const result = await sendCall(session, call, area);
  if (result.kind !== 'file') throw notReady();
  const { explain } = result;
  const bytes = await readStart(result.bytes, skip + pieceLimit + 1).catch(async (error: unknown) => {
    throw explain ? await explain(error) : error;
  });
  let end = Math.min(bytes.length, skip + pieceLimit);
  // A character has up to four bytes.
  for (let step = 0; step < 3 && isContinuation(bytes[end]); step++) end--;
  const text = decode(bytes.subarray(skip, end));
  if (text === undefined || text.includes('\0'))
    throw new Failure('unsuccessful', 'the file is not UTF-8 text', {
      hint: forPerson('svc can download it with --output-file'),
    });
  return { text, next_cursor: next(end < bytes.length ? { skip: end } : undefined) };
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && byte >> 6 === 0b10;

/** Read the start of a file, up to a number of bytes or a little more. */
async function readStart(body: Body, end: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    length += chunk.byteLength;
    if (length >= end) break;
  }
  return Buffer.concat(chunks);
}

async function success(tool: Tool, { value, failure }: Outcome, secrets: string[]): Promise<CallResult> {
  const masked = concealed(value, tool, secrets);
  const content = [{ type: 'text' as const, text: jsonText(masked) }];
  if (failure) {
    const { message, details } = failure.mapTexts(tool.inText);
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

function failed(failure: Failure, { inText }: Tool, secrets: readonly string[]): CallResult {
  const redact = redactorOf(secrets);
  const { kind, message, details, advice, exchange } = failure.mapTexts((text) => redact(inText(text)));
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

type Redact = (text: string) => string;

/** A function that masks texts everywhere. */
export function redactorOf(secrets: readonly string[]): Redact {
  return redactor([...new Set(secrets)]);
}

/**
 * Copy a result with its secrets masked: the fields that are secret, and the same texts in all other fields.
 * @param secrets other texts to mask
 */
export function concealed(value: unknown, { fields, result }: Tool, secrets: readonly string[]): unknown {
  const inner = result === 'rows' && isRecord(value) ? value['rows'] : value;
  const redact = redactorOf([...secrets, ...secretTexts(inner, fields)]);
  if (result !== 'rows' || !isRecord(value)) return hide(value, fields, redact);
  // A cursor is random text.
  return { ...value, rows: hide(inner, fields, redact) };
}

/** @param fields of an object; undefined if its names are data */
function hide(value: unknown, fields: Fields | undefined, redact: Redact, isHidden = isSecretName): unknown {
  if (typeof value === 'string') return isSecretText(value, isHidden) ? mask : redact(value);
  if (Array.isArray(value))
    return value.map((item) => hide(item, fields, redact, secretNamesInItem(item, isHidden)));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => {
      const field = fields && fieldOf(fields, name);
      const isOwn = isSecretMember(name, field, isHidden) && item !== null && typeof item !== 'boolean';
      return [fields ? name : redact(name), isOwn ? mask : hideField(name, item, field, redact)];
    }),
  );
}

function hideField(name: string, item: unknown, field: Field | undefined, redact: Redact): unknown {
  // A value from a documented list is not a secret.
  if (typeof item === 'string' && field && choicesOf(field)) return item;
  return hide(item, keysOf(field && itemOf(field)), redact, secretNamesIn(name));
}
