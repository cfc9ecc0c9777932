/**
 * Checks who may call a route, before the route runs: rate limits first, then credentials. A route
 * declares what it needs in its `config`; the default is a signed-in user.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Caller, Credentials, WorkerCaller } from '../callers.ts';
import { forbidden, unauthenticated } from '../errors.ts';
import type { TurnKind } from '../limits.ts';

/**
 * `basic`: a user's, or an API key as the password of HTTP Basic. `worker`: a worker's own token.
 * `registry`: like `basic`, or the credentials by which workers pull a tenant's images; those only
 * read. `public`: no credentials. `optional`: a user's, if present.
 */
export type Access = 'user' | 'basic' | 'registry' | 'public' | 'worker' | 'optional';

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
    /**
     * `none` is exempt from the default limit; `upload` is also counted per user; `heartbeat` and
     * `worker` are counted per worker instead, `dav` and `registry` per user, and `hook` on its own
     * per address.
     */
    limit?: 'default' | 'upload' | 'heartbeat' | 'worker' | 'dav' | 'registry' | 'hook' | 'none';
    /** The path parameter that is the credential: not logged, and guesses of it are limited. */
    secret?: string;
    /** The body is streamed, and may take long (body-pace.ts). */
    body?: 'stream';
    /** Which turns a user's request waits for; `none` if it streams or waits itself. */
    turn?: TurnKind | 'none';
    /** Limit on the values of its JSON body, where it is not the usual one (json-body.ts). */
    values?: number;
    /** A POST that changes nothing, for API keys that may only read. */
    reads?: boolean;
    /** Of a worker's route: also open to a worker process that a newer one has replaced. */
    late?: boolean;
  }
  interface FastifyRequest {
    /** The user who makes the request; only on routes with access `user`, `basic` or `registry`. */
    caller: Caller;
    /** The tenant whose images are pulled; only with access `registry`, instead of a caller. */
    puller: number | undefined;
    /** The worker that makes the request; only on routes with access `worker`. */
    workerId: number;
    /** The epoch of the worker's process; undefined for releases without epochs. */
    workerEpoch: number | undefined;
    /**
     * Checks the credentials again, during an answer that takes long.
     *
     * @throws DomainError `unauthenticated`
     */
    authenticateAgain(): Promise<Caller>;
  }
}

export type Authenticators = {
  /** @throws DomainError `unauthenticated` unless the credentials belong to an active user. */
  user(credentials: Credentials): Promise<Caller>;
  /** The tenant that the password of a pull belongs to; undefined if it is not such a password. */
  puller(password: string): number | undefined;
  /** The worker that owns the token. @throws DomainError `unauthenticated`, 409 `superseded` */
  worker(token: string, options: { late: boolean }): Promise<WorkerCaller>;
};

export function requireCredentials(app: FastifyInstance, authenticate: Authenticators): void {
  app.decorateRequest('caller', null as unknown as Caller);
  app.decorateRequest('puller', undefined);
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
    if (access === 'registry' && given.apiKey !== undefined) {
      request.puller = authenticate.puller(given.apiKey);
      if (request.puller !== undefined) {
        if (isReading(request)) return;
        throw forbidden('These credentials only pull images.');
      }
    }
    if (hasCaller(access) && (access !== 'optional' || isGiven)) {
      request.caller = { ...(await authenticate.user(given)), request_id: request.id };
      if (request.caller.key_access === 'read' && !isReading(request)) {
        throw forbidden('This API key may only read.', 'read_only_key');
      }
    }
    if (access === 'worker') {
      if (!given.bearer) throw unauthenticated();
      const worker = await authenticate.worker(given.bearer, { late });
      request.workerId = worker.id;
      request.workerEpoch = worker.epoch;
    }
  });
}

const readingMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'PROPFIND']);

const isReading = ({ method, routeOptions }: FastifyRequest): boolean =>
  readingMethods.has(method) || routeOptions.config.reads === true;

/** Whether a route with this access may have a caller. */
export const hasCaller = (access: Access): boolean =>
  takesBasic(access) || access === 'user' || access === 'optional';

/** Whether a route with this access takes an API key as the password of HTTP Basic. */
export const takesBasic = (access: Access | undefined): boolean =>
  access === 'basic' || access === 'registry';

/** The challenge of a 401, by what the route accepts. */
export const challengeOf = ({ routeOptions }: FastifyRequest): string =>
  takesBasic(routeOptions.config?.access) ? 'Basic realm="Cogworks"' : 'Bearer';

function credentialsOf(request: FastifyRequest): Credentials {
  const { authorization } = request.headers;
  const isBasic = takesBasic(request.routeOptions.config.access);
  const apiKey = request.headers['x-api-key'] ?? (isBasic ? passwordOf(authorization) : undefined);
  // RFC 6750, section 2.1; the scheme is case-insensitive (RFC 9110, section 11.1).
  const bearer = authorization?.match(/^Bearer +([\w.~+/-]+=*)$/i)?.[1];
  return {
    ...(bearer === undefined ? {} : { bearer }),
    ...(typeof apiKey === 'string' ? { apiKey } : {}),
  };
}

/** The password of HTTP Basic (RFC 7617). The user's name does not matter: the key says who it is. */
function passwordOf(authorization: string | undefined): string | undefined {
  const encoded = authorization?.match(/^Basic +([\w+/-]+=*)$/i)?.[1];
  if (encoded === undefined) return undefined;
  const pair = Buffer.from(encoded, 'base64').toString();
  const colon = pair.indexOf(':');
  return colon < 0 ? undefined : pair.slice(colon + 1);
}
