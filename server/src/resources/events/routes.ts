import { isTerminal } from '@cogworks/graph/statuses';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { DomainError } from '../../errors.ts';
import { openEventStream } from '../../http/event-stream.ts';
import type { Services } from '../../services.ts';
import { requireRun } from '../workflow-runs/runs.ts';
import { readPosition } from './positions.ts';
import { EventStreams } from './streams.ts';

const resuming =
  'An `id` comes after the events it covers, on its own, and also with the heartbeat every 15 seconds. Sent back as `Last-Event-ID`, to any process, the stream goes on after it without a gap; events since the last `id` may come twice. An event `reset` says that something is not told: read the whole again, and go on with the events that follow. A stream ends when the server stops, when its client reads too slowly, and when its credentials end. Its open streams are limited per user and tenant: 429 `too_many_at_once`.';

const headers = Type.Object({
  'last-event-id': Type.Optional(
    Type.String({
      description: 'Where to go on; without it the stream begins with how things are.',
    }),
  ),
});

export const eventRoutes =
  (services: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    const { readDb, rounds, limits, log } = services;
    const streams = new EventStreams(services, rounds.ground.newEvents, limits.streams, log);
    app.addHook('preClose', async () => streams.close());

    app.get(
      '/workflows/workflow-runs/:run_id/events',
      {
        config: { turn: 'none' },
        exposeHeadRoute: false,
        schema: {
          operationId: 'watchRun',
          summary: 'What happens in a run, as it happens',
          description: `Server-sent events: \`run\` (the run without variables, files and node runs), \`node_run\` (one, without its outputs), \`run_file\` (a result), \`log\` (\`{node_run_id, attempt, size_bytes}\`: how much of it there is), \`progress\` (its four fields, and \`nodes\`: how many node runs of those that changed are how), \`end\`. It begins with \`run\` and \`progress\`, with all nodes. ${resuming}`,
          tags: ['Workflow runs'],
          params: Type.Object({ run_id: Type.Integer() }),
          headers,
          produces: ['text/event-stream'],
        },
      },
      async (request, reply) => {
        const { id, status } = await requireRun(readDb, request.caller, request.params.run_id);
        return serve(request, reply, { id, has_ended: isTerminal(status) });
      },
    );

    app.get(
      '/events',
      {
        config: { turn: 'none' },
        exposeHeadRoute: false,
        schema: {
          operationId: 'watchRuns',
          summary: 'What becomes of the runs, versions and workers of my tenant, as it happens',
          description: `Server-sent events, for lists: \`run\` (as in the events of one run; \`deleted\` when it was), \`version\` (a workflow's version was added, changed, published or archived: \`{id, workflow_id, version_number, state, etag, graph_hash, logic_hash, changed_by}\`; an editor that has another \`etag\` reads \`GET /workflows/workflow-versions/{id}\`, and if it has the same \`logic_hash\`, only the drawing has changed), \`worker\` (one of the organization's own was enrolled, started, stopped, changed or removed: \`{id, name, status}\`; of one that falls silent nothing is told). It begins with \`reset\`: read the list then. ${resuming}`,
          tags: ['Workflow runs'],
          headers,
          produces: ['text/event-stream'],
        },
      },
      (request, reply) => serve(request, reply, undefined),
    );

    async function serve(
      request: FastifyRequest,
      reply: FastifyReply,
      run: { id: number; has_ended: boolean } | undefined,
    ) {
      const { caller } = request;
      const last = request.headers['last-event-id'];
      const since = typeof last === 'string' ? (readPosition(last) ?? 'unknown') : undefined;
      streams.requireRoom(caller);
      const sink = openEventStream(reply, limits.streams.most_bytes, () => stop());
      const stop = streams.open({
        caller,
        ...(run && { run }),
        since,
        sink,
        isStillAllowed: async () => isSame(caller, await stillCaller(request)),
      });
      return reply;
    }
  };

const isSame = (before: FastifyRequest['caller'], now: FastifyRequest['caller'] | undefined) =>
  now?.tenant_id === before.tenant_id && now.user_id === before.user_id;

/** @returns undefined if the credentials are no longer valid. */
const stillCaller = (request: FastifyRequest) =>
  request.authenticateAgain().catch((error: unknown) => {
    if (error instanceof DomainError && error.problem === 'unauthenticated') return undefined;
    throw error;
  });
