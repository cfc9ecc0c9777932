/**
 * Limits guesses of worker tokens. Workers' calls are not counted per address, but refused ones
 * are. An address above the limit may call only with tokens that were valid before; others are
 * refused without a look-up. So a worker behind the same address is not affected.
 */
import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { addressKey } from '../client-addresses.ts';
import { DomainError } from '../errors.ts';

/** Hashes, so that a memory dump holds no usable token. The oldest are dropped first. */
const remembered = 10_000;

/**
 * @returns a function that adds the hook recording valid tokens; call it after credentials are
 * checked.
 */
export function limitGuesses(app: FastifyInstance, per_minute: number): () => void {
  if (per_minute === 0) return () => {};
  const guesses = new RateLimiterMemory({ points: per_minute, duration: 60 });
  const good = new Set<string>();

  app.addHook('onRequest', async (request) => {
    if (!isWorkerCall(request) || good.has(tokenHash(request))) return;
    const counted = await guesses.get(addressKey(request.ip));
    if (!counted || counted.consumedPoints < per_minute) return;
    throw new DomainError('too_many_requests', 'Too many calls without a valid worker token.', {
      retry_after_seconds: Math.max(1, Math.ceil(counted.msBeforeNext / 1000)),
    });
  });

  app.addHook('onError', async (request, _reply, error: Error) => {
    if (!isWorkerCall(request) || !(error instanceof DomainError)) return;
    if (error.problem === 'unauthenticated') await guesses.penalty(addressKey(request.ip));
  });

  return () =>
    app.addHook('onRequest', async (request) => {
      if (!isWorkerCall(request)) return;
      good.add(tokenHash(request));
      if (good.size > remembered) good.delete(good.values().next().value as string);
    });
}

const isWorkerCall = ({ is404, routeOptions }: FastifyRequest) =>
  !is404 && routeOptions.config?.access === 'worker';

const tokenHash = ({ headers }: FastifyRequest) =>
  createHash('sha256')
    .update(headers.authorization ?? '')
    .digest('base64');
