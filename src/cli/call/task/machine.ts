/** Requests of tasks to other servers, without a credential of the service, and the saved state of tasks. */
import fs from 'node:fs';
import { join } from 'node:path';
import { stateFile } from '../../../config/paths.ts';
import { Failure, unusable, usage } from '../../../errors.ts';
import { redactor } from '../../../http/redact.ts';
import type { Request } from '../../../http/transport.ts';
import { isSecretHeader } from '../../../spec/mask.ts';
import { replaceFile } from '../../../support/atomic-write.ts';
import { startOf } from '../../../support/bytes.ts';
import { jsonText } from '../../../support/json.ts';
import { readOwn } from '../../../support/own-files.ts';
import { acquireLock, LockTimeout } from '../../../support/waiting/lock.ts';
import type { Incoming, Outgoing, SavedState } from '../../../tasks/context.ts';
import type { Context } from '../../context.ts';
import type { Session } from '../../session/model.ts';

/** Bytes of a response. */
const bodyLimit = 16 * 1024;

export async function postOutside(
  session: Session,
  { url, headers, body, secrets: given, complete }: Outgoing,
): Promise<Incoming> {
  const { notes } = session;
  const secrets = [...given, ...headers.flatMap(([name, value]) => (isSecretHeader(name) ? [value] : []))];
  session.conceal(secrets);
  const transport = await session.openOutside(
    url.origin,
    complete ? new AbortController().signal : undefined,
  );
  const request: Request = {
    method: 'POST',
    url: `${url.origin}${url.pathname}${url.search}`,
    headers: headers.map(([name, value]) => [name.toLowerCase(), value]),
    body: { bytes: body },
  };
  // A query can contain a secret.
  const shown = { method: request.method, url: `${url.origin}${url.pathname}` };
  notes.event({ kind: 'request', ...shown, headers: request.headers });
  const sent = performance.now();
  try {
    const reply = await transport.send(request);
    const ms = Math.round(performance.now() - sent);
    notes.event({ kind: 'response', ...shown, status: reply.status, headers: reply.headers, ms });
    // The status is the outcome, also if the body is interrupted.
    const start = await startOf(reply.body, bodyLimit, () => {});
    await reply.discard();
    return { status: reply.status, text: notes.redact(redactor(secrets)(start.toString('utf8'))) };
  } catch (error) {
    if (!(error instanceof Failure) || !error.exchange) throw error;
    throw error.with({ exchange: { ...error.exchange, url: shown.url } });
  } finally {
    await transport.close();
  }
}

/** Milliseconds. */
const lockWait = 500;

function readState(file: string): unknown {
  if (!fs.existsSync(file)) return undefined;
  const text = readOwn(file).toString();
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Failure('internal', `cannot read ${file}: invalid JSON`, {
      cause,
      hint: 'move the file away to start again without its records',
    });
  }
}

export async function openState(context: Pick<Context, 'env'>, name: string): Promise<SavedState> {
  const file = stateFile(context.env, join('journals', `${name}.json`));
  const guarded = async <T>(act: () => T | Promise<T>): Promise<T> => {
    try {
      return await act();
    } catch (error) {
      if (error instanceof Failure) throw error;
      if (error instanceof LockTimeout)
        throw usage(
          `the same command is running already (process ${error.owner})`,
          'wait until it ends, or stop it',
        );
      throw unusable(`the file ${file}`, error);
    }
  };
  const { isHeld, release } = await guarded(() => acquireLock(`${file}.lock`, lockWait));
  const save = (value: unknown) => {
    // A suspended process loses its lock after ten seconds.
    if (!isHeld())
      throw new Failure('partial', 'another process continued this command while this one was suspended');
    return replaceFile(file, (draft) => draft.writeFile(jsonText(value)), { durable: true });
  };
  try {
    return {
      value: await guarded(() => readState(file)),
      save: (value) => guarded(() => save(value)),
      remove: () => guarded(() => fs.rmSync(file, { force: true })),
      close: release,
    };
  } catch (error) {
    release();
    throw error;
  }
}
