import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { PagingQuery, sendPage } from '../../../http/paging.ts';
import type { Services } from '../../../services.ts';
import { Session } from './schema.ts';
import { endOne, endOthers, listSessions, sessionOf } from './sessions.ts';

const tags = ['Account'];

export const sessionRoutes =
  (services: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    const { db } = services;

    app.get(
      '/me/sessions',
      {
        schema: {
          operationId: 'listSessions',
          summary: 'Where I am signed in, the newest first',
          description:
            "Also those begun at an external identity provider. That provider's own access tokens have none.",
          tags,
          querystring: Type.Object(PagingQuery),
          response: { 200: Type.Array(Session) },
        },
      },
      (request, reply) =>
        sendPage(
          services,
          request,
          reply,
          (page) =>
            listSessions(
              db,
              request.caller,
              sessionOf(request.caller, request.headers.authorization),
              page,
            ),
          (session) => [session.id],
        ),
    );

    app.delete(
      '/me/sessions',
      {
        schema: {
          operationId: 'endOtherSessions',
          summary: 'Sign me out everywhere else',
          description:
            'At once, with all their access and refresh tokens. API keys stay, and so does the session of this request.',
          tags,
          response: { 204: Type.Null() },
        },
      },
      async (request, reply) => {
        await endOthers(
          db,
          request.caller,
          sessionOf(request.caller, request.headers.authorization),
        );
        return reply.code(204).send(null);
      },
    );

    app.delete(
      '/me/sessions/:id',
      {
        schema: {
          operationId: 'endSession',
          summary: 'Sign me out there',
          description: 'At once, with its access and refresh tokens.',
          tags,
          params: Type.Object({ id: Type.Integer() }),
          response: { 204: Type.Null() },
        },
      },
      async (request, reply) => {
        await endOne(db, request.caller, request.params.id);
        return reply.code(204).send(null);
      },
    );
  };
