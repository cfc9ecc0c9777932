/** Checks of access tokens that the external provider has issued to a client of its own. */
import { createRemoteJWKSet, customFetch, type JWTPayload, jwtVerify } from 'jose';
import type { ServerMetadata } from 'openid-client';
import { unauthenticated } from '../../../errors.ts';
import { audience, type TokenClaims } from '../tokens.ts';
import { isAway, type ProviderFetch, providerAway } from './calls.ts';
import { type Profile, profileFrom } from './profile.ts';

/** Asymmetric only: with a shared secret a client could create its own tokens. */
const algorithms = [
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
];

/**
 * How long its keys are remembered. Together with the memory of verified tokens (authenticate.ts)
 * and of callers, a key that it withdraws stops within ten minutes.
 */
const keysFor_ms = 4 * 60_000;

type Check = (
  token: string,
  provider: Pick<ServerMetadata, 'issuer' | 'jwks_uri'>,
) => Promise<TokenClaims & { profile: Profile }>;

export function accessTokenChecks(clientId: string, fetch: ProviderFetch): Check {
  let keys: { uri: string; find: ReturnType<typeof createRemoteJWKSet> } | undefined;
  const keysAt = (uri: string) => {
    if (keys?.uri !== uri) {
      const find = createRemoteJWKSet(new URL(uri), {
        cacheMaxAge: keysFor_ms,
        [customFetch]: fetch,
      });
      keys = { uri, find };
    }
    return keys.find;
  };

  return async (token, { issuer, jwks_uri }) => {
    if (jwks_uri === undefined) throw providerAway(new Error('It names no keys.'));
    const { payload, protectedHeader } = await jwtVerify(token, keysAt(jwks_uri), {
      algorithms,
      issuer,
      audience: [clientId, audience],
      requiredClaims: ['sub', 'exp'],
      clockTolerance: 5,
    }).catch((cause: unknown) => {
      throw hasNoKeys(cause) ? providerAway(cause) : unauthenticated(cause);
    });
    if (!isAccessToken(protectedHeader.typ, payload)) throw unauthenticated();
    return {
      // Normalized: some issuers end in a slash, which must not produce duplicate users.
      issuer: (payload.iss as string).replace(/\/$/, ''),
      subject: payload.sub as string,
      expires_at: payload.exp as number,
      profile: profileFrom(payload),
    };
  };
}

/** Whether it is the provider's fault: its keys cannot be read. */
const hasNoKeys = (error: unknown) =>
  isAway(error) ||
  error instanceof TypeError ||
  /^ERR_(JOSE_GENERIC|JWKS_TIMEOUT|JWKS_INVALID)$/.test((error as { code?: string }).code ?? '');

/**
 * Whether it is an access token rather than an id token. RFC 9068 defines a type for it; older
 * providers use a claim, or a scope without the claims of id tokens.
 */
function isAccessToken(typ: string | undefined, payload: JWTPayload) {
  const type = typ?.toLowerCase().replace(/^application\//, '');
  if (type === 'at+jwt') return true;
  if (type !== undefined && type !== 'jwt') return false;
  if (payload.typ !== undefined) return payload.typ === 'Bearer';
  const ofIdTokens = ['nonce', 'at_hash', 'c_hash', 'events'].some((claim) => claim in payload);
  return !ofIdTokens && (typeof payload.scope === 'string' || payload.scp !== undefined);
}
