/** Endpoints that applications send errors to. An SDK derives them from the DSN of a client key (section 6.2). */
import { randomBytes } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { jsonIn } from '../../../support/json.ts';
import { isRecord } from '../../../support/record.ts';
import { parseUrl } from '../../../support/url.ts';
import { type Context, type ExtraRoute, type Handler, jsonResponse } from '../../core/context.ts';
import { badRequest, notFound, unauthorized } from '../../core/http-error.ts';
import type { Hash } from '../../core/request/params.ts';
import type { ClientKey } from '../client-keys/handlers.ts';
import { countEvent, settingsOf } from './tracked-errors.ts';

const maxBytes = 20 * 1024 * 1024;

function decompress({ request, body }: Context): Buffer {
  const encoding = request.headers.get('content-encoding') ?? 'identity';
  try {
    if (encoding === 'identity') return Buffer.from(body);
    if (encoding === 'gzip') return gunzipSync(body, { maxOutputLength: maxBytes });
  } catch {
    // Reported below, like an unknown encoding.
  }
  throw badRequest('the body cannot be decompressed');
}

function parseObject(text: string): Hash {
  const value = jsonIn(text);
  if (isRecord(value)) return value;
  throw badRequest('the body is not a JSON object');
}

/** Parse an envelope (section 6.2). A payload without a length ends with its line. Items other than events are ignored. */
function parseEnvelope(envelope: Buffer): { header: Hash; events: Hash[] } {
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
      throw badRequest('the envelope is truncated');
    const text = envelope.toString('utf8', at, at + length);
    at += length;
    if (envelope[at] === 0x0a) at++;
    return text;
  };
  const header = parseObject(line());
  const events: Hash[] = [];
  while (at < envelope.length) {
    const text = line();
    if (text.trim() === '') continue;
    const { type, length } = parseObject(text);
    const content = payload(length);
    if (type === 'event') events.push(parseObject(content));
  }
  return { header, events };
}

function keyOf(ctx: Context, dsn: unknown): string | undefined {
  const { headers, url } = ctx.request;
  const header = headers.get('x-sentry-auth') ?? headers.get('authorization') ?? '';
  const key = /\bsentry_key=([0-9a-z_]+)/i.exec(header)?.[1] ?? new URL(url).searchParams.get('sentry_key');
  if (key) return key;
  return typeof dsn === 'string' ? parseUrl(dsn)?.username : undefined;
}

/** Return the id of the project that a request sends errors to. @throws HttpError 401, 404 */
function authenticate(ctx: Context, dsn?: unknown): number {
  const id = Number(ctx.slots.text('project'));
  const settings = settingsOf(ctx, id);
  if (!settings?.active || !settings.integrated) throw notFound();
  const key = keyOf(ctx, dsn);
  const row = ctx
    .table<ClientKey>('client_keys')
    .find((row) => row.project_id === id && row.public_key === key);
  if (!row?.active) throw unauthorized();
  return id;
}

/** Return the id of an event without dashes, as SDKs expect it, or a new id. */
function eventId(event: Hash): string {
  const id = String(event['event_id'] ?? '')
    .replaceAll('-', '')
    .toLowerCase();
  return /^[0-9a-f]{32}$/.test(id) ? id : randomBytes(16).toString('hex');
}

function store(ctx: Context): Response {
  const project = authenticate(ctx);
  const event = parseObject(decompress(ctx).toString('utf8'));
  countEvent(ctx, project, event);
  return jsonResponse(200, { id: eventId(event) });
}

function envelope(ctx: Context): Response {
  // Only the decompressed envelope shows a key in its own header.
  const project = keyOf(ctx, undefined) === undefined ? undefined : authenticate(ctx);
  const { header, events } = parseEnvelope(decompress(ctx));
  const id = project ?? authenticate(ctx, header['dsn']);
  for (const event of events) countEvent(ctx, id, event);
  return jsonResponse(200, { id: eventId(header) });
}

const route = (name: string, handler: Handler): ExtraRoute => ({
  route: `POST /error_tracking/collector/api/:project/${name}`,
  handler,
  anonymous: true,
  rawBody: true,
});

export const ingestion: readonly ExtraRoute[] = [route('store', store), route('envelope', envelope)];
