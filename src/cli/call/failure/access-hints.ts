/** Hints for a call that the service does not allow: what it requires, and what is known about the caller. */
import type { Credential } from '../../../config/credentials.ts';
import { forPerson, type Hint } from '../../../errors.ts';
import type { Endpoint } from '../../../spec/endpoint.ts';
import { isReadMethod } from '../../../support/http-method.ts';

/** The project or group of a call: `project acme/rocket`. */
export type ScopeTitle = string | undefined;

export const undocumentedJobToken = 'this command is not documented to accept a job token';

/** The owner of the token that was sent, if it is known without a request: `mia (user 3), from profile "work"`. */
function ownerOf({ kind, from, owner }: Credential): string {
  if (kind === 'job') return 'a job token has the access of the user who started the job';
  return owner?.user === undefined
    ? `the token is from ${from}; svc whoami shows its user`
    : `you are ${owner.user}, with the token from ${from}`;
}

/** Whether a token with these scopes may send the request (section 1). */
function isInScope({ access, method }: Endpoint, scopes: readonly string[]): boolean {
  if (scopes.includes('api')) return true;
  if (access.scope === 'api' || !isReadMethod(method)) return false;
  return scopes.includes('read_api') || (access.scope !== undefined && scopes.includes(access.scope));
}

/** Explain a 403: the role, tier and scope that the catalogue documents, each beside what the caller has. */
export function forbiddenHints(endpoint: Endpoint, place: ScopeTitle, sent: Credential | undefined): Hint[] {
  const { role, tier, offering, jobToken, scope } = endpoint.access;
  const scopes = sent?.owner?.scopes;
  const needsRole = role !== undefined && role !== 'user';
  const where = place === undefined || role === 'administrator' ? '' : ` in ${place}`;
  return [
    ...(needsRole ? [`requires the role ${role}${where}`] : []),
    ...(tier === undefined
      ? []
      : [`requires the tier ${tier}${tier === 'premium' ? ' or ultimate' : ''} of the service`]),
    ...(offering === 'self-managed' ? ['available on self-managed services only'] : []),
    ...(offering === 'hosted' ? ['available on the hosted service only'] : []),
    ...(scopes === undefined || isInScope(endpoint, scopes)
      ? []
      : [
          `requires a token with the scope ${scope ?? (isReadMethod(endpoint.method) ? 'read_api' : 'api')}; yours has ${scopes.join(', ')}`,
        ]),
    ...(sent === undefined ? [] : forPerson(ownerOf(sent))),
    ...(sent?.kind === 'job' && !jobToken ? [undocumentedJobToken] : []),
  ];
}

/** The reader of a 404, which may lack access. */
export function readerOf(sent: Credential | undefined): string {
  if (sent === undefined) return 'a request without a token';
  return sent.owner?.user === undefined ? 'the token' : sent.owner.user;
}
