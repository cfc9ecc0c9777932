import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { Services } from '../../services.ts';
import { Subscription } from './schema.ts';
import { getSubscription } from './subscriptions.ts';

export const subscriptionRoutes =
  ({ db }: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      '/subscriptions',
      {
        schema: {
          operationId: 'getSubscription',
          summary: 'What my organization uses, and may use',
          tags: ['Account'],
          response: { 200: Subscription },
        },
      },
      (request) => getSubscription(db, request.caller),
    );
  };
