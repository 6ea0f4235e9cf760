/** The owner of a token. */
import { Failure, isFromSignal } from '../../../errors.ts';
import { sendRequest } from '../../call/call.ts';
import { readObject } from '../../request/response.ts';
import type { Session } from '../../session/model.ts';

export interface TokenOwner {
  /** `mia (user 3)`, `job 7 (rspec)`; `unknown` if the token cannot read its owner. */
  readonly name: string;
  /** The reason why the owner is unknown. */
  readonly note?: string;
}

/**
 * Ask the service for the owner of a token: the user of an access token, or the job of a job token.
 * @throws Failure `auth` if the service rejects the token
 */
export async function findTokenOwner(session: Session, isJob: boolean): Promise<TokenOwner> {
  const client = await session.client(isJob ? { jobToken: 'only' } : {});
  const requestTo = (path: string) => ({ method: 'GET', url: `${session.root()}${path}`, headers: [] });
  const getObject = async (path: string) =>
    (await readObject(await sendRequest(client, requestTo(path)))).value;
  const path = isJob ? '/job' : '/user';
  try {
    const name = nameIn(await getObject(path), isJob);
    if (name !== undefined) return { name };
  } catch (error) {
    const status = error instanceof Failure ? error.exchange?.status : undefined;
    if (isJob || (status !== 403 && status !== 404)) throw error;
    if (status === 403) return { name: 'unknown', note: 'the token is valid but may not read its owner' };
    // Any user may read this page.
    await getObject('/notification_settings');
    return { name: 'unknown', note: 'the service does not report the owner of the token' };
  }
  throw new Failure('server_error', 'the response does not contain the owner of the token', {
    hint: 'check that the base URL leads to the API; a proxy or login page may respond instead',
    exchange: { method: 'GET', url: requestTo(path).url, status: 200 },
  });
}

function nameIn(value: Readonly<Record<string, unknown>>, isJob: boolean): string | undefined {
  const { id, name, username } = value;
  if (typeof id !== 'number') return undefined;
  const title = isJob ? name : (username ?? name);
  const number = `${isJob ? 'job' : 'user'} ${id}`;
  if (typeof title !== 'string') return number;
  return isJob ? `${number} (${title})` : `${title} (${number})`;
}

/** Return the scopes of an access token, if the service reports them. */
export async function findScopes(session: Session): Promise<readonly string[] | undefined> {
  const client = await session.client({});
  const request = { method: 'GET', url: `${session.root()}/personal_access_tokens/self`, headers: [] };
  try {
    const { scopes } = (await readObject(await sendRequest(client, request))).value;
    return Array.isArray(scopes) && scopes.length > 0 ? scopes.map(String) : undefined;
  } catch (error) {
    // Not every service and not every token has this page.
    if (error instanceof Failure && !isFromSignal(error)) return undefined;
    throw error;
  }
}
