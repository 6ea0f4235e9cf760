/** Send one call of the API and print its response. */
import type { Credential } from '../../config/credentials.ts';
import { expectType } from '../../http/body/expect.ts';
import type { Client } from '../../http/client.ts';
import type { Reply, Request } from '../../http/transport.ts';
import type { Endpoint } from '../../spec/endpoint.ts';
import { type Call, plan } from '../../spec/request.ts';
import { isReadMethod } from '../../support/http-method.ts';
import type { Target } from '../../tasks/context.ts';
import { downloadHeaders, requestBase, toRequest } from '../request/build.ts';
import { confirm } from '../request/confirm.ts';
import { isDryRun, printDryRun } from '../request/dry-run.ts';
import { type Paging, pagingOf, withPaging } from '../request/paging.ts';
import type { Session } from '../session/model.ts';
import { addHints, missingToken } from './failure/hints.ts';
import { noteAccepted, printHeaders, printList, printObject } from './print.ts';

/** Confirm, send and print a call; or print the request for `--dry-run` and `--curl`. */
export async function perform(session: Session, prepared: Call, area: string): Promise<void> {
  const { endpoint } = prepared;
  const paging = pagingOf(session, endpoint, prepared.values);
  const call = { ...prepared, values: await withPaging(session, endpoint, prepared.values, paging) };
  const planned = plan(call);
  const outgoing = await requestBase(session, endpoint);
  if (isDryRun(session)) return printDryRun(session, endpoint, planned, outgoing);
  await findToken(session, endpoint);
  if (endpoint.confirm) await confirm(session, call, area);
  await requireToken(session, endpoint);
  const { request, target } = await prepareTransfer(
    session,
    endpoint,
    await toRequest(planned, outgoing, session.context),
  );
  try {
    await send(session, call, request, paging, target);
  } catch (error) {
    throw await addHints(error, call, session);
  }
  const { id } = call.slots;
  if (id !== undefined && session.terminal.screen)
    await (await import('../session/recent.ts')).remember(session, endpoint, id);
}

async function send(
  session: Session,
  call: Call,
  request: Request,
  paging: Paging,
  target: Target | undefined,
): Promise<void> {
  const { endpoint } = call;
  const client = await session.client(endpoint.access);
  const isRead = isReadMethod(endpoint.method);
  if (isRead && endpoint.returns.kind === 'list')
    return printList(session, client, endpoint, request, paging);
  const reply = await sendRequest(client, request);
  if (!isRead) return (await import('./confirmation.ts')).finishWrite(session, call, reply);
  noteAccepted(session, reply);
  switch (endpoint.returns.kind) {
    case 'object':
      return printObject(session, endpoint, reply);
    case 'headers':
      await reply.discard();
      return printHeaders(session, endpoint, reply);
    case 'raw':
      await expectType(reply, endpoint.returns.type, endpoint.method);
      return (await import('./transfer.ts')).printRaw(session, request, reply, target);
  }
}

/** Prepare the transfer of a file: the progress of an upload, or the headers and the target of a download. */
async function prepareTransfer(
  session: Session,
  endpoint: Endpoint,
  planned: Request,
): Promise<{ request: Request; target?: Target | undefined }> {
  const sendsFile = planned.body !== undefined && 'open' in planned.body;
  if (endpoint.returns.kind !== 'raw' && !sendsFile) return { request: planned };
  const { prepareTarget, withUploadProgress } = await import('./transfer.ts');
  if (sendsFile) return { request: withUploadProgress(session, planned) };
  return {
    request: { ...planned, headers: [...planned.headers, ...downloadHeaders] },
    target: await prepareTarget(session, 'output-file'),
  };
}

/** Send one request. @throws Failure for any status that is not a success, including 304 */
export async function sendRequest(client: Client, request: Request): Promise<Reply> {
  const reply = await client.send(request);
  if (reply.status >= 300) throw await client.failure(request, reply);
  return reply;
}

/** Check that there is a token if the endpoint requires one, and warn about a job token that may not suffice. */
export async function requireToken(session: Session, endpoint: Endpoint): Promise<void> {
  const credential = await findToken(session, endpoint);
  if (credential?.kind === 'job' && !endpoint.access.jobToken)
    session.notes.say(
      'warning: this endpoint is not documented to accept a job token; sending the request anyway',
    );
}

/** A write requires a token. A read may be public. @throws Failure `auth` without one */
export async function findToken(session: Session, endpoint: Endpoint): Promise<Credential | undefined> {
  const credential = await session.credential(endpoint.access);
  if (credential) return credential;
  if (isReadMethod(endpoint.method) && endpoint.access.jobToken !== 'only') return undefined;
  throw await missingToken(session, endpoint);
}
