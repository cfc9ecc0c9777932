import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { once } from '../../http/idempotency.ts';
import { PagingQuery, sendPage } from '../../http/paging.ts';
import type { Services } from '../../services.ts';
import type { GraphThreads } from '../workflows/graph-bodies.ts';
import {
  getDefinition,
  listDefinitions,
  listDefinitionUses,
  prepareDefinition,
} from './node_definitions.ts';
import { DefinitionUse, NewNodeDefinition, NodeDefinition } from './schema.ts';

const tags = ['Node definitions'];

export const nodeDefinitionRoutes =
  (services: Services, threads: GraphThreads): FastifyPluginAsyncTypebox =>
  async (app) => {
    const { db } = services;

    app.get(
      '/node_definitions/',
      {
        schema: {
          operationId: 'listNodeDefinitions',
          summary: 'Nodes that my workflows can use',
          tags,
          querystring: Type.Object({
            ...PagingQuery,
            category: Type.Optional(Type.String({ maxLength: 100 })),
            q: Type.Optional(
              Type.String({ maxLength: 200, description: 'Part of a name, title or description.' }),
            ),
          }),
          response: { 200: Type.Array(NodeDefinition) },
        },
      },
      (request, reply) =>
        sendPage(
          services,
          request,
          reply,
          (page) => listDefinitions(db, request.caller, request.query, page),
          (row) => [row.id],
        ),
    );

    app.post(
      '/node_definitions/',
      {
        schema: {
          operationId: 'registerNodeDefinition',
          summary: 'Register a node',
          description: 'A registered version never changes; register a new version instead.',
          tags,
          body: NewNodeDefinition,
          response: { 201: NodeDefinition },
        },
      },
      (request, reply) =>
        once(services, request, reply, 201, {
          prepare: () => prepareDefinition(threads, request.caller, request.body),
        }),
    );

    app.get(
      '/node_definitions/:id',
      {
        schema: {
          operationId: 'getNodeDefinition',
          summary: 'One node: its inputs, outputs and params',
          tags,
          params: Type.Object({ id: Type.Integer() }),
          response: { 200: NodeDefinition },
        },
      },
      (request) => getDefinition(db, request.caller, request.params.id),
    );

    app.get(
      '/node_definitions/:id/uses',
      {
        schema: {
          operationId: 'listDefinitionUses',
          summary: 'Workflows that use a node',
          description:
            'The latest and the published version of each workflow that use this version of the node, newest first. A page may have fewer rows than its limit, or none, and others follow: `Link` tells.',
          tags,
          params: Type.Object({ id: Type.Integer() }),
          querystring: Type.Object(PagingQuery),
          response: { 200: Type.Array(DefinitionUse) },
        },
      },
      (request, reply) =>
        sendPage(
          services,
          request,
          reply,
          (page) => listDefinitionUses(db, request.caller, request.params.id, page),
          (row) => [row.workflow_version_id],
        ),
    );
  };
