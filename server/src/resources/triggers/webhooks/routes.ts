import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { once } from '../../../http/idempotency.ts';
import { PagingQuery, sendPage } from '../../../http/paging.ts';
import type { Services } from '../../../services.ts';
import type { GraphThreads } from '../../workflows/graph-bodies.ts';
import { Delivery, DeliveryWithBody, NewSecret, RotatedSecret } from '../schema.ts';
import { changeTriggerSecret } from '../triggers.ts';
import { getDelivery, listDeliveries, prepareRedelivery } from './deliveries.ts';

const tags = ['Triggers'];
const params = Type.Object({ id: Type.Integer() });
const deliveryParams = Type.Object({ id: Type.Integer(), delivery_id: Type.Integer() });

/** The secrets and messages of webhooks. */
export const deliveryRoutes =
  (services: Services, threads: GraphThreads): FastifyPluginAsyncTypebox =>
  async (app) => {
    const { db, keys } = services;

    app.post(
      '/workflows/triggers/:id/rotate-secret',
      {
        schema: {
          operationId: 'rotateTriggerSecret',
          summary: 'A new secret for the sender',
          description:
            'The old one lives on for the overlap. There are two at most: one that was being replaced already ends at once.',
          tags,
          params,
          body: NewSecret,
          response: { 200: RotatedSecret },
        },
      },
      (request, reply) =>
        once(services, request, reply, 200, (tx) =>
          changeTriggerSecret(tx, keys, request.caller, request.params.id, request.body),
        ),
    );

    app.get(
      '/workflows/triggers/:id/deliveries',
      {
        schema: {
          operationId: 'listDeliveries',
          summary: 'What came to a webhook, newest first',
          description:
            'For those who may look into it. Kept for 90 days; of messages that start nothing 1,000 an hour of each verdict, of those with a bad signature 20.',
          tags,
          params,
          querystring: Type.Object({
            ...PagingQuery,
            verdict: Type.Optional(Delivery.properties.verdict),
          }),
          response: { 200: Type.Array(Delivery) },
        },
      },
      (request, reply) =>
        sendPage(
          services,
          request,
          reply,
          (page) =>
            listDeliveries(db, request.caller, request.params.id, request.query.verdict, page),
          (row) => [row.id],
        ),
    );

    app.get(
      '/workflows/triggers/:id/deliveries/:delivery_id',
      {
        schema: {
          operationId: 'getDelivery',
          summary: 'One delivery, with its body',
          tags,
          params: deliveryParams,
          response: { 200: DeliveryWithBody },
        },
      },
      ({ caller, params: { id, delivery_id } }) => getDelivery(db, caller, id, delivery_id),
    );

    app.post(
      '/workflows/triggers/:id/deliveries/:delivery_id/redeliver',
      {
        config: { turn: 'start' },
        schema: {
          operationId: 'redeliver',
          summary: 'Start a run for a message of before',
          description: 'By the mapping of today, and without asking for its signature again.',
          tags,
          params: deliveryParams,
          response: { 202: Type.Object({ workflow_run_id: Type.Integer() }) },
        },
      },
      async (request, reply) => {
        const { id, delivery_id } = request.params;
        const { body } = await once(services, request, reply, 202, {
          prepare: () =>
            prepareRedelivery({ ...services, threads }, request.caller, id, delivery_id),
        });
        return body as { workflow_run_id: number };
      },
    );
  };
