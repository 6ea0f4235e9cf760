/** Refuse requests that could change something. */
import { type Failure, forPerson, usage } from '../../errors.ts';
import { isReadMethod } from '../../support/http-method.ts';
import type { Transport } from '../transport.ts';
import { overrideOf } from './override.ts';

/** The failure of a write in read-only mode. @param from the flag, variable or profile that selected the mode */
export function readOnlyFailure(method: string, from: string): Failure {
  return refused(`${method === 'OPTIONS' ? 'an' : 'a'} ${method} request`, from);
}

const refused = (what: string, from: string): Failure =>
  usage(`read-only mode: ${what} is not allowed`, [
    ...forPerson(`${from} selects read-only mode`),
    'request not sent',
  ]);

/** A transport that sends only GET and HEAD. It refuses other requests before it opens a body or a connection. */
export function readOnlyTransport(transport: Transport, from: string): Transport {
  return {
    async send(request) {
      if (!isReadMethod(request.method)) throw readOnlyFailure(request.method, from);
      const override = overrideOf(request);
      if (override !== undefined) throw refused(override, from);
      return transport.send(request);
    },
    close: () => transport.close(),
  };
}
