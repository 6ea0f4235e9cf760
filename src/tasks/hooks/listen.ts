/** `hooks listen`: receive deliveries on 127.0.0.1. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import http from 'node:http';
import { join } from 'node:path';
import { unusable } from '../../errors.ts';
import { isSecretHeader } from '../../spec/mask.ts';
import { done } from '../../spec/result.ts';
import { collect, decode } from '../../support/bytes.ts';
import { attempt, UnsuitableFile } from '../../support/errno.ts';
import { isNestedTooDeeply, jsonText, layoutJson } from '../../support/json.ts';
import { mask } from '../../support/mask.ts';
import { makeFolder } from '../../support/own-files.ts';
import { createOrReplace } from '../../support/system/user-file.ts';
import { parseExactly } from '../../support/text/exact-json.ts';
import { printableJson } from '../../support/text/printable.ts';
import type { TaskWith } from '../context.ts';
import { describeDelivery, eventNameOf, placeOf, readSecret, stoppedAfter } from './calls.ts';

const bodyLimit = 25 * 1024 * 1024;

const rejections = {
  405: 'the method is not POST',
  403: 'it comes from a web page',
  401: 'the secret token is wrong or missing',
  413: 'the body is larger than 25 MiB',
  400: 'the body is nested too deeply',
} as const;
type Rejection = keyof typeof rejections;

/** The headers that carry the secret and the event are named after the vendor of the service. */
const tokenHeader = /^x-[a-z0-9]+-token$/;
const eventHeader = /^x-[a-z0-9]+-event$/;
const idHeader = /^(idempotency-key|x-[a-z0-9]+-event-uuid)$/;

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

function rejectionOf({ method, headers }: IncomingMessage, token: string | undefined): Rejection | undefined {
  if (method !== 'POST') return 405;
  // Only browsers send it: a web page could post to ports of this machine.
  if (headers.origin !== undefined) return 403;
  if (token === undefined) return undefined;
  const given = Object.entries(headers).filter(([name]) => tokenHeader.test(name));
  // The time of the comparison does not depend on the content.
  const isKnown = given.some(([, value]) => timingSafeEqual(digest(String(value)), digest(token)));
  return isKnown ? undefined : 401;
}

/** Read a body as text. Bytes that are not UTF-8 are read as Latin-1. */
async function readText(request: IncomingMessage): Promise<string | Rejection> {
  if (Number(request.headers['content-length'] ?? 0) > bodyLimit) return 413;
  const body = await collect(request, bodyLimit).catch((error: unknown) => {
    if (!(error instanceof RangeError)) throw error;
  });
  if (!body) return 413;
  const text = decode(body) ?? body.toString('latin1');
  return isNestedTooDeeply(text) ? 400 : text;
}

/** A delivery without its secrets. Numbers in the payload keep their digits. */
function receivedFrom({ headers }: IncomingMessage, text: string, when: number) {
  const parsed = attempt(() => parseExactly(text));
  // A custom template of a webhook can produce any text.
  const payload = parsed === undefined ? text : parsed;
  const all = Object.entries(headers).map(([name, value]) => [name, String(value)] as const);
  const event = all.find(([name]) => eventHeader.test(name))?.[1];
  return {
    at: new Date(when).toISOString(),
    event: eventNameOf(event, payload),
    project: placeOf(payload),
    headers: Object.fromEntries(all.map(([name, value]) => [name, isSecretHeader(name) ? mask : value])),
    payload,
  };
}

type Received = ReturnType<typeof receivedFrom>;

/** Save a delivery in a file with a name that only has safe characters and that does not exist yet. */
async function save(folder: string, received: Received, number: number): Promise<void> {
  const time = received.at.replace(/[-:]|\.\d+/g, '');
  const name = `${time}-${String(number).padStart(4, '0')}-${received.event}`;
  for (let copy = 1; ; copy++) {
    const file = join(folder, `${name}${copy === 1 ? '' : `-${copy}`}.json`);
    try {
      return await createOrReplace(file, `${layoutJson(jsonText(received), 0)}\n`, () => false);
    } catch (error) {
      if (!(error instanceof UnsuitableFile)) throw unusable(`the file ${file}`, error);
    }
  }
}

/** Milliseconds for responses to complete at the end. */
const closeTimeout = 300;

type Options = { port: number; token: string; save: string; status: number; count: number };

export const listen: TaskWith<Options> = async (task, options) => {
  const { port = 0, status = 200, count = Number.POSITIVE_INFINITY } = options;
  const token = await readSecret(task, options.token, '--token');
  const folder = options.save === undefined ? undefined : task.path(options.save);
  if (folder !== undefined)
    try {
      makeFolder(folder);
    } catch (error) {
      throw unusable(`the folder ${folder}`, error);
    }
  let end = () => {};
  let fail = (_: unknown) => {};
  const ended = new Promise<void>((...settle) => {
    [end, fail] = settle;
  });
  let accepted = 0;
  let rejected = 0;
  const receive = async (request: IncomingMessage): Promise<number> => {
    const text = rejectionOf(request, token) ?? (await readText(request));
    if (typeof text === 'number') {
      rejected += 1;
      task.warn(`rejected request ${rejected}: ${rejections[text]} (${text})`);
      return text;
    }
    if (accepted >= count) return 503;
    accepted += 1;
    const number = accepted;
    const when = task.now();
    const received = receivedFrom(request, text, when);
    if (folder !== undefined) await save(folder, received, number);
    if (task.format === 'ndjson') await task.write(`${printableJson(jsonText(received))}\n`);
    else {
      const { event, payload } = received;
      const id = Object.entries(request.headers).find(([name]) => idHeader.test(name))?.[1];
      const answer = { status, milliseconds: task.now() - when };
      const delivery = { event, id: id && String(id), payload, when };
      if (!(await task.paint([['plain', describeDelivery(delivery, answer)]]))) end();
    }
    if (number === count) end();
    return status;
  };
  const server = http.createServer((request, response) => {
    // The sender must not count a delivery that was not recorded.
    receive(request).then(
      (code) => response.writeHead(code, { connection: 'close' }).end(),
      (error: unknown) => {
        // The client disconnected.
        if (!request.errored) fail(error);
        response.writeHead(500, { connection: 'close' }).end();
      },
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  }).catch((error: unknown) => {
    throw unusable(`port ${port}`, error);
  });
  task.signal.addEventListener('abort', end, { once: true });
  if (task.signal.aborted) end();
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : port}`;
  task.note(url);
  const secret =
    options.token === undefined ? [] : ['--token', options.token.startsWith('@') ? options.token : '-'];
  if ((task.line.project ?? task.line.group) !== undefined)
    task.note(`To receive its events: ${task.resumeCommand(['hooks', 'create', '--url', url, ...secret])}`);
  try {
    await ended;
  } finally {
    setTimeout(() => server.closeAllConnections(), closeTimeout).unref();
    await new Promise((closed) => server.close(closed));
  }
  return task.signal.aborted ? stoppedAfter(task.signal.reason, accepted) : done();
};
