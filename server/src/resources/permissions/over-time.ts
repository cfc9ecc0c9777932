/**
 * Access over time. Grants expire, so a change of rights is judged for every future moment: nobody
 * may gain access that nobody could give. Pure functions, like rules.ts; times are milliseconds
 * since 1970.
 */
import {
  type Access,
  accessBy,
  covers,
  type Grant,
  least,
  ownership,
  type PlacedGrant,
} from './rules.ts';

/** Access at a time; undefined: may not even see it. */
export type AccessOverTime = (at: number) => Access | undefined;

type Expiring = Pick<PlacedGrant, 'expires_at'>;

export const isLive = ({ expires_at }: Expiring, at: number) =>
  expires_at === undefined || Date.parse(expires_at) > at;

/** The access by these grants of one user, in any order: the nearest unexpired one decides. */
export function accessOverTime(grants: readonly PlacedGrant[]): AccessOverTime {
  const nearestFirst = grants.toSorted((one, other) => one.distance - other.distance);
  return (at) => {
    const deciding = nearestFirst.find((grant) => isLive(grant, at));
    return deciding && accessBy(deciding);
  };
}

/** Now, and every later time at which one of these grants expires: nothing changes in between. */
export function momentsOf(now: number, ...grants: readonly (readonly Expiring[])[]): number[] {
  const ends = grants.flat().flatMap(({ expires_at }) => expires_at ?? []);
  const later = ends.map((end) => Date.parse(end)).filter((end) => end > now);
  return [...new Set([now, ...later])].sort((one, other) => one - other);
}

/**
 * What a user can give of a cog: the least access on it and everything below it, because a grant on
 * a folder applies to all its contents.
 *
 * @param below their grants below the cog.
 */
export function givingOverTime(
  held: AccessOverTime,
  below: readonly (Grant & Expiring)[],
): AccessOverTime {
  return (at) => {
    const onCog = held(at);
    return onCog && least(onCog, ...below.filter((grant) => isLive(grant, at)).map(accessBy));
  };
}

export const everything: AccessOverTime = () => ownership;

/** Whether `wanted` is nothing, or no more than `held`. */
export const isWithin = (wanted: Access | undefined, held: Access | undefined) =>
  wanted === undefined || (held !== undefined && covers(held, wanted));
