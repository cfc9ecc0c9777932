/** The connection to PostgreSQL: statements as tagged templates, and transactions of them. */
import { type ClientConfig, DatabaseError, type PoolClient } from 'pg';
import { parse, toClientConfig } from 'pg-connection-string';
import { ConnectionLost, openClients } from './clients.ts';
import { type Query, type Rows, type Tag, tagFor } from './statement.ts';
import { typeParsers } from './values.ts';

/** A database or a transaction in it. `db<Row[]>`select …`` runs one statement. */
export type Db = Tag & {
  /**
   * Runs `work` in one transaction, committed when it resolves. Inside a transaction it joins
   * that one, so functions that need atomicity compose.
   */
  transaction<T>(work: (tx: Db) => Promise<T>): Promise<T>;
  /** Runs a text without parameters, which may hold several statements. */
  script(text: string): Promise<void>;
};

export type Connection = Db & {
  /**
   * Refuses what comes from now on, waits up to 5 s for what is under way, cuts off the rest, and
   * resolves when all connections are closed.
   */
  close(): Promise<void>;
};

export type ConnectTo =
  | { url: string }
  | { host: string; port: number; database: string; user: string; password: string };

/** After how many milliseconds the server ends a statement, a wait for a lock, an idle transaction. */
export type Patience = {
  statement_ms: number;
  lock_ms: number;
  idle_in_transaction_ms: number;
};

/** As many texts as a process prepares. There are a few hundred; more would be a mistake of ours. */
const mostPrepared = 2000;

/** Opens a pool; it connects when first used. `max` is the number of connections. */
export function connect(
  to: ConnectTo,
  { max = 20, patience }: { max?: number; patience?: Patience } = {},
): Connection {
  const clients = openClients(configOf(to, patience), max);

  async function send(client: PoolClient, { text, values }: Query) {
    try {
      const name = nameOf(text);
      const query = { text, values, rowMode: 'array' as const, ...(name && { name }) };
      return await client.query(query);
    } catch (error) {
      if (isOutdated(error)) names.delete(text);
      throw asOurs(error, client);
    }
  }

  async function sendScript(client: PoolClient, text: string) {
    await client.query(text).catch((error: unknown) => {
      throw asOurs(error, client);
    });
  }

  function asOurs(error: unknown, client: PoolClient) {
    if (endsConnection(error)) clients.giveUp(client, error);
    const cause = error instanceof DatabaseError ? error : clients.lossOf(client);
    if (cause === undefined) return error;
    if (!(cause instanceof DatabaseError)) {
      const { message } = cause as Error;
      return new ConnectionLost(`The connection was lost: ${message}`, { cause });
    }
    // It was made where the answer was read: this says who asked.
    Error.captureStackTrace(cause);
    return cause;
  }

  async function run(statement: Query) {
    const once = () => clients.lend((client) => send(client, statement));
    return recordsOf(
      await once().catch((error: unknown) => {
        if (isOutdated(error)) return once();
        throw error;
      }),
    );
  }

  async function transact<T>(client: PoolClient, work: (tx: Db) => Promise<T>): Promise<T> {
    let isOver = false;
    let failure: unknown;
    const inside = async <R>(step: () => Promise<R>) => {
      if (isOver) throw new Error('The transaction of this statement is over.');
      return step().catch((error: unknown) => {
        failure ??= error;
        throw error;
      });
    };
    const tx: Db = Object.assign(
      tagFor(async (statement) => recordsOf(await inside(() => send(client, statement)))),
      {
        transaction: <R>(joining: (tx: Db) => Promise<R>) => joining(tx),
        script: (text: string) => inside(() => sendScript(client, text)),
      },
    );
    await send(client, begin);
    try {
      const result = await work(tx);
      if (failure) throw failure;
      isOver = true;
      const { command } = await send(client, commit);
      // A statement that nobody waited for has failed: COMMIT rolls back then, without an error.
      if (command !== 'COMMIT') throw failure ?? new Error('The transaction was rolled back.');
      return result;
    } catch (error) {
      isOver = true;
      if (!clients.lossOf(client))
        await send(client, rollback).catch((why: unknown) => clients.giveUp(client, why));
      throw sqlState(error) === inFailedTransaction ? (failure ?? error) : error;
    }
  }

  return Object.assign(tagFor(run), {
    transaction: <T>(work: (tx: Db) => Promise<T>) =>
      clients.lend((client) => transact(client, work)),
    script: (text: string) => clients.lend((client) => sendScript(client, text)),
    close: clients.close,
  });
}

const begin: Query = { text: 'begin', values: [] };
const commit: Query = { text: 'commit', values: [] };
const rollback: Query = { text: 'rollback', values: [] };

function configOf(to: ConnectTo, patience?: Patience): ClientConfig {
  const config: ClientConfig =
    'url' in to ? toClientConfig(parse(to.url, { useLibpqCompat: true })) : to;
  const settings = {
    TimeZone: 'UTC',
    ...(patience && {
      statement_timeout: patience.statement_ms,
      lock_timeout: patience.lock_ms,
      idle_in_transaction_session_timeout: patience.idle_in_transaction_ms,
      // A statement of one tenant gets one core, not all that are left.
      max_parallel_workers_per_gather: 0,
    }),
  };
  const options = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`);
  return {
    ...config,
    // Not what PGSSLMODE says, which is about another database.
    ssl: config.ssl ?? false,
    application_name: 'cogworks',
    options: [config.options, ...options].filter(Boolean).join(' '),
    types: typeParsers,
    // Statements of one transaction may be sent before the answer to the one before them is read.
    pipeline: true,
    keepAlive: true,
    keepAliveInitialDelayMillis: 60_000,
  };
}

const names = new Map<string, string>();
let namesGiven = 0;

/** Under which a statement is prepared; undefined for one too many. */
function nameOf(text: string): string | undefined {
  const name = names.get(text);
  if (name || names.size >= mostPrepared) return name;
  namesGiven += 1;
  const fresh = `s${namesGiven}`;
  names.set(text, fresh);
  return fresh;
}

type Result = {
  rows: unknown[][];
  fields: readonly { name: string }[];
  rowCount: number | null;
};

function recordsOf({ rows, fields, rowCount }: Result): Rows<Record<string, unknown>[]> {
  const records = rows.map((values) => {
    const record: Record<string, unknown> = {};
    for (let at = 0; at < fields.length; at += 1) {
      const value = values[at];
      // biome-ignore lint/style/noNonNullAssertion: `at` is one of them.
      if (value !== null) record[fields[at]!.name] = value;
    }
    return record;
  });
  return Object.assign(records, { count: rowCount ?? 0 });
}

const inFailedTransaction = '25P02';

/** PostgreSQL's last word on a connection: shutdowns, and time-outs of a session. */
const lastWord = /^(57P0[1-5]|25P0[34])$/;

function endsConnection(error: unknown) {
  if (!(error instanceof DatabaseError)) return false;
  // The severity is in the language of the server.
  return /^(FATAL|PANIC)$/.test(error.severity ?? '') || lastWord.test(error.code ?? '');
}

/**
 * A migration changed the type of what a prepared statement answers. Query under a new name it
 * fits, on every connection.
 */
function isOutdated(error: unknown) {
  return error instanceof DatabaseError && error.routine === 'RevalidateCachedQuery';
}

/** Whether `error` is the violation of the unique or other constraint of that name. */
export function violates(error: unknown, constraint: string): boolean {
  return error instanceof DatabaseError && error.constraint === constraint;
}

/** SQLSTATE of a database error, for example `57014`, or undefined for any other error. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof DatabaseError ? error.code : undefined;
}
