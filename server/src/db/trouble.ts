/** Problems of the database itself, as shown by errors of statements. */
import { ConnectionLost } from './clients.ts';
import { sqlState } from './connection.ts';

/**
 * `away`: it does not answer, because it is stopping, starting or gone. `full`: its disk is full.
 */
export type Trouble = 'away' | 'full';

/** SQLSTATE classes 53 and 57, as far as they concern the server's own stop or start. */
const troubleOf: Record<string, Trouble> = {
  '53100': 'full',
  '57P01': 'away',
  '57P02': 'away',
  '57P03': 'away',
};

export function databaseTrouble(error: unknown): Trouble | undefined {
  const state = sqlState(error);
  if (state !== undefined) return troubleOf[state];
  return error instanceof ConnectionLost ? 'away' : undefined;
}
