/**
 * Exchanges a refresh token for a new access token, at the embedded or external provider. The
 * provider handles rotation and replayed tokens.
 */
import { DomainError, unauthenticated } from '../../errors.ts';
import type { TokenAnswer } from './provider/mount.ts';
import type { RefreshedToken } from './schema.ts';

/** @throws DomainError `unauthenticated` if the token is unknown, expired, used or revoked. */
export async function refreshToken(
  refresh: (token: string, address: string) => Promise<TokenAnswer>,
  refresh_token: string,
  address: string,
): Promise<RefreshedToken> {
  const { status, body } = await refresh(refresh_token, address);
  if (status >= 500)
    throw new DomainError(
      'unavailable',
      'The identity provider does not answer. Try again in a moment.',
    );
  if (status !== 200 || typeof body.access_token !== 'string') throw unauthenticated(body.error);
  const { expires_in, scope } = body;
  return {
    access_token: body.access_token,
    token_type: 'Bearer',
    expires_in: typeof expires_in === 'number' ? Math.floor(expires_in) : 3600,
    scope: typeof scope === 'string' ? scope : '',
    // Not every external provider rotates; then the old token stays valid.
    refresh_token: typeof body.refresh_token === 'string' ? body.refresh_token : refresh_token,
  };
}
