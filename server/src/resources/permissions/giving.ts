/** Whether a user may replace a grant, or none, by another: a pure function. */
import { type AccessOverTime, accessOverTime, isLive, isWithin, momentsOf } from './over-time.ts';
import { accessBy, covers, type PlacedGrant } from './rules.ts';

/** A change of one user's grant on one cog. */
export type GrantChange = {
  /** What the giver has on the cog itself. */
  held: AccessOverTime;
  /** What the giver can give: see `givingOverTime`. */
  giving: AccessOverTime;
  /** The times at which the giver's access changes. */
  moments: readonly number[];
  /** The user's grants on the way up to the root; the one on the cog has distance 0. */
  before: readonly PlacedGrant[];
  /** The replacement for the grant on the cog; undefined: none. */
  wanted?: PlacedGrant | undefined;
  now: number;
};

/** `more`: more than the giver has. A time: from then on the giver can no longer give as much. */
export type GrantFault = 'more' | { until: number };

/**
 * Compares what the user may do before and after, at every future moment. A grant can lower access
 * as well as raise it, and what it hides returns when it expires. Nobody may give, change or take
 * more than they have, and no grant may outlast the giver's own access.
 */
export function grantFault(change: GrantChange): GrantFault | undefined {
  const { held, giving, before, wanted, now } = change;
  const onCog = before.find((grant) => grant.distance === 0 && isLive(grant, now));
  const others = before.filter((grant) => grant.distance > 0);
  const after = wanted ? [...others, wanted] : others;
  const [was, becomes] = [accessOverTime(before), accessOverTime(after)];
  if (!isWithin(was(now), held(now)) || !isWithin(becomes(now), giving(now))) return 'more';

  const moments = [...momentsOf(now, before, after), ...change.moments];
  if (wanted && !(onCog && isNoMoreThan(wanted, onCog))) {
    const given = accessBy(wanted);
    const ends = moments.filter((at) => isLive(wanted, at) && !isWithin(given, giving(at)));
    if (ends.length > 0) return { until: Math.min(...ends) };
  }
  const isLawful = (at: number) =>
    isWithin(becomes(at), giving(at)) || isWithin(becomes(at), was(at));
  return moments.every(isLawful) ? undefined : 'more';
}

/** A lesser grant for no longer time gives nothing, whoever makes it. */
function isNoMoreThan(wanted: PlacedGrant, present: PlacedGrant): boolean {
  const end = ({ expires_at }: PlacedGrant) =>
    expires_at === undefined ? Number.POSITIVE_INFINITY : Date.parse(expires_at);
  return covers(accessBy(present), accessBy(wanted)) && end(wanted) <= end(present);
}
