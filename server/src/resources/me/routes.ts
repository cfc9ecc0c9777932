import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { Services } from '../../services.ts';
import { changeMe, getMe } from './me.ts';
import { Me, MeChanges } from './schema.ts';

export const meRoutes =
  ({ db }: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      '/me',
      {
        schema: {
          operationId: 'getMe',
          summary: 'Who I am',
          tags: ['Account'],
          response: { 200: Me },
        },
      },
      (request) => getMe(db, request.caller),
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
