/** Error responses as Failures in plain words, for any shape of the body. */
import { STATUS_CODES } from 'node:http';
import {
  type ExchangeSummary,
  Failure,
  forPerson,
  type Hint,
  isFromSignal,
  type Kind,
} from '../../errors.ts';
import { startOf } from '../../support/bytes.ts';
import { jsonIn } from '../../support/json.ts';
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

const kinds: readonly (readonly [Kind, readonly number[]])[] = [
  ['auth', [401, 403]],
  ['not_found', [404, 410]],
  ['rate_limited', [429]],
];

const hints: Readonly<Record<number, string>> = {
  405: 'check that the base URL is the root of the API',
  412: 'it was changed in the meantime: read it again before writing',
  414: 'send fewer or shorter values, or a request body if the command has --data',
};

/** For a response that is not JSON: it comes from a proxy, which may not support encoded paths. */
const encodedSlash =
  'the path has an encoded slash (%2F), which some proxies decode or reject: configure the proxy to pass it on unchanged, or use the numeric id of the project or group';

interface FailureContext {
  readonly redact: Redact;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

interface Report {
  readonly message?: string;
  readonly details?: readonly string[];
  readonly hints?: readonly Hint[];
  readonly body?: unknown;
}

/**
 * Return the Failure for an error response. Reads up to 64 KiB of the body.
 * @param reply a response whose status is not a success
 */
export async function responseFailure(
  reply: Reply,
  { method }: Request,
  { redact, now }: FailureContext,
): Promise<Failure> {
  const { status, headers } = reply;
  const text = await readText(reply);
  // Secrets are masked before the text is cut: a part of a secret would not be recognized.
  const value = jsonIn(text);
  const content = text === '' ? undefined : redactValue(value === undefined ? text : value, redact);
  const { message = statusLine(status), details = [], hints: own = [], body } = reportOf(reply, content);
  const isCaptcha = isRecord(content) && content.needs_captcha_response === true;
  const kind = isCaptcha ? 'rejected' : kinds.find(([, statuses]) => statuses.includes(status))?.[0];
  const requestId = header(headers, 'x-request-id');
  const wait = status === 429 || status === 503 ? retryAfter(headers, now()) : undefined;
  // A JSON object comes from the API itself, so the base URL is right.
  const statusHint = own.length > 0 || (status === 405 && isRecord(content)) ? undefined : hints[status];
  // An unknown status from 400 to 499 means the same as 400 (RFC 9110 section 15).
  const others = status >= 400 && status < 500 ? 'rejected' : 'server_error';
  return new Failure(kind ?? others, message, {
    details,
    hint: [
      ...own,
      ...(wait === undefined ? [] : [`the service requested a wait of ${showDuration(wait / 1000)}`]),
      ...(statusHint === undefined ? [] : [statusHint]),
    ],
    exchange: {
      method,
      url: redact(reply.url),
      status,
      ...(body === undefined ? {} : { body }),
      ...(status === 404 || status === 405 ? lacksEndpoint(reply, content) : {}),
      ...(requestId === undefined ? {} : { requestId: redact(oneLine(requestId)) }),
    },
  });
}

/** Whether a 404 or 405 is that of the router. For a resource, services send `message` with its kind: `404 Project Not Found`. */
function lacksEndpoint({ headers, status }: Reply, body: unknown): Pick<ExchangeSummary, 'lacksEndpoint'> {
  if (header(headers, 'x-sandbox') === 'not-implemented') return { lacksEndpoint: 'sandbox' };
  const isOfRouter = isRecord(body) && Object.keys(body).length === 1 && body.error === statusLine(status);
  return isOfRouter ? { lacksEndpoint: 'service' } : {};
}

/** `404 Not Found` */
export function statusLine(status: number): string {
  const phrase = STATUS_CODES[status];
  return phrase === undefined ? `the service responded with status ${status}` : `${status} ${phrase}`;
}

/** The start of a body as text. If the connection breaks, the part received is enough: the status is known. */
async function readText(reply: Reply): Promise<string> {
  const start = await startOf(reply.body, bodyLimit, (error) => {
    if (!(error instanceof Failure) || isFromSignal(error)) throw error;
  });
  return start
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .trim();
}

function reportOf({ status, url, headers }: Reply, body: unknown): Report {
  if (body === undefined) return {};
  if (isRecord(body)) return { ...reportOfObject(body, status), body };
  const isMangled = typeof body === 'string' && (status === 404 || status === 400);
  const hints = isMangled && /^[^?]*%2F/i.test(url) ? [encodedSlash] : [];
  const isMarkup = typeof body === 'string' && body.startsWith('<');
  if (isMarkup || /\bhtml\b/i.test(header(headers, 'content-type') ?? ''))
    return { message: `${statusLine(status)}: ${pageMessage()}`, hints: [...hints, pageHint] };
  const lines = linesOf(body).map((line) =>
    line.length > textLimit ? `${line.slice(0, textLimit)}…` : line,
  );
  const [message = statusLine(status)] = lines;
  return lines.length > 1 ? { details: lines, hints, body } : { message, hints, body };
}

function reportOfObject(body: Readonly<Record<string, unknown>>, status: number): Report {
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

function captcha(body: Readonly<Record<string, unknown>>): Report {
  const [message] = linesOf(isRecord(body.message) ? body.message.error : (body.message ?? body.error));
  const site = body.captcha_site_key;
  return {
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
    const isJoined = path !== '' && value.every((item) => typeof item !== 'object' || item === null);
    return isJoined && value.length > 0
      ? [`${prefix}${value.map((item) => oneLine(String(item))).join(', ')}`]
      : value.flatMap((item) => linesOf(item, path));
  }
  if (isRecord(value)) {
    return Object.entries(value).flatMap(([name, item]) => {
      const plain = oneLine(name);
      return linesOf(item, path === '' ? plain : plain === 'base' ? path : `${path}.${plain}`);
    });
  }
  return [`${prefix}${oneLine(String(value))}`];
}

const oneLine = (text: string): string => printable(text).replace(/ {2,}/g, ' ').trim();
