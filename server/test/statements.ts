/** What a request costs: the statements a server sends while it is answered, and the waits for them. */
import { setImmediate as turn } from 'node:timers/promises';
import type { OnSend } from '../src/db/connection.ts';
import type { TestServer } from './server.ts';

export type Statements = {
  /** How many, `begin` and `commit` among them. */
  statements: number;
  /**
   * How often something had to be awaited before the next statement was sent, summed over the
   * connections: statements sent together cost one, a statement on a connection of its own too.
   */
  round_trips: number;
  /** The statements themselves, in the order they were sent, white space shortened. */
  texts: string[];
};

/**
 * Counts what the server sends to its database while `work` runs. Nothing else may run on it
 * meanwhile. The first request of a kind may cost more (a tenant's root folder is made), so a test
 * of a budget sends one before.
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

/** What a request costs when the same was answered before, and nobody who asks has changed since. */
export async function costOf(server: TestServer, ask: () => Promise<unknown>): Promise<Statements> {
  await hearAll(server);
  await ask();
  return statementsOf(server, ask);
}

/** Notices come in the order of commits: with one of ours, those of all before have come. */
async function hearAll({ services: { db, notices } }: TestServer) {
  const channel = 'heard_by_test';
  const { promise: heard, resolve } = Promise.withResolvers<void>();
  const end = notices.on(channel, () => resolve());
  while (!notices.isListening()) await turn();
  await db`select pg_notify(${channel}, '')`;
  await heard;
  end();
}
