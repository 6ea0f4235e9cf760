/** Requests of tasks to servers that are not the service. They never carry a credential of the service. */
import { Failure } from '../../../errors.ts';
import { redactor } from '../../../http/redact.ts';
import type { Request } from '../../../http/transport.ts';
import { isSecretHeader, maskedQuery } from '../../../spec/mask.ts';
import type { Incoming, Outgoing } from '../../../tasks/context.ts';
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
