/**
 * Limits guesses of secrets whose calls are not counted per address: worker tokens, API keys of
 * WebDAV clients and of the registry's, and download URLs. Refused calls are counted. An address above the limit may call only with secrets that were
 * valid before; others are refused without a look-up. So another client behind the same address is
 * not affected.
 */
import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { addressKey } from '../client-addresses.ts';
import { DomainError, type Problem } from '../errors.ts';
import { takesBasic } from './access.ts';

/** Hashes, so that a memory dump holds no usable secret. The oldest are dropped first. */
const remembered = 10_000;

/**
 * @returns a function that adds the hooks recording valid secrets; call it after credentials are
 * checked.
 */
export function limitGuesses(app: FastifyInstance, per_minute: number): () => void {
  if (per_minute === 0) return () => {};
  const guesses = new RateLimiterMemory({ points: per_minute, duration: 60 });
  const good = new Set<string>();

  app.addHook('onRequest', async (request) => {
    const guess = guessIn(request);
    if (!guess || good.has(guess.hash)) return;
    const counted = await guesses.get(guess.kind + addressKey(request.ip));
    if (!counted || counted.consumedPoints < per_minute) return;
    throw new DomainError('too_many_requests', guess.refusal, {
      retry_after_seconds: Math.max(1, Math.ceil(counted.msBeforeNext / 1000)),
    });
  });

  app.addHook('onError', async (request, _reply, error: Error) => {
    const guess = guessIn(request);
    if (!guess || !(error instanceof DomainError) || error.problem !== guess.problem) return;
    good.delete(guess.hash);
    await guesses.penalty(guess.kind + addressKey(request.ip));
  });

  const remember = (guess: Guess | undefined) => {
    if (!guess) return;
    good.add(guess.hash);
    if (good.size > remembered) good.delete(good.values().next().value as string);
  };
  return () => {
    app.addHook('onRequest', async (request) => {
      if (isCheckedFirst(request)) remember(guessIn(request));
    });
    // A secret in the path is checked by the route itself.
    app.addHook('onResponse', async (request, reply) => {
      if (reply.statusCode < 400 && !isCheckedFirst(request)) remember(guessIn(request));
    });
  };
}

type Guess = { kind: string; hash: string; problem: Problem; refusal: string };

/** The secret of a call, and how a wrong one is answered. */
function guessIn(request: FastifyRequest): Guess | undefined {
  if (request.is404) return undefined;
  const { access, secret } = request.routeOptions.config ?? {};
  const { authorization = '', 'x-api-key': key } = request.headers;
  if (takesBasic(access)) {
    // A client begins without credentials, to be told which are wanted: that is no guess.
    if (authorization === '' && key === undefined) return undefined;
    const refusal = 'Too many calls without a valid API key.';
    const hash = hashOf(JSON.stringify([authorization, key]));
    return { kind: 'key ', hash, problem: 'unauthenticated', refusal };
  }
  if (access === 'worker') {
    const refusal = 'Too many calls without a valid worker token.';
    const hash = hashOf(authorization);
    return { kind: 'worker ', hash, problem: 'unauthenticated', refusal };
  }
  if (secret === undefined) return undefined;
  const { [secret]: value = '' } = request.params as Record<string, string>;
  const refusal = 'Too many calls of links that do not work.';
  return { kind: 'link ', hash: hashOf(value), problem: 'not_found', refusal };
}

/** Whether the secret is checked before the route runs. */
const isCheckedFirst = ({ is404, routeOptions }: FastifyRequest) =>
  !is404 && ['basic', 'registry', 'worker'].includes(routeOptions.config?.access ?? 'user');

const hashOf = (secret: string) => createHash('sha256').update(secret).digest('base64');
