/**
 * The connections of one process, in separate pools: user requests, the engine, and the short
 * statements on which all else depends. A slow search or a large start can exhaust only the first,
 * so leases are still renewed and readiness checks answered.
 */
import type { Logger } from 'pino';
import {
  type Connection,
  type ConnectTo,
  connect,
  connectForLookups,
  type Lookups,
  type OnSend,
  type Patience,
} from './connection.ts';
import { type Notices, openNotices } from './notices.ts';

type PoolName = 'db' | 'engineDb' | 'kernelDb' | 'quickDb';

/** `db` serves user requests; see `poolSizes` for the others. */
export type Pools = Readonly<Record<PoolName, Connection>> & {
  /**
   * Single statements that read a bounded number of rows by key, on one connection shared by all
   * requests. A statement that scans, sorts, waits for a lock or writes would delay all others.
   */
  readonly readDb: Lookups;
  /** Receives NOTIFY of this and other processes, on its own connection. */
  readonly notices: Notices;
};

/**
 * Connections per pool; with `readDb` and `notices` 23 in all. Four processes fit into the 97 that
 * PostgreSQL by default leaves to ordinary users, with room for an operator's command;
 * docs/operations.md says so.
 */
export const poolSizes = {
  /** One for every turn (limits.ts) except look-ups. Sign-in pages and storage URLs share them. */
  db: 12,
  /** Worker requests and the engine's duties. */
  engineDb: 4,
  /** The engine's rounds, one at a time; see engine/rounds/rounds.ts. */
  kernelDb: 2,
  /** Credentials, heartbeats and readiness: single statements along a primary key. */
  quickDb: 3,
} as const;

/** Time limits of statements and lock waits; http/error-handler.ts then answers 503. */
const usualPatience: Record<PoolName | 'readDb', Patience> = {
  db: { statement_ms: 20_000, lock_ms: 10_000, idle_in_transaction_ms: 30_000 },
  engineDb: { statement_ms: 60_000, lock_ms: 30_000, idle_in_transaction_ms: 60_000 },
  kernelDb: { statement_ms: 60_000, lock_ms: 10_000, idle_in_transaction_ms: 60_000 },
  quickDb: { statement_ms: 3_000, lock_ms: 2_000, idle_in_transaction_ms: 10_000 },
  // Other statements wait behind it. Readers wait only for schema changes.
  readDb: { statement_ms: 1_000, lock_ms: 250, idle_in_transaction_ms: 10_000 },
};

/** Opens all pools to one database; each connects on first use. Tests pass their own settings. */
export function openPools(
  to: ConnectTo,
  {
    sizes = poolSizes,
    patience = {},
    onSend,
    log,
  }: {
    sizes?: Record<PoolName, number>;
    patience?: Partial<typeof usualPatience>;
    onSend?: OnSend;
    log?: Logger;
  } = {},
): Pools & { close(): Promise<void> } {
  const notices = openNotices(to, { log });
  const optionsOf = (name: keyof typeof usualPatience) => ({
    patience: patience[name] ?? usualPatience[name],
    ...(onSend && { onSend }),
  });
  const open = (name: PoolName) =>
    connect(to, {
      max: sizes[name],
      onTold: notices.pass,
      alongKeys: name === 'kernelDb',
      ...optionsOf(name),
    });
  const pools = {
    db: open('db'),
    engineDb: open('engineDb'),
    kernelDb: open('kernelDb'),
    quickDb: open('quickDb'),
    readDb: connectForLookups(to, optionsOf('readDb')),
    notices,
  };
  return {
    ...pools,
    close: async () => {
      await Promise.all(Object.values(pools).map((pool) => pool.close()));
    },
  };
}
