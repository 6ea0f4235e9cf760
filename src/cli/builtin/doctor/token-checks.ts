/** The checks of `svc doctor` that ask with the token. */

import type { Credential } from '../../../config/credentials.ts';
import { Failure } from '../../../errors.ts';
import type { Reply } from '../../../http/transport.ts';
import { sendRequest } from '../../call/call.ts';
import type { Session } from '../../session/model.ts';
import { ownerIn, ownerPath } from '../auth/token-owner.ts';
import { day, type Finding, fail, ok, soon, warn, within } from './finding.ts';

/** Bytes of an answer that are read at most. */
const most = 64 * 1024;

async function bodyOf(reply: Reply): Promise<string> {
  let text = '';
  for await (const chunk of reply.body) {
    text += Buffer.from(chunk).toString('utf8');
    if (text.length > most) break;
  }
  return text;
}

interface Told {
  readonly status: number;
  readonly value: Readonly<Record<string, unknown>>;
}

/** Ask with the token. Only a refusal that says something of the token is an answer; another failure is thrown. */
async function ask(session: Session, path: string, job = false): Promise<Told> {
  const client = await session.client(job ? { jobToken: 'only' } : {});
  try {
    const request = { method: 'GET', url: `${session.root()}${path}`, headers: [] };
    const reply = await within(session, 'the answer', sendRequest(client, request));
    const value = JSON.parse(await bodyOf(reply)) as unknown;
    return {
      status: reply.status,
      value: typeof value === 'object' && value !== null ? (value as Told['value']) : {},
    };
  } catch (error) {
    if (error instanceof SyntaxError)
      throw new Failure('server_error', 'the answer is not JSON', {
        hint: 'does the base URL lead to the API? a proxy or login page may stand before it',
      });
    const status = error instanceof Failure ? error.exchange?.status : undefined;
    if (status !== undefined && [401, 403, 404].includes(status)) return { status, value: {} };
    throw error;
  }
}

/** Whether the service takes the token, and how long it will. */
export async function token(session: Session, credential: Credential): Promise<Finding[]> {
  const job = credential.kind === 'job';
  const what = `${credential.kind === 'bearer' ? 'access (as bearer)' : credential.kind} token of ${credential.from}`;
  const { status, value } = await ask(session, ownerPath(job), job);
  if (status === 401)
    return [fail('token', 'auth', `the ${what} is refused`, 'svc auth login takes another one')];
  if (status !== 200)
    return [
      warn('token', `the ${what} is let in, but may not read whose it is`, 'it may have too few scopes'),
    ];
  const who = ownerIn(value, job);
  if (who === undefined)
    return [
      fail(
        'token',
        'server_error',
        'the answer does not say whose it is',
        'does the base URL lead to the API? a proxy or login page may stand before it',
      ),
    ];
  const warnings = credential.warnings.map((text) => warn('token', text, 'see above'));
  return [ok('token', `the ${what} belongs to ${who}`), ...warnings, ...(job ? [] : await scopes(session))];
}

/** Scopes and end of a token, where the service tells. */
async function scopes(session: Session): Promise<Finding[]> {
  const { status, value } = await ask(session, '/personal_access_tokens/self');
  if (status !== 200 || !Array.isArray(value['scopes'])) return [];
  const names = (value['scopes'] as unknown[]).map(String);
  const until = typeof value['expires_at'] === 'string' ? Date.parse(value['expires_at']) : Number.NaN;
  const days = Math.floor((until - session.context.now()) / day);
  const says = `scopes: ${names.join(', ')}${Number.isNaN(days) ? '' : `; ends in ${days} days`}`;
  if (days < soon) return [warn('scopes', says, 'make a new token in time, then svc auth login')];
  if (!names.includes('api'))
    return [warn('scopes', says, 'a token with the scope api may do everything; this one may not')];
  return [ok('scopes', says)];
}

/** Whether the API answers, and in which version. */
export async function api(session: Session): Promise<Finding> {
  for (const path of ['/version', '/metadata']) {
    const { status, value } = await ask(session, path);
    if (status === 200 && value['version'] !== undefined) return ok('API', `version ${value['version']}`);
    if (status === 401) return ok('API', 'there; it tells its version to those with a token only');
    if (status === 403) return ok('API', 'there; the token may not read its version');
  }
  return fail(
    'API',
    'not_found',
    `there is no API below ${session.root()}`,
    'is the base URL right? svc config explain shows it',
  );
}

/** What is said where there is no token. */
export async function noToken(session: Session): Promise<Finding> {
  const { whyNoCredential } = await import('../../../config/credentials.ts');
  const [why] = whyNoCredential(session.settings, { origin: new URL(session.root()).origin });
  const { host } = new URL(session.root());
  return fail('token', 'auth', `none for ${host}`, why ?? 'svc auth login keeps one');
}
