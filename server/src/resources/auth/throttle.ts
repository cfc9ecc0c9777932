/**
 * Brakes on guessing passwords, counted in this process. A guess is counted before the
 * password is looked at, so that many at once do not slip through together.
 */
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { addressKey } from '../../http/rate-limits.ts';

const window_s = 600;

/** Wrong guesses in ten minutes. */
const limits = {
  /** Somebody at their own desk. */
  here: 10,
  /** One account from everywhere; high, so that a stranger cannot easily lock somebody out. */
  account: 60,
  /** One address for all accounts; an office has one for all its people. */
  address: 120,
};

export type Throttle = {
  /** Counts a guess. @returns seconds to wait, 0 when the guess may be made. */
  guess(account: string, address: string): Promise<number>;
  /** The guess was right: it does not count. */
  forgive(account: string, address: string): Promise<void>;
};

export function makeThrottle(): Throttle {
  const here = new RateLimiterMemory({ points: limits.here, duration: window_s });
  const account = new RateLimiterMemory({ points: limits.account, duration: window_s });
  const address = new RateLimiterMemory({ points: limits.address, duration: window_s });
  const counters = (name: string, ip: string) => {
    const who = name.trim().toLowerCase();
    const where = addressKey(ip);
    return [
      [here, `${where}|${who}`],
      [account, who],
      [address, where],
    ] as const;
  };

  return {
    guess: async (name, ip) => {
      const waits = await Promise.all(
        counters(name, ip).map(([limiter, key]) =>
          limiter.consume(key).then(
            () => 0,
            (refused: unknown) => {
              if (refused instanceof RateLimiterRes) return Math.ceil(refused.msBeforeNext / 1000);
              throw refused;
            },
          ),
        ),
      );
      return Math.max(...waits);
    },
    forgive: async (name, ip) => {
      const [[own, key], ...shared] = counters(name, ip);
      await own.delete(key);
      await Promise.all(shared.map(([limiter, sharedKey]) => limiter.reward(sharedKey)));
    },
  };
}
