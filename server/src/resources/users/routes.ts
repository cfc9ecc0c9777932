import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { PagingQuery, sendPage } from '../../http/paging.ts';
import type { Services } from '../../services.ts';
import { previewDisabling } from './disabling.ts';
import { changeUser, listUsers, removeUser } from './members.ts';
import { DisablePreview, User, UserChanges } from './schema.ts';

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
            include_removed: Type.Optional(
              Type.Boolean({
                description: 'Also those who were removed, for the names in what they did.',
              }),
            ),
          }),
          response: { 200: Type.Array(User) },
        },
      },
      (request, reply) => {
        const { q = '', include_removed = false } = request.query;
        const filter = { q: q.normalize('NFC'), include_removed };
        return sendPage(
          services,
          request,
          reply,
          (page) => listUsers(db, request.caller, filter, page),
          (user) => [user.id],
        );
      },
    );

    app.patch(
      '/users/:id',
      {
        schema: {
          operationId: 'changeUser',
          summary: 'Change the role of a user, or disable one (tenant admins)',
          description:
            'A disabled user is signed out at once; tokens and API keys stop working, and uploads under way end; so do open invitations of one who is no admin any more. Enabling one takes a seat: without one left, 403 `quota_exceeded`. The last active admin stays: 409 `last_admin`.',
          tags,
          params: Type.Object({ id: Type.Integer() }),
          body: UserChanges,
          response: { 200: User },
        },
      },
      (request) => changeUser(db, request.caller, request.params.id, request.body),
    );

    app.delete(
      '/users/:id',
      {
        schema: {
          operationId: 'removeUser',
          summary: 'Remove a disabled user for good (tenant admins)',
          description:
            'Their address can be invited again. What they own and did stays, with their name; name a successor before. 409 `not_disabled` for others.',
          tags,
          params: Type.Object({ id: Type.Integer() }),
          response: { 204: Type.Null() },
        },
      },
      async (request, reply) => {
        await removeUser(db, request.caller, request.params.id);
        return reply.code(204).send(null);
      },
    );

    app.get(
      '/users/:id/disable-preview',
      {
        config: { turn: 'search' },
        schema: {
          operationId: 'previewDisabling',
          summary: 'What disabling a user would stop (tenant admins)',
          tags,
          params: Type.Object({ id: Type.Integer() }),
          response: { 200: DisablePreview },
        },
      },
      (request) => previewDisabling(db, request.caller, request.params.id),
    );
  };
