/** Send requests, and read JSON responses as values for decisions. Printed responses keep their bytes. */
import { type ExchangeSummary, Failure } from '../../errors.ts';
import { expectJson, expectType } from '../../http/body/expect.ts';
import type { Client } from '../../http/client.ts';
import { Announced } from '../../http/policy/pages.ts';
import type { Reply, Request } from '../../http/transport.ts';
import { notObjects } from '../../output/json/rows.ts';
import { parseExact, parseWhole, unparsable } from '../../output/json/values.ts';
import type { Endpoint } from '../../spec/endpoint.ts';
import { type Fields, fieldOf, hasSecret, isSecret, keysOf } from '../../spec/field.ts';
import { type Call, plan } from '../../spec/request.ts';
import type { Row } from '../../spec/resource.ts';
import { collect, valueLimit } from '../../support/bytes.ts';
import { isReadMethod } from '../../support/http-method.ts';
import { jsonText } from '../../support/json.ts';
import { mask } from '../../support/mask.ts';
import { isRecord } from '../../support/record.ts';
import type { Session } from '../session/model.ts';
import { maxPerPage, requestBase, toRequest, withPaging } from './build.ts';

type Parse = (text: string) => unknown;

/** Send one request. @throws Failure for any status that is not a success, including 304 */
export async function sendRequest(client: Client, request: Request): Promise<Reply> {
  const reply = await client.send(request);
  if (reply.status >= 300) throw await client.failure(request, reply);
  return reply;
}

/** Send a call. @throws Failure for any status that is not a success */
export async function fetchCall(session: Session, call: Call): Promise<Reply> {
  const { endpoint } = call;
  const client = await session.client(endpoint.access);
  const base = await requestBase(session, endpoint);
  return sendRequest(client, await toRequest(plan(call), base, session.context));
}

/** Return the call of the first page, from which all rows of a list are read. */
export async function firstPageOf(session: Session, call: Call): Promise<Call> {
  const paging = { follow: true, perPage: maxPerPage, parallel: 1 };
  return { ...call, values: await withPaging(session, call.endpoint, call.values, paging) };
}

/** Read the rows of a list. @throws Failure without `maxPages` if fewer arrived than the service announced */
export async function* listRows(
  session: Session,
  call: Call,
  more: {
    readonly parse?: Parse | undefined;
    readonly maxPages?: number;
    readonly announced?: Announced;
    readonly mayChange?: boolean;
  } = {},
): AsyncGenerator<Row> {
  const { endpoint } = call;
  const { announced = new Announced(), parse, maxPages = Number.POSITIVE_INFINITY, mayChange } = more;
  const client = await session.client(endpoint.access);
  const base = await requestBase(session, endpoint);
  const request = await toRequest(plan(await firstPageOf(session, call)), base, session.context);
  const { method } = request;
  let rows = 0;
  let { url } = request;
  for await (const reply of client.pages(request, { maxPages })) {
    ({ url } = reply);
    announced.onPage(reply);
    for (const row of await readRows(reply, endpoint, parse)) {
      rows += 1;
      yield row;
    }
  }
  if (more.maxPages !== undefined) return;
  const problem = announced.shortage(rows) ?? (mayChange ? undefined : announced.change());
  if (problem !== undefined) throw new Failure('server_error', problem, { exchange: { method, url } });
}

/** Parse a response, by default with integers beyond 2^53 as bigint. @throws Failure `server_error` */
export async function parseJsonText(text: string, exchange?: ExchangeSummary, parse: Parse = parseWhole) {
  try {
    return await parse(text);
  } catch (cause) {
    throw unparsable(cause, exchange);
  }
}

/** Read a JSON body that is parsed as a whole. @throws Failure `server_error` */
export function wholeBody(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const limit = valueLimit;
  return collect(
    body,
    limit,
    () => new Failure('server_error', `the response is larger than ${limit >> 20} MiB`),
  );
}

/** Read a JSON object: its exact bytes for printing, and its value for decisions. @throws Failure `server_error` for another body */
export async function readObject(reply: Reply, method = 'GET') {
  const bytes = await wholeBody(expectJson(reply, method, true));
  // Services differ in whether a write returns a body, and so does what is not ready.
  if (bytes.byteLength === 0 && (reply.status === 202 || !isReadMethod(method))) return { bytes, value: {} };
  const exchange = { method, url: reply.url, status: reply.status };
  return { bytes, value: (await parseJsonText(bytes.toString('utf8'), exchange)) as Row };
}

/** Read a page of a list. @throws Failure `server_error` for a body that is not a list of objects */
async function readRows(reply: Reply, endpoint: Endpoint, parse?: Parse): Promise<readonly Row[]> {
  const { method, returns } = endpoint;
  const exchange = { method, url: reply.url, status: reply.status };
  const text = (await wholeBody(expectJson(reply, method))).toString('utf8');
  // Only 202 allows an empty body: the list is not ready.
  const value = text.trim() === '' ? undefined : await parseJsonText(text, exchange, parse);
  if (value === undefined || (reply.status === 202 && !Array.isArray(value))) throw notReady(exchange);
  if (returns.kind === 'list' && returns.orOne && isRecord(value)) return [value];
  if (!Array.isArray(value) || !value.every(isRecord)) throw notObjects(exchange);
  return value;
}

/** The failure of a read that the service only accepted (section 7). */
export function notReady(exchange?: ExchangeSummary): Failure {
  return new Failure('unsuccessful', 'not ready yet: the service is still working on it', {
    hint: 'try again later',
    exchange,
  });
}

/**
 * Check that the response for a file is that file.
 * @throws Failure `unsuccessful` if the service only accepted the request (202), `server_error` for an HTML page in place of the file
 */
export async function checkFile(reply: Reply, { method, returns }: Endpoint): Promise<void> {
  const { status, url } = reply;
  if (status === 202) {
    await reply.discard();
    throw notReady({ method, url, status });
  }
  if (returns.kind === 'raw') await expectType(reply, returns.type, method);
}

/** Mask the secret parameters of a write in its response. Numbers and the order of keys are unchanged. @param takes the parameters of the call */
export async function maskedResponse(json: Uint8Array, takes: Fields): Promise<Uint8Array> {
  if (!Object.values(takes).some(hasSecret)) return json;
  const value = await parseJsonText(Buffer.from(json).toString(), undefined, parseExact);
  hide(value, takes);
  return Buffer.from(jsonText(value));
}

function hide(value: unknown, fields: Fields): void {
  if (Array.isArray(value)) for (const item of value) hide(item, fields);
  if (!isRecord(value)) return;
  for (const [name, inner] of Object.entries(value)) {
    const field = fieldOf(fields, name);
    if (!isSecret(field)) hide(inner, keysOf(field) ?? {});
    else if (inner !== null && inner !== '') Reflect.set(value, name, mask);
  }
}
