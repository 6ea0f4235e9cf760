import { Failure } from '../../errors.ts';
import type { Reply } from '../../http/transport.ts';
import { collect } from '../../support/bytes.ts';

/** An answer that was read whole: its bytes for printing, its value for looking at. */
export interface ObjectBody {
  readonly bytes: Uint8Array;
  readonly value: Readonly<Record<string, unknown>>;
}

/**
 * @param method of the request that was answered, for the message
 * @throws Failure `server_error` for what is no JSON object: a login page, an empty answer
 */
export async function readObject(reply: Reply, method = 'GET'): Promise<ObjectBody> {
  const { expectObject } = await import('../../http/body/expect.ts');
  const bytes = await collect(expectObject(reply, method));
  try {
    return { bytes, value: JSON.parse(bytes.toString('utf8')) as ObjectBody['value'] };
  } catch {
    throw new Failure('server_error', 'the answer is not valid JSON', {
      exchange: { method, url: reply.url, status: reply.status },
    });
  }
}
