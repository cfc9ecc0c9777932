/**
 * Exchanges a refresh token for a new access token, at the embedded or external provider. The
 * provider handles rotation and replayed tokens.
 */
import { DomainError, unauthenticated } from '../../errors.ts';
import type { ExternalIssuer } from './external.ts';
import type { TokenAnswer } from './provider/mount.ts';
import type { RefreshedToken } from './schema.ts';

export type AskToken = (params: Record<string, string>) => Promise<TokenAnswer>;

/** @throws DomainError `unauthenticated` if the token is unknown, expired, used or revoked. */
export async function refreshToken(ask: AskToken, refresh_token: string): Promise<RefreshedToken> {
  const { status, body } = await ask({ grant_type: 'refresh_token', refresh_token });
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

/** The token endpoint of an external provider, called with our client credentials. */
export function askExternal({ config, metadata }: ExternalIssuer): AskToken {
  return async (params) => {
    const { token_endpoint } = await metadata();
    const { client_id, client_secret } = config;
    // RFC 6749, section 2.3.1: every provider supports this method.
    const basic = [client_id, client_secret ?? ''].map(encodeURIComponent).join(':');
    const response = await fetch(token_endpoint, {
      method: 'POST',
      headers: {
        accept: 'application/json',
        ...(client_secret
          ? { authorization: `Basic ${Buffer.from(basic).toString('base64')}` }
          : {}),
      },
      body: new URLSearchParams({ ...params, ...(client_secret ? {} : { client_id }) }),
      signal: AbortSignal.timeout(10_000),
      redirect: 'error',
    }).catch((cause: unknown) => {
      throw new DomainError(
        'unavailable',
        'The identity provider does not answer. Try again in a moment.',
        { cause },
      );
    });
    const body = (await response.json().catch(() => ({}))) as TokenAnswer['body'];
    return { status: response.status, body };
  };
}
