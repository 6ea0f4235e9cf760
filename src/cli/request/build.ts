/** Build the request of a planned call. */
import { usage } from '../../errors.ts';
import type { Body, Header, Request } from '../../http/transport.ts';
import type { Endpoint } from '../../spec/endpoint.ts';
import type { FilePart, Plan, Value, Values } from '../../spec/request.ts';
import { jsonText } from '../../support/json.ts';
import type { Options } from '../argv/flags.ts';
import type { Context } from '../context.ts';
import type { Session } from '../session/model.ts';

export type RequestBase = Awaited<ReturnType<typeof requestBase>>;

/** Whether requests are described instead of sent. */
export function isDryRun({ options }: Pick<Session, 'options'>): boolean {
  return options.dryRun === true || options.curl === true;
}

/** @throws Failure `usage` if no base URL is set, or for an invalid vendor */
export async function requestBase(session: Session, endpoint: Endpoint) {
  const { options, context } = session;
  const credential = await session.credential(endpoint.access);
  // Servers name their headers after their vendor; the response to a spam check contains the name (`X-<Vendor>-…`).
  const vendor = (context.env['SVC_VENDOR'] || 'service').toLowerCase();
  if (!/^[a-z0-9]+$/.test(vendor)) throw usage('SVC_VENDOR must consist of letters and digits');
  const answers = { 'captcha-response': options.captchaResponse, 'spam-log-id': options.spamLogId };
  return {
    root: session.root(),
    ...(credential ? { credential } : {}),
    extra: Object.entries(answers).flatMap(([name, value]): Header[] =>
      value === undefined ? [] : [[`x-${vendor}-${name}`, value]],
    ),
    /** The response is a file. */
    isDownload: endpoint.method === 'GET' && (endpoint.returns.kind === 'raw' || 'file' in endpoint.returns),
  };
}

/** Build a request for the transport. The client adds the credential. */
export async function toRequest(
  plan: Plan,
  { root, extra, isDownload }: RequestBase,
  context: Context,
): Promise<Request> {
  const request = { method: plan.method, url: `${root}${plan.target}`, isDownload };
  const encoded = plan.multipart
    ? await formOf(plan.multipart, context)
    : plan.json && { contentType: 'application/json', body: jsonBody(plan.json) };
  if (!encoded) return { ...request, headers: extra };
  const { contentType, body } = encoded;
  return { ...request, headers: [...extra, ['content-type', contentType]], body };
}

async function formOf(parts: NonNullable<Plan['multipart']>, context: Context) {
  const { multipartBody } = await import('../../http/body/multipart.ts');
  return multipartBody(parts.map(({ name, value }) => ({ name, value: openable(value, context) })));
}

function openable(value: string | FilePart, { stdin }: Context) {
  if (typeof value === 'string') return value;
  if (value.file === '-') return { ...value, stream: () => stdin };
  return value.size === undefined ? { ...value, stream: () => readOnce(value.file) } : value;
}

async function* readOnce(file: string): AsyncGenerator<Uint8Array> {
  const { openInput } = await import('../../support/bytes.ts');
  yield* await openInput(file);
}

export const jsonBody = (value: Value): Body => ({ bytes: Buffer.from(jsonText(value)) });

export interface Paging {
  /** Follow `Link` past the first page. */
  readonly follow: boolean;
  /** Results to fetch; without it, all. */
  readonly limit?: number;
  readonly perPage: number;
  readonly parallel: number;
}

/** The largest page size of the service, and the default if svc follows pages. */
export const maxPerPage = 100;

/** Read `--all`, `--limit` and `--parallel`. @param perPage the page size, if it is given @throws Failure `usage` */
export function readPaging({ all, limit, parallel = 1 }: Options, perPage: unknown): Paging {
  if (all === true && limit) throw usage('--all and --limit cannot be used together');
  return {
    follow: all === true || limit !== undefined,
    ...(limit ? { limit } : {}),
    perPage: Number(perPage ?? Math.min(limit || maxPerPage, maxPerPage)),
    parallel,
  };
}

export function pagingOf(session: Session, endpoint: Endpoint, values: Values): Paging {
  if (endpoint.returns.kind !== 'list') return { follow: false, perPage: maxPerPage, parallel: 1 };
  return readPaging(session.options, values['per_page']);
}

/** Add the page size and keyset pagination, if several pages are read one at a time in an order that supports it. */
export async function withPaging(
  session: Session,
  { keyset, access, takes, largestPage = maxPerPage }: Endpoint,
  given: Values,
  paging: Paging,
): Promise<Values> {
  const isSized = paging.follow && takes['per_page'] !== undefined;
  const { per_page = Math.min(paging.perPage, largestPage) } = given;
  const values = isSized ? { ...given, per_page } : given;
  if (!keyset) return values;
  const { page, pagination, order_by = keyset.order_by[0] ?? null, sort = keyset.sort[0] ?? null } = values;
  // The three parameters are required together.
  const withAll = { ...values, pagination: 'keyset', order_by, sort };
  if (pagination !== undefined) return withAll;
  const isSupported = keyset.order_by.includes(String(order_by)) && keyset.sort.includes(String(sort));
  if (page !== undefined || !isSupported) return values;
  // Without a token, keyset pagination is either the only kind or not available at all.
  const isSignedIn = (await session.credential(access)) !== undefined;
  const hasSeveralPages = paging.follow && (paging.limit ?? Number.POSITIVE_INFINITY) > paging.perPage;
  const isUseful = hasSeveralPages && paging.parallel === 1;
  return (isSignedIn ? isUseful : access.anonymous === true) ? withAll : values;
}
