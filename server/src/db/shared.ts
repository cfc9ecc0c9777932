/**
 * One connection for the statements of many. Who comes while others use it sends behind them and
 * does not wait for their answers, so a statement costs neither a wait for a connection nor a write
 * of its own. Only for statements that stand alone: a transaction would take in those of others.
 */
import type { PoolClient } from 'pg';
import type { Clients } from './clients.ts';

type Loan = {
  users: number;
  client: Promise<PoolClient>;
  /** The same once it is there. */
  lent?: PoolClient;
  /** When somebody had an answer, or it was lent; of `performance.now()`. */
  answeredAt: number;
  giveBack(): void;
};

/**
 * Lends the connection of `clients`, which may open one, to all at once.
 *
 * @param silent_ms a connection on which nobody gets an answer for so long is given up for a new
 *   one: a line can be dead without a word, and everybody waits on this one.
 */
export function shareOne(
  { lend, lossOf, cut }: Pick<Clients, 'lend' | 'lossOf' | 'cut'>,
  silent_ms: number,
): Clients['lend'] {
  let current: Loan | undefined;

  function borrow(): Loan {
    const { promise: client, resolve, reject } = Promise.withResolvers<PoolClient>();
    const { promise: unused, resolve: giveBack } = Promise.withResolvers<void>();
    const loan: Loan = { users: 0, client, answeredAt: 0, giveBack };
    lend(async (lent) => {
      loan.lent = lent;
      loan.answeredAt = performance.now();
      resolve(lent);
      const watch = setInterval(() => {
        if (performance.now() - loan.answeredAt < silent_ms) return;
        cut(lent, new Error(`No answer for ${silent_ms} ms.`));
      }, silent_ms / 4);
      await unused;
      clearInterval(watch);
    }).catch(reject);
    return loan;
  }

  /** One that is lost is left to those who wait for it; the next one is made when they have gone. */
  function usable(): Loan {
    const isLost = current?.lent !== undefined && lossOf(current.lent) !== undefined;
    if (!current || isLost) current = borrow();
    return current;
  }

  return async (work) => {
    const loan = usable();
    loan.users += 1;
    try {
      return await work(loan.lent ?? (await loan.client));
    } finally {
      loan.answeredAt = performance.now();
      loan.users -= 1;
      if (loan.users === 0) {
        if (current === loan) current = undefined;
        loan.giveBack();
      }
    }
  };
}
