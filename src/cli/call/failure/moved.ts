/** Failures of writes to a resource that has moved (specification section 4.0). */
import { type Failure, forPerson } from '../../../errors.ts';
import type { Endpoint } from '../../../spec/endpoint.ts';
import { slotTitle } from '../../../spec/request.ts';
import { commandLine } from '../../../support/shell.ts';
import { percentDecoded } from '../../../support/url.ts';

/** Name the new location: as arguments of the command if it belongs to the same endpoint, otherwise as a path. */
export function withNewLocation(failure: Failure, endpoint: Endpoint, root: string): Failure {
  const { method, url = '', movedTo = '' } = failure.exchange ?? {};
  const before = slotsOf(endpoint.path, url, root);
  const after = slotsOf(endpoint.path, movedTo, root);
  const changed = Object.entries(after ?? {}).filter(([name, value]) => before?.[name] !== value);
  const isLikeFlag = changed.some(([name, value]) => name !== 'id' && value.startsWith('-'));
  if (!before || changed.length === 0 || isLikeFlag)
    return failure.withHints(
      ...forPerson(
        // A path that starts with "-" would be read as a flag.
        `repeat the request with the new path: ${commandLine(['svc', 'api', String(method), pathOf(movedTo, root).replace(/^-/, '/$&')])}`,
      ),
    );
  const flags = changed.map(([name, value]) => {
    const title = slotTitle(endpoint, name);
    // A word that starts with "-" would be read as a flag.
    return value.startsWith('-') ? commandLine([`${title}=${value}`]) : `${title} ${commandLine([value])}`;
  });
  const hint = `repeat the command with ${flags.join(' ')}`;
  const { scope } = endpoint;
  if (!scope || changed.every(([name]) => name !== 'id')) return failure.withHints(hint);
  return failure.with({
    message: `the ${scope.name} ${before['id']} has moved to ${after?.['id']}`,
    details: [`${method} requests are not redirected`, ...failure.details],
    hint,
  });
}

/** The values of the slots of a path, decoded; undefined if the URL belongs to another path. */
function slotsOf(path: string, url: string, root: string): Record<string, string> | undefined {
  const segments = pathOf(url, root).split('/');
  const pattern = path.split('/').slice(1);
  if (segments.length !== pattern.length) return undefined;
  const slots: Record<string, string> = {};
  for (const [at, segment] of segments.entries()) {
    const expected = pattern[at];
    if (expected?.startsWith(':')) slots[expected.slice(1)] = percentDecoded(segment);
    else if (expected !== segment) return undefined;
  }
  return slots;
}

/** The path below the root of the API, without the query; the whole URL if it is outside the API. */
function pathOf(url: string, root: string): string {
  const [path = ''] = url.split('?', 1);
  return path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
}
