/** `hooks listen`: receive deliveries on this machine. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { unusable } from '../../errors.ts';
import { isSecretHeader } from '../../spec/mask.ts';
import { done, type Result } from '../../spec/result.ts';
import { decode } from '../../support/bytes.ts';
import { isNestedTooDeeply, jsonText, layoutJson } from '../../support/json.ts';
import { mask } from '../../support/mask.ts';
import { parseExactly } from '../../support/text/exact-json.ts';
import { printableJson } from '../../support/text/printable.ts';
import type { TaskContext } from '../context.ts';
import { readSecret } from './calls.ts';
import { describeDelivery, eventNameOf, placeOf } from './describe.ts';
import { type Delivery, openReceiver, type Rejection } from './receiver.ts';

/** Bytes of one delivery. */
const bodyLimit = 25 * 1024 * 1024;

const reasons: Readonly<Record<Rejection, string>> = {
  method: 'the method is not POST (405)',
  origin: 'it comes from a web page (403)',
  token: 'the secret token is wrong or missing (401)',
  size: 'the body is larger than 25 MiB (413)',
  depth: 'the body is nested too deeply (400)',
};

/** A delivery without its secrets. */
interface Received {
  readonly at: string;
  readonly event: string;
  readonly project: string | null;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON with the digits of every number, or text. */
  readonly payload: unknown;
}

const textOf = (body: Uint8Array): string => decode(body) ?? Buffer.from(body).toString('latin1');

function payloadOf(body: Uint8Array): unknown {
  const text = textOf(body);
  try {
    return parseExactly(text);
  } catch {
    // A custom template of a webhook can produce any text.
    return text;
  }
}

const eventHeader = /^x-[a-z0-9]+-event$/;

function receivedFrom({ headers, body }: Delivery, when: number): Received {
  const payload = payloadOf(body);
  const [, header] = Object.entries(headers).find(([name]) => eventHeader.test(name)) ?? [];
  return {
    at: new Date(when).toISOString(),
    event: eventNameOf(header, payload),
    project: placeOf(payload),
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, isSecretHeader(name) ? mask : value]),
    ),
    payload,
  };
}

/** JSON on one line. */
const lineOf = (received: Received): string => `${printableJson(jsonText(received))}\n`;

/** Save a delivery in a file with a name that only has safe characters and that does not exist yet. */
async function save(folder: string, received: Received, number: number): Promise<void> {
  const time = received.at.replace(/[-:]|\.\d+/g, '');
  const name = `${time}-${String(number).padStart(4, '0')}-${received.event}`;
  for (let copy = 1; ; copy++) {
    const file = join(folder, `${name}${copy === 1 ? '' : `-${copy}`}.json`);
    try {
      return await writeFile(file, `${layoutJson(jsonText(received), 0)}\n`, { mode: 0o600, flag: 'wx' });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw unusable(`the file ${file}`, error);
    }
  }
}

/** The flags of the command. */
export interface ListenOptions {
  readonly port?: number | undefined;
  readonly token?: string | undefined;
  readonly save?: string | undefined;
  readonly status?: number | undefined;
  readonly count?: number | undefined;
}

/** Receive until the count is reached or the user interrupts. */
export async function listen(task: TaskContext, options: ListenOptions): Promise<Result> {
  const { port = 0, status = 200, count } = options;
  const token = await readSecret(task, options.token, '--token');
  const folder = options.save === undefined ? undefined : task.path(options.save);
  if (folder !== undefined)
    await mkdir(folder, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
      throw unusable(`the folder ${folder}`, error);
    });
  let resolve = () => {};
  let reject = (_: unknown) => {};
  const ended = new Promise<void>((...settle) => {
    [resolve, reject] = settle;
  });
  let accepted = 0;
  let rejected = 0;
  const receiver = await openReceiver({
    port,
    token,
    status,
    limit: bodyLimit,
    async onDelivery(delivery) {
      if (count !== undefined && accepted >= count) return false;
      if (isNestedTooDeeply(textOf(delivery.body))) return 'depth';
      accepted += 1;
      const number = accepted;
      const when = task.now();
      const received = receivedFrom(delivery, when);
      if (folder !== undefined) await save(folder, received, number);
      if (task.format === 'ndjson') task.write(lineOf(received));
      else await task.paint([['plain', describeDelivery(received.event, received.payload, when)]]);
      if (number === count) resolve();
      return true;
    },
    onRejection(reason) {
      rejected += 1;
      task.warn(`rejected request ${rejected}: ${reasons[reason]}`);
    },
    onError: reject,
  });
  task.signal.addEventListener('abort', resolve, { once: true });
  if (task.signal.aborted) resolve();
  task.note(receiver.url);
  try {
    await ended;
  } finally {
    await receiver.close();
  }
  task.signal.throwIfAborted();
  return done();
}
