import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { once } from '../../http/idempotency.ts';
import { PagingQuery, sendPage } from '../../http/paging.ts';
import type { Services } from '../../services.ts';
import { type GraphThreads, graphOf, graphRoute, takeGraphs } from './graph-bodies.ts';
import { NewWorkflow, Workflow, WorkflowChanges } from './schema.ts';
import {
  changeWorkflow,
  createWorkflow,
  deleteWorkflow,
  getWorkflow,
  listWorkflows,
} from './workflows.ts';

const tags = ['Workflows'];
const params = Type.Object({ id: Type.Integer() });

export const workflowRoutes =
  (services: Services, threads: GraphThreads): FastifyPluginAsyncTypebox =>
  async (app) => {
    const { db } = services;
    takeGraphs(app, threads);

    app.get(
      '/workflows/',
      {
        schema: {
          operationId: 'listWorkflows',
          summary: 'Workflows of my tenant',
          tags,
          querystring: Type.Object(PagingQuery),
          response: { 200: Type.Array(Workflow) },
        },
      },
      (request, reply) =>
        sendPage(
          services,
          request,
          reply,
          (page) => listWorkflows(db, request.caller, page),
          (row) => [row.id],
        ),
    );

    app.post(
      '/workflows/',
      {
        ...graphRoute,
        schema: {
          operationId: 'createWorkflow',
          summary: 'Create a workflow',
          description:
            'With a graph, version 1 is made of it. An invalid graph is kept as a draft.',
          tags,
          body: NewWorkflow,
          response: { 201: Workflow },
        },
      },
      (request, reply) => {
        const { graph: _, ...settings } = request.body;
        const graph = graphOf(request.body);
        return once(
          services,
          request,
          reply,
          201,
          (tx) => createWorkflow(tx, request.caller, settings, graph),
          { ...settings, graph: graph?.hash },
        );
      },
    );

    app.get(
      '/workflows/:id',
      {
        schema: {
          operationId: 'getWorkflow',
          summary: 'One workflow',
          tags,
          params,
          response: { 200: Workflow },
        },
      },
      (request) => getWorkflow(db, request.caller, request.params.id),
    );

    app.patch(
      '/workflows/:id',
      {
        schema: {
          operationId: 'changeWorkflow',
          summary: 'Rename, describe or limit a workflow',
          description:
            'A changed `max_running` applies at once. What runs already goes on, even if it is more.',
          tags,
          params,
          body: WorkflowChanges,
          response: { 200: Workflow },
        },
      },
      (request) => changeWorkflow(db, request.caller, request.params.id, request.body),
    );

    app.delete(
      '/workflows/:id',
      {
        schema: {
          operationId: 'deleteWorkflow',
          summary: 'Delete a workflow',
          description: 'Its runs and their outputs stay.',
          tags,
          params,
          response: { 204: Type.Null() },
        },
      },
      async (request, reply) => {
        await deleteWorkflow(db, request.caller, request.params.id);
        return reply.code(204).send(null);
      },
    );
  };
