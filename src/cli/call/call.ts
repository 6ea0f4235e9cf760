/** Send one call of the API and print its response. */
import type { Credential } from '../../config/credentials.ts';
import type { Client } from '../../http/client.ts';
import type { Reply, Request } from '../../http/transport.ts';
import type { Endpoint } from '../../spec/endpoint.ts';
import { type Call, plan } from '../../spec/request.ts';
import { collect } from '../../support/bytes.ts';
import { isReadMethod } from '../../support/http-method.ts';
import { downloadHeaders, requestBase, toRequest } from '../request/build.ts';
import { confirm, subjectWords } from '../request/confirm.ts';
import { isDryRun, printDryRun } from '../request/dry-run.ts';
import { type Paging, pagingOf, withPaging } from '../request/paging.ts';
import type { Session } from '../session/model.ts';
import { addHints, missingToken } from './hints.ts';
import { noteAccepted, printHeaders, printList, printObject } from './print.ts';
import type { Target } from './transfer.ts';

/** Confirm, send and print a call; or print the request for `--dry-run` and `--curl`. */
export async function perform(session: Session, prepared: Call): Promise<void> {
  const { endpoint } = prepared;
  const paging = pagingOf(session, endpoint, prepared.values);
  const call = { ...prepared, values: await withPaging(session, endpoint, prepared.values, paging) };
  const planned = plan(call);
  const outgoing = await requestBase(session, endpoint);
  if (isDryRun(session)) return printDryRun(session, endpoint, planned, outgoing);
  await haveToken(session, endpoint);
  if (endpoint.confirm) await confirm(session, call);
  await requireToken(session, endpoint);
  const { request, target } = await asTransfer(
    session,
    endpoint,
    await toRequest(planned, outgoing, session.context),
  );
  try {
    await send(session, call, request, paging, target);
  } catch (error) {
    throw await addHints(error, endpoint, session);
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
  if (endpoint.returns.kind === 'list') return printList(session, client, endpoint, request, paging);
  const reply = await sendRequest(client, request);
  noteAccepted(session, request.method, reply);
  switch (endpoint.returns.kind) {
    case 'object':
      return printChanged(session, call, reply);
    case 'headers':
      await reply.discard();
      return printHeaders(session, endpoint, reply);
    case 'raw':
      await (await import('../../http/body/expect.ts')).expectType(
        reply,
        endpoint.returns.type,
        endpoint.method,
      );
      return (await import('./transfer.ts')).printRaw(session, request, reply, target);
    case 'nothing': {
      const { expectNothing } = await import('../../http/body/expect.ts');
      await expectNothing(reply, endpoint.method);
      sayDone(session, call, reply);
    }
  }
}

/** `delete a variable: KEY, project acme/rocket: done`; a 202 is reported as accepted instead. */
function sayDone(session: Session, { endpoint, slots }: Call, { status }: Reply): void {
  if (status === 202) return;
  const subject = subjectWords({ endpoint, slots, values: {} });
  const what = `${endpoint.summary[0]?.toLowerCase()}${endpoint.summary.slice(1)}`;
  session.notes.say(`${[what, ...(subject.length > 0 ? [subject.join(', ')] : []), 'done'].join(': ')}`);
}

/** Print one object; or say that it is done, where a change is answered with 202 or 204 and nothing else: servers differ in it. */
async function printChanged(session: Session, call: Call, reply: Reply): Promise<void> {
  const { endpoint } = call;
  const bare = endpoint.method !== 'GET' && (reply.status === 204 || reply.status === 202);
  if (!bare) return printObject(session, endpoint, reply);
  const bytes = await collect(reply.body);
  if (bytes.toString('utf8').trim() === '') return sayDone(session, call, reply);
  async function* again() {
    yield bytes;
  }
  return printObject(session, endpoint, { ...reply, body: again() });
}

/** What a call that moves files has beside the rest: bytes as they are, a place for them, progress. */
async function asTransfer(
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

/** One exchange; a status that is no success, 304 among them, is thrown as a Failure. */
export async function sendRequest(client: Client, request: Request): Promise<Reply> {
  const reply = await client.send(request);
  if (reply.status >= 300) throw await client.failure(request, reply);
  return reply;
}

/** Before a call is sent: it has a token where it needs one, and a job token that may not do is told of. */
export async function requireToken(session: Session, endpoint: Endpoint): Promise<void> {
  const credential = await haveToken(session, endpoint);
  if (credential?.kind === 'job' && !endpoint.access.jobToken)
    session.notes.say('this call is not known to take a job token; sending it all the same');
}

/** A write without a token is refused before it is sent; a reading may well be public. */
async function haveToken(session: Session, endpoint: Endpoint): Promise<Credential | undefined> {
  const credential = await session.credential(endpoint.access);
  if (credential) return credential;
  if (isReadMethod(endpoint.method) && endpoint.access.jobToken !== 'only') return undefined;
  throw await missingToken(session, endpoint);
}
