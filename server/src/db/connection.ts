/**
 * The connection to PostgreSQL: SQL written as tagged templates (postgres.js), with the three
 * conversions that let a row be the record that clients see, without a mapper between them:
 * int8 is a safe number, a timestamp its ISO 8601 text, and a column without a value is left out.
 */
import postgres from 'postgres';

type Types = { bigint: number };

/** A database or a transaction in it. `db<Row[]>`select …`` runs one statement. */
export type Db = postgres.ISql<Types> & {
  /**
   * Runs `work` in one transaction, committed when it resolves. Inside a transaction it joins
   * that one, so functions that need atomicity compose.
   */
  transaction<T>(work: (tx: Db) => Promise<T>): Promise<T>;
};

export type Connection = Db & { close(): Promise<void> };

export type ConnectTo =
  | { url: string }
  | { host: string; port: number; database: string; user: string; password: string };

/** After how many milliseconds the server ends a statement, a wait for a lock, an idle transaction. */
export type Patience = {
  statement_ms: number;
  lock_ms: number;
  idle_in_transaction_ms: number;
};

/** Opens a pool; it connects when first used. `max` is the number of connections. */
export function connect(
  to: ConnectTo,
  { max = 20, patience }: { max?: number; patience?: Patience } = {},
): Connection {
  const options: postgres.Options<{ bigint: postgres.PostgresType<number> }> = {
    max,
    // Idle connections cost the server memory; a burst opens them again in a millisecond.
    idle_timeout: 60,
    connect_timeout: 10,
    // The driver's own pause grows to 20 s and counts the failures of all connections together: a
    // database that was away for a second would be back for us half a minute later.
    backoff: reconnectPause,
    onnotice: () => {},
    types: {
      bigint: { to: 20, from: [20], parse: safeInteger, serialize: String },
      date: {
        to: 1184,
        from: [1082, 1114, 1184],
        // In UTC: the database takes no offset of 16 hours, though RFC 3339 has them up to 23:59.
        serialize: (value: Date | string) => new Date(value).toISOString(),
        parse: (text: string) => new Date(text).toISOString(),
      },
    } as postgres.Options<{ bigint: postgres.PostgresType<number> }>['types'] & object,
    transform: { row: { from: withoutNulls } },
    connection: {
      application_name: 'cogworks',
      TimeZone: 'UTC',
      ...(patience && limits(patience)),
    },
  };
  const sql = 'url' in to ? postgres(to.url, options) : postgres({ ...options, ...to });

  return Object.assign(sql as unknown as postgres.ISql<Types>, {
    transaction: <T>(work: (tx: Db) => Promise<T>) =>
      sql.begin((tx) => work(asDb(tx as unknown as postgres.ISql<Types>))) as Promise<T>,
    close: () => sql.end({ timeout: 5 }),
  });
}

/** Seconds before the next try, after so many that failed. */
const reconnectPause = (tries: number) => Math.min(1, 0.05 * tries);

const limits = ({ statement_ms, lock_ms, idle_in_transaction_ms }: Patience) => ({
  statement_timeout: statement_ms,
  lock_timeout: lock_ms,
  idle_in_transaction_session_timeout: idle_in_transaction_ms,
  // A statement of one tenant gets one core, not all that are left.
  max_parallel_workers_per_gather: 0,
});

function asDb(tx: postgres.ISql<Types>): Db {
  const db: Db = Object.assign(tx, {
    transaction: <T>(work: (tx: Db) => Promise<T>) => work(db),
  });
  return db;
}

function safeInteger(text: string) {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new Error(`bigint ${text} is beyond what a number holds`);
  return value;
}

function withoutNulls(row: Record<string, unknown>) {
  for (const column in row) if (row[column] === null) delete row[column];
  return row;
}

/** Whether `error` is the violation of the unique or other constraint of that name. */
export function violates(error: unknown, constraint: string): boolean {
  return error instanceof postgres.PostgresError && error.constraint_name === constraint;
}

/** SQLSTATE of a database error, for example `57014`, or undefined for any other error. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof postgres.PostgresError ? error.code : undefined;
}
