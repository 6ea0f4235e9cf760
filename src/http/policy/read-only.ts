/** Recognize requests that could change something, and refuse them in read-only mode. */
import { type Failure, forPerson, usage } from '../../errors.ts';
import { isReadMethod } from '../../support/http-method.ts';
import { queryNames } from '../../support/url.ts';
import type { Request, Transport } from '../transport.ts';

/** Many servers execute the method that this header names. CGI makes no difference between "-" and "_". */
const methodHeader = /^x[-_](http[-_]|original[-_])?method([-_]override)?$/i;

function overrideOf({ headers, url }: Request): string | undefined {
  const header = headers.find(([name]) => methodHeader.test(name));
  if (header) return `the header ${header[0]}`;
  return queryNames(url).some((name) => /^_method$/i.test(name)) ? 'the query parameter _method' : undefined;
}

/** Whether no server can take a request for a write. */
export function isRead(request: Request): boolean {
  return isReadMethod(request.method) && overrideOf(request) === undefined;
}

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
