/** `--har`: the requests of a command as an HTTP Archive 1.2, with secrets masked. */
import fs from 'node:fs';
import { STATUS_CODES } from 'node:http';
import { resolve } from 'node:path';
import { PassThrough } from 'node:stream';
import { Failure, unwritable } from '../../errors.ts';
import { redactor } from '../../http/redact.ts';
import { type Header, header, type Reply, type Request, type Transport } from '../../http/transport.ts';
import type { Fields } from '../../spec/field.ts';
import { isSecretHeader } from '../../spec/mask.ts';
import { errnoText } from '../../support/errno.ts';
import { version } from '../../support/installation.ts';
import { mask } from '../../support/mask.ts';
import { checkReplaceable, createOrReplace, isStream } from '../../support/system/user-file.ts';
import type { Context } from '../context.ts';
import { maskedBody } from '../terminal/log.ts';

const bodyLimit = 1024 * 1024;
/** The bytes of a body, up to the limit: of a longer body, only the length is kept. */
class RecordedBody {
  length = 0;
  #chunks: Uint8Array[] = [];

  add(chunk: Uint8Array): void {
    this.length += chunk.length;
    if (this.length <= bodyLimit) this.#chunks.push(Uint8Array.from(chunk));
    else this.#chunks = [];
  }

  /** A JSON body with its secrets masked. Other bodies are not recorded: secrets in them are unknown. */
  text(fields: Fields, secrets: readonly string[]) {
    if (this.length > bodyLimit) return { comment: `longer than ${bodyLimit} bytes, not recorded` };
    const text = maskedBody(Buffer.concat(this.#chunks).toString('utf8'), fields, secrets);
    return text === undefined ? { comment: 'not JSON or too many secrets, not recorded' } : { text };
  }
}

/** A request and its response, as far as it arrived. Times are in milliseconds. */
interface Exchange {
  readonly shownUrl: (url: string) => string;
  readonly request: Request;
  readonly started: number;
  responded?: number;
  ended?: number;
  reply?: Reply;
  readonly sent: RecordedBody;
  readonly received: RecordedBody;
  failed?: string;
}

export type Har = ReturnType<typeof openHar>;

const isArchive = (start: string): boolean => /^\{\s+"log": \{[^{]+"creator": \{\s+"name": "svc"/.test(start);

async function* kept(source: AsyncIterable<Uint8Array>, body: RecordedBody, end = () => {}) {
  try {
    for await (const chunk of source) {
      body.add(chunk);
      yield chunk;
    }
  } finally {
    end();
  }
}

/** Prepare the archive of a command. @throws Failure `usage` if the file cannot be written */
export function openHar(name: string, fields: Fields, secrets: readonly string[], context: Context) {
  const path = resolve(context.cwd, name);
  try {
    if (!isStream(path)) checkReplaceable(path, isArchive);
  } catch (error) {
    throw unwritable(`--har: cannot write ${name}`, error, 'name a new file or an earlier archive');
  }
  /** The exchanges whose response has not ended. */
  const open = new Set<Exchange>();
  const log = { version: '1.2', creator: { name: 'svc', version }, entries: [] };
  const [head, tail] = JSON.stringify({ log }, undefined, 1).split('[]');
  const text = new PassThrough().on('error', () => {});
  text.write(`${head}[`);
  let separator = '';
  const writing = isStream(path)
    ? fs.promises.writeFile(path, text, { flag: 'a' })
    : createOrReplace(path, text, isArchive);
  writing.catch(() => {});

  /** Write an entry to a draft of the file. Errors are reported at the end. */
  const end = (exchange: Exchange) => {
    if (!open.delete(exchange)) return;
    exchange.ended = context.now();
    text.write(`${separator}\n${JSON.stringify(entryOf(exchange, fields, secrets))}`);
    separator = ',';
  };

  return {
    /** Record the requests of a transport. @param shownUrl masks the secrets that the names in a URL mark */
    record: (transport: Transport, shownUrl: (url: string) => string): Transport => ({
      async send(request) {
        const bodies = { sent: new RecordedBody(), received: new RecordedBody() };
        const exchange: Exchange = { request, shownUrl, started: context.now(), ...bodies };
        open.add(exchange);
        try {
          const reply = await transport.send(recordedRequest(request, exchange.sent));
          exchange.reply = reply;
          exchange.responded = context.now();
          const body = kept(reply.body, exchange.received, () => end(exchange));
          return { ...reply, body, discard: () => reply.discard().finally(() => end(exchange)) };
        } catch (error) {
          exchange.failed = error instanceof Error ? error.message : String(error);
          end(exchange);
          throw error;
        }
      },
      close: () => transport.close(),
    }),
    /** Write the rest of the archive, and move it to its path. @throws Failure `internal` */
    async write(): Promise<void> {
      for (const exchange of open) end(exchange);
      text.end(`\n]${tail}\n`);
      try {
        await writing;
      } catch (error) {
        throw new Failure('internal', `cannot write ${name}: ${errnoText(error)}`, { cause: error });
      }
    },
  };
}

function recordedRequest(request: Request, sent: RecordedBody): Request {
  const { body } = request;
  if (body && !('bytes' in body))
    return { ...request, body: { ...body, open: () => kept(body.open(), sent) } };
  if (body) sent.add(body.bytes);
  return request;
}

function entryOf(exchange: Exchange, fields: Fields, secrets: readonly string[]) {
  const redact = redactor(secrets);
  const { request, started, sent, received, failed, ended = started, responded = ended } = exchange;
  const { status = 0, headers = [] } = exchange.reply ?? {};
  const shownUrl = (url: string) => redact(exchange.shownUrl(url));
  const shown = (headers: readonly Header[]) =>
    headers.map(([name, value]) => ({ name, value: isSecretHeader(name) ? mask : shownUrl(value) }));
  const typeOf = (headers: readonly Header[]) => header(headers, 'content-type') ?? '';
  const url = shownUrl(request.url);
  const postData = { mimeType: typeOf(request.headers), text: '', ...sent.text(fields, secrets) };
  const content = received.length === 0 ? {} : received.text(fields, secrets);
  const unknownSize = -1;
  return {
    startedDateTime: new Date(started).toISOString(),
    time: ended - started,
    request: {
      method: request.method,
      url,
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: shown(request.headers),
      queryString: [...new URL(url).searchParams].map(([name, value]) => ({ name, value })),
      ...(request.body ? { postData } : {}),
      headersSize: unknownSize,
      bodySize: sent.length,
    },
    response: {
      status,
      statusText: STATUS_CODES[status] ?? '',
      httpVersion: exchange.reply ? 'HTTP/1.1' : '',
      cookies: [],
      headers: shown(headers),
      content: { size: received.length, mimeType: typeOf(headers), ...content },
      redirectURL: shownUrl(header(headers, 'location') ?? ''),
      headersSize: unknownSize,
      bodySize: unknownSize,
      ...(failed === undefined ? {} : { comment: redact(failed) }),
    },
    cache: {},
    timings: { send: 0, wait: responded - started, receive: ended - responded },
  };
}
