/**
 * Limits password guesses, counted per process. A guess is counted before the password is checked,
 * so that concurrent ones do not exceed the limit; a refused guess is not counted, so that it
 * cannot use up other limits.
 *
 * Guessing must not lock users out. A device that has signed in to the account before has a
 * separate budget (OWASP: device cookies), which others cannot use up. A new device counts by its
 * address; guesses from elsewhere only reduce the budget of each address, until so many networks
 * take part that new devices have to wait.
 */
import { createHash } from 'node:crypto';
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import { addressKey } from '../../client-addresses.ts';
import { makeLane } from './lane.ts';

const window_s = 600;

/** Wrong guesses per ten minutes. */
const limits = {
  /** A device that has signed in to the account before, or a session of it. */
  device: 10,
  /** One address for one account. */
  here: 10,
  /** The same while the account is being guessed from elsewhere: allows a typing error. */
  here_when_wary: 2,
  /**
   * One network (an IPv4 /24, an IPv6 /48) for one account: attackers have many addresses in a
   * network.
   */
  network: 30,
  /** One account from all new devices: above this `here_when_wary` applies, */
  account_wary: 30,
  /** and above this new devices are refused. That takes at least ten networks. */
  account: 300,
  /** One address for all accounts; an office may share one. */
  address: 120,
};

export type Guess = {
  account: string;
  address: string;
  /** Proof that the account was signed in to from there before; see devices.ts. */
  device: string | undefined;
};

export type Throttle = {
  /** Counts a guess. @returns seconds to wait, or 0 if the guess may be made. */
  guess(guess: Guess): Promise<number>;
  /** The guess was right: neither it nor earlier wrong ones from there count. */
  forgive(guess: Guess): Promise<void>;
  /** The guess was not checked: it does not count. */
  takeBack(guess: Guess): Promise<void>;
  /**
   * Runs work that hashes a password, in a queue. New devices have a separate queue, so that a
   * flood of them does not delay others.
   *
   * @returns undefined, without running it, if the queue is too long.
   */
  inTurn<T>({ device }: Pick<Guess, 'device'>, work: () => Promise<T>): Promise<T | undefined>;
};

type Counter = [limiter: RateLimiterMemory, key: string, limit: number];

export function makeThrottle(): Throttle {
  // Limits are checked here, because one of them depends on another's count.
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

/** User input may be long, and is kept for minutes. */
const shortened = (text: string) => createHash('sha256').update(text).digest('base64url');

/** The first three of the four parts of an address as counted, in either notation. */
function networkOf(address: string): string {
  const separator = address.includes(':') ? ':' : '.';
  return address.split(separator).slice(0, 3).join(separator);
}
