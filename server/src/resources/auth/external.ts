/**
 * An external identity provider, known only by its issuer URL: discovery, its keys, and the checks
 * of its tokens. newcomers.ts finds the user for a subject.
 */
import { createRemoteJWKSet, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import type { Config } from '../../config.ts';
import { DomainError, unauthenticated } from '../../errors.ts';
import { audience, type TokenClaims } from './tokens.ts';

type OidcConfig = NonNullable<Config['oidc']>;

/** Asymmetric only: with a shared secret a client could create its own tokens. */
const algorithms = [
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
];
const timeout_ms = 10_000;

export type Metadata = {
  issuer: string;
  jwks_uri: string;
  authorization_endpoint: string;
  token_endpoint: string;
  end_session_endpoint?: string;
  userinfo_endpoint?: string;
  scopes_supported?: string[];
};

export type Profile = {
  email?: string;
  email_verified?: boolean;
  first_name?: string;
  last_name?: string;
  name?: string;
};

export type ExternalIssuer = {
  config: OidcConfig;
  /**
   * @throws DomainError `unavailable` if the provider cannot be reached or its answer is invalid.
   */
  metadata(): Promise<Metadata>;
  /** @throws DomainError `unauthenticated`, or `unavailable` if its keys cannot be fetched. */
  verify(token: string): Promise<TokenClaims & { profile: Profile }>;
  /** The userinfo of a token's owner; empty if the endpoint returns none. */
  profileOf(token: string, subject: string): Promise<Profile>;
};

export function openExternalIssuer(config: OidcConfig): ExternalIssuer {
  let discovery: Promise<{ metadata: Metadata; keys: JWTVerifyGetKey }> | undefined;
  const discovered = () => {
    discovery ??= discover(config.issuer).catch((cause: unknown) => {
      // Not cached: the provider may just be starting.
      discovery = undefined;
      throw new DomainError(
        'unavailable',
        'The identity provider does not answer. Try again in a moment.',
        { cause },
      );
    });
    return discovery;
  };

  return {
    config,
    metadata: async () => (await discovered()).metadata,
    verify: async (token) => {
      const { keys, metadata } = await discovered();
      return verifyExternal(token, keys, metadata.issuer, config.client_id);
    },
    profileOf: async (token, subject) => {
      const { userinfo_endpoint } = (await discovered()).metadata;
      if (!userinfo_endpoint) return {};
      const claims = await fetchJson(userinfo_endpoint, token).catch(() => ({}) as JWTPayload);
      // OpenID Connect Core, section 5.3.2: the answer is valid only for the same subject.
      return claims.sub === subject ? profileFrom(claims) : {};
    },
  };
}

async function discover(issuer: string) {
  const url = `${issuer}/.well-known/openid-configuration`;
  const metadata = (await fetchJson(url)) as unknown as Metadata;
  if (metadata.issuer?.replace(/\/$/, '') !== issuer) {
    throw new Error(`${url} names another issuer: ${metadata.issuer}`);
  }
  const keys = createRemoteJWKSet(new URL(metadata.jwks_uri), { timeoutDuration: timeout_ms });
  return { metadata, keys };
}

async function fetchJson(url: string, token?: string): Promise<JWTPayload> {
  const response = await fetch(url, {
    headers: { accept: 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
    signal: AbortSignal.timeout(timeout_ms),
    redirect: 'error',
  });
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  return (await response.json()) as JWTPayload;
}

async function verifyExternal(
  token: string,
  keys: JWTVerifyGetKey,
  issuer: string,
  clientId: string,
) {
  const { payload, protectedHeader } = await jwtVerify(token, keys, {
    algorithms,
    issuer,
    audience: [clientId, audience],
    requiredClaims: ['sub', 'exp'],
    clockTolerance: 5,
  }).catch((cause: unknown) => {
    const isTheirs = (cause as { code?: string }).code === 'ERR_JWKS_TIMEOUT';
    if (isTheirs || cause instanceof TypeError) {
      throw new DomainError(
        'unavailable',
        'The identity provider does not answer. Try again in a moment.',
        { cause },
      );
    }
    throw unauthenticated(cause);
  });
  if (!isAccessToken(protectedHeader.typ, payload)) throw unauthenticated();
  return {
    // Normalized: some issuers end in a slash, which must not produce duplicate users.
    issuer: (payload.iss as string).replace(/\/$/, ''),
    subject: payload.sub as string,
    expires_at: payload.exp as number,
    profile: profileFrom(payload),
  };
}

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

function profileFrom(claims: JWTPayload): Profile {
  const text = (name: string, max: number) => {
    const value = claims[name];
    return typeof value === 'string' && value !== '' && !value.includes('\0')
      ? value.slice(0, max)
      : undefined;
  };
  const profile = {
    email: text('email', 320),
    first_name: text('given_name', 100),
    last_name: text('family_name', 100),
    name: text('name', 200) ?? text('preferred_username', 200),
  };
  return {
    ...(Object.fromEntries(
      Object.entries(profile).filter(([, value]) => value !== undefined),
    ) as Profile),
    ...(claims.email_verified === true ? { email_verified: true } : {}),
  };
}
