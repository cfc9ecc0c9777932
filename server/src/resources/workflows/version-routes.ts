import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { once } from '../../http/idempotency.ts';
import { PagingQuery, sendPage } from '../../http/paging.ts';
import type { Services } from '../../services.ts';
import {
  DraftChange,
  graphBytes,
  NewVersion,
  Validation,
  Variable,
  WorkflowVersion,
  WorkflowVersionSummary,
} from './schema.ts';
import {
  archiveVersion,
  changeDraft,
  createVersion,
  etagOf,
  getVersion,
  listVersions,
  publishVersion,
  shownVariables,
  shownVersion,
  validateVersion,
} from './versions.ts';

const tags = ['Workflows'];
const params = Type.Object({ version_id: Type.Integer() });
const path = '/workflows/workflow-versions/:version_id';

export const versionRoutes =
  (services: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    const { db } = services;

    app.get(
      '/workflows/:id/versions',
      {
        schema: {
          operationId: 'listWorkflowVersions',
          summary: 'Versions of a workflow, oldest first',
          description: 'Without their graphs: those come one by one.',
          tags,
          params: Type.Object({ id: Type.Integer() }),
          querystring: Type.Object(PagingQuery),
          response: { 200: Type.Array(WorkflowVersionSummary) },
        },
      },
      (request, reply) =>
        sendPage(
          services,
          request,
          reply,
          (page) => listVersions(db, request.caller, request.params.id, page),
          (row) => [row.id],
        ),
    );

    app.post(
      '/workflows/:id/versions',
      {
        bodyLimit: graphBytes,
        schema: {
          operationId: 'createWorkflowVersion',
          summary: 'Add a draft version',
          tags,
          params: Type.Object({ id: Type.Integer() }),
          body: NewVersion,
          response: { 201: WorkflowVersion },
        },
      },
      (request, reply) =>
        once(services, request, reply, 201, async (tx) =>
          shownVersion(
            await createVersion(tx, request.caller, request.params.id, request.body.graph as never),
          ),
        ),
    );

    app.get(
      path,
      {
        schema: {
          operationId: 'getWorkflowVersion',
          summary: 'One version with its graph',
          description: 'The `ETag` is what `If-Match` takes when a draft is changed.',
          tags,
          params,
          response: { 200: WorkflowVersion },
        },
      },
      async (request, reply) => {
        const version = await getVersion(db, request.caller, request.params.version_id);
        reply.header('etag', etagOf(version));
        return shownVersion(version);
      },
    );

    app.patch(
      path,
      {
        bodyLimit: graphBytes,
        schema: {
          operationId: 'changeWorkflowVersion',
          summary: "Replace a draft's graph",
          description:
            '`If-Match` is required: 428 without it, 412 when the draft has changed since.',
          tags,
          params,
          headers: Type.Object({ 'if-match': Type.Optional(Type.String()) }),
          body: DraftChange,
          response: { 200: WorkflowVersion },
        },
      },
      async (request, reply) => {
        const { version_id } = request.params;
        const graph = request.body.graph as never;
        const version = await changeDraft(
          db,
          request.caller,
          version_id,
          graph,
          request.headers['if-match'],
        );
        reply.header('etag', etagOf(version));
        return shownVersion(version);
      },
    );

    app.get(
      `${path}/variables`,
      {
        schema: {
          operationId: 'listVersionVariables',
          summary: 'What `extra_variables` of a run may hold',
          tags,
          params,
          response: { 200: Type.Array(Variable) },
        },
      },
      async (request) =>
        shownVariables((await getVersion(db, request.caller, request.params.version_id)).graph),
    );

    app.post(
      `${path}/validate`,
      {
        schema: {
          operationId: 'validateWorkflowVersion',
          summary: 'Check a graph: every fault at once',
          tags,
          params,
          response: { 200: Validation },
        },
      },
      (request) => validateVersion(db, request.caller, request.params.version_id),
    );

    for (const [action, operationId, summary, change] of [
      [
        'publish',
        'publishWorkflowVersion',
        'Publish a draft; its graph never changes again',
        publishVersion,
      ],
      [
        'archive',
        'archiveWorkflowVersion',
        'Archive a version; it starts no more runs',
        archiveVersion,
      ],
    ] as const) {
      app.post(
        `${path}/${action}`,
        { schema: { operationId, summary, tags, params, response: { 200: WorkflowVersion } } },
        async (request) =>
          shownVersion(await change(db, request.caller, request.params.version_id)),
      );
    }
  };
