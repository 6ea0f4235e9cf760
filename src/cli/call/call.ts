import type { Credential } from '../../config/credentials.ts';
import { Failure } from '../../errors.ts';
import type { DownloadFile } from '../../http/body/download.ts';
import { expectJson, expectNothing } from '../../http/body/expect.ts';
import type { Reply } from '../../http/transport.ts';
import { commandName } from '../../spec/command.ts';
import { confirmationOf } from '../../spec/done.ts';
import { type Endpoint, returnedFields } from '../../spec/endpoint.ts';
import { type Call, plan } from '../../spec/request.ts';
import { done, objectResult, type Result } from '../../spec/result.ts';
import { firstCharacter, peeked } from '../../support/bytes.ts';
import { isReadMethod } from '../../support/http-method.ts';
import { isDryRun, pagingOf, requestBase, toRequest, withPaging } from '../request/build.ts';
import { checkFile, notReady, parseJsonText, sendRequest, wholeBody } from '../request/response.ts';
import type { Session } from '../session/model.ts';
import { listResult, noteAccepted, withExchange } from './list.ts';
import { checkWrap } from './output-options.ts';
import { lengthOf } from './transfer.ts';

/** Confirm and send a call, or describe the request. @param page reads only this page of a list */
export async function sendCall(
  session: Session,
  prepared: Call,
  area: string,
  page?: { readonly perPage: number; readonly url: string | undefined },
): Promise<Result> {
  const { endpoint } = prepared;
  checkWrap(session, endpoint);
  const paging = page
    ? { follow: true, perPage: Number(prepared.values['per_page'] ?? page.perPage), parallel: 1 }
    : pagingOf(session, endpoint, prepared.values);
  const call = { ...prepared, values: await withPaging(session, endpoint, prepared.values, paging) };
  const planned = plan(call);
  const outgoing = await requestBase(session, endpoint);
  if (isDryRun(session)) return { kind: 'requests', requests: [{ endpoint, plan: planned }] };
  await findToken(session, endpoint);
  if (endpoint.confirm) await (await import('../request/confirm.ts')).confirm(session, call, area);
  await requireToken(session, endpoint);
  const built = await toRequest(planned, outgoing, session.context);
  const isFile = endpoint.returns.kind === 'raw' || (built.body && 'open' in built.body);
  const { request, target } = isFile
    ? await (await import('./transfer.ts')).prepareTransfer(session, built)
    : { request: built };
  let result: Result;
  try {
    const client = await session.client(endpoint.access);
    if (isReadMethod(endpoint.method) && endpoint.returns.kind === 'list') {
      const first = { ...request, url: page?.url ?? request.url };
      const pages = { ...paging, follow: paging.follow && !page };
      result = await listResult(session, client, call, first, pages);
    } else result = await resultOf(session, call, await sendRequest(client, request), target);
  } catch (error) {
    throw await (await import('./hints.ts')).addHints(error, call, session);
  }
  const { id } = call.slots;
  if (id !== undefined && session.terminal.screen)
    await (await import('../session/recent.ts')).remember(session, endpoint, id);
  return result;
}

async function resultOf(
  session: Session,
  call: Call,
  reply: Reply,
  target: DownloadFile | undefined,
): Promise<Result> {
  const { endpoint } = call;
  const { returns, method } = endpoint;
  if (!isReadMethod(method)) return writtenResult(session, call, reply);
  if (returns.kind === 'raw') await checkFile(reply, endpoint);
  const explain = async (error: unknown) =>
    (await import('./hints.ts')).addHints(withExchange(error, method, reply), call, session);
  if (returns.kind === 'headers') {
    await reply.discard();
    return objectResult(await vendorValues(endpoint, reply), endpoint);
  }
  if (returns.kind !== 'raw') {
    const object = expectJson(reply, method, true);
    if (reply.status !== 202) return { kind: 'object', endpoint, body: object, explain };
    const { first, body } = await peeked(object);
    if (first === undefined) throw notReady({ method, url: reply.url, status: reply.status });
    noteAccepted(session, reply);
    return { kind: 'object', endpoint, body, explain };
  }
  if (target) {
    await (await import('./transfer.ts')).saveTo(session, reply, target);
    return done();
  }
  return fileOf(reply, explain);
}

export function fileOf(reply: Reply, explain: (error: unknown) => Promise<unknown>): Result {
  async function* bytes() {
    yield* (await import('../../http/body/download.ts')).verified(reply);
  }
  return { kind: 'file', bytes: bytes(), length: lengthOf(reply), explain };
}

async function writtenResult(session: Session, call: Call, reply: Reply): Promise<Result> {
  const { endpoint } = call;
  const { returns, method } = endpoint;
  const isUpdate = commandName(endpoint) === 'update' || method === 'PATCH';
  const isEmpty = isUpdate && Object.keys(call.values).length === 0;
  const confirmed = (response?: unknown): string | undefined => {
    const sentence = isEmpty
      ? 'Nothing was changed: the update has no fields'
      : confirmationOf(call, response, reply.status === 202, session.notes.redact);
    if (sentence !== undefined) session.notes.confirmed(sentence);
    return sentence;
  };
  if (returns.kind === 'nothing') {
    await expectNothing(reply, method);
    confirmed();
    return done();
  }
  const body = await wholeBody(expectJson(reply, method, returns.kind !== 'list'));
  const exchange = { method, url: reply.url, status: reply.status };
  // The service may send an empty body with 202 and 204.
  const isNothing = firstCharacter(body) === undefined;
  const sentence = confirmed(isNothing ? undefined : await parseJsonText(body.toString('utf8'), exchange));
  return { kind: 'written', endpoint, write: endpoint, body, sentence };
}

async function vendorValues(endpoint: Endpoint, reply: Reply): Promise<Record<string, unknown>> {
  const { vendorHeaders } = await import('../../http/vendor.ts');
  const values = vendorHeaders(reply.headers);
  const row: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(returnedFields(endpoint))) {
    const text = values.get(name.replaceAll('_', '-'));
    if (text === undefined) continue;
    const isNumber = field.kind === 'int' && Number.isSafeInteger(Number(text));
    row[name] = isNumber ? Number(text) : field.kind === 'bool' ? text === 'true' : text;
  }
  if (Object.keys(row).length > 0) return row;
  throw new Failure('server_error', 'the response lacks the documented headers', {
    hint: 'it may come from a proxy or a login page',
    exchange: { method: endpoint.method, url: reply.url, status: reply.status },
  });
}

/** Check that there is a token if the endpoint requires one, and warn about a job token that may not suffice. */
export async function requireToken(session: Session, endpoint: Endpoint): Promise<void> {
  const credential = await findToken(session, endpoint);
  if (credential?.kind === 'job' && !endpoint.access.jobToken)
    session.notes.sayOnce(
      'warning: this endpoint is not documented to accept a job token; sending the request anyway',
    );
}

/** A write requires a token. A read may be public. @throws Failure `auth` without one */
export async function findToken(session: Session, endpoint: Endpoint): Promise<Credential | undefined> {
  const credential = await session.credential(endpoint.access);
  if (credential) return credential;
  if (isReadMethod(endpoint.method) && endpoint.access.jobToken !== 'only') return undefined;
  throw (await import('./hints.ts')).missingToken(session, endpoint);
}
