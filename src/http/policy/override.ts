import { isReadMethod } from '../../support/http-method.ts';
import { queryNames } from '../../support/url.ts';
import type { Request } from '../transport.ts';

/** Many servers execute the method that this header names. CGI makes no difference between "-" and "_". */
const methodHeader = /^x[-_](http[-_]|original[-_])?method([-_]override)?$/i;

/** The part of a request that can name another method. */
export function overrideOf({ headers, url }: Request): string | undefined {
  const header = headers.find(([name]) => methodHeader.test(name));
  if (header) return `the header ${header[0]}`;
  return queryNames(url).some((name) => /^_method$/i.test(name)) ? 'the query parameter _method' : undefined;
}

/** Whether no server can take a request for a write. */
export function isRead(request: Request): boolean {
  return isReadMethod(request.method) && overrideOf(request) === undefined;
}
