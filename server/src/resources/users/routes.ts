import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { PagingQuery, sendPage } from '../../http/paging.ts';
import type { Services } from '../../services.ts';
import { changeUser, listUsers } from './members.ts';
import { User, UserChanges } from './schema.ts';

const tags = ['Users'];

export const userRoutes =
  (services: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    const { db } = services;

    app.get(
      '/users/',
      {
        schema: {
          operationId: 'listUsers',
          summary: 'The users of my tenant',
          tags,
          querystring: Type.Object({
            ...PagingQuery,
            q: Type.Optional(
              Type.String({
                maxLength: 255,
                description: 'Part of the name or the e-mail address, in any case.',
              }),
            ),
          }),
          response: { 200: Type.Array(User) },
        },
      },
      (request, reply) =>
        sendPage(
          services,
          request,
          reply,
          (page) => listUsers(db, request.caller, (request.query.q ?? '').normalize('NFC'), page),
          (user) => [user.id],
        ),
    );

    app.patch(
      '/users/:id',
      {
        schema: {
          operationId: 'changeUser',
          summary: 'Change the role of a user, or disable one (tenant admins)',
          description:
            'A disabled user is signed out at once; tokens and API keys stop working, and uploads under way end.',
          tags,
          params: Type.Object({ id: Type.Integer() }),
          body: UserChanges,
          response: { 200: User },
        },
      },
      (request) => changeUser(db, request.caller, request.params.id, request.body),
    );
  };
