/** The cost of a request: the statements a server sends for it, and the round trips. */
import { setImmediate as turn } from 'node:timers/promises';
import type { OnSend } from '../src/db/connection.ts';
import type { TestServer } from './server.ts';

export type Statements = {
  /** How many, including `begin` and `commit`. */
  statements: number;
  /**
   * Round trips, summed over the connections: statements sent together count as one, a statement on
   * a separate connection counts too.
   */
  round_trips: number;
  /** The statements in the order sent, with white space shortened. */
  texts: string[];
};

/**
 * Counts the statements the server sends while `work` runs. Nothing else may run meanwhile. The
 * first request of a kind may cost more (a tenant's root folder is created), so a test of a budget
 * sends one before.
 */
export async function statementsOf(
  { listeners }: Pick<TestServer, 'listeners'>,
  work: () => Promise<unknown>,
): Promise<Statements> {
  const counted: Statements = { statements: 0, round_trips: 0, texts: [] };
  const listener: OnSend = ({ text, isFirst }) => {
    counted.statements += 1;
    if (isFirst) counted.round_trips += 1;
    counted.texts.push(text.replace(/\s+/g, ' ').trim());
  };
  listeners.add(listener);
  try {
    await work();
  } finally {
    listeners.delete(listener);
  }
  return counted;
}

/** The cost of a request that was answered before, with its caller cached. */
export async function costOf(server: TestServer, ask: () => Promise<unknown>): Promise<Statements> {
  await hearAll(server);
  await ask();
  return statementsOf(server, ask);
}

/** Notices come in the order of commits: after one of ours, all earlier ones have arrived. */
async function hearAll({ services: { db, notices } }: TestServer) {
  const channel = 'heard_by_test';
  const { promise: heard, resolve } = Promise.withResolvers<void>();
  const end = notices.on(channel, () => resolve());
  while (!notices.isListening()) await turn();
  await db`select pg_notify(${channel}, '')`;
  await heard;
  end();
}
