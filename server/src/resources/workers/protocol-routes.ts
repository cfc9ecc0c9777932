import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import type { WorkerCaller } from '../../callers.ts';
import { notFound } from '../../errors.ts';
import { untilGone } from '../../http/gone.ts';
import type { Services } from '../../services.ts';
import { OpenPolls } from './open-polls.ts';
import { startProcess, stopProcess } from './processes.ts';
import {
  acquire,
  appendLog,
  completeAttempt,
  containerStarted,
  exchange,
  heartbeat,
  openUploads,
  readInputs,
} from './protocol.ts';
import {
  Acquire,
  Completion,
  Exchange,
  Exchanged,
  Heartbeat,
  HeartbeatAnswer,
  InputPage,
  LogPiece,
  NewUploads,
  Order,
  OrderForm,
  ProcessStart,
  ReadInputs,
  Started,
  StartedProcess,
  Uploads,
} from './schema.ts';

const tags = ['Worker protocol'];
const params = Type.Object({ id: Type.Integer() });
const attemptParams = Type.Object({ id: Type.Integer(), attempt_id: Type.Integer() });
const path = '/workers/:id/attempts/:attempt_id';

/**
 * Counted per worker: a busy one makes more calls than the limit per client address allows, and the
 * local one shares its address with users.
 */
const config = { access: 'worker', limit: 'worker' } as const;

/** Enough for ten thousand outputs with long names. */
const completionBytes = 8 * 1024 * 1024;

export const workerProtocolRoutes =
  (services: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    const polls = new OpenPolls();

    app.post(
      '/workers/:id/start',
      {
        // Needs only the worker token: a starting process has no epoch yet.
        config: { ...config, late: true },
        schema: {
          operationId: 'startWorker',
          summary: 'Start a process of the worker',
          description:
            'Only the newest process works. Calls of an older one are 409 `superseded` from now on, but for reports on what it holds.',
          tags,
          params,
          body: ProcessStart,
          response: { 200: StartedProcess },
        },
      },
      (request) => startProcess(services, own(request, request.params.id), request.body),
    );

    app.post(
      '/workers/:id/stop',
      {
        config: { ...config, late: true },
        schema: {
          operationId: 'stopWorker',
          summary: 'Say that the process ends',
          description: 'The last call of a process: the worker is offline at once.',
          tags,
          params,
          response: { 204: Type.Null() },
        },
      },
      async (request, reply) => {
        await stopProcess(services, ownProcess(request, request.params.id));
        return reply.code(204).send(null);
      },
    );

    app.post(
      '/workers/:id/heartbeat',
      {
        config: { access: 'worker', limit: 'heartbeat' },
        schema: {
          operationId: 'sendHeartbeat',
          summary: 'Say that the worker lives and what it holds',
          tags,
          params,
          body: Heartbeat,
          response: { 200: HeartbeatAnswer },
        },
      },
      (request) => heartbeat(services, ownProcess(request, request.params.id), request.body),
    );

    app.post(
      '/workers/:id/acquire',
      {
        config,
        schema: {
          operationId: 'acquireWork',
          summary: 'Take work, waiting for some',
          description:
            'At most four at once per worker, else 429 `too_many_at_once`, which comes after one to four seconds.',
          tags,
          params,
          querystring: OrderForm,
          body: Acquire,
          response: { 200: Type.Array(Order), 204: Type.Null({ description: 'Nothing to do.' }) },
        },
      },
      async (request, reply) => {
        const gone = untilGone(reply);
        const process = ownProcess(request, request.params.id);
        const orders = await polls.during(request.workerId, gone, () =>
          acquire(services, process, { ...request.body, ...formOf(request) }, gone),
        );
        return orders.length > 0 ? orders : reply.code(204).send(null);
      },
    );

    app.post(
      '/workers/:id/exchange',
      {
        config: { ...config, late: true },
        bodyLimit: completionBytes,
        schema: {
          operationId: 'exchangeWork',
          summary: 'Report what has ended, and take work, in one call',
          description:
            'Each report has a result of its own; one that is refused changes nothing for the others. What the reports make ready may come back as orders at once. With `wait_seconds` and no reports it waits as acquire does.',
          tags,
          params,
          querystring: OrderForm,
          body: Exchange,
          response: { 200: Exchanged },
        },
      },
      async (request, reply) => {
        const gone = untilGone(reply);
        const process = ownProcess(request, request.params.id);
        const reports = request.body.reports.map((report) => ({ outputs: [], ...report }));
        const asked = { ...request.body, ...formOf(request), reports };
        const work = () => exchange(services, process, asked, gone);
        // Only calls that wait count as open polls of the worker.
        return reports.length > 0 ? work() : polls.during(process.id, gone, work);
      },
    );

    app.post(
      `${path}/inputs`,
      {
        config,
        schema: {
          operationId: 'readInputs',
          summary: 'Inputs that an order did not name',
          description:
            'Of an order that says `more_inputs`: the next ones, in order, until a page says it no more. A page may be empty.',
          tags,
          params: attemptParams,
          body: ReadInputs,
          response: { 200: InputPage },
        },
      },
      (request) => {
        const { id, attempt_id } = request.params;
        return readInputs(services, own(request, id), attempt_id, request.body);
      },
    );

    app.post(
      `${path}/started`,
      {
        config,
        schema: {
          operationId: 'reportStarted',
          summary: 'The container runs',
          tags,
          params: attemptParams,
          body: Started,
          response: { 204: Type.Null() },
        },
      },
      async (request, reply) => {
        const { id, attempt_id } = request.params;
        await containerStarted(services, own(request, id), attempt_id, request.body.lease_token);
        return reply.code(204).send(null);
      },
    );

    app.post(
      `${path}/uploads`,
      {
        config,
        schema: {
          operationId: 'openUploads',
          summary: 'Places for the output files',
          tags,
          params: attemptParams,
          body: NewUploads,
          response: { 201: Uploads },
        },
      },
      async (request, reply) => {
        const { id, attempt_id } = request.params;
        const { lease_token, files } = request.body;
        reply.code(201);
        return openUploads(services, own(request, id), attempt_id, lease_token, files);
      },
    );

    app.post(
      `${path}/logs`,
      {
        config,
        schema: {
          operationId: 'appendLog',
          summary: "A piece of the container's output",
          tags,
          params: attemptParams,
          body: LogPiece,
          response: { 204: Type.Null() },
        },
      },
      async (request, reply) => {
        const { id, attempt_id } = request.params;
        await appendLog(services, own(request, id), attempt_id, request.body);
        return reply.code(204).send(null);
      },
    );

    app.post(
      `${path}/complete`,
      {
        config: { ...config, late: true },
        bodyLimit: completionBytes,
        schema: {
          operationId: 'completeAttempt',
          summary: 'How the attempt ended',
          description:
            'Counts only while the lease is held: 409 `lease_lost` otherwise, and nothing changes.',
          tags,
          params: attemptParams,
          body: Completion,
          response: { 204: Type.Null() },
        },
      },
      async (request, reply) => {
        const { id, attempt_id } = request.params;
        await completeAttempt(services, own(request, id), attempt_id, {
          outputs: [],
          ...request.body,
        });
        return reply.code(204).send(null);
      },
    );
  };

const formOf = ({ query }: { query: Static<typeof OrderForm> }) => ({
  takes_pages: query.inputs === 'pages',
});

const ownProcess = (request: FastifyRequest, id: number): WorkerCaller => ({
  id: own(request, id),
  epoch: request.workerEpoch,
});

/** A worker may use only its own paths; those of others do not exist for it. */
function own(request: FastifyRequest, id: number): number {
  if (request.workerId !== id) throw notFound('Worker');
  return id;
}
