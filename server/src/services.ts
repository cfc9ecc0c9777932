/** What a slice may use. A plain object, created by main.ts and passed down; no globals. */
import type { FastifyBaseLogger } from 'fastify';
import type { Config } from './config.ts';
import type { Pools } from './db/pools.ts';
import type { Rounds } from './engine/rounds/rounds.ts';
import type { Gate } from './gate.ts';
import type { Keys } from './keys/keys.ts';
import type { Limits } from './limits.ts';
import type { Metrics } from './metrics.ts';
import type { Outbound } from './outbound/outbound.ts';
import type { PartStorage } from './storage/parts.ts';
import type { Storage } from './storage/storage.ts';
import type { Traces } from './traces/traces.ts';
import type { Turns } from './turns.ts';

export type Services = Pools &
  Readonly<{
    config: Config;
    storage: Storage & PartStorage;
    keys: Keys;
    log: FastifyBaseLogger;
    /**
     * Public URL without a trailing slash; a function, because a free port is known only once
     * listening.
     */
    baseUrl: () => string;
    /** All changes of runs go through it. */
    rounds: Rounds;
    limits: Limits;
    largeWrites: Turns;
    /** Serializes requests with the same Idempotency-Key. */
    sameKey: Gate;
    metrics: Metrics;
    /** Undefined unless the configuration says where to. */
    traces: Traces | undefined;
    /** All calls of URLs that users name go through it. */
    outbound: Outbound;
  }>;
