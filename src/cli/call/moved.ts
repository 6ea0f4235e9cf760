/** A write to an address that has moved (specification section 4.0): what moved, and the command to repeat. */

import { Failure } from '../../errors.ts';
import { percentDecoded } from '../../http/text.ts';
import type { Endpoint } from '../../spec/endpoint.ts';
import { slotTitle } from '../../spec/request.ts';
import { shellQuote } from '../../support/shell.ts';

/** The failure, in terms of the command line where the new address is that of the same call. */
export function withNewPlace(failure: Failure, endpoint: Endpoint, root: string): Failure {
  const { method, url = '', movedTo = '' } = failure.exchange ?? {};
  const before = slotsOf(endpoint.path, url, root);
  const after = slotsOf(endpoint.path, movedTo, root);
  const changed = Object.entries(after ?? {}).filter(([name, value]) => before?.[name] !== value);
  if (!before || changed.length === 0)
    return failure.withHints(
      `repeat the request at the new path: svc api ${method} ${pathOf(movedTo, root)}`,
    );
  const words = changed.map(([name, value]) => `${slotTitle(endpoint, name)} ${shellQuote(value)}`);
  const hint = `repeat the command with ${words.join(' ')}`;
  const { scope } = endpoint;
  if (!scope || changed.every(([name]) => name !== 'id')) return failure.withHints(hint);
  const { details, exchange, cause } = failure;
  return new Failure('rejected', `the ${scope.name} ${before['id']} has moved to ${after?.['id']}`, {
    details: [`a ${method} is not redirected`, ...details],
    hint,
    ...(exchange ? { exchange } : {}),
    cause,
  });
}

/** The values of a path's slots, decoded; undefined where the URL is not of this path. */
function slotsOf(path: string, url: string, root: string): Record<string, string> | undefined {
  const segments = pathOf(url, root).split('/');
  const pattern = path.split('/').slice(1);
  if (segments.length !== pattern.length) return undefined;
  const slots: Record<string, string> = {};
  for (const [at, word] of pattern.entries()) {
    if (word.startsWith(':')) slots[word.slice(1)] = percentDecoded(segments[at]!);
    else if (word !== segments[at]) return undefined;
  }
  return slots;
}

/** Below the API's root, without the query; the whole path where it is elsewhere. */
function pathOf(url: string, root: string): string {
  const path = url.split('?', 1)[0]!;
  return path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
}
