import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import type { Services } from '../../services.ts';
import { leaveTenant } from '../users/members.ts';
import { changeMe, getMe } from './me.ts';
import { Me, MeChanges } from './schema.ts';

export const meRoutes =
  ({ db, readDb, config }: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      '/me',
      {
        config: { turn: 'lookup' },
        schema: {
          operationId: 'getMe',
          summary: 'Who I am',
          tags: ['Account'],
          response: { 200: Me },
        },
      },
      (request) => getMe(readDb, config, request.caller),
    );

    app.patch(
      '/me',
      {
        schema: {
          operationId: 'changeMe',
          summary: 'Change my names',
          tags: ['Account'],
          body: MeChanges,
          response: { 200: Me },
        },
      },
      (request) => changeMe(db, config, request.caller, request.body),
    );

    app.post(
      '/me/leave',
      {
        schema: {
          operationId: 'leaveTenant',
          summary: 'Leave my tenant',
          description:
            'Disables my account at once, as an admin would; only an admin can enable it again. The last admin cannot leave: 409 `last_admin`.',
          tags: ['Account'],
          response: { 204: Type.Null() },
        },
      },
      async (request, reply) => {
        await leaveTenant(db, request.caller);
        return reply.code(204).send(null);
      },
    );
  };
