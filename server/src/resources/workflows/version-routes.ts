import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { once } from '../../http/idempotency.ts';
import { PagingQuery, sendPage } from '../../http/paging.ts';
import type { Services } from '../../services.ts';
import { type GraphThreads, graphOf, graphRoute, takeGraphs } from './graph-bodies.ts';
import type { GraphText } from './graph-work.ts';
import type { ShownVersionRow } from './queries.ts';
import {
  DraftChange,
  NewVersion,
  Publication,
  Validation,
  Variable,
  WorkflowVersion,
  WorkflowVersionSummary,
} from './schema.ts';
import { etagOf } from './version-events.ts';
import {
  archiveVersion,
  changeDraft,
  createVersion,
  getShownVersion,
  getVariables,
  listVersions,
  publishVersion,
  shownVersion,
  validateVersion,
} from './versions.ts';

const tags = ['Workflows'];
const params = Type.Object({ version_id: Type.Integer() });
const path = '/workflows/workflow-versions/:version_id';

export const versionRoutes =
  (services: Services, threads: GraphThreads): FastifyPluginAsyncTypebox =>
  async (app) => {
    const { db } = services;
    takeGraphs(app, threads);

    app.get(
      '/workflows/:id/versions',
      {
        schema: {
          operationId: 'listWorkflowVersions',
          summary: 'Versions of a workflow, oldest first',
          description:
            'Without their graphs: those come one by one. Two with one `logic_hash` do the same.',
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
        ...graphRoute,
        schema: {
          operationId: 'createWorkflowVersion',
          summary: 'Add a draft version',
          description: 'The `ETag` of the answer is what `If-Match` takes when it is changed.',
          tags,
          params: Type.Object({ id: Type.Integer() }),
          body: NewVersion,
          response: { 201: WorkflowVersion },
        },
      },
      async (request, reply) => {
        const graph = graphOf(request.body);
        const version = await once(
          services,
          request,
          reply,
          201,
          (tx) => createVersion(tx, request.caller, request.params.id, graph),
          { graph: graph?.hash },
        );
        return sendVersion(reply, version);
      },
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
        const version = await getShownVersion(db, request.caller, request.params.version_id);
        return sendVersion(reply, version);
      },
    );

    app.patch(
      path,
      {
        ...graphRoute,
        schema: {
          operationId: 'changeWorkflowVersion',
          summary: "Replace a draft's graph",
          description:
            '`If-Match` is required: 428 without it or with `*`, 412 when the draft has changed since.',
          tags,
          params,
          headers: Type.Object({ 'if-match': Type.Optional(Type.String()) }),
          body: DraftChange,
          response: { 200: WorkflowVersion },
        },
      },
      async (request, reply) => {
        const { version_id } = request.params;
        const graph = graphOf(request.body) as GraphText;
        const version = await changeDraft(
          db,
          request.caller,
          version_id,
          graph,
          request.headers['if-match'],
        );
        return sendVersion(reply, version);
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
      async (request, reply) =>
        sendJson(reply, await getVariables(db, request.caller, request.params.version_id)),
    );

    app.post(
      `${path}/validate`,
      {
        config: { reads: true },
        schema: {
          operationId: 'validateWorkflowVersion',
          summary: 'Check a graph: every fault at once',
          tags,
          params,
          response: { 200: Validation },
        },
      },
      (request) => validateVersion(db, threads, request.caller, request.params.version_id),
    );

    app.post(
      `${path}/publish`,
      {
        schema: {
          operationId: 'publishWorkflowVersion',
          summary: 'Publish a draft; its graph never changes again',
          description:
            'With the `logic_hash` that was checked, 412 if somebody has changed meanwhile what the draft does. Changes of notes, titles and positions do not count, and are published too.',
          tags,
          params,
          body: Type.Optional(Type.Union([Publication, Type.Null()])),
          response: { 200: WorkflowVersion },
        },
      },
      async ({ caller, params: { version_id }, body }, reply) =>
        sendVersion(reply, await publishVersion(db, threads, caller, version_id, body ?? {})),
    );

    app.post(
      `${path}/archive`,
      {
        schema: {
          operationId: 'archiveWorkflowVersion',
          summary: 'Archive a version; it starts no more runs',
          tags,
          params,
          response: { 200: WorkflowVersion },
        },
      },
      async (request, reply) =>
        sendVersion(reply, await archiveVersion(db, request.caller, request.params.version_id)),
    );
  };

/** With its `ETag`, so that it can be edited further without being read again. */
const sendVersion = (reply: FastifyReply, version: ShownVersionRow) =>
  sendJson(reply.header('etag', etagOf(version)), shownVersion(version));

/** Sends JSON text unchanged. The answer's schema is for documentation only. */
const sendJson = (reply: FastifyReply, json: string | Buffer): never =>
  reply.type('application/json; charset=utf-8').send(Buffer.from(json)) as never;
