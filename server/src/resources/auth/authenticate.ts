/** Credentials → caller, on every request. What was verified once is not verified again. */
import { createHash } from 'node:crypto';
import { unauthenticated } from '../../errors.ts';
import type { Credentials } from '../../http/access.ts';
import type { Caller, Services } from '../../services.ts';
import { findCaller } from './queries.ts';
import type { TokenClaims, Tokens } from './tokens.ts';

/**
 * A signature check costs five times the rest of a request, so verified tokens are remembered
 * until they expire. Only the cryptography is: user and key are looked up each time.
 */
const remembered = 10_000;

/** @returns a function that throws `unauthenticated` unless the credentials are an active user's. */
export function authenticateUsers({ db }: Services, tokens: Tokens) {
  const verified = new Map<string, TokenClaims>();

  return async ({ bearer }: Credentials): Promise<Caller> => {
    if (bearer === undefined) throw unauthenticated();
    const claims = await claimsOf(bearer);
    if (claims.user_id === undefined) throw unauthenticated();
    const caller = await findCaller(db, claims.user_id, claims.key_id);
    if (!caller) throw unauthenticated();
    return claims.key_id === undefined ? caller : { ...caller, key_id: claims.key_id };
  };

  async function claimsOf(token: string): Promise<TokenClaims> {
    // By hash, so that a memory dump holds no usable token.
    const key = createHash('sha256').update(token).digest('base64');
    const known = verified.get(key);
    if (known && known.expires_at > Date.now() / 1000) return known;
    verified.delete(key);
    const claims = await tokens.verify(token);
    if (verified.size >= remembered) verified.delete(verified.keys().next().value as string);
    verified.set(key, claims);
    return claims;
  }
}
