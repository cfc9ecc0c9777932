/**
 * Who may call a route at all, before the route is asked: rate limits first, then credentials.
 * A route says what it wants in its `config`; without a word it wants a signed-in user.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Caller, Credentials, WorkerCaller } from '../callers.ts';
import { unauthenticated } from '../errors.ts';
import type { TurnKind } from '../limits.ts';

/** `worker`: a worker's own token. `public`: none. `optional`: a user's, if any come. */
export type Access = 'user' | 'public' | 'worker' | 'optional';

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
    /**
     * `none` is for what the default limit leaves out; `upload` is counted per user as well,
     * `heartbeat` and `worker` per worker instead.
     */
    limit?: 'default' | 'upload' | 'heartbeat' | 'worker' | 'none';
    /** The body goes on as it comes, and may take long (body-pace.ts). */
    body?: 'stream';
    /** Which turns a user's request waits for; `none` for what streams or waits itself. */
    turn?: TurnKind | 'none';
    /** Of a worker's route: a process that a newer one has replaced may call it as well. */
    late?: boolean;
  }
  interface FastifyRequest {
    /** Who makes the request. On a route with another access than `user` there is none. */
    caller: Caller;
    /** The worker that makes the request, on routes with access `worker`. */
    workerId: number;
    /** Which start of that worker's program it is; none for one of a release without epochs. */
    workerEpoch: number | undefined;
    /**
     * Who its credentials stand for now, for an answer that takes long.
     *
     * @throws DomainError `unauthenticated`
     */
    authenticateAgain(): Promise<Caller>;
  }
}

export type Authenticators = {
  /** @throws DomainError `unauthenticated` unless they are those of an active user. */
  user(credentials: Credentials): Promise<Caller>;
  /** The worker whose token it is. @throws DomainError `unauthenticated`, 409 `superseded` */
  worker(token: string, options: { late: boolean }): Promise<WorkerCaller>;
};

export function requireCredentials(app: FastifyInstance, authenticate: Authenticators): void {
  app.decorateRequest('caller', null as unknown as Caller);
  app.decorateRequest('workerId', 0);
  app.decorateRequest('workerEpoch', undefined);
  app.decorateRequest('authenticateAgain', function (this: FastifyRequest) {
    return authenticate.user(credentialsOf(this));
  });
  app.addHook('onRequest', async (request) => {
    if (request.is404) return;
    const { access = 'user', late = false } = request.routeOptions.config;
    if (access === 'public') return;
    const given = credentialsOf(request);
    const isGiven = (given.bearer ?? given.apiKey) !== undefined;
    if (access === 'user' || (access === 'optional' && isGiven)) {
      request.caller = await authenticate.user(given);
    }
    if (access === 'worker') {
      if (!given.bearer) throw unauthenticated();
      const worker = await authenticate.worker(given.bearer, { late });
      request.workerId = worker.id;
      request.workerEpoch = worker.epoch;
    }
  });
}

function credentialsOf(request: FastifyRequest): Credentials {
  const { authorization } = request.headers;
  const apiKey = request.headers['x-api-key'];
  // RFC 6750, section 2.1; the scheme is case-insensitive (RFC 9110, section 11.1).
  const bearer = authorization?.match(/^Bearer +([\w.~+/-]+=*)$/i)?.[1];
  return {
    ...(bearer === undefined ? {} : { bearer }),
    ...(typeof apiKey === 'string' ? { apiKey } : {}),
  };
}
