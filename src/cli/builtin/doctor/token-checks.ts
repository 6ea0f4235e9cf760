/** The checks of `svc doctor` that use the token. */
import type { Credential } from '../../../config/credentials.ts';
import { Failure } from '../../../errors.ts';
import type { Reply } from '../../../http/transport.ts';
import { isRecord } from '../../../support/record.ts';
import { sendRequest } from '../../call/call.ts';
import type { Session } from '../../session/model.ts';
import { findTokenOwner, type TokenOwner } from '../auth/token-owner.ts';
import { day, type Finding, fail, ok, warn, warningDays, withTimeout } from './finding.ts';

/** Bytes of a response to read. */
const bodyLimit = 64 * 1024;

async function bodyOf(reply: Reply): Promise<string> {
  let text = '';
  for await (const chunk of reply.body) {
    text += Buffer.from(chunk).toString('utf8');
    if (text.length > bodyLimit) break;
  }
  return text;
}

interface Result {
  readonly status: number;
  readonly value: Readonly<Record<string, unknown>>;
}

/** Send a request with the token. @throws Failure for an error other than 401, 403 and 404 */
async function get(session: Session, path: string): Promise<Result> {
  const client = await session.client({});
  try {
    const request = { method: 'GET', url: `${session.root()}${path}`, headers: [] };
    const reply = await withTimeout(session, 'the response', sendRequest(client, request));
    const value: unknown = JSON.parse(await bodyOf(reply));
    return { status: reply.status, value: isRecord(value) ? value : {} };
  } catch (error) {
    if (error instanceof SyntaxError)
      throw new Failure('server_error', 'the response is not JSON', {
        hint: 'check that the base URL leads to the API; a proxy or login page may respond instead',
      });
    const status = error instanceof Failure ? error.exchange?.status : undefined;
    if (status !== undefined && [401, 403, 404].includes(status)) return { status, value: {} };
    throw error;
  }
}

/** Check whether the service accepts the token, and when it expires. */
export async function checkToken(session: Session, credential: Credential): Promise<Finding[]> {
  const isJob = credential.kind === 'job';
  const title = `${credential.kind === 'bearer' ? 'access (as bearer)' : credential.kind} token from ${credential.from}`;
  let owner: TokenOwner;
  try {
    owner = await withTimeout(session, 'the response', findTokenOwner(session, isJob));
  } catch (error) {
    const status = error instanceof Failure ? error.exchange?.status : undefined;
    if (status === 401)
      return [
        fail('token', 'auth', `the service rejects the ${title}`, 'log in with another token: svc login'),
      ];
    if (status !== 403 && status !== 404) throw error;
    owner = { name: 'unknown', note: 'the service does not report the owner of the token' };
  }
  if (owner.note !== undefined)
    return [
      warn(
        'token',
        `the ${title} is accepted, but its owner is unknown`,
        'the token may have too few scopes',
      ),
    ];
  const warnings = credential.warnings.map((text) => warn('token', text, 'fix the permissions of the file'));
  return [
    ok('token', `the ${title} belongs to ${owner.name}`),
    ...warnings,
    ...(isJob ? [] : await checkScopes(session)),
  ];
}

/** Check the scopes and the expiration of the token, if the service reports them. */
async function checkScopes(session: Session): Promise<Finding[]> {
  const { status, value } = await get(session, '/personal_access_tokens/self');
  const { scopes } = value;
  if (status !== 200 || !Array.isArray(scopes)) return [];
  const names = scopes.map(String);
  const until = typeof value['expires_at'] === 'string' ? Date.parse(value['expires_at']) : Number.NaN;
  const days = Math.floor((until - session.context.now()) / day);
  const message = `${names.join(', ')}${Number.isNaN(days) ? '' : `; expires in ${days} days`}`;
  if (days < warningDays) return [warn('scopes', message, 'create a new token and log in: svc login')];
  if (!names.includes('api'))
    return [warn('scopes', message, 'some commands need a token with the scope api')];
  return [ok('scopes', message)];
}

/** Check whether the API responds, and its version. */
export async function checkApi(session: Session): Promise<Finding> {
  for (const path of ['/version', '/metadata']) {
    const { status, value } = await get(session, path);
    if (status === 200 && value['version'] !== undefined) return ok('API', `version ${value['version']}`);
    if (status === 401) return ok('API', 'available; its version requires a token');
    if (status === 403) return ok('API', 'available; the token may not read its version');
  }
  return fail(
    'API',
    'not_found',
    `no API found at ${session.root()}`,
    'check the base URL: svc config explain',
  );
}

/** Report why there is no token. */
export async function missingToken(session: Session): Promise<Finding> {
  const { whyNoCredential } = await import('../../../config/credentials.ts');
  const [why] = whyNoCredential(session.settings, { origin: new URL(session.root()).origin });
  const { host } = new URL(session.root());
  return fail('token', 'auth', `no token for ${host}`, why ?? 'log in: svc login');
}
