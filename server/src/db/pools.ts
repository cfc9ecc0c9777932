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
  type OnSend,
  type Patience,
} from './connection.ts';
import { type Notices, openNotices } from './notices.ts';

type PoolName = 'db' | 'engineDb' | 'quickDb';

/** `db` is what people ask for; see `poolSizes` for the others. */
export type Pools = Readonly<Record<PoolName, Connection>> & {
  /** What other processes and this one tell by NOTIFY, on a connection of its own. */
  readonly notices: Notices;
};

/**
 * Connections per pool, with the one of `notices` 23 in all. Four processes fit the 97 that PostgreSQL gives to others than
 * its superuser by default, with room for an operator's command; docs/operations.md says so.
 */
export const poolSizes = {
  /** One for every turn (limits.ts). Sign-in pages and storage URLs come between. */
  db: 13,
  /** The protocol of workers (acquire, reports) and the engine's clockwork. */
  engineDb: 6,
  /** Credentials, heartbeats and readiness: single statements along a primary key. */
  quickDb: 3,
} as const;

/** How long a statement may take, and a lock be waited for; http/error-handler.ts answers 503 then. */
const usualPatience: Record<PoolName, Patience> = {
  db: { statement_ms: 20_000, lock_ms: 10_000, idle_in_transaction_ms: 30_000 },
  engineDb: { statement_ms: 60_000, lock_ms: 30_000, idle_in_transaction_ms: 60_000 },
  quickDb: { statement_ms: 3_000, lock_ms: 2_000, idle_in_transaction_ms: 10_000 },
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
    patience?: Partial<Record<PoolName, Patience>>;
    onSend?: OnSend;
    log?: Logger;
  } = {},
): Pools & { close(): Promise<void> } {
  const notices = openNotices(to, { log });
  const open = (name: PoolName) =>
    connect(to, {
      max: sizes[name],
      patience: patience[name] ?? usualPatience[name],
      onTold: notices.pass,
      ...(onSend && { onSend }),
    });
  const pools = {
    db: open('db'),
    engineDb: open('engineDb'),
    quickDb: open('quickDb'),
    notices,
  };
  return {
    ...pools,
    close: async () => {
      await Promise.all(Object.values(pools).map((pool) => pool.close()));
    },
  };
}
