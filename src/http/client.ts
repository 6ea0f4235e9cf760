/** One client a command: policy over a transport. */
import { type Exchange, Failure } from '../errors.ts';
import { mask } from '../support/mask.ts';
import { acceptEncoding } from './body/encoding.ts';
import { failureOf } from './errors/response.ts';
import { nextLink } from './policy/link.ts';
import { follow } from './policy/redirect.ts';
import { retried } from './policy/retry.ts';
import { type Redact, redactor } from './redact.ts';
import { type Header, isWithin, type Reply, type Request, type Transport } from './transport.ts';

/** What happens on the wire, for `--verbose`, `--trace` and the lines that announce a wait. Never holds a credential. */
export type Event =
  | {
      readonly kind: 'request';
      readonly method: string;
      readonly url: string;
      readonly headers: readonly Header[];
      readonly body?: Uint8Array;
    }
  | {
      readonly kind: 'reply';
      readonly method: string;
      readonly url: string;
      readonly status: number;
      readonly headers: readonly Header[];
      readonly ms: number;
    }
  | {
      /** An answer's body, once it was read to its end: told only with `bodies`, and its beginning only. */
      readonly kind: 'body';
      readonly method: string;
      readonly url: string;
      readonly bytes: Uint8Array;
      /** Bytes in all. */
      readonly length: number;
    }
  | {
      readonly kind: 'wait';
      readonly ms: number;
      readonly reason: string;
      readonly attempt: number;
      readonly of: number;
    }
  | { readonly kind: 'moved'; readonly from: string; readonly to: string; readonly status: number };

export interface ClientOptions {
  /** The API's root. The credential goes to its origin and nowhere else. */
  readonly root: string;
  readonly credential?: Header;
  /** Other texts that must not be seen in a message, should the service echo them. */
  readonly secrets?: readonly string[];
  /** Tell of the bodies of answers too: for `--trace`. What a service echoes in one is not masked. */
  readonly bodies?: boolean;
  readonly userAgent: string;
  readonly retries: number;
  /** Milliseconds that one wait may last. */
  readonly maxWait: number;
  readonly retryUnsafe: boolean;
  readonly notify: (event: Event) => void;
  readonly signal?: AbortSignal;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly random: () => number;
}

export interface PagesOptions {
  /** Pages to ask for at most. */
  readonly maxPages?: number;
  /** Pages that are surely wanted: one beyond is asked for when the reader wants it, not ahead. All, unless said. */
  readonly ahead?: number;
}

export interface Client {
  /** Send one request, with retries and redirects. Any final status is an answer, not an error. */
  send(request: Request): Promise<Reply>;
  /**
   * The pages of a list: the given request, then each `Link` with rel=next. The next page is asked for as soon as
   * its link is known. A status that is no success is thrown as a Failure.
   */
  pages(request: Request, options?: PagesOptions): AsyncIterable<Reply>;
  /** The Failure that an error answer stands for; reads its body. */
  failure(request: Request, reply: Reply): Promise<Failure>;
  close(): Promise<void>;
}

export type CreateClient = (transport: Transport, options: ClientOptions) => Client;

export const createClient: CreateClient = (transport, options) => {
  const { root, credential, notify, signal } = options;
  const { origin } = new URL(root);
  const bare = credential ? [credential[1].replace(/^(Bearer|Basic) /i, '')] : [];
  const redact = redactor([...(credential ? [credential[1]] : []), ...bare, ...(options.secrets ?? [])]);
  const moved = new Set<string>();
  const standard: readonly Header[] = [
    ['accept', 'application/json, */*;q=0.5'],
    ['accept-encoding', acceptEncoding],
    ['user-agent', options.userAgent],
  ];

  /** Once over the wire. */
  async function exchange(request: Request): Promise<Reply> {
    const headers = withDefaults(request.headers, standard);
    const { method, url, body } = request;
    notify({
      kind: 'request',
      method,
      url: redact(url),
      headers: credential ? [...headers, [credential[0], mask]] : headers,
      ...(body && 'bytes' in body ? { body: body.bytes } : {}),
    });
    const start = options.now();
    const bound = credential && isWithin(url, origin);
    const reply = await transport.send({ ...request, headers: bound ? [...headers, credential] : headers });
    notify({
      kind: 'reply',
      method,
      url: redact(url),
      status: reply.status,
      headers: reply.headers.map(([name, value]) => [name, redact(value)]),
      ms: options.now() - start,
    });
    if (!options.bodies) return reply;
    return {
      ...reply,
      body: watched(reply.body, (bytes, length) =>
        notify({ kind: 'body', method, url: redact(url), bytes, length }),
      ),
    };
  }

  function send(request: Request): Promise<Reply> {
    const attempt = () =>
      follow(request, exchange, ({ from, to, status }) => {
        const path = to.split('?', 1)[0]!;
        if (!moved.has(path)) notify({ kind: 'moved', from: redact(from), to: redact(to), status });
        moved.add(path);
      });
    return hiding(
      redact,
      retried(request, attempt, {
        ...options,
        signal,
        announce: (wait) => notify({ kind: 'wait', ...wait }),
      }),
    );
  }

  const failure = (request: Request, reply: Reply) => failureOf(reply, request, { redact, now: options.now });

  async function* pages(request: Request, { maxPages = Infinity, ahead = Infinity }: PagesOptions = {}) {
    const visited = new Set([request.url]);
    const ask = (url: string) => send({ ...request, url });
    let pending: Promise<Reply> | undefined = send(request);
    try {
      for (let page = 1; pending; page++) {
        const reply: Reply = await pending;
        pending = undefined;
        if (reply.status >= 300) throw await failure(request, reply);
        // A link that may not be followed is told once this page is printed.
        const next = page < maxPages ? checkedNext(reply, origin, visited) : undefined;
        const url = typeof next === 'string' ? next : undefined;
        if (url !== undefined && page < ahead) pending = ask(url);
        // Its failure is told when its turn has come, not before.
        pending?.catch(() => {});
        yield reply;
        if (next instanceof Failure) throw hidden(next, redact);
        if (url !== undefined) pending ??= ask(url);
      }
    } finally {
      pending?.then((reply) => reply.discard()).catch(() => {});
    }
  }

  return { send, pages, failure, close: () => transport.close() };
};

/** Bytes of a body that are kept to be told. */
const keptBytes = 64 * 1024;

/** A body that tells of itself when it ends. */
async function* watched(
  body: AsyncIterable<Uint8Array>,
  tell: (bytes: Uint8Array, length: number) => void,
): AsyncGenerator<Uint8Array> {
  const kept: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    if (length < keptBytes) kept.push(chunk.subarray(0, keptBytes - length));
    length += chunk.length;
    yield chunk;
  }
  tell(Buffer.concat(kept), length);
}

/** The next page's URL, or why it is not followed. */
function checkedNext(reply: Reply, origin: string, visited: Set<string>): string | Failure | undefined {
  const next = nextLink(reply.headers, reply.url);
  if (next === undefined) return undefined;
  const exchange = { method: 'GET', url: reply.url, status: reply.status };
  if (!URL.canParse(next))
    return new Failure('server_error', 'the link to the next page is no URL: not followed', { exchange });
  const other = new URL(next);
  if (other.origin !== origin) {
    const where = other.origin === 'null' ? other.protocol : other.origin;
    return new Failure(
      'server_error',
      `the link to the next page leads to ${where}, not to ${origin}: not followed`,
      {
        hint: /^https?:/.test(other.protocol)
          ? `if ${where} is the service's right address, make it the base URL`
          : [],
        exchange,
      },
    );
  }
  // Without user name and fragment, which are not sent.
  const url = `${origin}${other.pathname}${other.search}`;
  if (visited.has(url)) {
    return new Failure('server_error', `the link to the next page leads to a page that came before: ${url}`, {
      exchange,
    });
  }
  visited.add(url);
  return url;
}

/** The request's own headers win over the standard ones. */
function withDefaults(headers: readonly Header[], standard: readonly Header[]): Header[] {
  const given = new Set(headers.map(([name]) => name.toLowerCase()));
  return [...standard.filter(([name]) => !given.has(name)), ...headers];
}

/** What is thrown, with secrets masked. */
async function hiding<T>(redact: Redact, promise: Promise<T>): Promise<T> {
  try {
    return await promise;
  } catch (error) {
    throw error instanceof Failure ? hidden(error, redact) : error;
  }
}

function hiddenUrls({ url, movedTo, ...others }: Exchange, redact: Redact): Exchange {
  return { ...others, url: redact(url), ...(movedTo === undefined ? {} : { movedTo: redact(movedTo) }) };
}

/** The same Failure where it holds no secret, else one without. */
function hidden(failure: Failure, redact: Redact): Failure {
  const { exchange } = failure;
  const texts = [failure.message, exchange?.url ?? '', ...failure.details, ...failure.hints];
  if (texts.every((text) => redact(text) === text)) return failure;
  return new Failure(failure.kind, redact(failure.message), {
    hint: failure.hints.map(redact),
    details: failure.details.map(redact),
    ...(exchange ? { exchange: hiddenUrls(exchange, redact) } : {}),
    cause: failure.cause,
  });
}
