/**
 * What somebody may do from now on. Grants expire, so a change of rights is judged not only by
 * what it allows now: at every moment to come, nobody may have by it what nobody could give.
 * Functions of values, as rules.ts; moments are milliseconds since 1970.
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

/** What somebody may do at a moment; undefined when not even see it. */
export type AccessOverTime = (at: number) => Access | undefined;

type Expiring = Pick<PlacedGrant, 'expires_at'>;

export const isLive = ({ expires_at }: Expiring, at: number) =>
  expires_at === undefined || Date.parse(expires_at) > at;

/** By these grants of one user, in any order: the nearest that has not expired decides. */
export function accessOverTime(grants: readonly PlacedGrant[]): AccessOverTime {
  const nearestFirst = grants.toSorted((one, other) => one.distance - other.distance);
  return (at) => {
    const deciding = nearestFirst.find((grant) => isLive(grant, at));
    return deciding && accessBy(deciding);
  };
}

/** Now, and every later moment at which one of these grants expires: in between nothing changes. */
export function momentsOf(now: number, ...grants: readonly (readonly Expiring[])[]): number[] {
  const ends = grants.flat().flatMap(({ expires_at }) => expires_at ?? []);
  const later = ends.map((end) => Date.parse(end)).filter((end) => end > now);
  return [...new Set([now, ...later])].sort((one, other) => one - other);
}

/**
 * What somebody can give of a cog: what they have on it and on everything below it. A grant on a
 * folder reaches all that is inside, so it is no more than the giver has on the least of that.
 *
 * @param below their grants on what lies below.
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
