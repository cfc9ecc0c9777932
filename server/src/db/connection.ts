/** The connection to PostgreSQL: statements as tagged templates, and transactions. */
import { type ClientConfig, DatabaseError, type PoolClient } from 'pg';
import { parse, toClientConfig } from 'pg-connection-string';
import { type Clients, ConnectionLost, openClients, type Usage } from './clients.ts';
import { ask, askTogether, sendGathered } from './prepared.ts';
import { shareOne } from './shared.ts';
import { type Answer, type Query, recordsOf, type Tag, tagFor } from './statement.ts';
import { makeTold, type OnTold } from './told.ts';
import {
  type How,
  type Line,
  settingsAlongKeys,
  type Transaction,
  transact,
} from './transaction.ts';

/** A database, or a transaction in it. `db<Row[]>`select …`` runs one statement. */
export type Db = Tag & {
  /**
   * Runs `work` in one transaction, committed when it resolves. Inside a transaction it joins that
   * transaction, so functions that need atomicity compose.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>, how?: How): Promise<T>;
  /** Runs SQL without parameters, which may hold several statements. */
  script(text: string): Promise<void>;
};

export type Connection = Db & {
  usage(): Usage;
  /**
   * Refuses new work, waits up to 5 s for work under way, cuts off the rest, and resolves when all
   * connections are closed.
   */
  close(): Promise<void>;
};

/** Single statements, pipelined on one connection; see `connectForLookups`. */
export type Lookups = Tag & Pick<Connection, 'close'>;

export type ConnectTo =
  | { url: string }
  | { host: string; port: number; database: string; user: string; password: string };

/**
 * The server's time limits, in milliseconds, for a statement, a lock wait and an idle transaction.
 */
export type Patience = {
  statement_ms: number;
  lock_ms: number;
  idle_in_transaction_ms: number;
};

/**
 * Receives every statement that is sent. `isFirst`: no other statement was under way on its
 * connection, so a round trip begins. Statements sent before its answer belong to that round trip.
 */
export type OnSend = (sent: { text: string; isFirst: boolean }) => void;

/**
 * Prepared statements per process. There are a few hundred; more would be a mistake in our code.
 */
const mostPrepared = 2000;

type Options = {
  patience?: Patience;
  /** Applies `How.alongKeys` to all statements. */
  alongKeys?: boolean;
  onSend?: OnSend;
};

/** Opens a pool; it connects on first use. `max` is the number of connections. */
export function connect(
  to: ConnectTo,
  { max = 20, onTold, ...options }: Options & { max?: number; onTold?: OnTold } = {},
): Connection {
  const told = makeTold(onTold);
  const clients = openClients(configOf(to, options), { max, onMessage: told.note });
  const { send, sendTogether, sendScript } = speakOn(clients, options);

  const lineOf = (client: PoolClient): Line => ({
    send: (query) => sendTogether(client, query),
    sendScript: (text) => sendScript(client, text),
    isLost: () => clients.lossOf(client) !== undefined,
    giveUp: (why) => clients.giveUp(client, why),
    committed: () => told.passOn(client),
    rolledBack: () => told.drop(client),
  });
  const sendAndTell = async (client: PoolClient, query: Query) => {
    const answer = await send(client, query);
    told.passOn(client);
    return answer;
  };

  return Object.assign(tagFor(alone(clients.lend, sendAndTell)), {
    transaction: <T>(work: (tx: Transaction) => Promise<T>, how: How = {}) => {
      const once = () => clients.lend((client) => transact(lineOf(client), work, how));
      return how.isRepeatable ? repeatedAfterDeadlock(once) : once();
    },
    script: (text: string) => clients.lend((client) => sendScript(client, text)),
    close: clients.close,
    usage: clients.usage,
  });
}

/** The other transaction has what it needs by then, so that a second time is nearly always enough. */
const mostTimes = 3;

async function repeatedAfterDeadlock<T>(once: () => Promise<T>): Promise<T> {
  for (let times = 1; ; times += 1) {
    try {
      return await once();
    } catch (error) {
      if (!canBeRepeated(error) || times === mostTimes) throw error;
    }
  }
}

/**
 * Opens one connection that all callers share. Statements are pipelined: each is sent without
 * waiting for the answers before it. PostgreSQL runs them in order, so a slow one delays all behind
 * it. Use it only for single statements that read a bounded number of rows by key.
 */
export function connectForLookups(
  to: ConnectTo,
  { silent_ms = 5000, ...options }: Options & { silent_ms?: number } = {},
): Lookups {
  const clients = openClients(configOf(to, { ...options, alongKeys: true }), {
    max: 1,
    gathers: 'requests',
  });
  const { send } = speakOn(clients, options);
  return Object.assign(tagFor(alone(shareOne(clients, silent_ms), send)), { close: clients.close });
}

/** Sends statements on the connections of these clients, and translates errors. */
function speakOn(clients: Clients, { onSend }: Pick<Options, 'onSend'>) {
  const watch = onSend
    ? watcher(onSend)
    : <T>(_: unknown, __: string, ask: () => Promise<T>) => ask();

  const sendBy =
    (put: typeof ask) =>
    async (client: PoolClient, { text, values }: Query) => {
      try {
        const name = nameOf(text);
        return await watch(client, text, () => put(client, { text, values, name }));
      } catch (error) {
        if (isOutdated(error)) names.delete(text);
        throw asOurs(error, client);
      }
    };

  async function sendScript(client: PoolClient, text: string) {
    sendGathered(client);
    await watch(client, text, () => client.query(text)).catch((error: unknown) => {
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
    // The error was created where the answer was read; this stack shows the caller.
    Error.captureStackTrace(cause);
    return cause;
  }

  return { send: sendBy(ask), sendTogether: sendBy(askTogether), sendScript };
}

/** Runs single statements, each on a borrowed connection. */
function alone(
  lend: Clients['lend'],
  send: (client: PoolClient, statement: Query) => Promise<Answer>,
) {
  return async (statement: Query) => {
    const once = () => lend((client) => send(client, statement));
    return recordsOf(
      await once().catch((error: unknown) => {
        if (isOutdated(error)) return once();
        throw error;
      }),
    );
  };
}

/** Counts statements under way on each connection, for `onSend`. */
function watcher(onSend: OnSend) {
  const underWay = new WeakMap<object, number>();
  const add = (client: object, difference: number) => {
    const before = underWay.get(client) ?? 0;
    underWay.set(client, before + difference);
    return before;
  };
  return async <T>(client: object, text: string, ask: () => Promise<T>): Promise<T> => {
    onSend({ text, isFirst: add(client, 1) === 0 });
    try {
      return await ask();
    } finally {
      add(client, -1);
    }
  };
}

/** The driver's configuration. `alongKeys` applies `How.alongKeys` to all statements. */
export function configOf(
  to: ConnectTo,
  { patience, alongKeys = false }: { patience?: Patience; alongKeys?: boolean } = {},
): ClientConfig {
  const config: ClientConfig =
    'url' in to ? toClientConfig(parse(to.url, { useLibpqCompat: true })) : to;
  const settings = {
    TimeZone: 'UTC',
    // The function `tell` notifies its own session at this level.
    client_min_messages: 'notice',
    ...(patience && {
      statement_timeout: patience.statement_ms,
      lock_timeout: patience.lock_ms,
      idle_in_transaction_session_timeout: patience.idle_in_transaction_ms,
      // A statement of one tenant gets one core, not all idle ones.
      max_parallel_workers_per_gather: 0,
      // JIT compilation takes longer than any of our statements should.
      jit: 'off',
    }),
    ...(alongKeys && settingsAlongKeys),
  };
  const options = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`);
  return {
    ...config,
    // Ignores PGSSLMODE, which may be meant for another database.
    ssl: config.ssl ?? false,
    application_name: 'cogworks',
    options: [config.options, ...options].filter(Boolean).join(' '),
    // Lets statements of a transaction be sent before earlier answers have been read.
    pipeline: true,
    keepAlive: true,
    keepAliveInitialDelayMillis: 60_000,
  };
}

const names = new Map<string, string>();
let namesGiven = 0;

/** The name under which a statement is prepared; undefined above the limit. */
function nameOf(text: string): string | undefined {
  const name = names.get(text);
  if (name || names.size >= mostPrepared) return name;
  namesGiven += 1;
  const fresh = `s${namesGiven}`;
  names.set(text, fresh);
  return fresh;
}

/** SQLSTATEs that end a connection: shutdowns and session time-outs. */
const lastWord = /^(57P0[1-5]|25P0[34])$/;

function endsConnection(error: unknown) {
  if (!(error instanceof DatabaseError)) return false;
  // The severity is localized, so the code is checked too.
  return /^(FATAL|PANIC)$/.test(error.severity ?? '') || lastWord.test(error.code ?? '');
}

/**
 * A migration changed the result type of a prepared statement. Preparing it under a new name works
 * on every connection.
 */
function isOutdated(error: unknown) {
  return error instanceof DatabaseError && error.routine === 'RevalidateCachedQuery';
}

/** Whether `error` violates the constraint of that name. */
export function violates(error: unknown, constraint: string): boolean {
  return error instanceof DatabaseError && error.constraint === constraint;
}

/** SQLSTATE of a database error, for example `57014`, or undefined for any other error. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof DatabaseError ? error.code : undefined;
}

/**
 * Whether PostgreSQL ended a transaction for another one's sake, by a deadlock or because they could
 * not have come one after the other: it can be done again.
 */
export const canBeRepeated = (error: unknown): boolean =>
  ['40P01', '40001'].includes(sqlState(error) ?? '');
