/** Finds the caller for the credentials of every request. Verified signatures are cached. */
import { decodeJwt } from 'jose';
import type { Caller, Credentials } from '../../callers.ts';
import type { Reading } from '../../db/remembered.ts';
import { forbidden, unauthenticated } from '../../errors.ts';
import type { Services } from '../../services.ts';
import { noteKeyUse, readKeyCaller } from '../api-keys/api-keys.ts';
import type { ExternalIssuer } from './external/issuer.ts';
import { admit } from './newcomers.ts';
import { findCaller, findCallerBySubject, type TokenGround } from './queries.ts';
import { groundOf, nameOf, rememberCallers } from './remembered-callers.ts';
import type { SignIn } from './sign-in.ts';
import type { TokenClaims } from './tokens.ts';

/**
 * A signature check costs five times the rest of a request, so verified tokens are cached until
 * they expire. This covers only the cryptography; for user, key and session see
 * remembered-callers.ts.
 */
const verifiedTokens = 10_000;

/** An external provider may withdraw the key of a signature; see external/access-tokens.ts. */
const verifiedElsewhere_ms = 4 * 60_000;

/** Our JWTs have 600 characters, those of large providers a few thousand. */
const longestToken = 16_384;

/**
 * @returns a function that throws `unauthenticated` unless the credentials belong to an active
 *   user.
 */
export function authenticateUsers(services: Services, { tokens, external }: SignIn) {
  // Short look-ups on separate connections, so that they do not wait for other requests.
  const db = services.quickDb;
  const verified = new Map<string, { claims: TokenClaims; until: number }>();
  // Two caches: a key is not a token, even if it is sent as one.
  const callersOfTokens = rememberCallers<Caller>(services.notices);
  const callersOfKeys = rememberCallers<Caller>(services.notices);

  return async ({ bearer, apiKey }: Credentials): Promise<Caller> => {
    const caller =
      bearer !== undefined
        ? await callerOfToken(bearer)
        : apiKey !== undefined
          ? await callersOfKeys.get(nameOf(apiKey), () => readKeyCaller(db, apiKey))
          : undefined;
    if (!caller) throw unauthenticated();
    return caller;
  };

  async function callerOfToken(token: string): Promise<Caller | undefined> {
    if (token.length > longestToken) return undefined;
    const name = nameOf(token);
    return callersOfTokens.get(name, () => readTokenCaller(token, name));
  }

  async function readTokenCaller(
    token: string,
    name: string,
  ): Promise<Reading<Caller> | undefined> {
    const claims = await claimsOf(token, name);
    const found =
      claims.user_id === undefined
        ? await findCallerBySubject(db, claims.issuer, claims.subject)
        : await findCaller(db, claims.user_id, claims);
    if (!found) return undefined;
    const { key_is_stale, good_for_ms = Number.POSITIVE_INFINITY, ...caller } = found;
    if (key_is_stale && caller.key_id !== undefined) await noteKeyUse(db, caller.key_id);
    return {
      value: caller,
      grounds: groundsOf(caller, claims),
      good_for_ms: Math.min(good_for_ms, claims.expires_at * 1000 - Date.now()),
    };
  }

  async function claimsOf(token: string, name: string): Promise<TokenClaims> {
    const askedAt = Date.now();
    const known = verified.get(name);
    if (known && known.until > askedAt) return known.claims;
    verified.delete(name);
    const claims = await verify(token);
    if (verified.size >= verifiedTokens) verified.delete(verified.keys().next().value as string);
    const longest_ms = claims.user_id === undefined ? verifiedElsewhere_ms : Infinity;
    verified.set(name, { claims, until: Math.min(claims.expires_at * 1000, askedAt + longest_ms) });
    return claims;
  }

  function verify(token: string): Promise<TokenClaims> {
    return external && issuerOf(token) !== tokens.issuer()
      ? verifyAndAdmit(services, external, token)
      : tokens.verify(token);
  }
}

function groundsOf({ user_id, tenant_id }: Caller, ground: TokenGround): string[] {
  const { key_id, session_uid, grant_hash } = ground;
  return [
    groundOf.tenant(tenant_id),
    groundOf.user(user_id),
    ...(key_id === undefined ? [] : [groundOf.key(key_id)]),
    ...(session_uid === undefined ? [] : [groundOf.session(session_uid)]),
    ...(grant_hash === undefined ? [] : [groundOf.grant(grant_hash)]),
  ];
}

/**
 * A token of an external provider; an unknown subject becomes a new user. Whoever is invited has to
 * answer that on the page of a sign-in, once: a request is no answer.
 */
async function verifyAndAdmit(services: Services, external: ExternalIssuer, token: string) {
  const { profile, ...claims } = await external.verify(token);
  const admitted = await admit(services, claims, async () => ({
    ...(profile.email ? {} : await external.profileOf(token, claims.subject)),
    ...profile,
  }));
  if (admitted === 'invited') {
    throw forbidden(
      `You are invited to an organization. Sign in at ${services.baseUrl()}/app/ once, to join it or to start one of your own.`,
      'invitation_open',
    );
  }
  return claims;
}

/** Only selects the check to use; nothing is trusted yet. */
function issuerOf(token: string) {
  try {
    return decodeJwt(token).iss;
  } catch (cause) {
    throw unauthenticated(cause);
  }
}
