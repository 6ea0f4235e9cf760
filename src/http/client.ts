/** The HTTP client of a command: policies over a transport. */

import { Failure } from '../errors.ts';
import { mask } from '../support/mask.ts';
import { originIn, parseUrl } from '../support/url.ts';
import { acceptEncoding } from './body/encoding.ts';
import type { Limiter } from './policy/limiter.ts';
import { type PagesOptions, readPages } from './policy/pages.ts';
import { followRedirects, type Move, shownUrl } from './policy/redirect.ts';
import { type RetryOptions, sendWithRetries, type Wait } from './policy/retry.ts';
import { type Redact, redactor } from './redact.ts';
import { type Header, header, isWithin, type Reply, type Request, type Transport } from './transport.ts';

/** A step of an exchange, reported for `--verbose`, `--trace` and notes. Never contains a credential. */
export type Event =
  | {
      readonly kind: 'request';
      readonly method: string;
      readonly url: string;
      readonly headers: readonly Header[];
      readonly body?: Uint8Array;
    }
  | {
      readonly kind: 'response';
      readonly method: string;
      readonly url: string;
      readonly status: number;
      readonly headers: readonly Header[];
      readonly ms: number;
    }
  | {
      /** The start of a response body, reported after the whole body was read and only with `bodies`. */
      readonly kind: 'body';
      readonly method: string;
      readonly url: string;
      readonly bytes: Uint8Array;
      /** Number of bytes of the whole body. */
      readonly length: number;
    }
  | ({ readonly kind: 'wait' } & Wait)
  | { readonly kind: 'pause'; readonly ms: number }
  | ({ readonly kind: 'moved' } & Move);

export interface ClientOptions extends Omit<RetryOptions, 'onWait'> {
  /** The root of the API. The credential is sent only to its origin. */
  readonly root: string;
  readonly credential?: Header | undefined;
  /** The texts to mask in messages, in case the service repeats them: the token, and those that are added later. */
  readonly secrets: readonly string[];
  /** Open a transport to another server, from which the service lets a file be downloaded. */
  readonly openOutside?: (origin: string) => Promise<Transport>;
  /** Add to the secrets. */
  readonly conceal?: (texts: readonly string[]) => void;
  /** Report response bodies too, for `--trace`. Secrets in a body are not masked. */
  readonly bodies?: boolean;
  readonly userAgent: string;
  /** Makes all requests wait if the service limits the rate of one. */
  readonly limiter?: Limiter | undefined;
  readonly notify: (event: Event) => void;
}

export type Client = ReturnType<typeof createClient>;

export function createClient(transport: Transport, options: ClientOptions) {
  const { root, credential, notify, signal } = options;
  const origin = originIn(root);
  const redact = redactor(options.secrets);
  const reported = new Set<string>();
  const standard: readonly Header[] = [
    ['accept', 'application/json, */*;q=0.5'],
    ['accept-encoding', acceptEncoding],
    ['user-agent', options.userAgent],
  ];

  const outside = new Map<string, Promise<Transport>>();
  function transportFor({ url, isRedirectedOutside }: Request): Transport | Promise<Transport> {
    if (!isRedirectedOutside) return transport;
    const to = originIn(url);
    if (!options.openOutside) throw new Error('no transport to other servers');
    const opened = outside.get(to) ?? options.openOutside(to);
    outside.set(to, opened);
    return opened;
  }

  async function sendOnce(request: Request): Promise<Reply> {
    const sender = await transportFor(request);
    await options.limiter?.enter(signal);
    const headers = withDefaults(request.headers, standard);
    const { method, body } = request;
    const url = shownUrl(request);
    const isOwn = !request.isRedirectedOutside && isWithin(url, origin);
    const sent = credential && isOwn ? [...headers, credential] : headers;
    notify({
      kind: 'request',
      method,
      get url() {
        return redact(url);
      },
      headers: sent.map((one) => (one === credential ? [one[0], mask] : one)),
      ...(body && 'bytes' in body ? { body: body.bytes } : {}),
    });
    const start = options.now();
    const received = await sender.send({ ...request, headers: sent }).catch((error: unknown) => {
      options.limiter?.leave();
      throw error;
    });
    options.limiter?.leave(request.isRedirectedOutside ? undefined : received);
    const reply = request.isRedirectedOutside ? { ...received, url } : received;
    if (request.isDownload) options.conceal?.(signaturesIn(reply));
    notify({
      kind: 'response',
      method,
      // Masking many secrets is slow, and most listeners read neither.
      get url() {
        return redact(url);
      },
      status: reply.status,
      get headers() {
        return reply.headers.map(([name, value]) => [name, redact(value)] as const);
      },
      ms: options.now() - start,
    });
    if (!options.bodies) return reply;
    return {
      ...reply,
      body: withReport(reply.body, (bytes, length) =>
        notify({ kind: 'body', method, url: redact(url), bytes, length }),
      ),
    };
  }

  /** Send one request, with retries and redirects. Returns the response with any status. */
  function send(request: Request): Promise<Reply> {
    const attempt = async () => {
      const reply = await followRedirects(request, sendOnce, ({ from, to, status }) => {
        const [path = ''] = to.split('?', 1);
        if (!reported.has(path)) notify({ kind: 'moved', from: redact(from), to: redact(to), status });
        reported.add(path);
      });
      const isRequested = request.headers.some(([name]) => name.toLowerCase() === 'range');
      if (reply.status !== 206 || isRequested) return reply;
      await reply.discard();
      const exchange = { method: request.method, url: reply.url, status: 206 };
      throw new Failure('server_error', 'the service sent a part that was not requested (206)', { exchange });
    };
    return sendWithRetries(request, attempt, {
      ...options,
      onWait(wait) {
        if (wait.status === 429) options.limiter?.hold(wait.ms);
        notify({ kind: 'wait', ...wait });
      },
    }).catch((error: unknown) => {
      throw error instanceof Failure ? maskedFailure(error, redact) : error;
    });
  }

  async function failure(request: Request, reply: Reply): Promise<Failure> {
    const { responseFailure } = await import('./errors/response.ts');
    return responseFailure(reply, request, { redact, now: options.now });
  }

  const masked = (one: Failure) => maskedFailure(one, redact);
  /** Return the pages of a list in order; see readPages. @throws Failure for a status that is not a success */
  const pages = (request: Request, pagesOptions: PagesOptions = {}) =>
    readPages(request, pagesOptions, { send, failure, masked, origin });

  async function close(): Promise<void> {
    const others = await Promise.all(outside.values());
    await Promise.all([transport, ...others].map((one) => one.close()));
  }

  return { send, pages, failure, close };
}

/** Shorter values of a query are names and numbers. */
const minSignature = 16;

/** The values in the query of a redirect that can be a signature. */
function signaturesIn({ headers, url }: Reply): string[] {
  const { searchParams } = parseUrl(header(headers, 'location') ?? '', url) ?? {};
  return [...(searchParams?.values() ?? [])].filter(({ length }) => length >= minSignature);
}

/** Limit for the bytes of a body that are reported. */
const reportLimit = 64 * 1024;

/** A body that reports its start when it ends. */
async function* withReport(
  body: AsyncIterable<Uint8Array>,
  report: (bytes: Uint8Array, length: number) => void,
): AsyncGenerator<Uint8Array> {
  const kept: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    if (length < reportLimit) kept.push(chunk.subarray(0, reportLimit - length));
    length += chunk.length;
    yield chunk;
  }
  report(Buffer.concat(kept), length);
}

function withDefaults(headers: readonly Header[], standard: readonly Header[]): Header[] {
  const given = new Set(headers.map(([name]) => name.toLowerCase()));
  return [...standard.filter(([name]) => !given.has(name)), ...headers];
}

function maskedFailure(failure: Failure, redact: Redact): Failure {
  const { exchange } = failure;
  const texts = [failure.message, exchange?.url ?? '', ...failure.details, ...failure.hints];
  if (texts.every((text) => redact(text) === text)) return failure;
  const masked = failure.mapTexts(redact);
  if (!exchange) return masked;
  const { url, movedTo } = exchange;
  const moved = movedTo === undefined ? {} : { movedTo: redact(movedTo) };
  return masked.with({ exchange: { ...exchange, url: redact(url), ...moved } });
}
