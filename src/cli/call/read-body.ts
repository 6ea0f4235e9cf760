import { expectObject } from '../../http/body/expect.ts';
import type { Reply } from '../../http/transport.ts';
import { parseWhole, unparsable } from '../../output/json/values.ts';
import { collect } from '../../support/bytes.ts';

/** A response with a JSON object: its bytes for printing, which keep every number exact, and its value for decisions. */
export interface ObjectBody {
  readonly bytes: Uint8Array;
  readonly value: Readonly<Record<string, unknown>>;
}

/**
 * Read a JSON object.
 * @param method the method of the request, for the error
 * @throws Failure `server_error` for any other body, such as a login page or an empty body
 */
export async function readObject(reply: Reply, method = 'GET'): Promise<ObjectBody> {
  const bytes = await collect(expectObject(reply, method));
  try {
    const value = await parseWhole(bytes.toString('utf8'));
    return { bytes, value: value as ObjectBody['value'] };
  } catch (cause) {
    throw unparsable(cause, { method, url: reply.url, status: reply.status });
  }
}
