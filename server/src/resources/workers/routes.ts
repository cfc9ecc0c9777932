import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { unauthenticated } from '../../errors.ts';
import { PagingQuery, sendPage } from '../../http/paging.ts';
import type { Services } from '../../services.ts';
import {
  EnrolledWorker,
  EnrollmentToken,
  NewEnrollmentToken,
  NewWorker,
  Worker,
  WorkerChanges,
} from './schema.ts';
import {
  changeWorker,
  createEnrollmentToken,
  deleteWorker,
  enrollWorker,
  enrollWorkerOf,
  getWorker,
  listWorkers,
  steerWorker,
} from './workers.ts';

const tags = ['Workers'];
const params = Type.Object({ id: Type.Integer() });

export const workerRoutes =
  (services: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    const { db } = services;

    app.post(
      '/workers/enrollment-tokens',
      {
        schema: {
          operationId: 'createEnrollmentToken',
          summary: 'Make a token that enrols one worker',
          tags,
          body: NewEnrollmentToken,
          response: { 201: EnrollmentToken },
        },
      },
      // Deliberately without an idempotency key: if the token is lost, a new one is created.
      async (request, reply) => {
        const { scope = 'tenant', expires_in = 3600 } = request.body;
        reply.code(201);
        return createEnrollmentToken(db, request.caller, scope, expires_in);
      },
    );

    app.post(
      '/workers',
      {
        config: { access: 'optional' },
        schema: {
          operationId: 'enrollWorker',
          summary: 'Enrol a worker',
          description:
            "With an enrolment token, or as an admin with a Bearer token. Answers the worker's own token, once.",
          tags,
          body: NewWorker,
          response: { 201: EnrolledWorker },
        },
      },
      async (request, reply) => {
        reply.code(201);
        if (request.body.enrollment_token !== undefined)
          return enrollWorker(db, request.body, request.ip);
        if (!request.caller) throw unauthenticated();
        return enrollWorkerOf(db, request.caller, request.body);
      },
    );

    app.get(
      '/workers',
      {
        schema: {
          operationId: 'listWorkers',
          summary: 'Workers that run my work',
          tags,
          querystring: Type.Object(PagingQuery),
          response: { 200: Type.Array(Worker) },
        },
      },
      (request, reply) =>
        sendPage(
          services,
          request,
          reply,
          (page) => listWorkers(db, request.caller, page),
          (row) => [row.id],
        ),
    );

    app.get(
      '/workers/:id',
      {
        schema: {
          operationId: 'getWorker',
          summary: 'One worker',
          tags,
          params,
          response: { 200: Worker },
        },
      },
      (request) => getWorker(db, request.caller, request.params.id),
    );

    app.patch(
      '/workers/:id',
      {
        schema: {
          operationId: 'changeWorker',
          summary: 'Rename or label a worker',
          tags,
          params,
          body: WorkerChanges,
          response: { 200: Worker },
        },
      },
      (request) => changeWorker(db, request.caller, request.params.id, request.body),
    );

    app.delete(
      '/workers/:id',
      {
        schema: {
          operationId: 'deleteWorker',
          summary: 'Remove a worker',
          tags,
          params,
          response: { 204: Type.Null() },
        },
      },
      async (request, reply) => {
        await deleteWorker(db, request.caller, request.params.id);
        return reply.code(204).send(null);
      },
    );

    for (const [action, operationId, summary, state] of [
      ['drain', 'drainWorker', 'Let a worker finish what it has and take nothing new', 'draining'],
      ['resume', 'resumeWorker', 'Let a drained worker take work again', 'active'],
    ] as const) {
      app.post(
        `/workers/:id/${action}`,
        { schema: { operationId, summary, tags, params, response: { 200: Worker } } },
        (request) => steerWorker(db, request.caller, request.params.id, state),
      );
    }
  };
