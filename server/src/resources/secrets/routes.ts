import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { once } from '../../http/idempotency.ts';
import { PagingQuery, sendPage } from '../../http/paging.ts';
import type { Services } from '../../services.ts';
import { checkSecret } from './checking.ts';
import { NewSecret, Secret, SecretChange, SecretTest, SecretWithUse } from './schema.ts';
import { changeSecret, createSecret, deleteSecret, getSecret, listSecrets } from './secrets.ts';

const tags = ['Secrets'];
const params = Type.Object({ id: Type.Integer() });

export const secretRoutes =
  (services: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    const { db, keys } = services;

    app.get(
      '/secrets/',
      {
        schema: {
          operationId: 'listSecrets',
          summary: 'Secrets of my tenant, without their values',
          tags,
          querystring: Type.Object(PagingQuery),
          response: { 200: Type.Array(Secret) },
        },
      },
      (request, reply) =>
        sendPage(
          services,
          request,
          reply,
          (page) => listSecrets(db, request.caller, page),
          (row) => [row.id],
        ),
    );

    app.post(
      '/secrets/',
      {
        schema: {
          operationId: 'createSecret',
          summary: 'Store a secret',
          description: 'For tenant admins. The value is sealed and can never be read again.',
          tags,
          body: NewSecret,
          response: { 201: Secret },
        },
      },
      (request, reply) =>
        once(services, request, reply, 201, (tx) =>
          createSecret(tx, keys, request.caller, request.body),
        ),
    );

    app.get(
      '/secrets/:id',
      {
        schema: {
          operationId: 'getSecret',
          summary: 'One secret, without its value, and the workflows that need it',
          tags,
          params,
          response: { 200: SecretWithUse },
        },
      },
      (request) => getSecret(db, request.caller, request.params.id),
    );

    app.put(
      '/secrets/:id',
      {
        schema: {
          operationId: 'changeSecret',
          summary: "Replace a secret's value",
          tags,
          params,
          body: SecretChange,
          response: { 200: Secret },
        },
      },
      (request) => changeSecret(db, keys, request.caller, request.params.id, request.body.value),
    );

    app.post(
      '/secrets/:id/test',
      {
        // It waits for the registry.
        config: { turn: 'none' },
        schema: {
          operationId: 'testSecret',
          summary: 'Contact the registry of a secret with its credentials',
          description:
            'For tenant admins. It says whether the registry can be reached from this server and accepts the credentials; workers elsewhere may reach other networks. Internal registries are called only where the operator allows it.',
          tags,
          params,
          response: { 200: SecretTest },
        },
      },
      (request) => checkSecret(services, request.caller, request.params.id),
    );

    app.delete(
      '/secrets/:id',
      {
        schema: {
          operationId: 'deleteSecret',
          summary: 'Delete a secret',
          tags,
          params,
          response: { 204: Type.Null() },
        },
      },
      async (request, reply) => {
        await deleteSecret(db, request.caller, request.params.id);
        return reply.code(204).send(null);
      },
    );
  };
