/** For operators and their machines: is it up, is it ready, how is it doing. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { DomainError } from '../../errors.ts';
import type { Services } from '../../services.ts';
import { setMeasures } from './measures.ts';

const config = { access: 'public', limit: 'none' } as const;
const Ok = Type.Object({ status: Type.Literal('ok') });

/** Anybody may ask, as often as they like: database and storage are asked once in this time. */
const answer_ms = 1000;

/** Work whose result, or error, is shared by all who ask until some time after its end. */
function sharedFor<T>(ms: number, work: () => Promise<T>): () => Promise<T> {
  let latest: Promise<T> | undefined;
  return () => {
    if (latest) return latest;
    const asked = work();
    latest = asked;
    const forget = () => {
      latest = undefined;
    };
    const end = () => void setTimeout(forget, ms).unref();
    asked.then(end, end);
    return asked;
  };
}

export const opsRoutes =
  (services: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    const { quickDb, storage, log, metrics } = services;
    const notReady = (what: string) => (error: unknown) => {
      log.warn({ err: error }, 'not ready');
      throw new DomainError('unavailable', `${what} does not answer.`, { cause: error });
    };
    const readiness = sharedFor(answer_ms, async () => {
      await Promise.all([
        quickDb`select 1`.catch(notReady('The database')),
        storage.check().catch(notReady('The storage')),
      ]);
      return { status: 'ok' as const };
    });
    // What cannot be measured keeps its last value: the rest of the answer says why.
    const measures = sharedFor(answer_ms, () =>
      setMeasures(services).catch((err: unknown) => log.warn({ err }, 'could not measure')),
    );

    app.get(
      '/healthz',
      {
        config,
        schema: {
          operationId: 'getHealth',
          summary: 'Whether the process is up',
          response: { 200: Ok },
        },
      },
      async () => ({ status: 'ok' as const }),
    );

    app.get(
      '/readyz',
      {
        config,
        schema: {
          operationId: 'getReadiness',
          summary: 'Whether database and storage answer',
          response: { 200: Ok },
        },
      },
      () => readiness(),
    );

    app.get('/metrics', { config, schema: { hide: true } }, async (_request, reply) => {
      await measures();
      reply.type(metrics.registry.contentType);
      return metrics.registry.metrics();
    });
  };
