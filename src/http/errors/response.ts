/** Error responses as Failures in plain words, for any shape of the body. */
import { STATUS_CODES } from 'node:http';
import { Failure, forPerson, type Hint, isFromSignal, type Kind } from '../../errors.ts';
import { showDuration } from '../../support/number.ts';
import { isRecord } from '../../support/record.ts';
import { printable } from '../../support/text/printable.ts';
import { pageHint, pageMessage } from '../body/expect.ts';
import { retryAfter } from '../policy/retry-after.ts';
import { type Redact, redactValue } from '../redact.ts';
import { header, type Reply, type Request } from '../transport.ts';

/** Limit for the bytes read from an error response. */
const bodyLimit = 64 * 1024;
/** Limit for the characters shown of a plain text response. */
const textLimit = 300;

const kinds: Readonly<Record<number, Kind>> = {
  401: 'auth',
  403: 'auth',
  404: 'not_found',
  410: 'not_found',
  400: 'rejected',
  405: 'rejected',
  409: 'rejected',
  412: 'rejected',
  413: 'rejected',
  414: 'rejected',
  415: 'rejected',
  422: 'rejected',
  429: 'rate_limited',
};

const hints: Readonly<Record<number, string>> = {
  405: 'check that the base URL is the root of the API',
  412: 'it was changed in the meantime: read it again before writing',
  414: 'send long values in a request body instead of the URL',
};

const encodedSlash =
  'the path has an encoded slash (%2F), which some proxies decode or reject: configure the proxy to pass it on unchanged';
const numericId = 'or use the numeric id of the project or group instead of its path';

interface FailureContext {
  readonly redact: Redact;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** The part of a Failure that comes from the body. */
interface Report {
  readonly message?: string;
  readonly details: readonly string[];
  readonly hints: readonly Hint[];
  readonly body?: unknown;
  readonly kind?: Kind;
  /** The body is an HTML page. */
  readonly isPage?: true;
}

/**
 * Return the Failure for an error response. Reads up to 64 KiB of the body.
 * @param reply a response whose status is not a success
 */
export async function responseFailure(
  reply: Reply,
  request: Request,
  { redact, now }: FailureContext,
): Promise<Failure> {
  const { status } = reply;
  const kind = kinds[status] ?? 'server_error';
  const text = await readText(reply);
  // Secrets are masked before the text is cut: a part of a secret would not be recognized.
  const report = reportOf(reply, text === '' ? text : redactValue(parsed(text), redact));
  const requestId = header(reply.headers, 'x-request-id');
  const wait = status === 429 || status === 503 ? retryAfter(reply.headers, now()) : undefined;
  // A JSON object comes from the API itself, so the base URL is right.
  const statusHint = status === 405 && isRecord(report.body) ? undefined : hints[status];
  const hint = [
    ...report.hints,
    ...(wait === undefined ? [] : [`the service requested a wait of ${showDuration(wait / 1000)}`]),
    ...(report.hints.length === 0 && statusHint !== undefined ? [statusHint] : []),
    ...(report.isPage ? [pageHint] : []),
  ];
  return new Failure(report.kind ?? kind, report.message ?? statusLine(status), {
    details: report.details,
    hint,
    exchange: {
      method: request.method,
      url: redact(reply.url),
      status,
      ...(report.body === undefined ? {} : { body: report.body }),
      ...(requestId === undefined ? {} : { requestId: redact(oneLine(requestId)) }),
    },
  });
}

/** `404 Not Found` */
export function statusLine(status: number): string {
  const phrase = STATUS_CODES[status];
  return phrase === undefined ? `the service responded with status ${status}` : `${status} ${phrase}`;
}

/** The start of a body as text. If the connection breaks, the part received is enough: the status is known. */
async function readText(reply: Reply): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of reply.body) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= bodyLimit) break;
    }
  } catch (error) {
    if (!(error instanceof Failure) || isFromSignal(error)) throw error;
  }
  return Buffer.concat(chunks)
    .subarray(0, bodyLimit)
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .trim();
}

function reportOf(reply: Reply, body: unknown): Report {
  if (body === '') return { details: [], hints: [] };
  const type = header(reply.headers, 'content-type') ?? '';
  const hints = typeof body === 'string' ? proxyHints(reply) : [];
  if ((typeof body === 'string' && body.startsWith('<')) || /\bhtml\b/i.test(type)) {
    return { message: `${statusLine(reply.status)}: ${pageMessage()}`, isPage: true, details: [], hints };
  }
  if (isRecord(body)) {
    return { ...reportOfObject(body, reply.status), body };
  }
  const [first, ...others] = linesOf(body).map(shortened);
  if (first === undefined || others.length > 0)
    return { details: first === undefined ? [] : [first, ...others], hints, body };
  return { message: first, details: [], hints, body };
}

/** Hints for a response that is not JSON: it comes from a proxy, which may not support encoded paths. */
function proxyHints({ status, url }: Reply): string[] {
  const [path = ''] = url.split('?', 1);
  if ((status !== 404 && status !== 400) || !/%2F/i.test(path)) return [];
  return [encodedSlash, ...(/\/(projects|groups)\/[^/]*%2F/i.test(path) ? [numericId] : [])];
}

/** The parsed JSON, or the text if it is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

type JsonObject = Readonly<Record<string, unknown>>;

function reportOfObject(body: JsonObject, status: number): Report {
  if (body.needs_captcha_response === true) return captcha(body);
  const { message, error, error_description: description, scope, ...others } = body;
  const isSpam = isRecord(message) && Object.keys(message).length === 1 && 'error' in message;
  const primary = [description, isSpam ? message.error : message, error, others.errors, others.detail].filter(
    (value) => linesOf(value).length > 0,
  );
  const [first, ...rest] = primary;
  const lines = linesOf(first);
  const single = lines.length === 1 && !isRecord(first) ? lines[0] : undefined;
  const details = [
    ...(single === undefined ? lines : []),
    ...rest.flatMap((value) => linesOf(value)),
    ...(typeof scope === 'string' && scope !== '' ? [`scope: ${oneLine(scope)}`] : []),
  ].filter((line) => line !== single);
  return {
    message:
      single ??
      (lines.length > 0 ? `the service rejected the request (${statusLine(status)})` : statusLine(status)),
    details: [...new Set(details)],
    hints: scope === undefined ? [] : [`the token needs one of these scopes: ${linesOf(scope).join(', ')}`],
  };
}

/** A write that requires a CAPTCHA. */
function captcha(body: JsonObject): Report {
  const [message] = linesOf(isRecord(body.message) ? body.message.error : (body.message ?? body.error));
  const site = body.captcha_site_key;
  return {
    kind: 'rejected',
    message: message ?? 'the service classified the request as spam and requires a CAPTCHA',
    details: typeof site === 'string' ? [`CAPTCHA site key: ${oneLine(site)}`] : [],
    hints: forPerson(
      `solve the CAPTCHA, then run the command again with --captcha-response <response> --spam-log-id ${linesOf(body.spam_log_id)[0] ?? '<id>'}`,
      'if the headers of this server have a vendor name, as in X-Name-Blob-Id, set SVC_VENDOR to it',
    ),
  };
}

/** Any JSON value as lines: `name: is too long`, `config.url: is missing`. */
function linesOf(value: unknown, path = ''): string[] {
  if (value === undefined || value === null || value === '') return [];
  const prefix = path === '' ? '' : `${path}: `;
  if (Array.isArray(value)) {
    if (value.every((item) => typeof item !== 'object' || item === null)) {
      return path === ''
        ? value.flatMap((item) => linesOf(item))
        : value.length > 0
          ? [`${prefix}${value.map((item) => oneLine(String(item))).join(', ')}`]
          : [];
    }
    return value.flatMap((item) => linesOf(item, path));
  }
  if (isRecord(value)) {
    return Object.entries(value).flatMap(([name, item]) => {
      const plain = oneLine(name);
      return linesOf(item, path === '' ? plain : plain === 'base' ? path : `${path}.${plain}`);
    });
  }
  return [`${prefix}${oneLine(String(value))}`];
}

/** Text on one line, without escape sequences and control characters. */
const oneLine = (text: string): string => printable(text).replace(/ {2,}/g, ' ').trim();

function shortened(text: string): string {
  return text.length > textLimit ? `${text.slice(0, textLimit)}…` : text;
}
