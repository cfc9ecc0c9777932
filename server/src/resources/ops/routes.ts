/** For operators and their machines: is it up, is it ready, how is it doing. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { DomainError } from '../../errors.ts';
import type { Services } from '../../services.ts';

const config = { access: 'public', limit: 'none' } as const;
const Ok = Type.Object({ status: Type.Literal('ok') });

export const opsRoutes =
  ({ quickDb, storage, log, metrics }: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
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
      async () => {
        const notReady = (what: string) => (error: unknown) => {
          log.warn({ err: error }, 'not ready');
          throw new DomainError('unavailable', `${what} does not answer.`, { cause: error });
        };
        await Promise.all([
          quickDb`select 1`.catch(notReady('The database')),
          storage.check().catch(notReady('The storage')),
        ]);
        return { status: 'ok' as const };
      },
    );

    app.get('/metrics', { config, schema: { hide: true } }, async (_request, reply) => {
      metrics.storageRoom.set(await storage.room());
      reply.type(metrics.registry.contentType);
      return metrics.registry.metrics();
    });
  };
