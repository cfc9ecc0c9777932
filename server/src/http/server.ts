/** Creates the HTTP server with everything that applies to all routes. Knows no resource. */
import { randomUUID } from 'node:crypto';
import Fastify, { type FastifyInstance, type FastifyRequest, LogController } from 'fastify';
import type { Metrics } from '../metrics.ts';
import type { Services } from '../services.ts';
import { type Authenticators, requireCredentials } from './access.ts';
import { writeAnswers } from './answers.ts';
import { watchBodies } from './body-pace.ts';
import { compressAnswers } from './compression.ts';
import { limitConnections } from './connections.ts';
import { describeRoutes } from './docs.ts';
import { answerBadAddress, handleErrors } from './error-handler.ts';
import { takeJson } from './json-body.ts';
import { limitByAddress, limitByCaller } from './rate-limits.ts';
import { limitGuesses } from './token-guesses.ts';
import { traceRequests } from './traced-requests.ts';
import { validateRequests } from './validation.ts';
import { waitTurns } from './wait-turns.ts';

/** Limit of JSON bodies; routes with graphs allow 4 MiB. */
const bodyBytes = 1024 * 1024;

export async function makeHttpServer(
  services: Services,
  authenticate: Authenticators,
): Promise<FastifyInstance> {
  const { config, log, baseUrl, limits, metrics, traces } = services;
  const app = Fastify({
    loggerInstance: log,
    // We log one line per request ourselves: with the route instead of the URL, which may hold a
    // signature.
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: bodyBytes,
    requestIdHeader: false,
    genReqId: () => randomUUID(),
    trustProxy: config.trust_proxy.length > 0 ? [...config.trust_proxy] : false,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 300 },
    frameworkErrors: answerBadAddress,
    // Idle keep-alive connections must not delay Ctrl-C.
    forceCloseConnections: true,
    // Headers must arrive at once. The required pace of a body depends on its kind (watchBodies).
    http: { headersTimeout: 15_000, connectionsCheckingInterval: 5000 },
    requestTimeout: 0,
    // For clients that stopped reading their answer, or whose machine is gone.
    connectionTimeout: 300_000,
  });
  limitConnections(app, config, limits.connections);

  takeJson(app);
  validateRequests(app);
  writeAnswers(app);
  handleErrors(app, metrics);
  logRequests(app, metrics);
  traceRequests(app, traces);
  watchBodies(app, limits.bodies);
  limitByAddress(app, config.rate_limits, limits);
  const rememberGoodTokens = limitGuesses(app, config.rate_limits.default);
  requireCredentials(app, authenticate);
  rememberGoodTokens();
  limitByCaller(app, config.rate_limits, limits);
  waitTurns(app, limits.turns);
  await compressAnswers(app);
  await describeRoutes(app, baseUrl);
  return app;
}

function logRequests(app: FastifyInstance, { requestSeconds }: Metrics) {
  // These lines contain only the fields named here, and no secret: redaction took 11 of their 13
  // µs.
  const lines = app.log.child({}, { redact: [] });
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
  });
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'unknown';
    const status = reply.statusCode;
    requestSeconds.observe({ method: request.method, route, status }, reply.elapsedTime / 1000);
    const fields = {
      reqId: request.id,
      method: request.method,
      route,
      params: mayLogParams(request) ? request.params : undefined,
      status,
      duration_ms: Math.round(reply.elapsedTime * 10) / 10,
      user_id: request.caller?.user_id,
      tenant_id: request.caller?.tenant_id,
    };
    if (status >= 500) lines.error(fields, 'request failed');
    else if (isChatter(request)) lines.debug(fields, 'request');
    else lines.info(fields, 'request');
  });
}

const chatter = ['none', 'heartbeat', 'worker', 'dav', 'registry', 'hook'];

/** Frequent requests by machines would hide those of users. */
function isChatter({ routeOptions: { config } }: FastifyRequest) {
  return chatter.includes(config?.limit ?? 'default');
}

/** Not secrets, nor the rest of a path, which can be names of users' files. */
const mayLogParams = ({ params, routeOptions }: FastifyRequest) =>
  routeOptions.config?.secret === undefined && !('*' in (params as object));
