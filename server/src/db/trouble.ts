/** What ails the database itself, as the errors of statements tell it. */
import { sqlState } from './connection.ts';

/** `away`: it does not answer, because it is ending, starting or gone. `full`: its disk is. */
export type Trouble = 'away' | 'full';

/** SQLSTATE classes 53 and 57, as far as they are the server's own end or start. */
const troubleOf: Record<string, Trouble> = {
  '53100': 'full',
  '57P01': 'away',
  '57P02': 'away',
  '57P03': 'away',
};

/** What postgres.js says of a connection that ended, or never came to be. */
const lostConnection =
  /^(CONNECTION_(CLOSED|ENDED|DESTROYED)|CONNECT_TIMEOUT|ECONNRESET|ECONNREFUSED|EPIPE)$/;

export function databaseTrouble(error: unknown): Trouble | undefined {
  const state = sqlState(error);
  if (state !== undefined) return troubleOf[state];
  if (!(error instanceof Error)) return undefined;
  const { code = '', syscall } = error as NodeJS.ErrnoException;
  // The socket of the embedded database is a file: without the server there is none.
  if (syscall === 'connect') return 'away';
  return lostConnection.test(code) ? 'away' : undefined;
}
