import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { Services } from '../../services.ts';
import { changeMe, getMe } from './me.ts';
import { Me, MeChanges } from './schema.ts';

export const meRoutes =
  ({ db, readDb }: Services): FastifyPluginAsyncTypebox =>
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
      (request) => getMe(readDb, request.caller),
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
      (request) => changeMe(db, request.caller, request.body),
    );
  };
