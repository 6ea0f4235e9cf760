/** Where applications send their errors: the endpoints that an SDK derives from a client key's address (section 6.2). */
import { randomBytes } from 'node:crypto';
import type { ExtraRoute, RequestContext } from '../../core/behavior.ts';
import { type Hash, isHash } from '../../core/params.ts';
import type { ClientKey } from '../client-keys/behavior.ts';
import type { ErrorTracking } from './behavior.ts';
import { countEvent } from './tracked-errors.ts';

/** Bytes that a packed body may unpack to. */
const limit = 20 * 1024 * 1024;

async function unpacked(ctx: RequestContext): Promise<Buffer> {
  const { brotliDecompressSync, gunzipSync, inflateSync } = await import('node:zlib');
  const body = Buffer.from(ctx.body);
  const options = { maxOutputLength: limit };
  try {
    switch (ctx.request.headers.get('content-encoding')?.trim().toLowerCase() ?? '') {
      case '':
      case 'identity':
        return body;
      case 'gzip':
        return gunzipSync(body, options);
      case 'deflate':
        return inflateSync(body, options);
      case 'br':
        return brotliDecompressSync(body, options);
    }
  } catch {
    // told below
  }
  throw ctx.badRequest('the body could not be unpacked');
}

function json(ctx: RequestContext, text: string): Hash {
  try {
    const value: unknown = JSON.parse(text);
    if (isHash(value)) return value;
  } catch {
    // told below
  }
  throw ctx.badRequest('the body is not valid');
}

interface Item {
  readonly type: string;
  readonly content: Hash;
}

/** The kinds of items whose content matters here; others are taken and forgotten. */
const known = ['event'];

/** Lines of JSON: a header, then a header and a payload for each item. A payload with no length ends with its line. */
function itemsOf(ctx: RequestContext, envelope: Buffer): { header: Hash; items: Item[] } {
  let at = 0;
  const line = (): string => {
    const end = envelope.indexOf(0x0a, at);
    const text = envelope.toString('utf8', at, end < 0 ? envelope.length : end);
    at = end < 0 ? envelope.length : end + 1;
    return text;
  };
  const payload = (length: unknown): string => {
    if (typeof length !== 'number') return line();
    if (!Number.isInteger(length) || length < 0 || at + length > envelope.length)
      throw ctx.badRequest('the envelope is cut off');
    const text = envelope.toString('utf8', at, at + length);
    at += length;
    if (envelope[at] === 0x0a) at++;
    return text;
  };
  const header = json(ctx, line());
  const items: Item[] = [];
  while (at < envelope.length) {
    const text = line();
    if (text.trim() === '') continue;
    const { type, length } = json(ctx, text);
    const content = payload(length);
    const name = String(type);
    items.push({ type: name, content: known.includes(name) ? json(ctx, content) : {} });
  }
  return { header, items };
}

function keyOf(ctx: RequestContext, dsn: unknown): string | undefined {
  const { headers, url } = ctx.request;
  const header = headers.get('x-sentry-auth') ?? headers.get('authorization') ?? '';
  const named = /\bsentry_key=([0-9a-z_]+)/i.exec(header)?.[1] ?? new URL(url).searchParams.get('sentry_key');
  if (named) return named;
  return typeof dsn === 'string' && URL.canParse(dsn) ? new URL(dsn).username : undefined;
}

/** @throws HttpError 404 where errors are not tracked here, 401 for a key that is unknown or was deleted */
function admit(ctx: RequestContext, dsn?: unknown): number {
  const id = Number(ctx.slots.text('project'));
  const setting = ctx.table<ErrorTracking>('error_tracking').find((row) => row.project_id === id);
  if (!setting?.active || !setting.integrated) throw ctx.notFound();
  const key = keyOf(ctx, dsn);
  const row = ctx
    .table<ClientKey>('client_keys')
    .find((row) => row.project_id === id && row.public_key === key);
  if (!row?.active) throw ctx.httpError(401, '401 Unauthorized');
  return id;
}

/** The event's own id, without dashes, as SDKs expect it back. */
function idOf(event: Hash): string {
  const own = String(event['event_id'] ?? '')
    .replaceAll('-', '')
    .toLowerCase();
  return /^[0-9a-f]{32}$/.test(own) ? own : randomBytes(16).toString('hex');
}

async function store(ctx: RequestContext): Promise<Response> {
  const project = admit(ctx);
  const event = json(ctx, (await unpacked(ctx)).toString('utf8'));
  countEvent(ctx, project, event);
  return ctx.json(200, { id: idOf(event) });
}

async function envelope(ctx: RequestContext): Promise<Response> {
  // A key in the envelope itself is only known once it is unpacked.
  const project = keyOf(ctx, undefined) === undefined ? undefined : admit(ctx);
  const { header, items } = itemsOf(ctx, await unpacked(ctx));
  const id = project ?? admit(ctx, header['dsn']);
  for (const { type, content } of items) if (type === 'event') countEvent(ctx, id, content);
  return ctx.json(200, { id: idOf(header) });
}

export const ingestion: readonly ExtraRoute[] = [
  {
    route: 'POST /error_tracking/collector/api/:project/store',
    behavior: store,
    anonymous: true,
    rawBody: true,
  },
  {
    route: 'POST /error_tracking/collector/api/:project/envelope',
    behavior: envelope,
    anonymous: true,
    rawBody: true,
  },
];
