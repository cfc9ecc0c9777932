/** The rate limits of the specification (section 8) and of workers, per minute and process. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { addressKey } from '../client-addresses.ts';
import type { Config } from '../config.ts';
import { DomainError } from '../errors.ts';
import type { Limits } from '../limits.ts';

type Limit = { limiter: RateLimiterMemory; per_minute: number };

/**
 * Counts every request per client address, including refused ones. Call before credentials are
 * checked.
 */
export function limitByAddress(
  app: FastifyInstance,
  limits: Config['rate_limits'],
  { hook_calls }: Pick<Limits, 'hook_calls'>,
): void {
  const usual = makeLimit(limits.default);
  const hooks = makeLimit(hook_calls);
  const limitOf = { default: usual, upload: usual, hook: hooks };
  app.addHook('onRequest', async (request, reply) => {
    const kind = request.routeOptions.config?.limit ?? 'default';
    const limit = limitOf[kind as keyof typeof limitOf];
    if (limit) await count(limit, addressKey(request.ip), reply);
  });
}

/**
 * Counts uploads, WebDAV and registry requests per user, and heartbeats and other calls per worker. Call after
 * credentials are checked.
 */
export function limitByCaller(
  app: FastifyInstance,
  limits: Config['rate_limits'],
  { worker_calls, dav_calls, registry }: Pick<Limits, 'worker_calls' | 'dav_calls' | 'registry'>,
): void {
  const upload = makeLimit(limits.upload);
  const heartbeat = makeLimit(limits.heartbeat);
  const worker = makeLimit(worker_calls);
  const dav = makeLimit(dav_calls);
  const images = makeLimit(registry.calls);
  app.addHook('onRequest', async (request: FastifyRequest, reply) => {
    const kind = request.routeOptions.config?.limit;
    if (kind === 'upload' && upload) await count(upload, String(request.caller.user_id), reply);
    if (kind === 'dav' && dav) await count(dav, String(request.caller.user_id), reply);
    if (kind === 'registry' && images) {
      const { puller, caller } = request;
      // The workers of a tenant pull with the same credentials.
      const key = puller === undefined ? String(caller.user_id) : `tenant ${puller}`;
      await count(images, key, reply);
    }
    if (kind === 'heartbeat' && heartbeat) await count(heartbeat, String(request.workerId), reply);
    if (kind === 'worker' && worker)
      await count(worker, String(request.workerId), reply, callsOf(request));
  });
}

/** A report of 8 MiB takes 300 ms to read and check: 6,000 of them would use up all the time. */
const bytesPerCall = 16 * 1024;

/**
 * How many calls a worker's call counts as, by the size of its body; an unknown size counts as the
 * largest.
 */
function callsOf({ headers, routeOptions }: FastifyRequest): number {
  const bytes = Number(headers['content-length'] ?? routeOptions.bodyLimit);
  return 1 + Math.floor((Number.isFinite(bytes) ? bytes : routeOptions.bodyLimit) / bytesPerCall);
}

function makeLimit(per_minute: number): Limit | undefined {
  if (per_minute === 0) return undefined;
  return { limiter: new RateLimiterMemory({ points: per_minute, duration: 60 }), per_minute };
}

async function count({ limiter, per_minute }: Limit, key: string, reply: FastifyReply, points = 1) {
  const result = await limiter.consume(key, points).catch((refused: unknown) => {
    if (refused instanceof RateLimiterRes) return refused;
    throw refused;
  });
  const seconds = Math.max(1, Math.ceil(result.msBeforeNext / 1000));
  reply.header('ratelimit-limit', per_minute);
  reply.header('ratelimit-remaining', Math.max(0, result.remainingPoints));
  reply.header('ratelimit-reset', seconds);
  if (result.consumedPoints <= per_minute) return;

  reply.header('retry-after', seconds);
  throw new DomainError(
    'too_many_requests',
    `Too many requests: at most ${per_minute} per minute. Try again in ${seconds} s.`,
  );
}
