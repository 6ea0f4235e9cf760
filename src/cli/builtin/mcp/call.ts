/** Run a tool. */
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { Failure, forPerson, usage } from '../../../errors.ts';
import { type Redact, redactor } from '../../../http/redact.ts';
import { notObjects } from '../../../output/json/rows.ts';
import { parseExact } from '../../../output/json/values.ts';
import { pathOf } from '../../../spec/command.ts';
import { guarded, guardedTexts, secretTexts, withoutSecrets } from '../../../spec/mask.ts';
import type { Body, Result, Rows } from '../../../spec/result.ts';
import { collect, once } from '../../../support/bytes.ts';
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
import { parseJsonText } from '../../request/response.ts';
import type { Session, SessionOptions } from '../../session/model.ts';
import { withSession } from '../../session/session.ts';
import type { Settings } from '../../session/settings.ts';
import { type Cursors, checkInput, lineOf, type Part, pieceOf } from './input.ts';
import { maxRows, type Tool } from './tools.ts';

export interface Runtime {
  /** The flags of the server that apply to each call. */
  readonly options: Options;
  readonly settings: Settings;
  readonly session: SessionOptions;
  readonly cursors: Cursors;
}

/** Bytes of the data of a result. */
const dataLimit = 32 * 1024 * 1024;

/**
 * Run a tool.
 * @param context of the call: its signal is aborted when the call is canceled
 */
export async function callTool(
  tool: Tool,
  given: Readonly<Record<string, unknown>>,
  runtime: Runtime,
  context: Context,
): Promise<CallToolResult> {
  const { command } = tool;
  const secrets = secretTexts(given, tool.fields);
  let redact: Redact = redactor(secrets);
  const said: string[] = [];
  try {
    const { cursor, confirm, ...input } = checkInput(tool, given);
    const line = lineOf(tool, input, { ...runtime.options, json: true, noInput: true, yes: true });
    // A call cannot select the checkout, whose settings are a file.
    if (line.project === '.') throw usage('project must be an id or a path, not "."');
    const part = runtime.cursors.open(tool.definition.name, input, cursor);
    const run = async (opened: Session): Promise<CallToolResult> => {
      const sentences: string[] = [];
      const keep = (sentence: string) => void sentences.push(sentence);
      const tell = (how: 'say' | 'sayOnce' | 'warn') => (text: string) => {
        if (how !== 'sayOnce' || !said.includes(text)) said.push(text);
        opened.notes[how](text);
      };
      const own = { say: tell('say'), sayOnce: tell('sayOnce'), warn: tell('warn') };
      const session = { ...opened, notes: { ...opened.notes, ...own, done: keep, confirmed: keep } };
      ({ redact } = session.notes);
      session.conceal(secrets);
      checkServer(session, runtime);
      const call = command.endpoints.length > 0 ? await prepareCall(session, command, line) : undefined;
      if (call?.endpoint.confirm && confirm !== nameOf(call)) {
        const name = JSON.stringify(nameOf(call));
        throw usage(`confirm must be ${name}, the name of the resource`, 'request not sent');
      }
      const url = part.position.url;
      const page = tool.continues && tool.result === 'rows' ? { perPage: maxRows, url } : undefined;
      const isTask = !call || command.task !== undefined;
      const result = await (isTask
        ? execute(command, line, session)
        : sendCall(session, call, command.area, page));
      const { failure, notes = [] } = result;
      const value = await dataOf(result, part);
      for (const { how, text, audience } of notes) if (!audience) session.notes[how](text);
      // The outcome of something that a task waited for is its result.
      if (failure && (failure.kind !== 'unsuccessful' || value === undefined)) throw failure;
      if (!tool.continues && Array.isArray(value) && value.length > maxRows)
        said.push(`the first ${maxRows} of ${value.length} rows`);
      return success(tool, shaped(value, tool, part, result, sentences[0]), session, failure, said);
    };
    const more = { command: pathOf(command), ...runtime.session };
    return await withSession(line.options, context, run, tool.fields, more);
  } catch (error) {
    return failed(failureOf(error), tool, redact, said);
  }
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

async function dataOf(result: Result, part: Part): Promise<unknown> {
  const { explain } = result as Rows;
  try {
    switch (result.kind) {
      case 'rows': {
        const rows: unknown[] = [];
        for await (const body of result.pages) {
          const page = await parsed(body);
          if (!Array.isArray(page) || !page.every(isRecord)) throw notObjects();
          rows.push(...page);
        }
        return rows;
      }
      case 'object':
        return await parsed(result.body, true);
      case 'written':
        return await parsed(once(result.body));
      case 'file': {
        const shown = result.shown?.(result.bytes, { color: false, unicode: true });
        return await pieceOf(shown ?? result.bytes, part);
      }
      case 'text':
        return result.text;
      default:
        return undefined;
    }
  } catch (error) {
    throw explain ? await explain(error, 0) : error;
  }
}

async function parsed(body: Body, isRequired = false): Promise<unknown> {
  const tooLarge = () =>
    new Failure('unsuccessful', 'the result is too large for a tool', {
      hint: forPerson('svc can print it with --json'),
    });
  const text = (await collect(body, dataLimit, tooLarge)).toString('utf8');
  if (text.trim() === '' && !isRequired) return undefined;
  return parseJsonText(text, undefined, parseExact);
}

function shaped(
  value: unknown,
  tool: Tool,
  { position, next }: Part,
  result: Result,
  sentence?: string,
): unknown {
  if (tool.result === 'done' || value === undefined)
    return { done: sentence ?? `${tool.command.summary}: done` };
  // With some flags, a task that prints an object prints rows.
  if (tool.result !== 'rows' && !Array.isArray(value)) return value;
  const rows = Array.isArray(value) ? value : [value];
  if (!tool.continues || tool.result !== 'rows') return { rows: rows.slice(0, maxRows) };
  const { url, skip } = position;
  const end = skip + maxRows;
  const after = result.kind === 'rows' ? result.nextPage?.() : undefined;
  const following = after === undefined ? undefined : { url: after, skip: 0 };
  const rest = rows.length > end ? { url, skip: end } : following;
  return { rows: rows.slice(skip, end), next_cursor: next(rest) };
}

function success(
  tool: Tool,
  value: unknown,
  session: Session,
  failure: Failure | undefined,
  notes: readonly string[],
): CallToolResult {
  const masked = concealed(value, tool, session);
  // Such as the period that was read, and that a limit cut it short.
  const said = notes.map(tool.inText);
  if (failure) {
    const { message, details } = failure.mapTexts(tool.inText);
    said.push(message, ...details);
  }
  const content = contentOf(jsonText(masked), session.notes.redact(said.join('\n')));
  return { content, structuredContent: masked as Readonly<Record<string, unknown>> };
}

/** The data or the error as text, and the notes of the command if there are any. */
const contentOf = (...texts: readonly string[]) =>
  texts.filter((text) => text !== '').map((text) => ({ type: 'text' as const, text }));

const later = 'call the tool again later; after a write, first check whether it had an effect';

const hintOf: Readonly<Partial<Record<Failure['kind'], string>>> = {
  usage: 'check the arguments against the input schema; if they agree, tell the user',
  network: later,
  auth: 'the token of svc mcp does not allow this call: tell the user',
  not_found: 'check the names and ids in the arguments',
  rejected: 'change the arguments as the message says',
  rate_limited: later,
  server_error: later,
};

function failed(
  failure: Failure,
  { inText }: Tool,
  redact: Redact,
  notes: readonly string[],
): CallToolResult {
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
  const said = redact(notes.map(inText).join('\n'));
  return { isError: true, content: contentOf(JSON.stringify(error), said) };
}

/** Copy a result with its secrets masked: the fields that are secret, and the same texts and those of the session in all other fields. */
function concealed(value: unknown, { fields, result }: Tool, { conceal, notes }: Session): unknown {
  const isList = result === 'rows' && isRecord(value);
  const inner = isList ? value['rows'] : value;
  const guardedIn = [inner].flat().flatMap((row) => (isRecord(row) ? guardedTexts(row, fields) : []));
  // A value of a query can be a common word, such as a branch.
  conceal([...secretTexts(inner, fields), ...guardedIn.filter((text) => text.length >= 8)]);
  // The schema of a result has booleans.
  const hide = (secret: unknown) => (typeof secret === 'boolean' ? secret : mask);
  const hidden = withoutSecrets(inner, fields, {
    hide,
    guard: (item, field) => guarded(field, item),
    show: notes.redact,
  });
  // A cursor is random text.
  return isList ? { ...value, rows: hidden } : hidden;
}
