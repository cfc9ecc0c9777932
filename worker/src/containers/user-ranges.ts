/**
 * User ids for containers started by root. Each gets 65,536 ids that nothing else on the machine
 * uses. So root inside is an unprivileged user outside, and a container's processes do not count
 * against another's limits, and can neither signal nor trace another's processes.
 */

/**
 * Above the ranges of systemd and useradd, and below 2³¹, where old programs would see negative
 * ids.
 */
const first = 0x7000_0000;
const size = 65_536;
const slots = 4096;

export type UserRanges = {
  /** The first id of a range that no other running container uses. */
  take(): number;
  giveBack(start: number): void;
};

/** `installation` offsets the first range, so that two workers on one machine rarely share one. */
export function userRanges(installation: string): UserRanges {
  const taken = new Set<number>();
  const offset = [...installation].reduce(
    (sum, character) => (sum * 31 + (character.codePointAt(0) ?? 0)) % slots,
    7,
  );
  let next = 0;
  return {
    take: () => {
      if (taken.size >= slots) throw new Error('More containers run than there are ranges of ids.');
      // Recently freed ranges are used last.
      let start: number;
      do {
        start = first + ((offset + next) % slots) * size;
        next += 1;
      } while (taken.has(start));
      taken.add(start);
      return start;
    },
    giveBack: (start) => {
      taken.delete(start);
    },
  };
}

export const mapping = (start: number): string[] => [
  ...['--uidmap', `0:${start}:${size}`],
  ...['--gidmap', `0:${start}:${size}`],
];
