/**
 * What one tenant, user or client may take of a process at once, so that the others do not notice.
 * Tests have limits of their own; docs/operations.md explains these.
 */
import type { TurnLimits } from './turns.ts';

/** `usual`: a few statements. `search`: reads much. `start`: a run's start writes much. */
export type TurnKind = 'usual' | 'search' | 'start';

export type Limits = Readonly<{
  /** Together as many as the pool of people has connections (db/pools.ts). */
  turns: Readonly<Record<TurnKind, TurnLimits>>;
  /** How long a request waits for an earlier one with its Idempotency-Key, before 503. */
  same_key_wait_ms: number;
}>;

export const usualLimits: Limits = {
  turns: {
    usual: { slots: 8, per_tenant: 5, per_user: 4, waiting_per_user: 100, wait_ms: 20_000 },
    search: { slots: 3, per_tenant: 2, per_user: 1, waiting_per_user: 30, wait_ms: 20_000 },
    start: { slots: 2, per_tenant: 1, per_user: 1, waiting_per_user: 30, wait_ms: 60_000 },
  },
  same_key_wait_ms: 60_000,
};
