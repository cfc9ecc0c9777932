import { nodeRunStatuses } from '@cogworks/graph/statuses';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { once } from '../../http/idempotency.ts';
import { PagingQuery, sendPage } from '../../http/paging.ts';
import { sendBytes } from '../../http/send-bytes.ts';
import type { Services } from '../../services.ts';
import type { GraphThreads } from '../workflows/graph-bodies.ts';
import { readGrid } from './grid.ts';
import { openLog } from './logs.ts';
import { shownNodeRuns } from './node-runs.ts';
import { prepareRestart } from './restart.ts';
import { keysOfFile } from './run-file-queries.ts';
import { listRunFiles } from './run-files.ts';
import {
  cancelRun,
  deleteRun,
  getProgress,
  getRun,
  listRuns,
  requireRun,
  requireRunRow,
} from './runs.ts';
import {
  CancelRun,
  NodeRun,
  Progress,
  RestartedRun,
  RestartRun,
  RunFile,
  RunGrid,
  RunStatus,
  StartedRun,
  StartRun,
  WorkflowRun,
  WorkflowRunSummary,
} from './schema.ts';
import { prepareStart } from './start.ts';

const tags = ['Workflow runs'];
const params = Type.Object({ run_id: Type.Integer() });
const path = '/workflows/workflow-runs/:run_id';

/** Starting, cancelling and restarting. */
export const runActionRoutes =
  (services: Services, threads: GraphThreads): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.post(
      '/workflows/workflow-versions/:version_id/run',
      {
        // As many files as a run takes, and its variables.
        config: { turn: 'start', values: 110_000 },
        schema: {
          operationId: 'startRun',
          summary: 'Run a version over some files',
          description:
            'Answers when the run is accepted; follow it by its id. 409 `version_changed` when a draft is edited while it is being checked, and `insufficient_credits` when five minutes of its first step cost more than the organization has left, or than `max_credits`. Of one tenant a few starts are worked on at a time, and of large ones one; the others wait; 429 `too_many_at_once` with `Retry-After` when they are too many, or wait longer than a minute. With an `Idempotency-Key` a repeated start waits for the first one, and gets 503 `same_request_under_way` when that takes more than a minute.',
          tags,
          params: Type.Object({ version_id: Type.Integer() }),
          body: StartRun,
          response: { 202: StartedRun },
        },
      },
      async (request, reply) => {
        const { version_id } = request.params;
        return once(services, request, reply, 202, {
          prepare: () => prepareStart(services, threads, request.caller, version_id, request.body),
        });
      },
    );

    app.post(
      `${path}/cancel`,
      {
        schema: {
          operationId: 'cancelRun',
          summary: 'Stop a run',
          description:
            'What waits ends at once; a running container gets SIGTERM, ten seconds, SIGKILL.',
          tags,
          params,
          body: Type.Optional(Type.Union([CancelRun, Type.Null()])),
          response: { 200: WorkflowRun },
        },
      },
      (request) => cancelRun(services, request.caller, request.params.run_id, request.body?.reason),
    );

    app.post(
      `${path}/restart`,
      {
        config: { turn: 'start' },
        schema: {
          operationId: 'restartRun',
          summary: 'Run again, as a new run',
          description:
            '`failed` takes over what succeeded, unless a changed variable touches it; `all` does not; `only` says what runs again.',
          tags,
          params,
          body: Type.Optional(Type.Union([RestartRun, Type.Null()])),
          response: { 202: RestartedRun },
        },
      },
      async (request, reply) => {
        const { run_id } = request.params;
        return once(services, request, reply, 202, {
          prepare: () =>
            prepareRestart(services, threads, request.caller, run_id, request.body ?? {}),
        });
      },
    );

    app.delete(
      path,
      {
        schema: {
          operationId: 'deleteRun',
          summary: 'Delete a run that has ended',
          description:
            'Files made of its results stay, but for results that are not kept; what its nodes passed on to each other is removed.',
          tags,
          params,
          response: { 204: Type.Null() },
        },
      },
      async (request, reply) => {
        await deleteRun(services.db, request.caller, request.params.run_id);
        return reply.code(204).send(null);
      },
    );
  };

/** Reading runs. */
export const runRoutes =
  (services: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    const { db } = services;

    app.get(
      '/workflows/workflow-runs',
      {
        schema: {
          operationId: 'listRuns',
          summary: 'Runs of my tenant, newest first',
          tags,
          querystring: Type.Object({
            ...PagingQuery,
            status: Type.Optional(RunStatus),
            workflow_id: Type.Optional(Type.Integer()),
            trigger_id: Type.Optional(Type.Integer()),
            started_by: Type.Optional(Type.Integer()),
          }),
          response: { 200: Type.Array(WorkflowRunSummary) },
        },
      },
      (request, reply) =>
        sendPage(
          services,
          request,
          reply,
          (page) => listRuns(db, request.caller, request.query, page),
          (row) => [row.id],
        ),
    );

    app.get(
      path,
      {
        schema: {
          operationId: 'getRun',
          summary: 'One run',
          tags,
          params,
          response: { 200: WorkflowRun },
        },
      },
      (request) => getRun(services, request.caller, request.params.run_id),
    );

    app.get(
      `${path}/progress`,
      {
        schema: {
          operationId: 'getRunProgress',
          summary: 'How far a run is',
          tags,
          params,
          response: { 200: Progress },
        },
      },
      (request) => getProgress(db, request.caller, request.params.run_id),
    );

    app.get(
      `${path}/node-runs`,
      {
        schema: {
          operationId: 'listNodeRuns',
          summary: 'Node runs of a run',
          description: 'In topological order, then by file.',
          tags,
          params,
          querystring: Type.Object({
            ...PagingQuery,
            node_key: Type.Optional(Type.String({ description: 'Only of this node.' })),
            shard_index: Type.Optional(
              Type.Integer({
                ...{ minimum: 0, maximum: 2_147_483_647 },
                description: 'Only of this file or lane; nodes that run once have none.',
              }),
            ),
            with_attempts: Type.Optional(
              Type.Boolean({ description: 'Adds the tries of each, and how long they took.' }),
            ),
          }),
          response: { 200: Type.Array(NodeRun) },
        },
      },
      async (request, reply) => {
        const run = await requireRunRow(db, request.caller, request.params.run_id);
        return sendPage(
          services,
          request,
          reply,
          (page) => shownNodeRuns(services, run, page, request.query),
          (row) => [row.position, row.shard_index ?? -1, row.id],
        );
      },
    );

    app.get(
      `${path}/files`,
      {
        schema: {
          operationId: 'listRunFiles',
          summary: 'Files of a run',
          description:
            'Those that went in, by input and in the order given; then those that came out, as they came.',
          tags,
          params,
          querystring: Type.Object({
            ...PagingQuery,
            direction: Type.Optional(Type.Enum(['input', 'output'])),
          }),
          response: { 200: Type.Array(RunFile) },
        },
      },
      async (request, reply) => {
        const run = await requireRunRow(db, request.caller, request.params.run_id);
        return sendPage(
          services,
          request,
          reply,
          (page) => listRunFiles(services, run, request.query.direction, page),
          keysOfFile,
        );
      },
    );

    app.get(
      `${path}/grid`,
      {
        schema: {
          operationId: 'getRunGrid',
          summary: 'Files × nodes of a run, a letter for each node run',
          description:
            'A row for each input file, then for each file of an output that nodes are mapped over. `p` pending, `q` queued, `r` running, `s` success, `u` success taken over from an earlier run, `f` failure, `c` cancelled, `n` skipped by a condition (not needed), `b` skipped because of what happened before or elsewhere (blocked), `-` no node run. The node run of a cell: `/node-runs?node_key=&shard_index=`. An answer takes at most 256 KB, but with very many nodes; so a page may hold fewer rows than `limit`, with a filter even none, and still have a `Link` to go on.',
          tags,
          params,
          querystring: Type.Object({
            offset: PagingQuery.offset,
            limit: PagingQuery.limit,
            cursor: PagingQuery.cursor,
            status: Type.Optional(
              Type.Enum(nodeRunStatuses, {
                description:
                  'Rows with at least one node run of this status; those of nodes that run once do not count.',
              }),
            ),
            q: Type.Optional(
              Type.String({
                ...{ minLength: 1, maxLength: 255 },
                description: "Rows with this text in their file's name, in any case.",
              }),
            ),
          }),
          response: { 200: RunGrid },
        },
      },
      async (request, reply) => {
        const { caller, query } = request;
        let head: Awaited<ReturnType<typeof readGrid>>['head'] = { nodes: [], groups: [] };
        const rows = await sendPage(
          services,
          request,
          reply,
          async (page) => {
            const grid = await readGrid(services, caller, request.params.run_id, query, page);
            head = grid.head;
            return grid;
          },
          ({ group, shard_index }) => [group, shard_index, 0],
        );
        return { ...head, rows };
      },
    );

    app.get(
      `${path}/node-runs/:node_run_id/logs`,
      {
        schema: {
          operationId: 'getNodeRunLog',
          summary: 'What the container wrote; 410 once that was removed',
          description:
            'Of the newest attempt, as far as it is written. `offset` and `limit` choose a part of it. Also a single `Range` is answered, by 206 with `Content-Range`: `bytes=-65536` is the end of a log. What is written never changes, so an `ETag` stays good for `If-None-Match` until more is written.',
          tags,
          params: Type.Object({ run_id: Type.Integer(), node_run_id: Type.Integer() }),
          querystring: Type.Object({
            offset: Type.Optional(Type.Integer({ minimum: 0, description: 'Bytes to leave out.' })),
            limit: Type.Optional(
              Type.Integer({ minimum: 1, description: 'At most so many bytes.' }),
            ),
          }),
          produces: ['text/plain'],
        },
      },
      async (request, reply) => {
        const { run_id, node_run_id } = request.params;
        const run = await requireRun(db, request.caller, run_id);
        const log = await openLog(db, run, node_run_id, request.query);
        // Container output is always served as text, never as HTML.
        reply
          .header('x-content-type-options', 'nosniff')
          .header('content-security-policy', 'sandbox');
        reply.type('text/plain; charset=utf-8');
        await sendBytes(services, request, reply, log);
        return reply;
      },
    );
  };
