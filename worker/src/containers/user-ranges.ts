/**
 * User ids for containers started by root. Each gets 65,536 of its own that nobody else on the machine
 * has. So root inside is nobody outside, a container's processes do not count against the limits of
 * another, and can neither signal nor trace the processes of another.
 */

/** Above the ranges of systemd and useradd, and below 2³¹, from where old programs read negative ids. */
const first = 0x7000_0000;
const size = 65_536;
const slots = 4096;

export type UserRanges = {
  /** The first id of a range that no other running container has. */
  take(): number;
  giveBack(start: number): void;
};

/** `installation` moves the first range, so that two workers on one machine rarely share one. */
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
      // A range that has just become free is used last.
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
