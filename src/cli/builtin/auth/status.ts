/** The login in effect. */
import { whyNoCredential } from '../../../config/credentials.ts';
import { Failure } from '../../../errors.ts';
import type { Session } from '../../session/model.ts';
import { findTokenOwner } from './token-owner.ts';

export interface LoginStatus {
  readonly base_url: string;
  readonly profile: string | null;
  readonly token: string;
  readonly token_from: string;
  readonly user: string;
  readonly note?: string;
}

/** Verify the token in effect. @throws Failure `auth` if there is none or the service rejects it */
export async function loginStatus(session: Session): Promise<LoginStatus> {
  const root = session.root();
  const { auth, profile } = session.settings;
  const credential = await session.credential(auth?.value === 'job' ? { jobToken: 'only' } : {});
  if (!credential) {
    const { host, origin } = new URL(root);
    throw new Failure('auth', `no token for ${host}`, {
      hint: whyNoCredential(session.settings, { origin }),
    });
  }
  const owner = await findTokenOwner(session, credential.kind === 'job');
  return {
    base_url: root,
    profile: profile?.value ?? null,
    token: credential.kind,
    token_from: credential.from,
    user: owner.name,
    ...(owner.note ? { note: owner.note } : {}),
  };
}
