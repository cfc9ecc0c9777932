/** What a slice may ask for. A plain object that main.ts makes and hands down; no globals. */
import type { FastifyBaseLogger } from 'fastify';
import type { Config } from './config.ts';
import type { Pools } from './db/pools.ts';
import type { Gate } from './gate.ts';
import type { Keys } from './keys/keys.ts';
import type { Limits } from './limits.ts';
import type { Metrics } from './metrics.ts';
import type { Storage } from './storage/storage.ts';

export type Services = Pools &
  Readonly<{
    config: Config;
    storage: Storage;
    keys: Keys;
    log: FastifyBaseLogger;
    /** Public URL without a trailing slash; a function, because a free port is known late. */
    baseUrl: () => string;
    /** Tells this process's waiting workers that there may be work. */
    wakeups: Wakeups;
    limits: Limits;
    /** Requests with one Idempotency-Key follow one another here. */
    sameKey: Gate;
    metrics: Metrics;
  }>;

/** A bell without memory: `ring` wakes whoever waits now; nobody may rely on it alone. */
export class Wakeups {
  #waiting = new Set<() => void>();

  ring(): void {
    const woken = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of woken) wake();
  }

  /** Resolves at the next `ring`, after `timeout_ms`, or when `signal` aborts. */
  next(timeout_ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', wake);
        this.#waiting.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, timeout_ms);
      signal?.addEventListener('abort', wake);
      this.#waiting.add(wake);
    });
  }
}

/** Who makes the request. Every query starts from `tenant_id`. */
export type Caller = Readonly<{
  user_id: number;
  tenant_id: number;
  role: 'admin' | 'member';
  is_platform_admin: boolean;
  /** The API key behind the request, if one is. */
  key_id?: number;
}>;

/** The worker that makes a request, and which start of its program; none of a release without epochs. */
export type WorkerCaller = Readonly<{ id: number; epoch: number | undefined }>;

/** Credentials as they came in; exactly one of the two is looked at, the token first. */
export type Credentials = { bearer?: string; apiKey?: string };
