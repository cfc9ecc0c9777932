/** What a slice may ask for. A plain object that main.ts makes and hands down; no globals. */
import type { FastifyBaseLogger } from 'fastify';
import type { Config } from './config.ts';
import type { Pools } from './db/pools.ts';
import type { Rounds } from './engine/rounds/rounds.ts';
import type { Gate } from './gate.ts';
import type { Keys } from './keys/keys.ts';
import type { Limits } from './limits.ts';
import type { Metrics } from './metrics.ts';
import type { Storage } from './storage/storage.ts';
import type { Turns } from './turns.ts';

export type Services = Pools &
  Readonly<{
    config: Config;
    storage: Storage;
    keys: Keys;
    log: FastifyBaseLogger;
    /** Public URL without a trailing slash; a function, because a free port is known late. */
    baseUrl: () => string;
    /** Everything that changes runs goes through here. */
    rounds: Rounds;
    limits: Limits;
    largeStarts: Turns;
    /** Requests with one Idempotency-Key follow one another here. */
    sameKey: Gate;
    metrics: Metrics;
  }>;
