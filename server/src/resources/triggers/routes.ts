import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { once } from '../../http/idempotency.ts';
import { PagingQuery, sendPage } from '../../http/paging.ts';
import type { Services } from '../../services.ts';
import type { GraphThreads } from '../workflows/graph-bodies.ts';
import {
  ComingTick,
  CreatedTrigger,
  Firing,
  NewTrigger,
  Trigger,
  TriggerChanges,
} from './schema.ts';
import {
  changeTrigger,
  createTrigger,
  deleteTrigger,
  getTrigger,
  listFirings,
  listTriggers,
  prepareFire,
  previewSchedule,
  previewTrigger,
} from './triggers.ts';

const tags = ['Triggers'];
const params = Type.Object({ id: Type.Integer() });
const count = Type.Integer({ minimum: 1, maximum: 100, default: 5 });

export const triggerRoutes =
  (services: Services, threads: GraphThreads): FastifyPluginAsyncTypebox =>
  async (app) => {
    const { db } = services;

    app.get(
      '/workflows/triggers/',
      {
        schema: {
          operationId: 'listTriggers',
          summary: 'What starts workflows by itself',
          tags,
          querystring: Type.Object({
            ...PagingQuery,
            workflow_id: Type.Optional(Type.Integer()),
            folder_id: Type.Optional(
              Type.Integer({ description: 'Only those that have this folder.' }),
            ),
          }),
          response: { 200: Type.Array(Trigger) },
        },
      },
      (request, reply) =>
        sendPage(
          services,
          request,
          reply,
          (page) => listTriggers(services, request.caller, request.query, page),
          (row) => [row.id],
        ),
    );

    app.post(
      '/workflows/triggers/',
      {
        schema: {
          operationId: 'createTrigger',
          summary: 'Start a workflow by itself',
          description:
            'At the times of a schedule, for messages to a webhook (whose `url` and `secret` are for its sender), or when files come to a folder. Its runs have the rights that the caller has when they start. 409 `not_published` for a workflow without a published version.',
          tags,
          body: NewTrigger,
          response: { 201: CreatedTrigger },
        },
      },
      (request, reply) =>
        once(services, request, reply, 201, (tx) =>
          createTrigger(tx, services, request.caller, request.body),
        ),
    );

    app.get(
      '/workflows/triggers/preview',
      {
        schema: {
          operationId: 'previewSchedule',
          summary: 'When a schedule would fire next',
          tags,
          querystring: Type.Object({
            cron: Type.String({ minLength: 1, maxLength: 200 }),
            timezone: Type.Optional(Type.String({ maxLength: 64, default: 'UTC' })),
            gap: Type.Optional(Type.Enum(['shift', 'skip'])),
            overlap: Type.Optional(Type.Enum(['first', 'second', 'both'])),
            count: Type.Optional(count),
          }),
          response: { 200: Type.Array(ComingTick) },
        },
      },
      async ({ query: { cron, timezone = 'UTC', gap, overlap, count = 5 } }) =>
        previewSchedule(
          { cron, timezone, dst: { ...(gap && { gap }), ...(overlap && { overlap }) } },
          count,
        ),
    );

    app.get(
      '/workflows/triggers/:id',
      {
        schema: {
          operationId: 'getTrigger',
          summary: 'One trigger',
          tags,
          params,
          response: { 200: Trigger },
        },
      },
      (request) => getTrigger(db, services, request.caller, request.params.id),
    );

    app.patch(
      '/workflows/triggers/:id',
      {
        schema: {
          operationId: 'changeTrigger',
          summary: 'Change a trigger, or turn it on or off',
          description:
            'By the user it runs as and admins. An admin, or who made it, takes it over by naming themselves as `run_as_user_id`; who made it can always turn it off. A changed schedule counts from now.',
          tags,
          params,
          body: TriggerChanges,
          response: { 200: Trigger },
        },
      },
      (request) => changeTrigger(db, services, request.caller, request.params.id, request.body),
    );

    app.delete(
      '/workflows/triggers/:id',
      {
        schema: {
          operationId: 'deleteTrigger',
          summary: 'Delete a trigger with its firings; its runs stay',
          tags,
          params,
          response: { 204: Type.Null() },
        },
      },
      async (request, reply) => {
        await deleteTrigger(db, request.caller, request.params.id);
        return reply.code(204).send(null);
      },
    );

    app.post(
      '/workflows/triggers/:id/fire',
      {
        config: { turn: 'start' },
        schema: {
          operationId: 'fireTrigger',
          summary: 'Start its run now',
          description: 'As the user it runs as, whatever runs already, also when it is turned off.',
          tags,
          params,
          response: { 202: Type.Object({ workflow_run_id: Type.Integer() }) },
        },
      },
      async (request, reply) =>
        once(services, request, reply, 202, {
          prepare: () => prepareFire({ ...services, threads }, request.caller, request.params.id),
        }),
    );

    app.get(
      '/workflows/triggers/:id/preview',
      {
        schema: {
          operationId: 'previewTrigger',
          summary: 'When it fires next',
          tags,
          params,
          querystring: Type.Object({ count: Type.Optional(count) }),
          response: { 200: Type.Array(ComingTick) },
        },
      },
      (request) => previewTrigger(db, request.caller, request.params.id, request.query.count ?? 5),
    );

    app.get(
      '/workflows/triggers/:id/firings',
      {
        schema: {
          operationId: 'listFirings',
          summary: 'What became of its ticks, newest first',
          description: 'Kept for 90 days.',
          tags,
          params,
          querystring: Type.Object(PagingQuery),
          response: { 200: Type.Array(Firing) },
        },
      },
      (request, reply) =>
        sendPage(
          services,
          request,
          reply,
          (page) => listFirings(db, request.caller, request.params.id, page),
          (row) => [row.id],
        ),
    );
  };
