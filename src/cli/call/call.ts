/** The way of a command that is one call of the API: validate, plan, send, print. */
import type { Credential } from '../../config/credentials.ts';
import { usage } from '../../errors.ts';
import type { Client } from '../../http/client.ts';
import type { Reply, Request } from '../../http/transport.ts';
import type { Endpoint } from '../../spec/endpoint.ts';
import type { Value, Values } from '../../spec/request.ts';
import { collect } from '../../support/bytes.ts';
import type { Leaf } from '../argv/command.ts';
import type { CommandLine, Options } from '../argv/parse.ts';
import type { Context } from '../context.ts';
import type { ExitCode } from '../exit-codes.ts';
import { asBytes, describe, type Outgoing, toCurl, toRequest } from '../request/build.ts';
import { confirm, subjectWords } from '../request/confirm.ts';
import { type Prepared, planOf, prepare } from '../request/validate.ts';
import type { Session } from '../session/session.ts';
import { noToken, withHints } from './hints.ts';
import { printHeaders, printList, printObject, type Reach, sayAccepted } from './print.ts';
import type { Target } from './transfer.ts';

/** Run a command that is one call. */
export async function invoke(leaf: Leaf, line: CommandLine, context: Context): Promise<ExitCode> {
  if (line.options.fields === 'help')
    return (await import('./fields-help.ts')).printAttributes(leaf, context);
  if (line.options.watch !== undefined) return (await import('./watch.ts')).watch(leaf, line, context);
  const prepared = await prepare(leaf, line, context);
  try {
    return await perform(prepared);
  } finally {
    await prepared.session.close();
  }
}

/** Send a prepared call and print its answer; or, with `--dry-run` and `--curl`, only say what would be sent. */
export async function perform(prepared: Prepared): Promise<ExitCode> {
  const { session, endpoint } = prepared;
  const reach = reachOf(session, endpoint, prepared.values);
  const paged = withPaging(endpoint, prepared.values, reach);
  const wanted = { ...prepared, values: await withKeyset(session, endpoint, paged, reach) };
  const plan = planOf(wanted);
  const outgoing = await outgoingOf(session, endpoint);
  if (isDry(session)) return printDry(session, endpoint, plan, outgoing);
  await haveToken(session, endpoint);
  if (endpoint.confirm) await confirm(wanted);
  await requireToken(session, endpoint);
  const planned = await toRequest(plan, outgoing, session.context);
  const { request, target } = await asTransfer(session, endpoint, planned);
  try {
    await send(wanted, request, reach, target);
  } catch (error) {
    throw await withHints(error, endpoint, session);
  }
  if (prepared.slots['id'] !== undefined && session.terminal.screen)
    await (await import('../session/recent.ts')).remember(session, endpoint, prepared.slots['id']);
  return 0;
}

async function send(
  prepared: Prepared,
  request: Request,
  reach: Reach,
  target: Target | undefined,
): Promise<void> {
  const { session, endpoint } = prepared;
  const client = await session.client(endpoint.access);
  if (endpoint.returns.kind === 'list') return printList(session, client, endpoint, request, reach);
  const reply = await call(client, request);
  sayAccepted(session, request.method, reply);
  switch (endpoint.returns.kind) {
    case 'object':
      return printChanged(prepared, reply);
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
      sayDone(prepared, reply);
    }
  }
}

/** `delete a variable: KEY, project acme/rocket: done`; after a 202 `accepted` was said instead. */
function sayDone({ session, endpoint, slots }: Prepared, { status }: Reply): void {
  if (status === 202) return;
  const subject = subjectWords({ endpoint, slots, values: {} });
  const what = `${endpoint.summary[0]?.toLowerCase()}${endpoint.summary.slice(1)}`;
  session.notes.say(`${[what, ...(subject.length > 0 ? [subject.join(', ')] : []), 'done'].join(': ')}`);
}

/** Print one object; or say that it is done, where a change is answered with 202 or 204 and nothing else: servers differ in it. */
export async function printChanged(prepared: Prepared, reply: Reply): Promise<void> {
  const { session, endpoint } = prepared;
  const bare = endpoint.method !== 'GET' && (reply.status === 204 || reply.status === 202);
  if (!bare) return printObject(session, endpoint, reply);
  const bytes = await collect(reply.body);
  if (bytes.toString('utf8').trim() === '') return sayDone(prepared, reply);
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
    request: { ...planned, headers: [...planned.headers, ...asBytes] },
    target: await prepareTarget(session, 'output-file'),
  };
}

/** One exchange; a status that is no success, 304 among them, is thrown as a Failure. */
export async function call(client: Client, request: Request): Promise<Reply> {
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
  const reads = endpoint.method === 'GET' || endpoint.method === 'HEAD';
  if (reads && endpoint.access.jobToken !== 'only') return undefined;
  throw await noToken(session, endpoint);
}

/** What every request of this session carries. */
export async function outgoingOf(session: Session, endpoint: Endpoint): Promise<Outgoing> {
  const credential = await session.credential(endpoint.access);
  // Servers name their own headers after their vendor; the answer to the spam check tells how (`X-<Vendor>-…`).
  const vendor = (session.context.env['SVC_VENDOR'] || 'service').toLowerCase();
  if (!/^[a-z0-9]+$/.test(vendor))
    throw usage('SVC_VENDOR is a word of letters and digits: that of X-<Vendor>-...');
  const captcha = session.options.captchaResponse as string | undefined;
  const spam = session.options.spamLogId as string | undefined;
  return {
    root: session.root(),
    ...(credential ? { credential } : {}),
    extra: [
      ...(captcha === undefined ? [] : [[`x-${vendor}-captcha-response`, captcha] as const]),
      ...(spam === undefined ? [] : [[`x-${vendor}-spam-log-id`, spam] as const]),
    ],
  };
}

/** Whether nothing is to be sent: `--dry-run` or `--curl`. */
export function isDry(session: Session): boolean {
  return session.options.dryRun === true || session.options.curl === true;
}

/** Say what would be sent, one request a line. */
export function printDry(
  session: Session,
  endpoint: Endpoint,
  plan: ReturnType<typeof planOf>,
  outgoing: Outgoing,
): ExitCode {
  const shown = { showSecrets: session.options.showSecrets === true };
  const text =
    session.options.curl === true
      ? toCurl(endpoint, plan, outgoing, shown)
      : describe(endpoint, plan, outgoing, shown);
  session.context.stdout.write(`${text}\n`);
  return 0;
}

/** Rows a page where svc itself decides: the most that the service gives. */
export const pageSize = 100;

/** What `--all` and `--limit` ask for: to follow the pages, and for how many rows; to the end where it says none. @throws Failure `usage` */
export function followOf({ all, limit }: Options): { readonly follow: boolean; readonly limit?: number } {
  if (limit !== undefined && !/^\d{1,15}$/.test(limit as string))
    throw usage('--limit must be a whole number, 0 or more');
  const rows = Number(limit ?? 0);
  if (all === true && rows > 0) throw usage('--all and --limit exclude each other');
  return { follow: all === true || limit !== undefined, ...(rows > 0 ? { limit: rows } : {}) };
}

/** How far a list goes, from `--all`, `--limit` and the API's own `per_page` (interface section 4). */
function reachOf(session: Session, endpoint: Endpoint, values: Values): Reach {
  if (endpoint.returns.kind !== 'list') return { follow: false, perPage: pageSize };
  const asked = followOf(session.options);
  const { per_page: perPage = Math.min(asked.limit ?? pageSize, pageSize) } = values;
  return { ...asked, perPage: perPage as number };
}

/** The query of a list that follows its pages. */
function withPaging(endpoint: Endpoint, values: Values, reach: Reach): Values {
  if (!reach.follow || endpoint.takes['per_page'] === undefined) return values;
  return { ...values, per_page: reach.perPage };
}

/**
 * The query with keyset pagination where it was asked for, and where several pages are read in an order that it supports. A single
 * page by offset comes with the total. The three parameters are required together (section 8).
 */
async function withKeyset(
  session: Session,
  { keyset, access }: Endpoint,
  values: Values,
  reach: Reach,
): Promise<Values> {
  if (!keyset) return values;
  const { page, pagination, order_by: by = keyset.order_by[0], sort = keyset.sort[0] } = values;
  const all = { ...values, pagination: 'keyset', order_by: by as Value, sort: sort as Value };
  if (pagination !== undefined) return all;
  const offered = keyset.order_by.includes(String(by)) && keyset.sort.includes(String(sort));
  if (page !== undefined || !offered) return values;
  // Without a token, keyset pagination is either the only kind that is offered or not offered at all (sections 5 and 8).
  const signedIn = (await session.credential(access)) !== undefined;
  const several = reach.follow && (reach.limit ?? Number.POSITIVE_INFINITY) > reach.perPage;
  return (signedIn ? several : access.anonymous === true) ? all : values;
}
