/**
 * Bounds how often unknown refresh tokens are tried at the external provider: anybody may send some,
 * and it would count all of them as failures of this server. Per process.
 */
import { createHash } from 'node:crypto';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { addressKey } from '../../../client-addresses.ts';
import { DomainError } from '../../../errors.ts';
import type { TokenAnswer } from '../provider/mount.ts';

/** Tokens that it has refused, per minute and address. */
const mostRefused = 20;
/** Hashes of tokens that it has refused, and of those that it has given out. The oldest go first. */
const remembered = 10_000;

/**
 * @returns the same, which asks only once about a token that is refused. An address with many of
 *   those may renew only what it was given here before, so that it does not affect its neighbours.
 * @throws DomainError `too_many_requests`
 */
export function boundRenewals(
  renew: (refreshToken: string) => Promise<TokenAnswer>,
): (refreshToken: string, address: string) => Promise<TokenAnswer> {
  const refusals = new RateLimiterMemory({ points: mostRefused, duration: 60 });
  const refused = new Set<string>();
  const given = new Set<string>();

  return async (refreshToken, address) => {
    const name = hashOf(refreshToken);
    if (refused.has(name)) return { status: 400, body: { error: 'invalid_grant' } };
    const place = addressKey(address);
    const isGiven = given.has(name);
    if (!isGiven) await count(place);
    const answer = await renew(refreshToken).catch(async (error: unknown) => {
      if (!isGiven) await refusals.reward(place);
      throw error;
    });
    if (answer.status === 200) {
      if (!isGiven) await refusals.reward(place);
      const { refresh_token: next = refreshToken } = answer.body;
      if (typeof next === 'string') note(given, hashOf(next));
    } else note(refused, name);
    return answer;
  };

  /** Before the call: of many at once, no more than the limit get through. */
  async function count(place: string) {
    const { consumedPoints, msBeforeNext } = await refusals.penalty(place);
    if (consumedPoints <= mostRefused) return;
    await refusals.reward(place);
    throw new DomainError('too_many_requests', 'Too many refresh tokens that are not valid.', {
      retry_after_seconds: Math.max(1, Math.ceil(msBeforeNext / 1000)),
    });
  }
}

function note(names: Set<string>, name: string) {
  names.add(name);
  if (names.size > remembered) names.delete(names.values().next().value as string);
}

const hashOf = (token: string) => createHash('sha256').update(token).digest('base64');
