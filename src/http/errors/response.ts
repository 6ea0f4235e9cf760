/** An error answer in words a person can read, whatever shape it has (specification section 7). */
import { Failure, type Kind } from '../../errors.ts';
import { askedWait, duration } from '../policy/retry.ts';
import { type Redact, redactValue } from '../redact.ts';
import { type Header, header, type Reply, type Request } from '../transport.ts';
import { vendorOf } from '../vendor.ts';

/** Bytes of an error answer that are read at most. */
const bodyLimit = 64 * 1024;
/** Characters of a plain text answer that are shown. */
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
  422: 'rejected',
  429: 'rate_limited',
};

const hints: Readonly<Record<number, string>> = {
  405: 'does the base URL lead to the API itself?',
  412: 'it was changed since: read it again before writing',
  414: 'give the long values in a request body rather than in the URL',
};

const encodedSlash =
  'the path has an encoded slash (%2F), which some proxies decode or reject: have the proxy pass it on unchanged';
const numericId = 'or give the numeric id of the project or group instead of its path';

const html = 'the answer is an HTML page, not JSON: a proxy or login page?';

export interface AnswerOptions {
  readonly redact: Redact;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

interface Story {
  readonly message?: string;
  readonly details: readonly string[];
  readonly hints: readonly string[];
  readonly body?: unknown;
  readonly kind?: Kind;
}

/**
 * The Failure that an error answer stands for. Reads the body, up to 64 KiB.
 * @param reply an answer that is not a success
 */
export async function failureOf(reply: Reply, request: Request, options: AnswerOptions): Promise<Failure> {
  const { status } = reply;
  const { redact } = options;
  const kind = kinds[status] ?? 'server_error';
  const text = await readText(reply);
  // Before anything is cut or put on one line, where half of a secret would not be known for one.
  const story = storyOf(reply, text === '' ? text : redactValue(parsed(text), redact));
  const requestId = header(reply.headers, 'x-request-id');
  const asked = status === 429 || status === 503 ? askedWait(reply.headers, options.now()) : undefined;
  const hint = [
    ...story.hints,
    ...(asked === undefined ? [] : [`the service asks to wait ${duration(asked)}`]),
    ...(story.hints.length === 0 && hints[status] && !(status === 405 && isJson(story))
      ? [hints[status]]
      : []),
  ];
  return new Failure(story.kind ?? kind, story.message ?? statusLine(status), {
    details: story.details,
    hint,
    exchange: {
      method: request.method,
      url: redact(reply.url),
      status,
      ...(story.body === undefined ? {} : { body: story.body }),
      ...(requestId === undefined ? {} : { requestId: redact(oneLine(requestId)) }),
    },
  });
}

/** A JSON object comes from the API itself: the base URL is right. */
const isJson = ({ body }: Story): boolean => typeof body === 'object' && body !== null;

/** `404 Not Found` */
export function statusLine(status: number): string {
  const phrase = process.getBuiltinModule('node:http').STATUS_CODES[status];
  return phrase === undefined ? `the service answered with status ${status}` : `${status} ${phrase}`;
}

/** The beginning of a body as text. A body that breaks off gives what came: the status is known all the same. */
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
    if (!(error instanceof Failure) || error.kind === 'interrupted' || error.kind === 'terminated')
      throw error;
  }
  return Buffer.concat(chunks)
    .subarray(0, bodyLimit)
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .trim();
}

function storyOf(reply: Reply, body: unknown): Story {
  if (body === '') return { details: [], hints: [] };
  const type = header(reply.headers, 'content-type') ?? '';
  const hints = typeof body === 'string' ? hintsOfIntermediary(reply) : [];
  if ((typeof body === 'string' && body.startsWith('<')) || /\bhtml\b/i.test(type)) {
    return { message: `${statusLine(reply.status)}: ${html}`, details: [], hints };
  }
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) {
    return { ...storyOfObject(body as Json, reply.status, reply.headers), body };
  }
  const lines = linesOf(body);
  if (lines.length === 1) return { message: shortened(lines[0]!), details: [], hints, body };
  return { details: lines.map(shortened), hints, body };
}

/** The service answers in JSON: what is not comes from a proxy in between, which may not find an encoded path (section 7). */
function hintsOfIntermediary({ status, url }: Reply): string[] {
  const path = url.split('?', 1)[0]!;
  if ((status !== 404 && status !== 400) || !/%2F/i.test(path)) return [];
  return [encodedSlash, ...(/\/(projects|groups)\/[^/]*%2F/i.test(path) ? [numericId] : [])];
}

/** JSON where it is JSON, else the text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

type Json = Readonly<Record<string, unknown>>;

function storyOfObject(body: Json, status: number, headers: readonly Header[]): Story {
  if (body.needs_captcha_response === true) return captcha(body, headers);
  const { message, error, error_description: description, scope, ...others } = body;
  const spam = isObject(message) && Object.keys(message).length === 1 && 'error' in message;
  const primary = [description, spam ? message.error : message, error, others.errors, others.detail].filter(
    (value) => linesOf(value).length > 0,
  );
  const [first, ...rest] = primary;
  const lines = linesOf(first);
  const one = lines.length === 1 && !isObject(first) ? lines[0] : undefined;
  const details = [
    ...(one === undefined ? lines : []),
    ...rest.flatMap((value) => linesOf(value)),
    ...(typeof scope === 'string' && scope !== '' ? [`scope: ${oneLine(scope)}`] : []),
  ].filter((line) => line !== one);
  return {
    message:
      one ?? (lines.length > 0 ? `the service refused it (${statusLine(status)})` : statusLine(status)),
    details: [...new Set(details)],
    hints: scope === undefined ? [] : [`the token needs one of these scopes: ${linesOf(scope).join(', ')}`],
  };
}

/** A write that waits for a CAPTCHA (specification section 7). */
function captcha(body: Json, headers: readonly Header[]): Story {
  const said = linesOf(isObject(body.message) ? body.message.error : (body.message ?? body.error));
  const site = body.captcha_site_key;
  const vendor = vendorOf(headers) ?? 'service';
  return {
    kind: 'rejected',
    message: said[0] ?? 'the service takes this for spam and asks for a CAPTCHA',
    details: typeof site === 'string' ? [`CAPTCHA site key: ${oneLine(site)}`] : [],
    hints: [
      `solve the CAPTCHA, then repeat the command with --captcha-response <answer> --spam-log-id ${linesOf(body.spam_log_id)[0] ?? '<id>'}`,
      ...(vendor === 'service'
        ? []
        : [`this server names its headers X-${vendor}-...: set SVC_VENDOR=${vendor} for it`]),
    ],
  };
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Any value as lines: `name: is too long`, `config.url: is missing`; never `[object Object]`. */
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
  if (isObject(value)) {
    return Object.entries(value).flatMap(([name, item]) => {
      const plain = oneLine(name);
      return linesOf(item, path === '' ? plain : plain === 'base' ? path : `${path}.${plain}`);
    });
  }
  return [`${prefix}${oneLine(String(value))}`];
}

/** One line that is safe on a terminal. */
function oneLine(text: string): string {
  return text
    .replace(/[\u0000-\u001F\u007F-\u009F\u2028\u2029]+/g, ' ')
    .replace(/ {2,}/g, ' ')
    .trim();
}

function shortened(text: string): string {
  return text.length > textLimit ? `${text.slice(0, textLimit)}…` : text;
}
