import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { once } from '../../http/idempotency.ts';
import { PagingQuery, sendPage } from '../../http/paging.ts';
import type { Services } from '../../services.ts';
import { AccessToken } from '../auth/schema.ts';
import type { Tokens } from '../auth/tokens.ts';
import { createKey, deleteKey, exchangeKey, listKeys, reportKey, rotateKey } from './api-keys.ts';
import { ApiKey, ApiKeyRequest, NewApiKey, RotateRequest, TokenRequest } from './schema.ts';

const tags = ['API keys'];
const params = Type.Object({ id: Type.Integer() });

export const apiKeyRoutes =
  (services: Services, tokens: Tokens): FastifyPluginAsyncTypebox =>
  async (app) => {
    const { db } = services;

    app.post(
      '/api-keys/token',
      {
        config: { access: 'public' },
        schema: {
          operationId: 'exchangeApiKey',
          summary: 'Exchange an API key for an access token',
          description: 'The token dies with the key. When it expires, exchange again.',
          tags,
          body: TokenRequest,
          response: { 200: AccessToken },
        },
      },
      async (request, reply) => {
        const token = await exchangeKey(db, tokens, request.body.api_key);
        reply.header('cache-control', 'no-store');
        return token;
      },
    );

    app.post(
      '/api-keys/report',
      {
        config: { access: 'public' },
        schema: {
          operationId: 'reportApiKey',
          summary: 'Revoke an API key that was found in public',
          description:
            'For scanners of leaked secrets, and whoever else finds one: sending the whole key revokes it, with its tokens. Always 202. Keys match `sk_[0-9A-Za-z]{8}_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}`; the last six characters are the CRC-32 of what stands before the last `_`, in base 62 (0-9A-Za-z).',
          tags,
          body: TokenRequest,
          response: { 202: Type.Object({}) },
        },
      },
      async (request, reply) => {
        await reportKey(db, request.body.api_key);
        return reply.code(202).send({});
      },
    );

    app.get(
      '/api-keys/',
      {
        schema: {
          operationId: 'listApiKeys',
          summary: 'My API keys that still work, by their prefix',
          tags,
          querystring: Type.Object(PagingQuery),
          response: { 200: Type.Array(ApiKey) },
        },
      },
      (request, reply) =>
        sendPage(
          services,
          request,
          reply,
          (page) => listKeys(db, request.caller, page),
          (key) => [key.id],
        ),
    );

    app.post(
      '/api-keys/',
      {
        schema: {
          operationId: 'createApiKey',
          summary: 'Create an API key; the answer is the only one that holds it',
          tags,
          body: ApiKeyRequest,
          response: { 201: NewApiKey },
        },
      },
      (request, reply) =>
        once(services, request, reply, 201, (tx) => createKey(tx, request.caller, request.body)),
    );

    app.delete(
      '/api-keys/:id',
      {
        schema: {
          operationId: 'deleteApiKey',
          summary: 'Revoke an API key and the tokens it was exchanged for',
          tags,
          params,
          response: { 204: Type.Null() },
        },
      },
      async (request, reply) => {
        await deleteKey(db, request.caller, request.params.id);
        return reply.code(204).send(null);
      },
    );

    app.post(
      '/api-keys/:id/rotate',
      {
        // All fields are optional, and so is the body.
        preValidation: async (request) => {
          request.body ??= {};
        },
        schema: {
          operationId: 'rotateApiKey',
          summary: 'Replace an API key by a new one',
          tags,
          params,
          body: RotateRequest,
          response: { 201: NewApiKey },
        },
      },
      (request, reply) =>
        once(services, request, reply, 201, (tx) =>
          rotateKey(tx, request.caller, request.params.id, request.body.overlap_seconds ?? 0),
        ),
    );
  };
