import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { once } from '../../http/idempotency.ts';
import { PagingQuery, sendPage } from '../../http/paging.ts';
import type { Services } from '../../services.ts';
import { headersOf } from '../cogs/files/downloads.ts';
import { type GraphThreads, graphOf, graphRoute, takeGraphs } from '../workflows/graph-bodies.ts';
import { Workflow } from '../workflows/schema.ts';
import { Instantiation, NewTemplate, Template, TemplateSummary } from './schema.ts';
import {
  deleteTemplate,
  getSample,
  getTemplate,
  instantiate,
  listTemplates,
  prepareTemplate,
} from './templates.ts';

const tags = ['Workflow templates'];
const params = Type.Object({ id: Type.Integer() });

export const templateRoutes =
  (services: Services, threads: GraphThreads): FastifyPluginAsyncTypebox =>
  async (app) => {
    const { db } = services;
    takeGraphs(app, threads);

    app.get(
      '/workflow-templates/',
      {
        schema: {
          operationId: 'listWorkflowTemplates',
          summary: 'Templates of the platform, and those of my organization',
          tags,
          querystring: Type.Object({
            ...PagingQuery,
            category: Type.Optional(Type.String()),
            q: Type.Optional(Type.String({ description: 'Part of name or description.' })),
          }),
          response: { 200: Type.Array(TemplateSummary) },
        },
      },
      (request, reply) =>
        sendPage(
          services,
          request,
          reply,
          (page) => listTemplates(db, request.caller, request.query, page),
          (row) => [row.id],
        ),
    );

    app.post(
      '/workflow-templates/',
      {
        ...graphRoute,
        schema: {
          operationId: 'createWorkflowTemplate',
          summary: 'Keep a graph as a template',
          description: 'Of a graph, or of a version of a workflow; one that could be published.',
          tags,
          body: NewTemplate,
          response: { 201: Template },
        },
      },
      (request, reply) => {
        const { graph: _, ...given } = request.body;
        const graph = graphOf(request.body);
        return once(
          services,
          request,
          reply,
          201,
          { prepare: () => prepareTemplate(db, threads, request.caller, given, graph) },
          { ...given, graph: graph?.hash },
        );
      },
    );

    app.get(
      '/workflow-templates/:id',
      {
        schema: {
          operationId: 'getWorkflowTemplate',
          summary: 'One template, with what it needs',
          description: '`requirements` says what is met and what is missing, in words.',
          tags,
          params,
          response: { 200: Template },
        },
      },
      (request) => getTemplate(db, request.caller, request.params.id),
    );

    app.get(
      '/workflow-templates/:id/samples/:name',
      {
        schema: {
          operationId: 'getTemplateSample',
          summary: 'The bytes of a file to try a template on',
          description: 'Its names and types are the `samples` of the template.',
          tags,
          params: Type.Object({ id: Type.Integer(), name: Type.String({ maxLength: 255 }) }),
          response: {
            200: {
              description: 'The file.',
              content: {
                '*/*': { schema: Type.Unsafe<Uint8Array>({ type: 'string', format: 'binary' }) },
              },
            },
          },
        },
      },
      async (request, reply) => {
        const { id, name } = request.params;
        const { bytes, media_type } = await getSample(db, request.caller, id, name);
        return reply.headers(headersOf({ name, mime_type: media_type }, false)).send(bytes);
      },
    );

    app.delete(
      '/workflow-templates/:id',
      {
        schema: {
          operationId: 'deleteWorkflowTemplate',
          summary: 'Delete a template; workflows that were made of it stay',
          tags,
          params,
          response: { 204: Type.Null() },
        },
      },
      async (request, reply) => {
        await deleteTemplate(db, request.caller, request.params.id);
        return reply.code(204).send(null);
      },
    );

    app.post(
      '/workflow-templates/:id/instantiate',
      {
        schema: {
          operationId: 'instantiateWorkflowTemplate',
          summary: 'Make a workflow of a template',
          tags,
          params,
          body: Instantiation,
          response: { 201: Workflow },
        },
      },
      (request, reply) =>
        once(services, request, reply, 201, (tx) =>
          instantiate(tx, request.caller, request.params.id, request.body),
        ),
    );
  };
