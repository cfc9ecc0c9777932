/** Two calls at once, in an order that a lock of the database decides. */
import type { Db } from '../src/db/connection.ts';
import type { Transaction } from '../src/db/transaction.ts';
import { until } from './until.ts';

/**
 * Starts `late` while `hold` has locked something that it needs, runs `meanwhile` once it waits, and
 * lets it go on.
 *
 * @param waiting how many statements of it wait.
 * @param keeps whether what `hold` has changed is committed; else it is undone.
 */
export async function heldUp<T>(
  db: Db,
  hold: (tx: Transaction) => Promise<unknown>,
  late: () => Promise<T>,
  meanwhile: () => Promise<unknown> = async () => {},
  { waiting = 1, keeps = false } = {},
): Promise<T> {
  const undo = new Error('held long enough');
  let result: Promise<T> | undefined;
  await db
    .transaction(async (tx) => {
      await hold(tx);
      result = late();
      result.catch(() => {});
      await until('it waits', async () => (await waitingFor(db)) >= waiting);
      await meanwhile();
      if (!keeps) throw undo;
    })
    .catch((error: unknown) => {
      if (error !== undo) throw error;
    });
  return result as Promise<T>;
}

/** Resolves when `call` has ended, or that many statements wait for locks. */
export async function endedOrWaiting(db: Db, call: Promise<unknown>, waiting: number) {
  let hasEnded = false;
  const end = () => {
    hasEnded = true;
  };
  call.then(end, end);
  await until('it ends or waits', async () => hasEnded || (await waitingFor(db)) >= waiting);
}

/** How many statements wait for a lock. Nothing else uses the database of a test file. */
export async function waitingFor(db: Db): Promise<number> {
  const [row] = await db<{ count: number }[]>`
    select count(*) from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'
  `;
  return row?.count ?? 0;
}
