/** Confirm a write with one line, and print its response if the user asked for it (interface section 3). */
import { Failure } from '../../errors.ts';
import { expectJson, expectNothing, expectObject } from '../../http/body/expect.ts';
import type { Reply } from '../../http/transport.ts';
import { commandName, lowerFirst } from '../../spec/command.ts';
import { confirmationOf } from '../../spec/done.ts';
import type { Endpoint } from '../../spec/endpoint.ts';
import type { Call } from '../../spec/request.ts';
import { collect, once } from '../../support/bytes.ts';
import { errorCode } from '../../support/errno.ts';
import { isReadMethod } from '../../support/http-method.ts';
import { toFailure } from '../report.ts';
import type { Session } from '../session/model.ts';
import { openOutput } from './print.ts';
import { withoutSecrets } from './without-secrets.ts';

/** Whether the response of an endpoint is printed: always for a read, and for a write on request or if it was generated. */
export const printsResponse = (session: Session, { method, generates }: Endpoint): boolean =>
  isReadMethod(method) || generates === true || requestsOutput(session);

/** Whether the user requested the response of a write. */
export function requestsOutput({ options, settings }: Session): boolean {
  const { fields, allFields, jq } = options;
  return [fields, allFields, jq].some((one) => one !== undefined) || settings.output.source !== 'default';
}

/** Confirm a write and print its response. */
export async function finishWrite(session: Session, call: Call, reply: Reply): Promise<void> {
  const { endpoint } = call;
  const isEmpty = commandName(endpoint) === 'update' && Object.keys(call.values).length === 0;
  const sentence = (response?: unknown) =>
    isEmpty
      ? 'Nothing was changed: the update has no fields'
      : confirmationOf(call, response, reply.status === 202, session.notes.redact);
  if (endpoint.returns.kind === 'nothing') {
    await expectNothing(reply, endpoint.method);
    return confirmWrite(session, sentence());
  }
  const expect = endpoint.returns.kind === 'list' ? expectJson : expectObject;
  const bytes = await collect(expect(reply, endpoint.method));
  const done = sentence(parsed(bytes, reply, endpoint));
  confirmWrite(session, done);
  await printWritten(session, endpoint, bytes, { sentence: done });
}

/** The value of a body; undefined if it is empty, which the service may send with 202 and 204. */
function parsed(bytes: Buffer, { url, status }: Reply, { method }: Endpoint): unknown {
  if (firstCharacter(bytes) === undefined) return undefined;
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new Failure('server_error', 'the response is not valid JSON', {
      exchange: { method, url, status },
    });
  }
}

const firstCharacter = (bytes: Uint8Array): string | undefined =>
  /\S/.exec(Buffer.from(bytes).toString('latin1'))?.[0];

export function confirmWrite({ notes }: Session, sentence: string | undefined): void {
  if (sentence !== undefined) notes.confirmed(sentence);
}

interface Written {
  /** The write, if the response to print is that of another call. */
  readonly write?: Endpoint | undefined;
  /** Its confirmation, for errors. */
  readonly sentence?: string | undefined;
}

/** Print a response, without the secrets that were sent. That of a write only if the user asked for it or it was generated. */
export async function printWritten(
  session: Session,
  endpoint: Endpoint,
  response: Uint8Array,
  { write = endpoint, sentence }: Written = {},
): Promise<void> {
  if (!printsResponse(session, write) || firstCharacter(response) === undefined) return;
  try {
    const bytes = isReadMethod(write.method) ? response : await withoutSecrets(response, write.takes);
    // After a write, an unknown field is a warning, even if another call returned what is printed.
    const output = await openOutput(session, { ...endpoint, method: write.method });
    if (firstCharacter(bytes) !== '[') return await output.object(once(bytes));
    await output.page(once(bytes));
    await output.endList();
  } catch (error) {
    throw withOutcome(error, sentence);
  }
}

/** Add to a failure after a write that the write was carried out, because the user must not repeat it. */
function withOutcome(error: unknown, sentence: string | undefined): unknown {
  // The reader went away, which is not an error.
  if (errorCode(error) === 'EPIPE' || sentence === undefined) return error;
  const failure = toFailure(error);
  return failure?.withHints(`the service carried out the request: ${lowerFirst(sentence)}`) ?? error;
}
