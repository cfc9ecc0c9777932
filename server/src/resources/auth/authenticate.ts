/** Credentials → caller, on every request. What was verified once is not verified again. */
import { createHash } from 'node:crypto';
import { decodeJwt } from 'jose';
import { unauthenticated } from '../../errors.ts';
import type { Credentials } from '../../http/access.ts';
import type { Caller, Services } from '../../services.ts';
import { callerOfKey, noteKeyUse } from '../api-keys/api-keys.ts';
import type { ExternalIssuer } from './external.ts';
import { admit } from './newcomers.ts';
import { findCaller, findCallerBySubject, type TokenGround } from './queries.ts';
import type { SignIn } from './sign-in.ts';
import type { TokenClaims } from './tokens.ts';

/**
 * A signature check costs five times the rest of a request, so verified tokens are remembered
 * until they expire. Only the cryptography is: user, key and session are looked up each time.
 */
const remembered = 10_000;

/** A JWT of ours has 600 characters, those of large providers a few thousand. */
const longestToken = 16_384;

/** @returns a function that throws `unauthenticated` unless the credentials are an active user's. */
export function authenticateUsers(services: Services, { tokens, external }: SignIn) {
  // Short look-ups on connections of their own: who calls is known however busy people's are.
  const db = services.quickDb;
  const verified = new Map<string, TokenClaims>();

  return async ({ bearer, apiKey }: Credentials): Promise<Caller> => {
    if (bearer === undefined) {
      if (apiKey === undefined) throw unauthenticated();
      return callerOfKey(db, apiKey);
    }
    const claims = await claimsOf(bearer);
    const caller =
      claims.user_id === undefined
        ? await findCallerBySubject(db, claims.issuer, claims.subject)
        : await callerOfToken(claims.user_id, claims);
    if (!caller) throw unauthenticated();
    return caller;
  };

  async function callerOfToken(userId: number, ground: TokenGround) {
    const found = await findCaller(db, userId, ground);
    if (!found) return undefined;
    const { key_is_stale, ...caller } = found;
    if (key_is_stale && caller.key_id !== undefined) await noteKeyUse(db, caller.key_id);
    return caller;
  }

  async function claimsOf(token: string): Promise<TokenClaims> {
    if (token.length > longestToken) throw unauthenticated();
    // By hash, so that a memory dump holds no usable token.
    const key = createHash('sha256').update(token).digest('base64');
    const known = verified.get(key);
    if (known && known.expires_at > Date.now() / 1000) return known;
    verified.delete(key);
    const claims = await verify(token);
    if (verified.size >= remembered) verified.delete(verified.keys().next().value as string);
    verified.set(key, claims);
    return claims;
  }

  function verify(token: string): Promise<TokenClaims> {
    return external && issuerOf(token) !== tokens.issuer()
      ? verifyAndAdmit(services, external, token)
      : tokens.verify(token);
  }
}

/** A token of an external provider; whoever comes with one for the first time is let in. */
async function verifyAndAdmit(services: Services, external: ExternalIssuer, token: string) {
  const { profile, ...claims } = await external.verify(token);
  await admit(services, claims, async () => ({
    ...(profile.email ? {} : await external.profileOf(token, claims.subject)),
    ...profile,
  }));
  return claims;
}

/** Only to choose the right check; nothing is believed yet. */
function issuerOf(token: string) {
  try {
    return decodeJwt(token).iss;
  } catch (cause) {
    throw unauthenticated(cause);
  }
}
