/**
 * One connection shared by many callers. Statements are pipelined: a caller does not wait for the
 * answers to earlier ones, so a statement costs neither a wait for a connection nor a write of its
 * own. Only for single statements: a transaction would include those of other callers.
 */
import type { PoolClient } from 'pg';
import type { Clients } from './clients.ts';

type Loan = {
  users: number;
  client: Promise<PoolClient>;
  /** The client, once connected. */
  lent?: PoolClient;
  /** When the last answer arrived, or when it was lent; of `performance.now()`. */
  answeredAt: number;
  giveBack(): void;
};

/**
 * Lends the single connection of `clients` to all callers at once.
 *
 * @param silent_ms a connection without an answer for this long is replaced: it can be dead without
 * an error, and every caller waits for it.
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

  /** A lost connection keeps its current callers; the next is opened when they have finished. */
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
