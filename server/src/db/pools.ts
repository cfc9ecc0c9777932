/**
 * The connections of one process, in pools that cannot take from each other: what people ask for,
 * what keeps runs going, and the short statements on which all else depends. A slow search or a
 * large start fills the first one at most, so leases are renewed and readiness is told meanwhile.
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

/** `db` is what people ask for; see `poolSizes` for the others. */
export type Pools = Readonly<Record<PoolName, Connection>> & {
  /**
   * Single statements that read a bounded number of rows by their keys, on one connection that all
   * requests share: one that scans, sorts, waits for a lock or writes would hold up all others.
   */
  readonly readDb: Lookups;
  /** What other processes and this one tell by NOTIFY, on a connection of its own. */
  readonly notices: Notices;
};

/**
 * Connections per pool, with those of `readDb` and `notices` 23 in all. Four processes fit the 97
 * that PostgreSQL gives to others than its superuser by default, with room for an operator's
 * command; docs/operations.md says so.
 */
export const poolSizes = {
  /** One for every turn (limits.ts) but look-ups. Sign-in pages and storage URLs come between. */
  db: 12,
  /** The protocol of workers and the engine's clockwork. */
  engineDb: 4,
  /** The rounds of the engine, one at a time; see engine/rounds/rounds.ts. */
  kernelDb: 2,
  /** Credentials, heartbeats and readiness: single statements along a primary key. */
  quickDb: 3,
} as const;

/** How long a statement may take, and a lock be waited for; http/error-handler.ts answers 503 then. */
const usualPatience: Record<PoolName | 'readDb', Patience> = {
  db: { statement_ms: 20_000, lock_ms: 10_000, idle_in_transaction_ms: 30_000 },
  engineDb: { statement_ms: 60_000, lock_ms: 30_000, idle_in_transaction_ms: 60_000 },
  kernelDb: { statement_ms: 60_000, lock_ms: 10_000, idle_in_transaction_ms: 60_000 },
  quickDb: { statement_ms: 3_000, lock_ms: 2_000, idle_in_transaction_ms: 10_000 },
  // Others wait behind it. Readers wait only for whoever changes a table.
  readDb: { statement_ms: 1_000, lock_ms: 250, idle_in_transaction_ms: 10_000 },
};

/** Opens all pools to one database; each connects when first used. Tests have settings of theirs. */
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
