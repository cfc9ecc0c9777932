/**
 * An external identity provider, known only by its issuer URL. openid-client discovers it and signs
 * people in there: authorization code with PKCE, state and nonce, and the signature of the ID token.
 * Access tokens that it issues itself are checked in access-tokens.ts. accounts.ts finds the user
 * for a subject.
 */
import * as oidc from 'openid-client';
import type { Config } from '../../../config.ts';
import type { TokenAnswer } from '../provider/mount.ts';
import type { TokenClaims } from '../tokens.ts';
import { accessTokenChecks } from './access-tokens.ts';
import { isAway, type ProviderFetch, providerAway, providerFetch } from './calls.ts';
import { type Claims, combined, type Profile, profileFrom } from './profile.ts';

type OidcConfig = NonNullable<Config['oidc']>;

/** The provider may move its endpoints. */
const discoveredFor_ms = 60 * 60_000;
const wantedScopes = ['openid', 'profile', 'email'];

/** The secret half of a sign-in under way. */
export type Attempt = { state: string; nonce: string; verifier: string; max_age_s?: number };

/** What the client that asks us wants of the sign-in. */
export type Wanted = {
  /** Who is expected. */
  email?: string;
  /** To be signed in anew, whatever session there is. */
  anew?: boolean;
  /** How long ago they may have signed in there. */
  max_age_s?: number;
};

/** Somebody who has signed in there. */
export type Identity = {
  issuer: string;
  subject: string;
  /** What the ID token says. */
  told: Profile;
  /** Asks the provider for what the ID token has left out, so only for newcomers. */
  profile(): Promise<Profile>;
};

/** The provider, or the person there, has refused; the message is for that person. */
export class SignInRefused extends Error {}

export type ExternalIssuer = {
  config: OidcConfig;
  /**
   * A URL of the provider at which somebody signs in.
   *
   * @throws DomainError `unavailable` if the provider cannot be reached or its answer is invalid.
   */
  begin(
    uid: string,
    redirectUri: string,
    wanted: Wanted,
  ): Promise<{ url: string; attempt: Attempt }>;
  /**
   * @param answer the URL that the browser came back to, with its parameters.
   * @throws SignInRefused, or DomainError as above.
   */
  finish(answer: URL, attempt: Attempt): Promise<Identity>;
  /** @throws DomainError `unauthenticated`, or `unavailable` if its keys cannot be fetched. */
  verify(token: string): Promise<TokenClaims & { profile: Profile }>;
  /** The userinfo of an access token's owner; empty if the endpoint returns none. */
  profileOf(token: string, subject: string): Promise<Profile>;
  /**
   * Renews a token that a client has got from the provider itself.
   *
   * @returns `invalid_grant` only if the provider says so.
   * @throws DomainError `unavailable`
   */
  refresh(refreshToken: string): Promise<TokenAnswer>;
};

export function openExternalIssuer(config: OidcConfig, allow: readonly string[]): ExternalIssuer {
  const fetch = providerFetch(config.issuer, allow);
  const discovered = discovery(config, fetch);
  const verify = accessTokenChecks(config.client_id, fetch);
  const profileOf = async (token: string, subject: string): Promise<Profile> => {
    const configuration = await discovered();
    if (!configuration.serverMetadata().userinfo_endpoint) return {};
    // Valid only for the same subject, which openid-client checks.
    const claims = await oidc.fetchUserInfo(configuration, token, subject).catch((error) => {
      if (isAway(error)) throw providerAway(error);
      return {};
    });
    return profileFrom(claims);
  };

  return {
    config,
    profileOf,
    begin: async (uid, redirect_uri, { email, anew, max_age_s }) => {
      const configuration = await discovered();
      const { scopes_supported: supported } = configuration.serverMetadata();
      const attempt = {
        // Begins with what leads the browser back to its sign-in.
        state: `${uid}.${oidc.randomState()}`,
        nonce: oidc.randomNonce(),
        verifier: oidc.randomPKCECodeVerifier(),
        ...(max_age_s === undefined ? {} : { max_age_s }),
      };
      const url = oidc.buildAuthorizationUrl(configuration, {
        redirect_uri,
        // Some providers refuse requests with unknown scopes.
        scope: wantedScopes.filter((one) => supported?.includes(one) ?? true).join(' ') || 'openid',
        state: attempt.state,
        nonce: attempt.nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(attempt.verifier),
        code_challenge_method: 'S256',
        ...(email ? { login_hint: email } : {}),
        ...(anew ? { prompt: 'login' } : {}),
        ...(max_age_s === undefined ? {} : { max_age: String(max_age_s) }),
      });
      return { url: url.href, attempt };
    },
    finish: async (answer, { state, nonce, verifier, max_age_s }) => {
      const configuration = await discovered();
      const tokens = await oidc
        .authorizationCodeGrant(configuration, answer, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
          // Then the ID token has to say when they signed in there.
          ...(max_age_s === undefined ? {} : { maxAge: max_age_s }),
        })
        .catch((error: unknown) => {
          throw refusalOf(config, error);
        });
      const claims: Claims = tokens.claims() ?? {};
      const subject = String(claims.sub);
      const told = profileFrom(claims);
      return {
        // Without the slash that some end in, as access-tokens.ts reads it.
        issuer: String(claims.iss).replace(/\/$/, ''),
        subject,
        told,
        profile: async () =>
          told.email_verified
            ? told
            : combined(told, await profileOf(tokens.access_token, subject)),
      };
    },
    verify: async (token) => verify(token, (await discovered()).serverMetadata()),
    refresh: async (refreshToken) => {
      const configuration = await discovered();
      return oidc.refreshTokenGrant(configuration, refreshToken).then(
        (answer) => ({ status: 200, body: { ...answer } }),
        (error: unknown) => {
          if (isInvalidGrant(error)) return { status: 400, body: { error: error.error } };
          throw providerAway(error);
        },
      );
    },
  };
}

/**
 * Whether the provider refuses the token itself. Its other answers are about this server, as
 * `invalid_client` when a secret has expired, or about a moment, as 429; the token stays good.
 */
const isInvalidGrant = (error: unknown): error is oidc.ResponseBodyError =>
  error instanceof oidc.ResponseBodyError && error.error === 'invalid_grant';

/** @returns a function that discovers the provider, and remembers that for an hour. */
function discovery(config: OidcConfig, fetch: ProviderFetch) {
  let known: { found: Promise<oidc.Configuration>; until: number } | undefined;
  return (): Promise<oidc.Configuration> => {
    if (known && Date.now() < known.until) return known.found;
    const found = discover(config, fetch).catch((cause: unknown) => {
      // Not remembered: the provider may just be starting.
      known = undefined;
      throw providerAway(cause);
    });
    known = { found, until: Date.now() + discoveredFor_ms };
    return found;
  };
}

async function discover(
  { issuer, client_id, client_secret }: OidcConfig,
  fetch: ProviderFetch,
): Promise<oidc.Configuration> {
  const isPlain = issuer.startsWith('http:');
  const find = (url: string) =>
    oidc.discovery(new URL(url), client_id, undefined, authenticationBy(client_secret), {
      [oidc.customFetch]: fetch,
      execute: [oidc.enableNonRepudiationChecks, ...(isPlain ? [oidc.allowInsecureRequests] : [])],
    });
  return find(issuer).catch((error: { code?: string }) => {
    // Some issuers end in a slash, which the configuration does not keep.
    if (error.code !== 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED') throw error;
    return find(`${issuer}/`);
  });
}

/** By what the provider lists; without a list it is Basic (OpenID Connect Discovery, section 3). */
function authenticationBy(secret: string | undefined): oidc.ClientAuth {
  if (secret === undefined) return oidc.None();
  const [basic, post] = [oidc.ClientSecretBasic(secret), oidc.ClientSecretPost(secret)];
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    return (methods.includes('client_secret_basic') ? basic : post)(server, ...rest);
  };
}

/** `cause` is for the log: what fits nowhere else is most often a wrong setting. */
function refusalOf({ name }: OidcConfig, cause: unknown): Error {
  if (isAway(cause)) return providerAway(cause);
  if (cause instanceof oidc.AuthorizationResponseError) {
    if (/^(server_error|temporarily_unavailable)$/.test(cause.error)) return providerAway(cause);
    if (cause.error === 'access_denied')
      return new SignInRefused(`You were not let in by ${name}.`, { cause });
  }
  return new SignInRefused(`The answer of ${name} is not valid here`, { cause });
}
