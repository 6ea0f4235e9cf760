/** Requests of tasks to servers that are not the service. They never carry a credential of the service. */
import fs from 'node:fs';
import { join } from 'node:path';
import { stateFile } from '../../../config/paths.ts';
import { Failure, unusable, usage } from '../../../errors.ts';
import { redactor } from '../../../http/redact.ts';
import type { Request } from '../../../http/transport.ts';
import { isSecretHeader, maskedQuery } from '../../../spec/mask.ts';
import { replaceFile } from '../../../support/atomic-write.ts';
import { Appender, completeLines } from '../../../support/journal.ts';
import { jsonText } from '../../../support/json.ts';
import { readOwn } from '../../../support/own-files.ts';
import { appendFlags } from '../../../support/system/user-file.ts';
import { acquireLock, LockTimeout } from '../../../support/waiting/lock.ts';
import type { Incoming, Journal, Outgoing } from '../../../tasks/context.ts';
import type { Context } from '../../context.ts';
import type { Session } from '../../session/model.ts';

/** Bytes of a response that a task may read. */
const bodyLimit = 16 * 1024;

/** Proxy, timeout and certificate authority are those of the session; the client certificate is not. */
export async function postOutside(
  session: Session,
  { url, headers, body, secrets: given, complete }: Outgoing,
): Promise<Incoming> {
  const { settings, notes } = session;
  const secrets = [...given, ...headers.flatMap(([name, value]) => (isSecretHeader(name) ? [value] : []))];
  session.conceal(secrets);
  const isTrusted = settings.insecure.source === 'flag' && settings.insecure.value;
  if (isTrusted && url.protocol === 'https:')
    notes.warn(`certificate verification of ${url.host} is disabled (${settings.insecure.from})`);
  const transport = await session.open(url.origin, {
    settings: {
      ...settings,
      clientCert: undefined,
      clientKey: undefined,
      insecure: isTrusted ? settings.insecure : { value: false, source: 'default', from: 'default' },
    },
    ...(complete ? { signal: new AbortController().signal } : {}),
    shownUrl: maskedQuery,
  });
  const request: Request = {
    method: 'POST',
    url: `${url.origin}${url.pathname}${url.search}`,
    headers: headers.map(([name, value]) => [name.toLowerCase(), value]),
    body: { bytes: body },
  };
  // A query can contain a secret.
  const shown = { method: request.method, url: `${url.origin}${url.pathname}` };
  notes.event({ kind: 'request', ...shown, headers: request.headers });
  const start = performance.now();
  try {
    const reply = await transport.send(request);
    const ms = Math.round(performance.now() - start);
    notes.event({ kind: 'response', ...shown, status: reply.status, headers: reply.headers, ms });
    const chunks: Uint8Array[] = [];
    let length = 0;
    try {
      for await (const chunk of reply.body) {
        chunks.push(chunk);
        length += chunk.byteLength;
        if (length >= bodyLimit) break;
      }
    } catch {
      // The status is the outcome.
    }
    await reply.discard();
    const text = Buffer.concat(chunks).toString('utf8').slice(0, bodyLimit);
    return { status: reply.status, text: notes.redact(redactor(secrets)(text)) };
  } catch (error) {
    if (!(error instanceof Failure) || !error.exchange) throw error;
    throw error.with({ exchange: { ...error.exchange, url: shown.url } });
  } finally {
    await transport.close();
  }
}

/** Milliseconds to wait for another process. */
const lockWait = 500;

/** Read the complete lines. @returns their values, and their length in bytes */
function readLines(file: string): { entries: unknown[]; end: number | undefined } {
  if (!fs.existsSync(file)) return { entries: [], end: undefined };
  const { lines, end } = completeLines(readOwn(file));
  const entries = lines.map((line, index): unknown => {
    try {
      return JSON.parse(line.toString());
    } catch (cause) {
      throw new Failure('internal', `cannot read ${file}: invalid JSON at line ${index + 1}`, {
        cause,
        hint: 'move the file away to start again without its records',
      });
    }
  });
  return { entries, end };
}

const textOf = (entries: readonly unknown[]): string =>
  entries.map((entry) => `${jsonText(entry)}\n`).join('');

export async function openJournal(context: Pick<Context, 'env'>, name: string): Promise<Journal> {
  const file = stateFile(context.env, join('journals', `${name}.ndjson`));
  const guarded = async <T>(act: () => T | Promise<T>): Promise<T> => {
    try {
      return await act();
    } catch (error) {
      if (error instanceof Failure) throw error;
      throw unusable(`the journal ${file}`, error);
    }
  };
  const lock = await guarded(() => acquireLock(`${file}.lock`, lockWait)).catch((error: unknown) => {
    const { cause } = error as Failure;
    if (!(cause instanceof LockTimeout)) throw error;
    throw usage(
      `the same command is running already (process ${cause.owner})`,
      'wait until it ends, or stop it',
    );
  });
  let appender: Appender | undefined;
  try {
    const { entries, end } = await guarded(() => readLines(file));
    // A process that was killed may have left a part of a line.
    let complete = end;
    const closeFile = async () => {
      const open = appender;
      appender = undefined;
      complete = undefined;
      // An error was reported by the write, and the lines that remain are replaced or not needed.
      await open?.close().catch(() => {});
    };
    return {
      entries,
      append: (entry) =>
        guarded(async () => {
          appender ??= new Appender(await fs.promises.open(file, appendFlags(file), 0o600), complete);
          await appender.append(textOf([entry]));
        }),
      replace: (all) =>
        guarded(async () => {
          await closeFile();
          await replaceFile(file, (draft) => draft.writeFile(textOf(all)), { durable: true });
        }),
      remove: () =>
        guarded(async () => {
          await closeFile();
          fs.rmSync(file, { force: true });
        }),
      close() {
        void closeFile();
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}
