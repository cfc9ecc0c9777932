/** Changes of many cogs in one request, each with an outcome of its own. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Db } from '../../../db/connection.ts';
import type { Decided } from '../../../decided.ts';
import { type Effect, repeatable } from '../../../effects.ts';
import { itemError } from '../../../http/error-handler.ts';
import { once } from '../../../http/idempotency.ts';
import type { Services } from '../../../services.ts';
import { copiesOf } from '../copies/copies.ts';
import { moveCogs } from '../moves/moves.ts';
import type { Cog, RestoredCog } from '../schema.ts';
import { deleteCogs } from '../trash/deletion.ts';
import { restoreCogs } from '../trash/restoration.ts';
import { purgeCogs } from '../trash/trash.ts';
import {
  CopiedCogs,
  MovedCogs,
  RemovedCogs,
  RestoredCogs,
  Selection,
  SelectionCopy,
  SelectionMove,
  SelectionRestoration,
} from './schema.ts';

const tags = ['Cogs'];

type Request = FastifyRequest<{ Body: { cog_ids: number[] } }>;

export const selectionRoutes =
  (services: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    /** Does the work, which can be repeated, once per key, and answers with the outcome of each cog. */
    const answer = <Result extends Cog | RestoredCog | undefined>(
      request: Request,
      reply: FastifyReply,
      work: (db: Db) => Promise<Decided<Result>[]>,
    ) =>
      once(
        services,
        request,
        reply,
        200,
        repeatable(async (tx) => told(request, await work(tx))),
      );

    app.post(
      '/cogs/move',
      {
        schema: {
          operationId: 'moveCogs',
          summary: 'Move many cogs to one folder',
          description:
            'Each is decided as if it were moved alone, and the others are not affected by one that is refused; of several with one name the first gets it. What is in the folder already stays as it is. Those who own something keep it by grants, where the folder does not give them that: of what needs more than 10,000 together the first ones are moved, the others get 409 `too_many_grants` and can be sent again.',
          tags,
          body: SelectionMove,
          response: { 200: MovedCogs },
        },
      },
      (request, reply) => {
        const { caller, body } = request;
        return answer(request, reply, (tx) => moveCogs(tx, caller, body.cog_ids, body.parent_id));
      },
    );

    app.post(
      '/cogs/copy',
      {
        schema: {
          operationId: 'copyCogs',
          summary: 'Copy many cogs into one folder',
          description:
            'Each as if it were copied alone, without copying bytes; of several with one name the first gets it. At most 100,000 files and folders in a request: the first ones that fit are copied, the others get 409 `too_many_items`.',
          tags,
          body: SelectionCopy,
          response: { 200: CopiedCogs },
        },
      },
      async (request, reply) => {
        const { cog_ids, parent_id, existing = 'refuse' } = request.body;
        const copies = copiesOf(services, request.caller, cog_ids, parent_id, existing);
        const prepare = async (): Promise<Effect<CopiedCogs>> => {
          const place = await copies.prepare();
          return repeatable(async (tx, way) => told(request, await place(tx, way)));
        };
        try {
          return await once(services, request, reply, 200, { prepare });
        } finally {
          await copies.dropUnused();
        }
      },
    );

    app.post(
      '/cogs/delete',
      {
        schema: {
          operationId: 'deleteCogs',
          summary: 'Delete many cogs with all in them',
          description:
            'Into the trash, each for itself: what is in another one of them is restored after that.',
          tags,
          body: Selection,
          response: { 200: RemovedCogs },
        },
      },
      (request, reply) =>
        answer(request, reply, (tx) => deleteCogs(tx, request.caller, request.body.cog_ids)),
    );

    app.post(
      '/cogs/restore',
      {
        schema: {
          operationId: 'restoreCogs',
          summary: 'Put many deleted cogs back where they were',
          description:
            'Folders before what was in them; of several with one name the first gets it. One whose name is taken gets a number with `existing: number`, or can be restored alone, with a new name.',
          tags,
          body: SelectionRestoration,
          response: { 200: RestoredCogs },
        },
      },
      (request, reply) => {
        const { cog_ids, existing = 'refuse' } = request.body;
        return answer(request, reply, (tx) => restoreCogs(tx, request.caller, cog_ids, existing));
      },
    );

    app.post(
      '/cogs/purge',
      {
        schema: {
          operationId: 'purgeCogs',
          summary: 'Remove many cogs that are in the trash for ever',
          description: 'By their owner or an admin.',
          tags,
          body: Selection,
          response: { 200: RemovedCogs },
        },
      },
      (request, reply) =>
        answer(request, reply, (tx) => purgeCogs(tx, request.caller, request.body.cog_ids)),
    );
  };

/** The outcome of each cog. */
function told<Result extends Cog | RestoredCog | undefined>(
  request: Request,
  outcomes: readonly Decided<Result>[],
) {
  const results = outcomes.map((one, at) => {
    const cog_id = request.body.cog_ids[at] ?? 0;
    if ('error' in one) return { cog_id, error: itemError(request, one.error) };
    return one.result === undefined ? { cog_id } : { cog_id, cog: one.result };
  });
  return { results };
}
