/**
 * Brakes on guessing passwords, counted in this process. A guess is counted before the password
 * is looked at, so that many at once do not slip through together; one that is refused counts for
 * nothing, so that knocking at a closed door closes no other.
 *
 * Guessing must not lock anybody out. A device that has signed in to the account before has a
 * budget of its own (OWASP: device cookies), which nobody else can use up. A new device counts
 * with its address; what comes from everywhere only makes each address' budget smaller, until so
 * many networks take part that new devices have to wait.
 */
import { createHash } from 'node:crypto';
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import { addressKey } from '../../client-addresses.ts';
import { makeLane } from './lane.ts';

const window_s = 600;

/** Wrong guesses in ten minutes. */
const limits = {
  /** A device that has signed in to the account before, or a session of it. */
  device: 10,
  /** One address for one account. */
  here: 10,
  /** The same while the account is being guessed at from elsewhere: room for a slip. */
  here_when_wary: 2,
  /** One network (an IPv4 /24, an IPv6 /48) for one account: addresses there come by the dozen. */
  network: 30,
  /** One account from all new devices: from here on wary, */
  account_wary: 30,
  /** and from here on closed to them. It takes ten networks and more to get there. */
  account: 300,
  /** One address for all accounts; an office has one for all its people. */
  address: 120,
};

export type Guess = {
  account: string;
  address: string;
  /** What proves that the account was signed in to from there before; see devices.ts. */
  device: string | undefined;
};

export type Throttle = {
  /** Counts a guess. @returns seconds to wait, 0 when the guess may be made. */
  guess(guess: Guess): Promise<number>;
  /** The guess was right: it does not count, and neither do the wrong ones from there. */
  forgive(guess: Guess): Promise<void>;
  /** The guess was not looked at: it does not count. */
  takeBack(guess: Guess): Promise<void>;
  /**
   * Does work that hashes a password, in turn. New devices have a line of their own, so that a
   * flood of them keeps nobody else waiting.
   *
   * @returns undefined, and does nothing, when the line is too long.
   */
  inTurn<T>({ device }: Pick<Guess, 'device'>, work: () => Promise<T>): Promise<T | undefined>;
};

type Counter = [limiter: RateLimiterMemory, key: string, limit: number];

export function makeThrottle(): Throttle {
  // Limits are looked at here, because one of them depends on another's count.
  const counter = () =>
    new RateLimiterMemory({ points: Number.MAX_SAFE_INTEGER, duration: window_s });
  const counted = {
    device: counter(),
    here: counter(),
    network: counter(),
    account: counter(),
    address: counter(),
  };
  const lanes = { known: makeLane(), new: makeLane() };

  /** The narrowest first. */
  const countersOf = async ({ account, address, device }: Guess): Promise<Counter[]> => {
    const who = shortened(account.trim().toLowerCase());
    if (device !== undefined)
      return [[counted.device, shortened(`${who}|${device}`), limits.device]];
    const where = addressKey(address);
    const soFar = (await counted.account.get(who))?.consumedPoints ?? 0;
    const isWary = soFar >= limits.account_wary;
    return [
      [counted.here, `${where}|${who}`, isWary ? limits.here_when_wary : limits.here],
      [counted.network, `${networkOf(where)}|${who}`, limits.network],
      [counted.account, who, limits.account],
      [counted.address, where, limits.address],
    ];
  };

  const takeBack = async (counters: Counter[]) => {
    await Promise.all(counters.map(([limiter, key]) => limiter.reward(key)));
  };

  return {
    guess: async (guess) => {
      const counters = await countersOf(guess);
      const counts = await Promise.all(counters.map(([limiter, key]) => limiter.penalty(key)));
      const waits = counts.map((count, index) => waitOf(count, counters[index]?.[2] ?? 0));
      const wait_s = Math.max(...waits);
      if (wait_s > 0) await takeBack(counters);
      return wait_s;
    },
    forgive: async (guess) => {
      const [own, ...shared] = await countersOf(guess);
      if (own) await own[0].delete(own[1]);
      await takeBack(shared);
    },
    takeBack: async (guess) => takeBack(await countersOf(guess)),
    inTurn: ({ device }, work) => lanes[device === undefined ? 'new' : 'known'](work),
  };
}

const waitOf = ({ consumedPoints, msBeforeNext }: RateLimiterRes, limit: number) =>
  consumedPoints > limit ? Math.max(1, Math.ceil(msBeforeNext / 1000)) : 0;

/** What somebody typed may be long, and is kept for minutes. */
const shortened = (text: string) => createHash('sha256').update(text).digest('base64url');

/** Of an address as it is counted: the first three of four parts, in either notation. */
function networkOf(address: string): string {
  const separator = address.includes(':') ? ':' : '.';
  return address.split(separator).slice(0, 3).join(separator);
}
