/**
 * `Idempotency-Key`: a POST repeated with the same key and body returns the first result again. The
 * key is written in the transaction of the effect, so a crash between effect and answer leaves both
 * or neither. Of two concurrent requests the second waits for the first; it holds no connection
 * while it waits, nor while its effect is prepared.
 */
import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../callers.ts';
import type { Db } from '../db/connection.ts';
import { claimKey, type Earlier, findKey, isFree, keepResult } from '../db/idempotency-keys.ts';
import { type Effect, NeedsTurn, neverRepeats, type Repetition } from '../effects.ts';
import { conflict, DomainError, unprocessable } from '../errors.ts';
import type { Services } from '../services.ts';

const idempotencyHeader = 'idempotency-key';

/** An effect with a slow step before it that needs no transaction, such as a check by a thread. */
type Preparation<Result> = { prepare: () => Promise<Effect<Result>> };

/**
 * Runs `effect` once per key, caller and route, and answers its result with `status`. Without the
 * header it just runs. Errors are not stored: a refused request may be corrected and sent again
 * with its key.
 *
 * @param effect receives the transaction of the key. `prepare` runs before that begins, and not at
 *   all if the first result exists already.
 * @param status a function is called after the effect, if the status depends on it.
 * @param fingerprint what makes two requests equal; by default the JSON body (uploads pass their
 *   own).
 * @throws DomainError 409 `idempotency_mismatch` if the key was used with another body, 503
 *   `same_request_under_way` if the first request with the key takes too long.
 */
export async function once<Result>(
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  status: number | (() => number),
  effect: Effect<Result> | Preparation<Result>,
  fingerprint: unknown = request.body ?? null,
): Promise<Result> {
  const key = keyOf(request);
  const statusNow = () => (typeof status === 'function' ? status() : status);
  if (key === undefined) {
    const act = typeof effect === 'function' ? effect : await effect.prepare();
    const result = await inTurn(request.caller, (hasTurn) =>
      act(services.db, { isAlone: true, hasTurn }),
    );
    reply.code(statusNow());
    return result;
  }
  const { db, keys } = services;
  const place = placeOf(request, key);
  const context = contextOf(place);
  const bodyHash = createHash('sha256')
    .update(JSON.stringify([request.params, fingerprint]))
    .digest();
  const replay = (earlier: Earlier): Result => {
    if (!bodyHash.equals(earlier.body_hash)) {
      throw conflict('idempotency_mismatch', 'This Idempotency-Key was used with another request.');
    }
    reply.code(earlier.status).header('idempotent-replay', 'true');
    return JSON.parse(keys.open(earlier.response, context).toString()) as Result;
  };

  return inLine(services, context, async (deadline) => {
    let act: Effect<Result>;
    if (typeof effect === 'function') act = effect;
    else {
      const earlier = await findKey(db, place);
      if (earlier) return replay(earlier);
      act = await effect.prepare().catch(refuseLater);
    }
    return inTurn(request.caller, (hasTurn) =>
      alone(db, context, deadline, act.isRepeatable ?? false, async (tx) => {
        const earlier = await claimKey(tx, place, bodyHash);
        if (earlier) return replay(earlier);
        const result = await act(tx, { isAlone: false, hasTurn });
        const kept = keys.seal(JSON.stringify(result ?? null), context);
        await keepResult(tx, place, statusNow(), kept);
        reply.code(statusNow());
        return result;
      }),
    );
  });
}

/**
 * For requests whose body is read before `once`: of one that has been answered, nothing has to be
 * stored or checked, except that it is the same request. `end` is called when the request ends.
 */
export function repetitionOf(
  { db, sameKey, limits }: Services,
  request: FastifyRequest,
): Repetition & { end(): void } {
  const key = keyOf(request);
  if (key === undefined) return { ...neverRepeats, end: () => {} };
  const place = placeOf(request, key);
  const look = async () => ((await findKey(db, place)) ? 'yes' : 'maybe');
  let entered: ReturnType<typeof sameKey.enter> | undefined;
  const end = () => void entered?.then((leave) => leave?.());
  // A line apart from that of `once`: a connection that broke unnoticed must not hold up the next.
  const enter = () => {
    end();
    entered = sameKey.enter(`being read|${contextOf(place)}`, limits.same_key_wait_ms);
    return entered;
  };
  return {
    look: () => {
      void enter();
      return look();
    },
    lookAgain: () => enter().then(look),
    end,
  };
}

/** Does the work, and again in a turn when it finds that it needs one. */
export async function inTurn<Result>(
  caller: Caller,
  work: (hasTurn: boolean) => Promise<Result>,
): Promise<Result> {
  const needed = await work(false).catch((error: unknown) => {
    if (error instanceof NeedsTurn) return error;
    throw error;
  });
  if (!(needed instanceof NeedsTurn)) return needed;
  const end = await needed.turns.take(caller, new AbortController().signal);
  try {
    return await work(true);
  } finally {
    end();
  }
}

/** Another process may have handled the same request: then its result is the answer. */
const refuseLater = (error: unknown) => (): Promise<never> => Promise.reject(error);

/** Initial interval of polling for another process's result; it doubles each time. */
const firstPause_ms = 20;
const longestPause_ms = 1000;

/** Runs `work` while no other request of this process with the same key is running. */
async function inLine<Result>(
  { sameKey, limits }: Services,
  name: string,
  work: (deadline: number) => Promise<Result>,
): Promise<Result> {
  const deadline = performance.now() + limits.same_key_wait_ms;
  const leave = await sameKey.enter(name, limits.same_key_wait_ms);
  if (leave === undefined) throw underWay();
  try {
    return await work(deadline);
  } finally {
    leave();
  }
}

/**
 * Runs `work` in a transaction that excludes other processes with the same key. The lock is polled,
 * never waited for.
 */
async function alone<Result>(
  db: Db,
  name: string,
  deadline: number,
  isRepeatable: boolean,
  work: (tx: Db) => Promise<Result>,
): Promise<Result> {
  for (let pause_ms = firstPause_ms; ; pause_ms = Math.min(longestPause_ms, pause_ms * 2)) {
    const done = await db.transaction(
      async (tx) => ((await isFree(tx, name)) ? { result: await work(tx) } : undefined),
      { isRepeatable },
    );
    if (done) return done.result;
    if (performance.now() + pause_ms > deadline) throw underWay();
    await delay(pause_ms);
  }
}

const underWay = () =>
  new DomainError(
    'unavailable',
    'The first request with this Idempotency-Key is still under way. Ask again for its result.',
    { code: 'same_request_under_way', retry_after_seconds: 10 },
  );

function keyOf(request: FastifyRequest): string | undefined {
  const key = request.headers[idempotencyHeader];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw unprocessable({
    loc: ['header', 'Idempotency-Key'],
    msg: 'Must be 1 to 255 printable ASCII characters without spaces.',
    type: 'value_error',
  });
}

const placeOf = (request: FastifyRequest, key: string) => ({
  ...{ user_id: request.caller.user_id, route: routeOf(request), key },
});

const contextOf = ({ user_id, route, key }: ReturnType<typeof placeOf>) =>
  `idempotency|${user_id}|${route}|${key}`;

const routeOf = (request: FastifyRequest) => `${request.method} ${request.routeOptions.url}`;
