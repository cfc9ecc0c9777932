import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { DomainError } from '../../errors.ts';
import { statusOf } from '../../http/error-handler.ts';
import { inTurn } from '../../http/idempotency.ts';

import type { Services } from '../../services.ts';
import { BadMessages, type InTurn, receive } from '../triggers/webhooks/receiving.ts';
import type { GraphThreads } from '../workflows/graph-bodies.ts';

/** Starts in the turns of the user who a trigger runs as. */
const starting =
  (app: FastifyInstance, reply: FastifyReply): InTurn =>
  async (caller, work) => {
    const end = await app.takeTurn('start', caller, reply);
    try {
      return await inTurn(caller, (hasTurn) => work({ isAlone: false, hasTurn }));
    } finally {
      end();
    }
  };

/** Where senders post their messages. The signature is the only credential. */
export const hookRoutes =
  (services: Services, threads: GraphThreads): FastifyPluginAsyncTypebox =>
  async (app) => {
    const badMessages = new BadMessages();
    app.addHook('onClose', () => badMessages.settled());

    // Signatures are over the bytes as they came, whatever their declared type.
    app.removeAllContentTypeParsers();
    app.addContentTypeParser(
      '*',
      { parseAs: 'buffer' },
      async (_request: FastifyRequest, body: Buffer) => body,
    );
    app.addHook('onRequest', async ({ headers }) => {
      if (headers['content-encoding'] === undefined) return;
      throw new DomainError('unsupported_media_type', 'Send the body without an encoding.');
    });

    app.post(
      '/hooks/:public_id',
      {
        bodyLimit: 1024 * 1024,
        config: { access: 'public', limit: 'hook' },
        schema: {
          operationId: 'receiveMessage',
          summary: 'Start the run of a webhook',
          description:
            'Signed as Standard Webhooks (`webhook-id`, `webhook-timestamp`, `webhook-signature`), or as its preset says. A message of the last 24 hours again is answered with its run. 401 for any fault of address or signature, 409 `trigger_disabled`, 422 if the body lacks what the mapping needs.',
          tags: ['Triggers'],
          params: Type.Object({ public_id: Type.String() }),
          response: {
            200: Type.Object({
              workflow_run_id: Type.Optional(Type.Integer()),
              challenge: Type.Optional(Type.String()),
              message: Type.Optional(Type.String()),
            }),
            202: Type.Object({ workflow_run_id: Type.Integer() }),
          },
        },
      },
      async (request, reply) => {
        const { status, body } = await receive(
          { ...services, threads, badMessages, statusOf },
          starting(app, reply),
          request.params.public_id,
          {
            header: (name) => {
              const value = request.headers[name];
              return typeof value === 'string' ? value : undefined;
            },
            body: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
          },
        );
        return reply.code(status).send(body);
      },
    );
  };
