/** The owner of a token. */
import { Failure, isFromSignal } from '../../../errors.ts';
import { isRecord } from '../../../support/record.ts';
import { readObject, sendRequest } from '../../request/response.ts';
import type { Session } from '../../session/model.ts';

/** Request an object with the token. @param path below the root of the API @throws Failure for any other response */
export async function getObject(session: Session, path: string, isJob = false) {
  const client = await session.client(isJob ? { jobToken: 'only' } : {});
  const request = { method: 'GET', url: `${session.root()}${path}`, headers: [] };
  return (await readObject(await sendRequest(client, request))).value;
}

/**
 * Ask the service for the owner of a token: the user of an access token, or the job of a job token.
 * @returns `mia (user 3)`, `job 7 (rspec)`; `unknown` with a note if the token cannot read its owner
 * @throws Failure `auth` if the service rejects the token
 */
export async function findTokenOwner(session: Session, isJob: boolean) {
  const path = isJob ? '/job' : '/user';
  try {
    const { id, name, username } = await getObject(session, path, isJob);
    const title = isJob ? name : (username ?? name);
    const number = `${isJob ? 'job' : 'user'} ${id}`;
    const hasTitle = typeof title === 'string';
    if (typeof id === 'number')
      return { name: !hasTitle ? number : isJob ? `${number} (${title})` : `${title} (${number})` };
  } catch (error) {
    const { status, body } = (error instanceof Failure && error.exchange) || {};
    // Other reasons of a 403 say nothing about the token, such as an address that is not allowed.
    const lacksScope =
      status === 403 && isRecord(body) && /^insufficient_\w*scope$/.test(String(body['error']));
    if (isJob || (!lacksScope && status !== 404)) throw error;
    if (lacksScope) return { name: 'unknown', note: 'the token is valid but may not read its owner' };
    // Any user may read this page.
    await getObject(session, '/notification_settings');
    return { name: 'unknown', note: 'the service does not report the owner of the token' };
  }
  throw new Failure('server_error', 'the response does not contain the owner of the token', {
    hint: 'check that the base URL leads to the API; a proxy or login page may respond instead',
    exchange: { method: 'GET', url: `${session.root()}${path}`, status: 200 },
  });
}

export async function findScopes(session: Session): Promise<readonly string[] | undefined> {
  try {
    const { scopes } = await getObject(session, '/personal_access_tokens/self');
    return Array.isArray(scopes) && scopes.length > 0 ? scopes.map(String) : undefined;
  } catch (error) {
    // Not every service and not every token has this page.
    if (error instanceof Failure && !isFromSignal(error)) return undefined;
    throw error;
  }
}
