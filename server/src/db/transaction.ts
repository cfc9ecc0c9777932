/** One transaction on one connection: its statements, its end, and its failures. */
import { DatabaseError } from 'pg';
import { type Answer, type Query, recordsOf, type Tag, tagFor } from './statement.ts';

export type Transaction = Tag & {
  /** Joins this transaction. */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  script(text: string): Promise<void>;
  /** Does this, which must not fail, once it has been committed; never if it is not. */
  afterCommit(work: () => void): void;
  /**
   * Commits, with these as the last statements, all sent in one round trip. They are statements, or
   * functions that return one and may refuse before sending it; nothing may follow. Inside a joined
   * transaction they are only sent together.
   */
  commit<T extends readonly unknown[] | []>(
    last: T,
  ): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }>;
};

export type How = {
  /**
   * Sends BEGIN with the first statements, which saves a round trip. They may only read or lock: if
   * BEGIN itself fails, they run without a transaction.
   */
  readsFirst?: boolean;
  /**
   * Its statements follow keys. They get generic plans, made once per connection, that use indexes
   * even if a young table looks small, and of two indexes the one in the order that is wanted.
   * Planning took most of their time.
   */
  alongKeys?: boolean;
  /**
   * Whether `work` may run again from the start, because PostgreSQL has ended the transaction in
   * favour of another one: each waited for what the other had locked. It must have no effects
   * outside of the database. Only the outermost transaction can be repeated: one that joins it is
   * repeated with it, or not at all.
   */
  isRepeatable?: boolean;
};

/** A connection in exclusive use by a transaction. */
export type Line = {
  send(query: Query): Promise<Answer>;
  sendScript(text: string): Promise<void>;
  /** Whether the connection is lost. */
  isLost(): boolean;
  giveUp(why: unknown): void;
  committed(): void;
  rolledBack(): void;
};

/** Runs `work` in a transaction, committed when it resolves unless it has committed itself. */
export async function transact<T>(
  line: Line,
  work: (tx: Transaction) => Promise<T>,
  { readsFirst = false, alongKeys = false }: How = {},
): Promise<T> {
  let isOver = false;
  let failure: unknown;
  const afterwards: (() => void)[] = [];
  const noting = <R>(step: Promise<R>) =>
    step.catch((error: unknown) => {
      failure ??= error;
      throw error;
    });
  const inside = async <R>(step: () => Promise<R>) => {
    if (isOver) throw new Error('The transaction of this statement is over.');
    return noting(step());
  };
  const commitIt = async () => {
    isOver = true;
    const { command } = await line.send(commit);
    // A statement that was not awaited has failed: COMMIT then rolls back without an error.
    if (command !== 'COMMIT') throw failure ?? new Error('The transaction was rolled back.');
    line.committed();
    for (const work of afterwards) work();
  };
  const end = () => noting(commitIt());
  const endingBy = (finish: Transaction['commit']): Transaction =>
    Object.assign(
      tagFor(async (query) => recordsOf(await inside(() => line.send(query)))),
      {
        transaction: <R>(joining: (tx: Transaction) => Promise<R>) => joining(joined),
        script: (text: string) => inside(() => line.sendScript(text)),
        afterCommit: (work: () => void) => void afterwards.push(work),
        commit: finish,
      },
    );
  const joined = endingBy(together);
  const tx = endingBy(async (last) => {
    const results = noting(together(last));
    results.catch(() => {});
    // By then the statements have been sent, or refused.
    await allSent();
    if (failure) throw failure;
    const [, ended] = await Promise.allSettled([results, end()]);
    if (ended.status === 'rejected') throw failure ?? ended.reason;
    return results;
  });

  const begun = noting<unknown>(alongKeys ? line.sendScript(beginAlongKeys) : line.send(begin));
  // Statements sent after it fail as well, and are awaited.
  begun.catch(() => {});
  try {
    if (!readsFirst) await begun;
    const result = await work(tx);
    if (failure) throw failure;
    if (!isOver) await end();
    return result;
  } catch (error) {
    isOver = true;
    line.rolledBack();
    if (!line.isLost()) await line.send(rollback).catch((why: unknown) => line.giveUp(why));
    throw isInFailedTransaction(error) ? (failure ?? error) : error;
  }
}

const together = <T extends readonly unknown[]>(last: T) => Promise.all(last);

/** Resolves when earlier calls have sent everything that needs no answer of the database. */
async function allSent() {
  // Runs as a microtask from here on: the next tick comes when the microtask queue is empty.
  await undefined;
  await new Promise<void>((resolve) => process.nextTick(resolve));
}

const begin: Query = { text: 'begin', values: [] };

/** See `How.alongKeys`. */
export const settingsAlongKeys = {
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  enable_sort: 'off',
};
const beginAlongKeys = [
  'begin',
  ...Object.entries(settingsAlongKeys).map(([name, value]) => `set local ${name} = ${value}`),
].join('; ');
const commit: Query = { text: 'commit', values: [] };
const rollback: Query = { text: 'rollback', values: [] };

const isInFailedTransaction = (error: unknown) =>
  // 26000: the text of a statement was skipped with those before it.
  error instanceof DatabaseError && (error.code === '25P02' || error.code === '26000');
