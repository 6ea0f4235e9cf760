/** Files of the service that may grow while they are read, such as the log of a job. */
import { createHash } from 'node:crypto';
import { Failure } from '../../../errors.ts';
import { header, type Reply } from '../../../http/transport.ts';
import { type Call, plan } from '../../../spec/request.ts';
import { pause } from '../../../support/waiting/pause.ts';
import { requestBase, toRequest } from '../../request/build.ts';
import { checkFile } from '../../request/response.ts';
import type { Session } from '../../session/model.ts';

/** Milliseconds before a lost connection is replaced. */
const delay = 1_000;

/**
 * Return a function that streams the bytes that a file has since the last call, so that each is passed on once. If the connection is
 * lost, the stream continues on another one.
 * @throws Failure while reading: `network` if it does not continue, `server_error` if the bytes that were passed on have changed
 */
export function appendedBytes(session: Session, call: Call): () => AsyncGenerator<Uint8Array> {
  const { context, notes, settings } = session;
  const { method, access } = call.endpoint;
  const passed = { length: 0, hash: createHash('sha256') };

  async function send(): Promise<Reply> {
    const client = await session.client(access);
    const base = await requestBase(session, call.endpoint);
    const { headers, ...plain } = await toRequest(plan(call), base, context);
    const range = passed.length === 0 ? [] : [['range', `bytes=${passed.length}-`] as const];
    // A range of a compressed file would be of other bytes.
    const own = [['accept', '*/*'], ['accept-encoding', 'identity'], ...range] as const;
    const request = { ...plain, headers: [...headers, ...own] };
    const reply = await client.send(request);
    const isEnd = reply.status === 416 && range.length > 0;
    if (reply.status >= 300 && !isEnd) throw await client.failure(request, reply);
    await checkFile(reply, call.endpoint);
    return reply;
  }

  async function* fresh({ url, status, headers, body, discard }: Reply): AsyncGenerator<Uint8Array> {
    const changed = () =>
      new Failure('server_error', 'the file changed before the position that was read', {
        hint: 'run the command again to read it from the start',
        exchange: { method, url, status },
      });
    const [, first, end] =
      /^bytes (?:(\d+)-\d+|\*)\/(\d+)?/.exec(header(headers, 'content-range') ?? '') ?? [];
    if (status === 416) {
      await discard();
      // Nothing follows the position.
      if (end !== undefined && Number(end) !== passed.length) throw changed();
      return;
    }
    if (status === 206 && Number(first) !== passed.length) throw changed();
    let known = status === 206 ? 0 : passed.length;
    const hash = createHash('sha256');
    for await (const chunk of body) {
      const old = chunk.subarray(0, known);
      known -= old.length;
      if (old.length > 0) hash.update(old);
      if (old.length > 0 && known === 0 && !hash.digest().equals(passed.hash.copy().digest()))
        throw changed();
      const added = chunk.subarray(old.length);
      if (added.length === 0) continue;
      passed.hash.update(added);
      passed.length += added.length;
      yield added;
    }
    if (known > 0) throw changed();
    if (end !== undefined && passed.length < Number(end))
      throw new Failure('network', 'the service sent only a part of the file', {
        exchange: { method, url, status },
      });
  }

  return async function* read() {
    for (let failures = 0; ; failures++) {
      // The client repeats a request that has no response.
      const reply = await send();
      const start = passed.length;
      try {
        yield* fresh(reply);
        return;
      } catch (error) {
        if (passed.length > start) failures = 0;
        const isLost = error instanceof Failure && error.kind === 'network';
        if (!isLost || failures >= settings.retries.value) throw error;
        notes.say(`the connection was lost after ${passed.length} bytes; continuing`);
        await (context.sleep ?? pause)(delay, context.signal);
      }
    }
  };
}
